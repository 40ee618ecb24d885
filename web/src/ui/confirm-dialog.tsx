import type { ReactNode } from 'react';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';

interface ConfirmDialogProps {
  readonly title: string;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  /** What the button does: `Delete address`. */
  readonly action: string;
  readonly isBusy: boolean;
  readonly onConfirm: () => void;
  /** What exactly is lost. */
  readonly children: ReactNode;
}

/** Asks before something that cannot be undone. */
export function ConfirmDialog({ title, isOpen, onClose, action, isBusy, onConfirm, children }: ConfirmDialogProps) {
  return (
    <Dialog title={title} isOpen={isOpen} onClose={onClose}>
      <div className="break-words text-secondary">{children}</div>
      <div className="mt-5 flex justify-end gap-2">
        <Button onClick={onClose}>Cancel</Button>
        <Button variant="danger" isBusy={isBusy} onClick={onConfirm}>
          {action}
        </Button>
      </div>
    </Dialog>
  );
}
