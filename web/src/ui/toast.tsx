import { X } from 'lucide-react';
import { useEffect, useLayoutEffect, useRef, useState, useSyncExternalStore } from 'react';
import { createPortal } from 'react-dom';
import { observable } from '../state/observable.ts';
import { IconButton } from './button.tsx';
import { openDialogs } from './dialog.tsx';
import { Icon } from './icon.tsx';
import { type Toast, toastList } from './toast-list.ts';

const visibleMs = 6_000;
const toasts = observable<readonly Toast[]>([]);
const add = toastList();

function dismiss(id: number): void {
  toasts.set(toasts.get().filter((one) => one.id !== id));
}

/** Says what has happened: `toast('Order 1042 cancelled.', { label: 'Undo', run: undo })`. One `about` the same replaces it. */
export function toast(text: string, action?: Toast['action'], about?: string): void {
  toasts.set(add(toasts.get(), { text, action, about }));
}

/** In the dialog in front, if there is one: what is outside of a modal dialog can be neither clicked nor read out. */
export function Toasts() {
  const front = useSyncExternalStore(openDialogs.subscribe, openDialogs.get).at(-1) ?? document.body;
  return createPortal(<ToastList />, front);
}

function ToastList() {
  const ref = useRef<HTMLDivElement>(null);
  const shown = useSyncExternalStore(toasts.subscribe, toasts.get);
  // A popover is at the edge of the screen, not of the dialog.
  useLayoutEffect(() => ref.current?.showPopover(), []);
  return (
    <div
      ref={ref}
      popover="manual"
      role="status"
      aria-live="polite"
      // Over the top bar: titles, checkboxes and the buttons of forms stay free.
      className="pointer-events-none fixed inset-x-4 top-1.5 bottom-auto m-0 grid w-auto justify-items-center gap-2 overflow-visible border-0 bg-transparent p-0 print:hidden"
    >
      {shown.map((one) => (
        <ToastItem key={one.id} toast={one} />
      ))}
    </div>
  );
}

/** Disappears after a while, but not while the pointer or the focus is on it. */
function ToastItem({ toast: { id, text, action } }: { readonly toast: Toast }) {
  const [isPointed, setPointed] = useState(false);
  const [isFocused, setFocused] = useState(false);
  const isHeld = isPointed || isFocused;
  useEffect(() => {
    if (isHeld) return;
    const timer = setTimeout(() => dismiss(id), visibleMs);
    return () => clearTimeout(timer);
  }, [id, isHeld]);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: nothing happens but that it stays
    <div
      onPointerEnter={() => setPointed(true)}
      onPointerLeave={() => setPointed(false)}
      onFocus={() => setFocused(true)}
      onBlur={() => setFocused(false)}
      // A phone has room for the latest.
      className="rise pointer-events-auto flex max-w-md max-md:not-last:hidden items-center gap-1 rounded-panel bg-text py-1 pr-1 pl-4 text-canvas shadow-raised"
    >
      <span className="min-w-0 py-1.5 wrap-anywhere max-md:line-clamp-2 max-md:py-0.5">{text}</span>
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
      <IconButton label="Dismiss" className="text-canvas! hover:bg-canvas/15" onClick={() => dismiss(id)}>
        <Icon icon={X} />
      </IconButton>
    </div>
  );
}
