import { useApi, useCan } from '../../api-query.ts';
import { money } from '../../format.ts';

/** Formats prices: with the currency of the organization for those who may see its settings. */
export function usePriceFormat(): (amount: string) => string {
  const { data } = useApi(['settings'], (client) => client.settings.get(), useCan()('settings.view'));
  const currency = data?.settings['general.currency'];
  if (typeof currency === 'string') return (amount) => money(amount, currency);
  const plain = new Intl.NumberFormat(undefined, { minimumFractionDigits: 2 });
  return (amount) => plain.format(Number(amount));
}
