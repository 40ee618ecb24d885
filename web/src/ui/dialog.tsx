import { X } from 'lucide-react';
import { type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { IconButton } from './button.tsx';

interface DialogProps {
  readonly title: string;
  readonly isOpen: boolean;
  /** Without it, the dialog cannot be dismissed. */
  readonly onClose?: () => void;
  readonly children: ReactNode;
}

/** The browser's own modal dialog: it traps the focus and restores it, and needs no styles of a script. */
export function Dialog({ title, isOpen, onClose, children }: DialogProps) {
  const ref = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  // The content comes after the dialog is shown, so that the field with `autoFocus` has the focus.
  const [isShown, setShown] = useState(false);
  useEffect(() => {
    if (isOpen) ref.current?.showModal();
    else ref.current?.close();
    setShown(isOpen);
  }, [isOpen]);
  return (
    <dialog
      ref={ref}
      aria-labelledby={titleId}
      onCancel={(event) => {
        event.preventDefault();
        onClose?.();
      }}
      className="m-auto w-[min(26rem,calc(100vw-2rem))] rounded-panel bg-raised p-0 text-text shadow-raised open:rise"
    >
      <div className="flex items-center justify-between gap-4 pt-4 pr-3 pl-5">
        <h2 id={titleId} className="text-lg font-semibold">
          {title}
        </h2>
        {onClose && (
          <IconButton label="Close" onClick={onClose}>
            <X size={16} strokeWidth={1.5} aria-hidden />
          </IconButton>
        )}
      </div>
      <div className="px-5 pt-2 pb-5">{isShown && children}</div>
    </dialog>
  );
}
