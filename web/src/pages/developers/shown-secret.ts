import { useSyncExternalStore } from 'react';
import { observable } from '../../state/observable.ts';

/** The secret that has just been created, until it is stored or the page is left. Never in the address or the browser's storage. */
const shown = observable<{ readonly id: string; readonly secret: string } | undefined>(undefined);

export function showSecret(id: string, secret: string): void {
  shown.set({ id, secret });
}

export function hideSecret(): void {
  shown.set(undefined);
}

export function useShownSecret(id: string): string | undefined {
  const current = useSyncExternalStore(shown.subscribe, shown.get);
  return current?.id === id ? current.secret : undefined;
}
