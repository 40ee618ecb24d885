import type { OrderDetails, ShippingAddress } from '@chowk/client';
import { useState } from 'react';
import { type OrderAddressField, orderAddressFields } from '../../address/address-fields.ts';
import { addressLines } from '../../address/address-lines.ts';
import { useCan } from '../../api/use-api.ts';
import { useReturnFocus } from '../../form/return-focus.ts';
import { useForm } from '../../form/use-form.ts';
import { errorMessage } from '../../format/error-message.ts';
import { Button } from '../../ui/button.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Section } from '../../ui/page.tsx';
import { toast } from '../../ui/toast.tsx';
import { AddressFields, type AddressKind } from './address-fields.tsx';
import { useOrderField } from './order-field.ts';

interface OrderAddressProps {
  readonly order: OrderDetails;
  readonly kind: AddressKind;
}

const titles = { shipping_address: 'Shipping address', billing_address: 'Billing address' };

/** Where the order goes, or who gets its invoice; edited in its place. */
export function OrderAddress({ order, kind }: OrderAddressProps) {
  const [isEditing, setEditing] = useState(false);
  const button = useReturnFocus(isEditing);
  const can = useCan();
  const isMasked = !can('customers.view_sensitive');
  const text = order[kind] ? 'Edit address' : 'Add address';
  const edit = can('orders.edit') && !isEditing && (
    <Button
      ref={button}
      variant="quiet"
      className="-mr-3.5 text-sm"
      aria-label={`${text}: ${kind === 'billing_address' ? 'billing' : 'shipping'}`}
      onClick={() => setEditing(true)}
    >
      {text}
    </Button>
  );
  return (
    <Section title={titles[kind]} actions={edit}>
      {isEditing ? (
        <AddressForm order={order} kind={kind} isMasked={isMasked} onDone={() => setEditing(false)} />
      ) : (
        <Lines address={order[kind]} none={describeNone(order, kind)} />
      )}
      {order[kind] && isMasked && (
        <p className="text-xs text-faint">
          Street and phone are hidden without the permission customers.view_sensitive.
        </p>
      )}
    </Section>
  );
}

function describeNone({ shipping_address }: OrderDetails, kind: AddressKind): string {
  return kind === 'billing_address' && shipping_address ? 'Same as the shipping address.' : 'No address.';
}

function Lines({ address, none }: { readonly address: ShippingAddress | null; readonly none: string }) {
  const lines = addressLines(address);
  if (lines.length === 0) return <p className="text-secondary">{none}</p>;
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
type AddressValues = Readonly<Partial<Record<`${AddressKind}.${OrderAddressField}`, string>>>;

interface AddressFormProps extends OrderAddressProps {
  /** The API keeps the fields that are hidden from the user. */
  readonly isMasked: boolean;
  readonly onDone: () => void;
}

function AddressForm({ order, kind, isMasked, onDone }: AddressFormProps) {
  const { id, order_number, [kind]: before } = order;
  const save = useOrderField(
    order,
    kind,
    ({ [kind]: latest }) =>
      `Someone else has changed the address to “${addressLines(latest).join(', ') || 'No address'}”. Save again to replace it.`,
  );
  const form = useForm<AddressValues>(
    async (values) => {
      const texts = orderAddressFields.map(({ name }) => [name, values[`${kind}.${name}`]?.trim() || null]);
      await save(Object.fromEntries(texts));
      const undo = () => void save(before).catch((error) => toast(errorMessage(error)));
      toast(`${titles[kind]} of order ${order_number} saved.`, { label: 'Undo', run: undo });
      onDone();
    },
    { draft: `order.${id}.${kind}` },
  );
  const stop = () => {
    form.discard();
    onDone();
  };
  return (
    <form {...form.props} className="grid gap-4">
      {form.problem && <Notice tone="error">{form.problem}</Notice>}
      <AddressFields
        kind={kind}
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
