import { useState } from 'react';

/** Rows that the user has chosen, for an action on all of them. */
export interface Selection {
  readonly ids: readonly string[];
  has(id: string): boolean;
  /** With `idAt`: all rows from the one that was chosen last to this one. */
  toggle(id: string, index: number, idAt?: (index: number) => string | undefined): void;
  clear(): void;
}

export function useSelection(): Selection {
  const [{ ids, last }, setState] = useState<{ ids: readonly string[]; last: number }>({ ids: [], last: -1 });
  return {
    ids,
    has: (id) => ids.includes(id),
    toggle(id, index, idAt) {
      if (idAt && last >= 0) {
        const [from, to] = [Math.min(index, last), Math.max(index, last)];
        const range = Array.from({ length: to - from + 1 }, (_, step) => idAt(from + step)).filter(
          (one) => one !== undefined,
        );
        setState({ ids: [...new Set([...ids, ...range])], last: index });
      } else setState({ ids: ids.includes(id) ? ids.filter((one) => one !== id) : [...ids, id], last: index });
    },
    clear: () => setState({ ids: [], last: -1 }),
  };
}
