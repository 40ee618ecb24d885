import * as Radix from '@radix-ui/react-popover';
import type { ReactNode } from 'react';

interface PopoverProps {
  readonly trigger: ReactNode;
  readonly align?: 'start' | 'end';
  /** For screen readers. */
  readonly label: string;
  readonly isOpen?: boolean;
  readonly onOpenChange?: (isOpen: boolean) => void;
  readonly children: ReactNode;
}

/** Opens beside its trigger; a click elsewhere closes it. */
export function Popover({ trigger, align = 'start', label, isOpen, onOpenChange, children }: PopoverProps) {
  const state = isOpen === undefined ? {} : { open: isOpen };
  return (
    <Radix.Root {...state} {...(onOpenChange && { onOpenChange })}>
      <Radix.Trigger asChild>{trigger}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          data-popover
          aria-label={label}
          align={align}
          sideOffset={6}
          collisionPadding={8}
          className="rise z-20 max-h-[70vh] w-80 max-w-[calc(100vw-1rem)] overflow-y-auto rounded-panel bg-raised p-4 text-text shadow-raised outline-none"
        >
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
