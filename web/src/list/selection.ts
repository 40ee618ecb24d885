import { useMemo, useState } from 'react';

/** Rows that the user has chosen, for an action on all of them. */
export interface Selection {
  readonly ids: readonly string[];
  has(id: string): boolean;
  /** With `idAt`: all rows from the one that was chosen last to this one. */
  toggle(id: string, index: number, idAt?: (index: number) => string | undefined): void;
  /** Chooses all of these, or none if all are chosen. */
  toggleAll(ids: readonly string[]): void;
  clear(): void;
}

interface State {
  readonly list: string;
  readonly ids: readonly string[];
  /** The row that was chosen last, and where it was. */
  readonly last: { readonly id: string; readonly index: number } | undefined;
}

/** `list` is the identity of the list: with other filters, nothing is selected. */
export function useSelection(list: string): Selection {
  const empty: State = { list, ids: [], last: undefined };
  const [state, setState] = useState(empty);
  if (state.list !== list) setState(empty);
  const { ids, last } = state;
  const chosen = useMemo(() => new Set(ids), [ids]);
  return {
    ids,
    has: (id) => chosen.has(id),
    toggle(id, index, idAt) {
      const start = idAt && last && findIndex(last, idAt);
      if (start === undefined) {
        const next = chosen.has(id) ? ids.filter((one) => one !== id) : [...ids, id];
        return setState({ list, ids: next, last: { id, index } });
      }
      const [from, to] = [Math.min(index, start), Math.max(index, start)];
      const range = Array.from({ length: to - from + 1 }, (_, step) => idAt?.(from + step));
      const added = range.filter((one) => one !== undefined);
      setState({ list, ids: [...new Set([...ids, ...added])], last: { id, index } });
    },
    toggleAll(all) {
      const isChosen = all.every((id) => chosen.has(id));
      setState({ list, ids: isChosen ? [] : [...new Set([...ids, ...all])], last: undefined });
    },
    clear: () => setState(empty),
  };
}

const farthest = 200;

/** Rows may have been added or removed above it. */
function findIndex({ id, index }: NonNullable<State['last']>, idAt: (index: number) => string | undefined) {
  for (let distance = 0; distance <= farthest; distance += 1) {
    const found = [index + distance, index - distance].find((at) => at >= 0 && idAt(at) === id);
    if (found !== undefined) return found;
  }
  return undefined;
}
