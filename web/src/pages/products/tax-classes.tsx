import { keys } from '../../api/query-keys.ts';
import { useApi, useCan } from '../../api/use-api.ts';

/** The `list` of fields for a tax class. */
export const taxClassesId = 'tax-classes';

/** Offers the classes of the tax rates, to users who may see them. */
export function TaxClasses() {
  const { data } = useApi(
    keys.pricing.taxRates,
    (client) => Array.fromAsync(client.pricing.listTaxRates.all()),
    useCan()('settings.view'),
  );
  return (
    <datalist id={taxClassesId}>
      {[...new Set(data?.map(({ tax_class }) => tax_class))].map((name) => (
        <option key={name} value={name} />
      ))}
    </datalist>
  );
}
