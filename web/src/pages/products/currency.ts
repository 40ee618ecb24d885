import { useMe } from '../../api-query.ts';
import { money } from '../../format.ts';

/** Formats prices in the currency of the organization. */
export function usePriceFormat(): (amount: string) => string {
  const { data } = useMe();
  return (amount) => (data?.currency === undefined ? amount : money(amount, data.currency));
}
