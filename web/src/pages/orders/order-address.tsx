import type { OrderDetails, ShippingAddress } from '@chowk/client';
import { useState } from 'react';
import { type AddressField, addressFields } from '../../address/address-fields.ts';
import { addressLines } from '../../address/address-lines.ts';
import { errorMessage } from '../../api/error-message.ts';
import { useCan } from '../../api/use-api.ts';
import { useReturnFocus } from '../../form/return-focus.ts';
import { useForm } from '../../form/use-form.ts';
import { Button } from '../../ui/button.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Section } from '../../ui/page.tsx';
import { toast } from '../../ui/toast.tsx';
import { AddressFields } from './address-fields.tsx';
import { useOrderField } from './order-field.ts';

/** The shipping address, which is edited in its place. */
export function OrderAddress({ order }: { readonly order: OrderDetails }) {
  const [isEditing, setEditing] = useState(false);
  const button = useReturnFocus(isEditing);
  const can = useCan();
  const isMasked = !can('customers.view_sensitive');
  const edit = can('orders.edit') && !isEditing && (
    <Button ref={button} variant="quiet" className="-mr-3.5 text-sm" onClick={() => setEditing(true)}>
      {order.shipping_address ? 'Edit address' : 'Add address'}
    </Button>
  );
  return (
    <Section title="Shipping address" actions={edit}>
      {isEditing ? (
        <AddressForm order={order} isMasked={isMasked} onDone={() => setEditing(false)} />
      ) : (
        <Lines address={order.shipping_address} />
      )}
      {order.shipping_address && isMasked && (
        <p className="text-xs text-faint">
          Street and phone are hidden without the permission customers.view_sensitive.
        </p>
      )}
    </Section>
  );
}

function Lines({ address }: { readonly address: ShippingAddress | null }) {
  const lines = addressLines(address);
  if (lines.length === 0) return <p className="text-secondary">No address.</p>;
  return (
    <address className="grid not-italic">
      {lines.map((line) => (
        <span key={line} className="break-words">
          {line}
        </span>
      ))}
    </address>
  );
}

/** Without the fields that are hidden from the user. */
type AddressValues = Readonly<Partial<Record<`shipping_address.${AddressField}`, string>>>;

interface AddressFormProps {
  readonly order: OrderDetails;
  /** The API keeps the fields that are hidden from the user. */
  readonly isMasked: boolean;
  readonly onDone: () => void;
}

function AddressForm({ order, isMasked, onDone }: AddressFormProps) {
  const { id, order_number, shipping_address: before } = order;
  const save = useOrderField(
    order,
    'shipping_address',
    ({ shipping_address: latest }) =>
      `Someone else has changed the address to “${addressLines(latest).join(', ') || 'No address'}”. Save again to replace it.`,
  );
  const form = useForm<AddressValues>(
    async (values) => {
      const texts = addressFields.map(({ name }) => [name, values[`shipping_address.${name}`]?.trim() || null]);
      await save(Object.fromEntries(texts));
      const undo = () => void save(before).catch((error) => toast(errorMessage(error)));
      toast(`The address of order ${order_number} is saved.`, { label: 'Undo', run: undo });
      onDone();
    },
    { draft: `order.${id}.address` },
  );
  const stop = () => {
    form.discard();
    onDone();
  };
  return (
    <form {...form.props} className="grid gap-4">
      {form.problem && <Notice tone="error">{form.problem}</Notice>}
      <AddressFields
        errors={form.errors}
        isMasked={isMasked}
        inputProps={(field) => ({ defaultValue: before?.[field] ?? '', autoFocus: field === 'first_name' })}
      />
      <div className="flex items-center gap-2">
        <Button type="submit" variant="primary" isBusy={form.isBusy}>
          Save address
        </Button>
        <Button variant="quiet" onClick={stop}>
          Discard
        </Button>
        {form.isRestored && <span className="text-xs text-secondary">Not saved yet.</span>}
      </div>
    </form>
  );
}
