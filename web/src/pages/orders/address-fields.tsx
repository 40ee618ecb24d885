import type { ComponentProps } from 'react';
import { type OrderAddressField, orderAddressFields } from '../../address/address-fields.ts';
import { Field, Input } from '../../ui/field.tsx';

export type AddressKind = 'shipping_address' | 'billing_address';

interface AddressFieldsProps {
  readonly kind: AddressKind;
  /** The value of a field and what happens when it changes. */
  readonly inputProps: (field: OrderAddressField) => ComponentProps<'input'>;
  readonly errors: Readonly<Partial<Record<`${AddressKind}.${OrderAddressField}`, string>>>;
  /** Without those that the user may not see. */
  readonly isMasked?: boolean;
}

export function AddressFields({ kind, inputProps, errors, isMasked = false }: AddressFieldsProps) {
  return (
    <div className="grid grid-cols-2 gap-x-3 gap-y-4 md:gap-x-4">
      {orderAddressFields
        .filter(({ isSensitive }) => !isMasked || !isSensitive)
        .map(({ name, label, isHalf }) => (
          <div key={name} className={isHalf ? '' : 'col-span-2'}>
            <Field label={label} error={errors[`${kind}.${name}`]}>
              {(control) => <Input {...control} name={`${kind}.${name}`} autoComplete="off" {...inputProps(name)} />}
            </Field>
          </div>
        ))}
    </div>
  );
}
