import { countryName } from '../../address/region.ts';
import { useMe } from '../../api/use-api.ts';
import { money } from '../../format/numbers.ts';
import { stateCode, useStates } from './states.tsx';
import { type ExampleRate, exampleTaxes } from './tax-example.ts';
import { percent } from './tax-rate-text.ts';

interface TaxExampleProps {
  readonly rates: readonly ExampleRate[];
  readonly country: string;
  readonly state: string;
  readonly isIncluded: boolean;
}

/** The taxes of a price of 100, updated while a rate is typed. */
export function TaxExampleTable({ rates, country, state, isIncluded }: TaxExampleProps) {
  const currency = useMe().data?.currency ?? 'INR';
  const states = useStates().find(country);
  const code = stateCode(states, state);
  const decimals = new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions().maximumFractionDigits;
  const { taxes, net, total } = exampleTaxes(rates, { country, state: code }, isIncluded, decimals ?? 2);
  const place = [states.find(([one]) => one === code)?.[1] ?? state, countryName(country)].filter(Boolean).join(', ');
  const price = money('100', currency);
  return (
    <section aria-label="Example" className="grid gap-2 rounded-panel bg-sunken p-4 text-sm">
      <h3 className="text-xs text-secondary">
        A product with a price of {price}, sold in {place}
      </h3>
      <dl className="grid gap-1">
        <Row label={isIncluded ? 'Price without taxes' : 'Price'} amount={money(net, currency)} />
        {taxes.map(({ name, rate, amount }) => (
          <Row key={`${name} ${rate}`} label={`${name} ${percent(rate)}`} amount={money(amount, currency)} />
        ))}
        {taxes.length === 0 && <Row label="No tax rate applies here" amount={money('0', currency)} />}
        <Row label="The customer pays" amount={money(total, currency)} isTotal />
      </dl>
    </section>
  );
}

interface RowProps {
  readonly label: string;
  readonly amount: string;
  readonly isTotal?: boolean;
}

function Row({ label, amount, isTotal = false }: RowProps) {
  return (
    <div className={`flex justify-between gap-4 ${isTotal ? 'mt-1 border-t border-line pt-2 font-semibold' : ''}`}>
      <dt>{label}</dt>
      <dd className="numeric">{amount}</dd>
    </div>
  );
}
