import type { CustomerAddress } from '@chowk/client';
import { useState } from 'react';
import { keys } from '../../api/query-keys.ts';
import { useApi, useCan } from '../../api/use-api.ts';
import { Button } from '../../ui/button.tsx';
import { Section } from '../../ui/page.tsx';
import { AddressFields } from './address-fields.tsx';
import { type Address, type OrderDraft, type OrderErrors, toOrderAddress } from './order-draft.ts';

interface AddressSectionsProps {
  readonly draft: OrderDraft;
  readonly onChange: (changes: Partial<OrderDraft>) => void;
  readonly errors: OrderErrors;
  /** Street and phone are kept, but not shown to this user. */
  readonly isMasked: boolean;
}

/** Both are folded until they are needed; without a billing address, the invoice has the shipping address. */
export function AddressSections({ draft, onChange, errors, isMasked }: AddressSectionsProps) {
  const { customerId, address, billing } = draft;
  const common = { customerId, errors, isMasked };
  return (
    <>
      <AddressSection
        {...common}
        kind="shipping_address"
        title="Shipping address"
        open="Add a shipping address"
        close="Remove"
        address={address}
        onChange={(next) => onChange({ address: next })}
      />
      <AddressSection
        {...common}
        kind="billing_address"
        title="Billing address"
        open="Use another billing address"
        close="Same as shipping"
        address={billing}
        onChange={(next) => onChange({ billing: next })}
      />
    </>
  );
}

interface AddressSectionProps extends Pick<AddressSectionsProps, 'errors' | 'isMasked'> {
  readonly kind: 'shipping_address' | 'billing_address';
  readonly title: string;
  readonly open: string;
  readonly close: string;
  readonly customerId: string | undefined;
  readonly address: Address;
  readonly onChange: (address: Address) => void;
}

function AddressSection(props: AddressSectionProps) {
  const { kind, title, open, close, customerId, address, onChange, errors, isMasked } = props;
  const [wasOpened, setOpened] = useState(false);
  const hasErrors = Object.keys(errors).some((name) => name.startsWith(`${kind}.`));
  const known = customerId !== undefined && <KnownAddresses customerId={customerId} onChoose={onChange} />;
  if (!wasOpened && !hasErrors && Object.keys(address).length === 0) {
    return (
      <div className={`grid gap-3 ${kind === 'billing_address' ? '-mt-8' : ''}`}>
        {kind === 'shipping_address' && known}
        <Button variant="quiet" className="-ml-3.5 justify-self-start" onClick={() => setOpened(true)}>
          {open}
        </Button>
      </div>
    );
  }
  const fold = () => {
    setOpened(false);
    onChange({});
  };
  return (
    <Section
      title={title}
      lead="Optional."
      actions={
        <Button variant="quiet" className="-mr-3.5 text-sm" onClick={fold}>
          {close}
        </Button>
      }
    >
      {known}
      <AddressFields
        kind={kind}
        errors={errors}
        isMasked={isMasked}
        inputProps={(field) => ({
          value: address[field] ?? '',
          onChange: ({ target }) => onChange({ ...address, [field]: target.value }),
        })}
      />
      {isMasked && (
        <p className="text-xs text-faint">
          Street and phone are hidden without the permission customers.view_sensitive.
        </p>
      )}
    </Section>
  );
}

interface KnownAddressesProps {
  readonly customerId: string;
  readonly onChoose: (address: Address) => void;
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
