import { X } from 'lucide-react';
import { useSyncExternalStore } from 'react';
import { observable } from '../observable.ts';
import { IconButton } from './button.tsx';

interface Toast {
  readonly id: number;
  readonly text: string;
  readonly action?: { readonly label: string; readonly run: () => void };
}

const visibleMs = 6_000;
const toasts = observable<readonly Toast[]>([]);
let lastId = 0;

function dismiss(id: number): void {
  toasts.set(toasts.get().filter((one) => one.id !== id));
}

/** Says what has happened: `toast('Order 1042 cancelled.', { label: 'Undo', run: undo })`. */
export function toast(text: string, action?: Toast['action']): void {
  lastId += 1;
  const id = lastId;
  toasts.set([...toasts.get().slice(-2), action ? { id, text, action } : { id, text }]);
  setTimeout(() => dismiss(id), visibleMs);
}

export function Toasts() {
  const shown = useSyncExternalStore(toasts.subscribe, toasts.get);
  return (
    <div
      role="status"
      aria-live="polite"
      className="pointer-events-none fixed inset-x-4 bottom-4 z-30 grid justify-items-center gap-2 max-md:bottom-20"
    >
      {shown.map(({ id, text, action }) => (
        <div
          key={id}
          className="rise pointer-events-auto flex max-w-md items-center gap-1 rounded-panel bg-text py-1 pr-1 pl-4 text-canvas shadow-raised"
        >
          <span className="min-w-0 py-1.5 wrap-anywhere">{text}</span>
          {action && (
            <button
              type="button"
              className="h-9 rounded-control px-3 font-semibold underline-offset-4 hover:underline"
              onClick={() => {
                dismiss(id);
                action.run();
              }}
            >
              {action.label}
            </button>
          )}
          <IconButton
            label="Dismiss"
            className="text-canvas hover:bg-canvas/15 hover:text-canvas"
            onClick={() => dismiss(id)}
          >
            <X size={16} strokeWidth={1.5} aria-hidden />
          </IconButton>
        </div>
      ))}
    </div>
  );
}
