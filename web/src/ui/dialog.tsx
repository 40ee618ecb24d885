import { X } from 'lucide-react';
import { type ReactNode, useId, useLayoutEffect, useRef, useState } from 'react';
import { observable } from '../state/observable.ts';
import { IconButton } from './button.tsx';
import { Icon } from './icon.tsx';

/** Those that are open, the one in front last. */
export const openDialogs = observable<readonly HTMLElement[]>([]);

interface DialogProps {
  readonly title: string;
  readonly isOpen: boolean;
  /** Without it, the dialog cannot be dismissed. */
  readonly onClose?: () => void;
  /** At the top of the screen, with the title for screen readers only; a click beside it closes it. */
  readonly isPalette?: boolean;
  readonly children: ReactNode;
}

/** The browser's own modal dialog: it traps the focus and restores it, and needs no styles of a script. */
export function Dialog({ title, isOpen, onClose, isPalette = false, children }: DialogProps) {
  const ref = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  // The content comes after the dialog is shown, so that the field with `autoFocus` has the focus; before the next key.
  const [isShown, setShown] = useState(false);
  useLayoutEffect(() => {
    const dialog = ref.current;
    setShown(isOpen);
    if (!dialog || !isOpen) return;
    dialog.showModal();
    openDialogs.set([...openDialogs.get(), dialog]);
    return () => {
      openDialogs.set(openDialogs.get().filter((one) => one !== dialog));
      dialog.close();
    };
  }, [isOpen]);
  return (
    <dialog
      ref={ref}
      aria-labelledby={titleId}
      onCancel={(event) => {
        event.preventDefault();
        onClose?.();
      }}
      onClose={() => {
        if (!isOpen || ref.current?.open) return;
        if (onClose) onClose();
        else ref.current?.showModal();
      }}
      closedby={!onClose ? 'none' : isPalette ? 'any' : 'closerequest'}
      className={`rounded-panel bg-raised p-0 text-text shadow-raised open:rise ${isPalette ? 'mx-auto mt-[12vh] w-[min(38rem,calc(100vw-2rem))]' : 'm-auto w-[min(26rem,calc(100vw-2rem))]'}`}
    >
      <div className={isPalette ? 'sr-only' : 'flex items-center justify-between gap-4 pt-4 pr-3 pl-5'}>
        <h2 id={titleId} className="text-lg font-semibold">
          {title}
        </h2>
        {onClose && !isPalette && (
          <IconButton label="Close" onClick={onClose}>
            <Icon icon={X} />
          </IconButton>
        )}
      </div>
      <div className={isPalette ? '' : 'px-5 pt-2 pb-5'}>{isShown && children}</div>
    </dialog>
  );
}
