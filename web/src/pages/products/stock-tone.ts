import type { Client } from '@chowk/client';
import { keys } from '../../api/query-keys.ts';
import { useApi, useCan } from '../../api/use-api.ts';

export const thresholdSetting = 'products.low_stock_threshold';

async function readThreshold(client: Client): Promise<number> {
  const { settings } = await client.settings.get();
  return Number(settings[thresholdSetting]);
}

/** How many available units or fewer are low on stock, for those who may see the settings. */
export function useLowStock(): number | undefined {
  const can = useCan();
  return useApi(keys.products.threshold, readThreshold, can('settings.view')).data;
}

interface Stocked {
  readonly available: number;
  readonly variants?: readonly { readonly available: number }[];
}

/** Red if nothing is left to sell, amber if little is, of any variant. */
export function stockTone({ available, variants = [] }: Stocked, threshold: number | undefined): string {
  if (available <= 0) return 'font-medium text-error';
  const least = Math.min(available, ...variants.map((variant) => variant.available));
  return threshold !== undefined && least <= threshold ? 'font-medium text-warning' : '';
}
