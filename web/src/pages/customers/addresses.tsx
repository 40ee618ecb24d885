import type { CustomerAddress, CustomerDetail } from '@chowk/client';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { Ellipsis, Plus } from 'lucide-react';
import { useState } from 'react';
import { addressLines } from '../../address/address-lines.ts';
import { keys } from '../../api/query-keys.ts';
import { useAction } from '../../api/use-action.ts';
import { useCan } from '../../api/use-api.ts';
import { useReturnFocus } from '../../form/return-focus.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Menu, MenuItem, MenuLine } from '../../ui/menu.tsx';
import { StatusPill } from '../../ui/status-pill.tsx';
import { AddressForm } from './address-form.tsx';

/** Where to ship and whom to bill. */
export function Addresses({ customer }: { readonly customer: CustomerDetail }) {
  const can = useCan();
  const navigate = useNavigate();
  const { edit } = useSearch({ from: '/shell/customers/$id' });
  const { id, addresses } = customer;
  const show = (next: string | undefined) =>
    void navigate({ to: '.', search: (search) => ({ ...search, edit: next }), replace: true });
  const edited = addresses.find((one) => one.id === edit);
  const isEditing = can('customers.edit') && (edit === 'address' || edited !== undefined);
  const button = useReturnFocus(isEditing);
  if (isEditing) {
    return <AddressForm key={edit} customerId={id} address={edited} onDone={() => show(undefined)} />;
  }
  return (
    <div className="grid min-w-0 gap-4">
      {addresses.length === 0 && <p className="py-2 text-secondary">No addresses yet.</p>}
      {addresses.length > 0 && (
        <ul className="grid min-w-0">
          {addresses.map((address) => (
            <Address key={address.id} address={address} onEdit={() => show(address.id)} />
          ))}
        </ul>
      )}
      {can('customers.edit') && (
        <Button ref={button} className="justify-self-start" onClick={() => show('address')}>
          <Icon icon={Plus} />
          Add address
        </Button>
      )}
    </div>
  );
}

interface AddressProps {
  readonly address: CustomerAddress;
  readonly onEdit: () => void;
}

function Address({ address, onEdit }: AddressProps) {
  const can = useCan();
  const [isDeleting, setDeleting] = useState(false);
  const key = { id: address.customer_id, addr: address.id };
  const makeDefault = useAction((client) => client.customers.setDefaultAddress(key), {
    affects: [keys.customers.detail(address.customer_id)],
    done: () => `Default ${address.type} address changed.`,
  });
  const remove = useAction((client) => client.customers.deleteAddress(key), {
    affects: [keys.customers.detail(address.customer_id)],
    done: () => 'Address deleted.',
  });
  const lines = addressLines(address);
  const isMasked = !can('customers.view_sensitive');
  return (
    <li className="flex min-w-0 items-start gap-3 border-b border-line py-3 first:pt-0">
      <div className="grid min-w-0 flex-1 gap-0.5">
        <div className="flex min-h-5.5 flex-wrap items-center gap-2 text-xs text-secondary">
          {address.type === 'billing' ? 'Billing' : 'Shipping'}
          {address.is_default && <StatusPill tone="success">Default</StatusPill>}
        </div>
        {lines.map((line) => (
          <div key={line} className="break-words">
            {line}
          </div>
        ))}
        {isMasked && <p className="text-xs text-faint">Street and phone are hidden from your role.</p>}
      </div>
      {can('customers.edit') && (
        <Menu
          trigger={
            <IconButton label={`Actions for the address ${lines[0] ?? ''}`}>
              <Icon icon={Ellipsis} />
            </IconButton>
          }
        >
          <MenuItem onSelect={onEdit}>Edit</MenuItem>
          {!address.is_default && <MenuItem onSelect={() => makeDefault.mutate(undefined)}>Make default</MenuItem>}
          <MenuLine />
          <MenuItem onSelect={() => setDeleting(true)}>Delete</MenuItem>
        </Menu>
      )}
      <ConfirmDialog
        title="Delete this address?"
        isOpen={isDeleting}
        onClose={() => setDeleting(false)}
        action="Delete address"
        isBusy={remove.isPending}
        onConfirm={() => remove.mutate(undefined)}
      >
        <p className="mb-1 text-text">{lines.join(', ')}</p>
        {address.is_default && `The newest other ${address.type} address becomes the default. `}
        Orders keep their address.
      </ConfirmDialog>
    </li>
  );
}
