import { useAllKeys } from '../keyboard/keys.ts';
import { Dialog } from '../ui/dialog.tsx';

interface KeysDialogProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

/** The keys that work on this page. */
export function KeysDialog({ isOpen, onClose }: KeysDialogProps) {
  const keys = useAllKeys();
  return (
    <Dialog title="Keyboard shortcuts" isOpen={isOpen} onClose={onClose}>
      <dl className="grid gap-1">
        {keys.map(({ key, label }) => (
          <div key={key + label} className="flex min-h-8 items-center justify-between gap-4">
            <dt>{label}</dt>
            <dd>
              <kbd className="rounded-control border border-line bg-sunken px-2 py-0.5 font-sans text-sm">
                {key.replace('mod+k', 'Ctrl K').replace('Escape', 'Esc')}
              </kbd>
            </dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
