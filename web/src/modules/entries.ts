import type { ConsoleEntry } from '@chowk/client';
import { useMe } from '../api/use-api.ts';

const none: readonly ConsoleEntry[] = [];

/** What modules show to the user at a place of the console. */
export function useEntries(place: ConsoleEntry['place']): readonly ConsoleEntry[] {
  const { data } = useMe();
  return data?.console_entries?.filter((entry) => entry.place === place) ?? none;
}

export function entryKey({ module, name }: Pick<ConsoleEntry, 'module' | 'name'>): string {
  return `${module}.${name}`;
}
