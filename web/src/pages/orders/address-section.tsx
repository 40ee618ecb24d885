import type { CustomerAddress } from '@chowk/client';
import { useState } from 'react';
import { keys } from '../../api/query-keys.ts';
import { useApi, useCan } from '../../api/use-api.ts';
import { Button } from '../../ui/button.tsx';
import { Section } from '../../ui/page.tsx';
import { AddressFields } from './address-fields.tsx';
import { type OrderDraft, type OrderErrors, toOrderAddress } from './order-draft.ts';

interface AddressSectionProps {
  readonly draft: OrderDraft;
  readonly onChange: (address: OrderDraft['address']) => void;
  readonly errors: OrderErrors;
}

/** Folded until it is needed. */
export function AddressSection({ draft: { customerId, address }, onChange, errors }: AddressSectionProps) {
  const [wasOpened, setOpened] = useState(false);
  const hasErrors = Object.keys(errors).some((name) => name.startsWith('shipping_address.'));
  const isOpen = wasOpened || hasErrors || Object.keys(address).length > 0;
  if (!isOpen) {
    return (
      <div className="grid gap-3">
        {customerId !== undefined && <KnownAddresses customerId={customerId} onChoose={onChange} />}
        <Button variant="quiet" className="-ml-3.5 justify-self-start" onClick={() => setOpened(true)}>
          Add a shipping address
        </Button>
      </div>
    );
  }
  return (
    <Section title="Shipping address" lead="Optional.">
      {customerId !== undefined && <KnownAddresses customerId={customerId} onChoose={onChange} />}
      <AddressFields
        errors={errors}
        inputProps={(field) => ({
          value: address[field] ?? '',
          onChange: ({ target }) => onChange({ ...address, [field]: target.value }),
        })}
      />
    </Section>
  );
}

interface KnownAddressesProps {
  readonly customerId: string;
  readonly onChoose: (address: OrderDraft['address']) => void;
}

/** Those of the customer, for users who may see them. */
function KnownAddresses({ customerId: id, onChoose }: KnownAddressesProps) {
  const can = useCan();
  const isVisible = can('customers.view') && can('customers.view_sensitive');
  const { data } = useApi(keys.customers.detail(id), (client) => client.customers.get({ id }), isVisible);
  if (!isVisible || !data || data.customer.addresses.length === 0) return null;
  return (
    <ul className="flex min-w-0 flex-wrap gap-2">
      {data.customer.addresses.slice(0, 4).map((address) => (
        <li key={address.id} className="max-w-full min-w-0">
          <Button className="max-w-full *:min-w-0" onClick={() => onChoose(toOrderAddress(address))}>
            <span className="truncate">Use {addressText(address)}</span>
          </Button>
        </li>
      ))}
    </ul>
  );
}

function addressText({ address1, city, pincode }: CustomerAddress): string {
  return [address1, city, pincode].filter(Boolean).join(', ') || 'the known address';
}
