import { useState } from 'react';
import { keys } from '../api/query-keys.ts';
import { useSearchResults } from '../api/search-results.ts';
import { useCan } from '../api/use-api.ts';
import { formatPhone } from '../format/phone.ts';
import { SearchBox } from '../ui/search-box.tsx';
import { customerName } from './customer-name.ts';

interface CustomerSearchProps {
  readonly label: string;
  /** Not offered. */
  readonly except?: string | undefined;
  readonly onChoose: (id: string) => void;
  /** Offers a new customer with this name, phone or email. */
  readonly onCreate?: (text: string) => void;
}

/** Finds a customer by name, phone or email while the user types. */
export function CustomerSearch({ label, except, onChoose, onCreate }: CustomerSearchProps) {
  const [text, setText] = useState('');
  const typed = text.trim();
  const { data, ...state } = useSearchResults(keys.customers.search, typed, (client, q) =>
    client.customers.search({ q, limit: 8 }),
  );
  const found = data?.customers.filter(({ id }) => id !== except);
  const options = (found ?? []).map((customer) => ({
    key: customer.id,
    label: customerName(customer),
    detail: [customer.phone && formatPhone(customer.phone), customer.email].filter(Boolean).join(' · '),
    choose: () => onChoose(customer.id),
  }));
  const create = onCreate && { key: 'new', label: `New customer “${typed}”`, choose: () => onCreate(typed) };
  return (
    <SearchBox
      label={label}
      placeholder={useCan()('customers.view_sensitive') ? 'Search name, phone or email' : 'Search name or email'}
      name="customer"
      text={text}
      onText={setText}
      options={create && typed !== '' ? [...options, create] : options}
      {...state}
      {...(found ? { empty: 'No customer matches.' } : {})}
      autoFocus
    />
  );
}
