import type { StockLevel, StockLocation } from '@chowk/client';
import { keys } from '../../api/query-keys.ts';
import { useApi } from '../../api/use-api.ts';

const none: readonly never[] = [];

/** The default one first. */
export function useLocations(): readonly StockLocation[] {
  const { data } = useApi(keys.products.locations, (client) =>
    client.products.listLocations({ per_page: 100, sort_by: 'created_at' }),
  );
  return data?.locations ?? none;
}

/** The units at each location; none if there is only one location. */
export function useLevels(variantId: string): readonly StockLevel[] {
  const isNeeded = useLocations().length > 1;
  const { data } = useApi(
    keys.products.levels(variantId),
    (client) => client.products.listLevels({ id: variantId }),
    isNeeded,
  );
  return (isNeeded && data?.levels) || none;
}
