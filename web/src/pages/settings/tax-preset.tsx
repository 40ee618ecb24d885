import type { TaxPresetDetails, TaxRate } from '@chowk/client';
import { useState } from 'react';
import { countryName } from '../../address/region.ts';
import { affectedBySettings } from '../../api/affected-keys.ts';
import { keys } from '../../api/query-keys.ts';
import { useAction } from '../../api/use-action.ts';
import { useCan } from '../../api/use-api.ts';
import { Button } from '../../ui/button.tsx';
import { Field } from '../../ui/field.tsx';
import { StateControl, stateCode, useStates } from './states.tsx';
import { percent } from './tax-rate-text.ts';

interface TaxPresetProps {
  /** That of the country of the shop, if there is one. */
  readonly preset: TaxPresetDetails | undefined;
  /** That of the shop. */
  readonly state: string;
  readonly rates: readonly TaxRate[];
}

/** Offers the usual rates of the country that are missing. */
export function TaxPreset({ preset, state, rates }: TaxPresetProps) {
  const canEdit = useCan()('settings.edit');
  if (!preset || !canEdit) return null;
  const missing = preset.rates.filter((one) => !rates.some((rate) => isSame(one, rate, preset.country)));
  return missing.length === 0 ? null : <Offer key={state} preset={{ ...preset, rates: missing }} state={state} />;
}

type PresetRate = TaxPresetDetails['rates'][number];

function isSame({ name, tax_class, in_shop_state }: PresetRate, rate: TaxRate, country: string): boolean {
  const isThere = rate.country === country && rate.tax_class === tax_class && in_shop_state === (rate.state !== null);
  return isThere && rate.name.toLowerCase() === name.toLowerCase();
}

const dateFormat = new Intl.DateTimeFormat(undefined, { dateStyle: 'long', timeZone: 'UTC' });

interface OfferProps {
  readonly preset: TaxPresetDetails;
  readonly state: string;
}

function Offer({ preset: { country, since, needs_state, rates }, state: known }: OfferProps) {
  const [chosen, setChosen] = useState('');
  const states = useStates().find(country);
  const state = known || chosen;
  const add = useAction(
    async (client) => {
      // The shop is there, and taxed so.
      if (needs_state && known === '') await client.settings.update({ 'pricing.state': chosen });
      return client.pricing.addTaxPreset({ country, state: needs_state ? state : null });
    },
    { affects: [keys.pricing.taxRates, ...affectedBySettings], done: ({ message }) => message },
  );
  const place = countryName(country);
  const stateName = states.find(([code]) => code === stateCode(states, state))?.[1] ?? state;
  const classes = [...Map.groupBy(rates, (rate) => rate.tax_class)];
  return (
    <section aria-label={`Usual rates of ${place}`} className="grid gap-4 rounded-panel border border-line p-4 sm:p-5">
      <div className="grid gap-0.5">
        <h2 className="font-semibold">Usual rates of {place}</h2>
        <p className="text-sm text-secondary">
          As they are since {dateFormat.format(new Date(since))}. Check that they are right for your products.
        </p>
      </div>
      <dl className="grid gap-x-6 gap-y-1.5 text-sm sm:grid-cols-[auto_minmax(0,1fr)]">
        {classes.map(([name, ofClass]) => (
          <div key={name} className="contents">
            <dt className="text-secondary">
              {name === 'standard' ? 'Standard' : name}
              {ofClass.every(({ is_active }) => !is_active) && ' (off)'}
            </dt>
            <dd className="max-sm:mb-2">{describe(ofClass, place, stateName)}</dd>
          </div>
        ))}
      </dl>
      {needs_state && known === '' && (
        <div
          className="max-w-80"
          // The control is not controlled by React.
          onInput={({ target }) => setChosen((target as HTMLSelectElement).value)}
        >
          <Field
            label="State of the organization"
            help="Its own rates apply there, and those of the country elsewhere."
          >
            {(control) => <StateControl {...control} country={country} defaultValue="" none="Choose a state" />}
          </Field>
        </div>
      )}
      <Button
        variant="primary"
        className="justify-self-start max-sm:w-full"
        isBusy={add.isPending}
        disabled={needs_state && state === ''}
        onClick={() => add.mutate(undefined)}
      >
        Add {rates.length === 1 ? 'this rate' : `these ${rates.length} rates`}
      </Button>
    </section>
  );
}

/** `CGST 9 % + SGST 9 % in Maharashtra, IGST 18 % elsewhere in India`. */
function describe(rates: readonly PresetRate[], country: string, state: string): string {
  const text = (some: readonly PresetRate[]) => some.map(({ name, rate }) => `${name} ${percent(rate)}`).join(' + ');
  const inState = rates.filter(({ in_shop_state }) => in_shop_state);
  const inCountry = rates.filter(({ in_shop_state }) => !in_shop_state);
  if (inState.length === 0) return text(inCountry);
  const own = `${text(inState)} in ${state || 'your state'}`;
  return inCountry.length === 0 ? own : `${own}, ${text(inCountry)} elsewhere in ${country}`;
}
