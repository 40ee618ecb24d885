import { useSyncExternalStore } from 'react';
import { type Observable, observable } from '../state/observable.ts';
import { onUserChange, storageKey, useTenant } from './session.ts';

const values = new Map<string, Observable<unknown>>();

/** By its key in the storage of the browser: `storageKey(…)`. */
export function storedValue(key: string): Observable<unknown> {
  let value = values.get(key);
  if (!value) {
    value = observable<unknown>(read(key));
    value.subscribe(() => write(key, value?.get()));
    values.set(key, value);
  }
  return value;
}

function read(key: string): unknown {
  try {
    return JSON.parse(localStorage.getItem(key) ?? 'null') ?? undefined;
  } catch {
    return undefined;
  }
}

function write(key: string, value: unknown): void {
  if (value === undefined) localStorage.removeItem(key);
  else localStorage.setItem(key, JSON.stringify(value));
}

onUserChange(() => values.clear());

// Another tab has changed it. What is being typed in this one stays.
window.addEventListener('storage', ({ key }) => {
  for (const [name, value] of values) {
    if ((key === name || key === null) && !name.includes('.draft.')) value.set(read(name));
  }
});

/** What this browser keeps for the user, in the tenant. */
export function useStored<Value>(name: string, initial: Value): [Value, (value: Value | undefined) => void] {
  // The key depends on it.
  useTenant();
  const stored = storedValue(storageKey(name));
  const value = useSyncExternalStore(stored.subscribe, stored.get) as Value | undefined;
  return [value ?? initial, stored.set];
}
