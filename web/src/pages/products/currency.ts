import { useCallback } from 'react';
import { useMe } from '../../api/use-api.ts';
import { money } from '../../format/numbers.ts';

/** Formats prices in the currency of the organization. */
export function usePriceFormat(): (amount: string) => string {
  const currency = useMe().data?.currency;
  return useCallback((amount) => (currency === undefined ? amount : money(amount, currency)), [currency]);
}
