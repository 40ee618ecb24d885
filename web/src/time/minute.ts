import { useSyncExternalStore } from 'react';

const stepMs = 30_000;
const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(() => {
    for (const one of listeners) one();
  }, stepMs);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

/** Re-renders the component every 30 seconds. */
export function useMinute(): void {
  useSyncExternalStore(subscribe, () => Math.floor(Date.now() / stepMs));
}
