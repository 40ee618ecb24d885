import { useSyncExternalStore } from 'react';
import { type Observable, observable } from './observable.ts';
import { useTenant } from './session.ts';

const values = new Map<string, Observable<unknown>>();

function storedValue(key: string): Observable<unknown> {
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

/** A choice of the user that this browser keeps, for the tenant. */
export function useStored<Value>(name: string, initial: Value): [Value, (value: Value | undefined) => void] {
  const stored = storedValue(`chowk.${useTenant() ?? location.hostname}.${name}`);
  const value = useSyncExternalStore(stored.subscribe, stored.get) as Value | undefined;
  return [value ?? initial, stored.set];
}
