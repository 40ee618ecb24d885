import type { OrderDetails, ShippingAddress } from '@chowk/client';
import { useState } from 'react';
import { useRefresh } from '../../api-action.ts';
import { useCan } from '../../api-query.ts';
import { messageOf, useForm } from '../../form.ts';
import { api } from '../../session.ts';
import { Button } from '../../ui/button.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Section } from '../../ui/page.tsx';
import { toast } from '../../ui/toast.tsx';
import { AddressFields } from './address-fields.tsx';
import { type AddressField, addressFields } from './order-draft.ts';

/** Without customers.view_sensitive; the API keeps what is not sent of them. */
const sensitive: readonly AddressField[] = ['address1', 'address2', 'phone'];

/** The shipping address, which is edited in its place. */
export function OrderAddress({ order }: { readonly order: OrderDetails }) {
  const [isEditing, setEditing] = useState(false);
  const can = useCan();
  const isMasked = !can('customers.view_sensitive');
  const edit = can('orders.edit') && !isEditing && (
    <Button look="quiet" className="-mr-3.5 text-sm" onClick={() => setEditing(true)}>
      {order.shipping_address ? 'Edit address' : 'Add address'}
    </Button>
  );
  return (
    <Section title="Shipping address" actions={edit}>
      {isEditing ? (
        <AddressForm order={order} hidden={isMasked ? sensitive : []} onDone={() => setEditing(false)} />
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
  const join = (...parts: readonly (string | null | undefined)[]) => parts.filter(Boolean).join(' ');
  const lines = [
    join(address?.first_name, address?.last_name),
    ...[address?.company, address?.address1, address?.address2],
    join(address?.city, address?.pincode),
    ...[address?.state, address?.country, address?.phone],
  ].filter(Boolean);
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

interface AddressFormProps {
  readonly order: OrderDetails;
  readonly hidden: readonly AddressField[];
  readonly onDone: () => void;
}

function AddressForm({ order, hidden, onDone }: AddressFormProps) {
  const { id, order_number, shipping_address: before } = order;
  const refresh = useRefresh();
  const save = async (address: ShippingAddress | null) => {
    await api().orders.update({ id, shipping_address: address });
    await refresh('orders');
  };
  const form = useForm(
    async (values) => {
      const texts = addressFields.map((field) => [field, values[`shipping_address.${field}`]?.trim() || null] as const);
      await save(Object.fromEntries(texts));
      const undo = () => void save(before).catch((error) => toast(messageOf(error)));
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
        hidden={hidden}
        propsOf={(field) => ({ defaultValue: before?.[field] ?? '', autoFocus: field === 'first_name' })}
      />
      <div className="flex items-center gap-2">
        <Button type="submit" look="primary" isBusy={form.isBusy}>
          Save address
        </Button>
        <Button look="quiet" onClick={stop}>
          Discard
        </Button>
        {form.isRestored && <span className="text-xs text-secondary">Not saved yet.</span>}
      </div>
    </form>
  );
}
