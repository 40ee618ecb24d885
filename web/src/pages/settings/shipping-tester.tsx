import { useState } from 'react';
import { countries } from '../../address/region.ts';
import { keys } from '../../api/query-keys.ts';
import { useApi, useMe } from '../../api/use-api.ts';
import { useTypedValues } from '../../form/typed-values.ts';
import { useForm } from '../../form/use-form.ts';
import { plainAmount } from '../../format/amount.ts';
import { money } from '../../format/numbers.ts';
import { useDebounced } from '../../state/debounced.ts';
import { Field, Input, Select } from '../../ui/field.tsx';
import { Notice } from '../../ui/notice.tsx';
import { ReadError } from '../../ui/read-error.tsx';
import { Setting } from '../../ui/setting.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { StateControl } from './states.tsx';
import { useSettings } from './use-settings.ts';

interface Parcel {
  readonly country: string;
  readonly state: string;
  readonly weight: string;
  readonly total: string;
}

const pauseMs = 300;

/** Which rates an order would be offered. */
export function ShippingTester() {
  const { values } = useSettings();
  const [initial] = useState({ weight: '500', total: '1000' });
  const { props } = useForm<Parcel>(async () => {});
  const { typed, props: formProps } = useTypedValues<Parcel>(props);
  if (!values) return null;
  const country = String(values['general.country']);
  return (
    <Setting title="Try it" lead="What a customer is offered. Nothing is saved.">
      <form {...formProps} className="grid grid-cols-2 gap-4">
        <Field label="Country">
          {(control) => (
            <Select {...control} name="country" defaultValue={country}>
              {countries.map(({ code, name }) => (
                <option key={code} value={code}>
                  {name}
                </option>
              ))}
            </Select>
          )}
        </Field>
        <Field label="State">
          {(control) => (
            <StateControl
              {...control}
              name="state"
              country={typed.country ?? country}
              defaultValue={country === (typed.country ?? country) ? String(values['pricing.state'] ?? '') : ''}
              none="Any"
            />
          )}
        </Field>
        <Field label="Weight in g">
          {(control) => (
            <Input {...control} name="weight" defaultValue={initial.weight} inputMode="numeric" className="numeric" />
          )}
        </Field>
        <Field label="Total of the products">
          {(control) => (
            <Input {...control} name="total" defaultValue={initial.total} inputMode="decimal" className="numeric" />
          )}
        </Field>
      </form>
      {typed.country !== undefined && <Offers parcel={typed as Parcel} />}
    </Setting>
  );
}

function Offers({ parcel }: { readonly parcel: Parcel }) {
  const settled = useDebounced(JSON.stringify(parcel), pauseMs);
  const { country, state, weight, total } = JSON.parse(settled) as Parcel;
  const currency = useMe().data?.currency ?? 'INR';
  const { data, error, isFetching } = useApi(keys.pricing.shippingOffers({ country, state, weight, total }), (client) =>
    client.pricing.preview({
      lines: [{ quantity: 1, price: plainAmount(total), weight: readWeight(weight) }],
      address: { country, state: state || null },
    }),
  );
  if (error && !data) return <ReadError error={error} />;
  if (!data) return <Skeleton className="h-12 w-full" />;
  const { shipping_rates: rates } = data.cart;
  return (
    <section aria-label="Offered rates" aria-live="polite" className={isFetching ? 'opacity-60' : ''}>
      {rates.length === 0 ? (
        <Notice tone="warning">No rate is offered: this order cannot be delivered.</Notice>
      ) : (
        <ul className="border-t border-line">
          {rates.map(({ id, name, price }) => (
            <li key={id} className="flex min-h-10 items-center justify-between gap-4 border-b border-line">
              <span className="min-w-0 break-words">{name}</span>
              <span className="numeric shrink-0">{Number(price) === 0 ? 'Free' : money(price, currency)}</span>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

/** What is not a number is sent as it is, and refused with a reason. */
function readWeight(text: string): number {
  const typed = text.trim();
  if (typed === '') return 0;
  return /^\d+$/.test(typed) ? Number(typed) : (typed as unknown as number);
}
