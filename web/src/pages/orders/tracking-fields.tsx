import { ordersLimits, type Shipment } from '@chowk/client';
import { Field, Input } from '../../ui/field.tsx';

const names = ['carrier', 'tracking_number', 'tracking_url'] as const;
type Name = (typeof names)[number];
export type TrackingValues = Readonly<Record<Name, string>>;

interface TrackingFieldsProps {
  readonly field: (name: Name) => { readonly name: Name; readonly error: string | undefined };
  readonly shipment?: Shipment;
}

const labels: Readonly<Record<Name, string>> = {
  carrier: 'Carrier',
  tracking_number: 'Tracking number',
  tracking_url: 'Tracking link',
};

/** All of them are optional. */
export function TrackingFields({ field, shipment }: TrackingFieldsProps) {
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      {names.map((name) => (
        <div key={name} className={name === 'tracking_url' ? 'sm:col-span-2' : ''}>
          <Field
            label={labels[name]}
            {...(name === 'tracking_url' ? { help: 'Where the customer can follow the parcel: https://…' } : {})}
            {...field(name)}
          >
            {(control) => (
              <Input
                {...control}
                autoComplete="off"
                maxLength={ordersLimits.createShipment[name]}
                defaultValue={shipment?.[name] ?? ''}
              />
            )}
          </Field>
        </div>
      ))}
    </div>
  );
}

export function readTracking(values: TrackingValues): Record<Name, string | null> {
  const entries = names.map((name) => [name, values[name].trim() || null] as const);
  return Object.fromEntries(entries) as Record<Name, string | null>;
}
