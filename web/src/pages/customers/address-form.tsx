import { ChowkError, type CustomerAddress, customersLimits } from '@chowk/client';
import { useState } from 'react';
import { type AddressField, addressFields } from '../../address/address-fields.ts';
import { keys } from '../../api/query-keys.ts';
import { useRefetch } from '../../api/use-action.ts';
import { useCan } from '../../api/use-api.ts';
import { submit } from '../../form/submission.ts';
import { useForm } from '../../form/use-form.ts';
import { api } from '../../session/session.ts';
import { Button } from '../../ui/button.tsx';
import { Checkbox, Field, Input, Select } from '../../ui/field.tsx';
import { Notice } from '../../ui/notice.tsx';
import { RestoredNotice } from '../../ui/restored-notice.tsx';
import { toast } from '../../ui/toast.tsx';

interface AddressFormProps {
  readonly customerId: string;
  /** Absent: a new one. */
  readonly address: CustomerAddress | undefined;
  readonly onDone: () => void;
}

type AddressValues = Readonly<Record<AddressField, string>> & {
  readonly type: CustomerAddress['type'];
  readonly is_default?: 'on';
};

export function AddressForm({ customerId, address: opened, onDone }: AddressFormProps) {
  // The address as the form shows it, whatever is read meanwhile.
  const [address] = useState(opened);
  const can = useCan();
  const refetch = useRefetch();
  const draft = `customer.${customerId}.address.${address?.id ?? 'new'}`;
  const form = useForm<AddressValues>(
    async (values) => {
      const text = Object.fromEntries(addressFields.map(({ name }) => [name, values[name].trim() || null]));
      const input = { ...text, id: customerId, type: values.type };
      if (address) await update({ ...input, addr: address.id, ...defaultChange(values, address) }, address);
      else await submit(draft, api().customers.addAddress, { ...input, is_default: values.is_default === 'on' });
      toast(address ? 'Address saved.' : 'Address added.');
      await refetch(keys.customers.detail(customerId));
      onDone();
    },
    { draft },
  );
  const { errors, field } = form;
  return (
    <form {...form.props} className="grid gap-4" aria-label={address ? 'Edit address' : 'New address'}>
      {form.isRestored && <RestoredNotice onDiscard={form.discard} />}
      {form.problem && <Notice tone="error">{form.problem}</Notice>}
      <Field label="Type" {...field('type')}>
        {(control) => (
          <Select {...control} defaultValue={address?.type ?? 'shipping'}>
            <option value="shipping">Shipping</option>
            <option value="billing">Billing</option>
          </Select>
        )}
      </Field>
      <div className="grid gap-4 sm:grid-cols-2">
        {addressFields.map(({ name, label, isHalf, isSensitive }) => (
          <div key={name} className={isHalf ? '' : 'sm:col-span-2'}>
            <Field
              label={label}
              {...field(name)}
              help={
                address && isSensitive && !can('customers.view_sensitive')
                  ? 'Hidden from your role. It stays as it is if you leave this empty.'
                  : undefined
              }
            >
              {(control) => (
                <Input
                  {...control}
                  maxLength={customersLimits.addAddress[name]}
                  autoComplete="off"
                  defaultValue={address?.[name] ?? ''}
                />
              )}
            </Field>
          </div>
        ))}
      </div>
      {!address?.is_default && <Checkbox name={field('is_default').name} label="Default address of this type" />}
      {errors.is_default && <Notice tone="error">{errors.is_default}</Notice>}
      <div className="flex flex-wrap gap-2">
        <Button type="submit" variant="primary" isBusy={form.isBusy}>
          {address ? 'Save address' : 'Add address'}
        </Button>
        <Button
          onClick={() => {
            form.discard();
            onDone();
          }}
        >
          Cancel
        </Button>
      </div>
    </form>
  );
}

/** A default address stays the default; it ends when another one becomes it. */
function defaultChange(values: AddressValues, { is_default }: CustomerAddress) {
  return is_default ? {} : { is_default: values.is_default === 'on' };
}

async function update(
  input: Parameters<ReturnType<typeof api>['customers']['updateAddress']>[0],
  address: CustomerAddress,
) {
  try {
    await api().customers.updateAddress(input, { headers: { 'If-Match': `"${address.updated_at}"` } });
  } catch (error) {
    if (!(error instanceof ChowkError) || error.status !== 412) throw error;
    throw new Error('Someone else has changed this address. Copy what you need, cancel, and edit it again.');
  }
}
