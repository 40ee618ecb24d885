import type { ComponentProps } from 'react';
import { Field, Input } from '../../ui/field.tsx';
import { type AddressField, addressFields } from './order-draft.ts';

const labels: Readonly<Record<AddressField, string>> = {
  first_name: 'First name',
  last_name: 'Last name',
  company: 'Company',
  address1: 'Address',
  address2: 'Apartment, floor, landmark',
  city: 'City',
  pincode: 'PIN code',
  state: 'State',
  country: 'Country',
  phone: 'Phone',
};
const whole: readonly AddressField[] = ['company', 'address1', 'address2'];

interface AddressFieldsProps {
  /** The value of a field and what happens when it changes. */
  readonly propsOf: (field: AddressField) => ComponentProps<'input'>;
  readonly errors: Readonly<Record<string, string>>;
  readonly hidden?: readonly AddressField[];
}

export function AddressFields({ propsOf, errors, hidden = [] }: AddressFieldsProps) {
  return (
    <div className="grid grid-cols-2 gap-x-3 gap-y-4 md:gap-x-4">
      {addressFields
        .filter((field) => !hidden.includes(field))
        .map((field) => (
          <div key={field} className={whole.includes(field) ? 'col-span-2' : ''}>
            <Field label={labels[field]} error={errors[`shipping_address.${field}`]}>
              {(control) => (
                <Input {...control} name={`shipping_address.${field}`} autoComplete="off" {...propsOf(field)} />
              )}
            </Field>
          </div>
        ))}
    </div>
  );
}
