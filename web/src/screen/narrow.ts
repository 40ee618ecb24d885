import { useSyncExternalStore } from 'react';

/** As the prefix `md:` of Tailwind has it. */
const query = matchMedia('(width < 48rem)');

function subscribe(listener: () => void): () => void {
  query.addEventListener('change', listener);
  return () => query.removeEventListener('change', listener);
}

/** Whether the screen is that of a phone. */
export function useIsNarrow(): boolean {
  return useSyncExternalStore(subscribe, () => query.matches);
}
