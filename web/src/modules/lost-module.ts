import { ChowkError } from '@chowk/client';
import { useEffect } from 'react';
import { keys } from '../api/query-keys.ts';
import { useRefetch } from '../api/use-action.ts';

/** If the module was disabled meanwhile, or a permission withdrawn, the navigation and the pages follow. */
export function useLostModule(error: Error | null): void {
  const refetch = useRefetch();
  const isLost = error instanceof ChowkError && [403, 404].includes(error.status);
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each loss
  useEffect(() => {
    if (isLost) void refetch(keys.me);
  }, [isLost]);
}
