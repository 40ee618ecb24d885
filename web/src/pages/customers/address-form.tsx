import { ChowkError, type CustomerAddress } from '@chowk/client';
import { useRefresh } from '../../api-action.ts';
import { useCan } from '../../api-query.ts';
import { useForm } from '../../form.ts';
import { api } from '../../session.ts';
import { Button } from '../../ui/button.tsx';
import { Checkbox, Field, Input, Select } from '../../ui/field.tsx';
import { Notice } from '../../ui/notice.tsx';
import { toast } from '../../ui/toast.tsx';

const fields = [
  { name: 'first_name', label: 'First name', isHalf: true },
  { name: 'last_name', label: 'Last name', isHalf: true },
  { name: 'company', label: 'Company' },
  { name: 'address1', label: 'Address', isSensitive: true },
  { name: 'address2', label: 'Apartment, floor, landmark', isSensitive: true },
  { name: 'city', label: 'City', isHalf: true },
  { name: 'pincode', label: 'PIN code', isHalf: true, maxLength: 20 },
  { name: 'state', label: 'State', isHalf: true },
  { name: 'country', label: 'Country', isHalf: true, maxLength: 100 },
  { name: 'phone', label: 'Phone', isSensitive: true, maxLength: 32 },
] as const;

interface AddressFormProps {
  readonly customerId: string;
  /** Absent: a new one. */
  readonly address: CustomerAddress | undefined;
  readonly onDone: () => void;
}

export function AddressForm({ customerId, address, onDone }: AddressFormProps) {
  const can = useCan();
  const refresh = useRefresh();
  const form = useForm(
    async (values) => {
      const text = Object.fromEntries(fields.map(({ name }) => [name, values[name]?.trim() || null]));
      const input = { ...text, id: customerId, type: values.type as CustomerAddress['type'] };
      if (address) await update({ ...input, addr: address.id, ...defaultOf(values, address) }, address);
      else
        await api().customers.addAddress(
          { ...input, is_default: values.is_default === 'on' },
          { idempotencyKey: true },
        );
      toast(address ? 'Address saved.' : 'Address added.');
      await refresh('customers');
      onDone();
    },
    { draft: `customer.${customerId}.address.${address?.id ?? 'new'}` },
  );
  const { errors } = form;
  return (
    <form {...form.props} className="grid gap-4" aria-label={address ? 'Edit address' : 'New address'}>
      {form.isRestored && (
        <Notice>
          What you typed before is here again.{' '}
          <button type="button" className="underline underline-offset-4" onClick={form.discard}>
            Discard it
          </button>
        </Notice>
      )}
      {form.problem && <Notice tone="error">{form.problem}</Notice>}
      <Field label="Type" error={errors.type}>
        {(control) => (
          <Select {...control} name="type" defaultValue={address?.type ?? 'shipping'}>
            <option value="shipping">Shipping</option>
            <option value="billing">Billing</option>
          </Select>
        )}
      </Field>
      <div className="grid gap-4 sm:grid-cols-2">
        {fields.map(({ name, label, ...field }) => (
          <div key={name} className={'isHalf' in field ? '' : 'sm:col-span-2'}>
            <Field
              label={label}
              error={errors[name]}
              help={
                address && 'isSensitive' in field && !can('customers.view_sensitive')
                  ? 'Hidden from your role. It stays as it is if you leave this empty.'
                  : undefined
              }
            >
              {(control) => (
                <Input
                  {...control}
                  name={name}
                  maxLength={'maxLength' in field ? field.maxLength : 255}
                  autoComplete="off"
                  defaultValue={address?.[name] ?? ''}
                />
              )}
            </Field>
          </div>
        ))}
      </div>
      {!address?.is_default && <Checkbox name="is_default" label="Default address of this type" />}
      {errors.is_default && <Notice tone="error">{errors.is_default}</Notice>}
      <div className="flex flex-wrap gap-2">
        <Button type="submit" look="primary" isBusy={form.isBusy}>
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
function defaultOf(values: Readonly<Record<string, string>>, { is_default }: CustomerAddress) {
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
