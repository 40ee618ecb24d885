import * as DropdownMenu from '@radix-ui/react-dropdown-menu';
import { Check, type LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import { Icon } from './icon.tsx';

interface MenuProps {
  readonly trigger: ReactNode;
  readonly align?: 'start' | 'end';
  readonly children: ReactNode;
}

/** Not modal: locking the scroll position would need an inline style sheet, which the page's policy forbids. */
export function Menu({ trigger, align = 'end', children }: MenuProps) {
  return (
    <DropdownMenu.Root modal={false}>
      <DropdownMenu.Trigger asChild>{trigger}</DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content
          align={align}
          sideOffset={6}
          collisionPadding={8}
          className="rise z-20 max-h-[70vh] min-w-52 overflow-y-auto rounded-panel bg-raised p-1 text-text shadow-raised"
        >
          {children}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}

interface MenuItemProps {
  readonly icon?: LucideIcon;
  readonly isChosen?: boolean;
  readonly onSelect: () => void;
  readonly children: ReactNode;
}

export function MenuItem({ icon, isChosen = false, onSelect, children }: MenuItemProps) {
  return (
    <DropdownMenu.Item
      onSelect={onSelect}
      className="flex min-h-8 max-md:min-h-11 items-center gap-2.5 rounded-control px-2.5 outline-none data-highlighted:bg-accent-tint"
    >
      {icon && (
        <span className="text-secondary">
          <Icon icon={icon} />
        </span>
      )}
      <span className="min-w-0 flex-1 truncate">{children}</span>
      {isChosen && <Icon icon={Check} className="text-accent" label="chosen" />}
    </DropdownMenu.Item>
  );
}

export function MenuHeading({ children }: { readonly children: ReactNode }) {
  return <DropdownMenu.Label className="px-2.5 pt-2 pb-1 text-xs text-faint">{children}</DropdownMenu.Label>;
}

export function MenuLine() {
  return <DropdownMenu.Separator className="mx-1 my-1 h-px bg-line" />;
}
