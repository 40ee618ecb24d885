import { useState } from 'react';
import { useApi } from '../../api-query.ts';
import { messageOf } from '../../form.ts';
import { Input } from '../../ui/field.tsx';
import { Notice } from '../../ui/notice.tsx';
import { nameOf } from './customer-list.ts';

interface CustomerSearchProps {
  /** Not offered. */
  readonly except: string | undefined;
  readonly onChoose: (id: string) => void;
}

const minLength = 2;

/** Finds a customer by name, phone or email. */
export function CustomerSearch({ except, onChoose }: CustomerSearchProps) {
  const [text, setText] = useState('');
  const q = text.trim();
  const isLong = q.length >= minLength;
  const { data, error } = useApi(
    ['customers', 'search', q],
    (client) => client.customers.search({ q, limit: 12 }),
    isLong,
  );
  const found = data?.customers.filter(({ id }) => id !== except);
  return (
    <div className="grid max-w-xl gap-3">
      <Input
        type="search"
        aria-label="Search name, phone or email"
        placeholder="Search name, phone or email"
        autoFocus
        value={text}
        onChange={({ target }) => setText(target.value)}
      />
      {error && <Notice tone="error">{messageOf(error)}</Notice>}
      {isLong && found?.length === 0 && <p className="text-secondary">No other customer matches.</p>}
      {isLong && found && found.length > 0 && (
        <ul aria-label="Matches">
          {found.map((customer) => (
            <li key={customer.id} className="border-b border-line">
              <button
                type="button"
                onClick={() => onChoose(customer.id)}
                className="grid min-h-11 w-full gap-x-4 py-1.5 text-left hover:bg-sunken sm:grid-cols-2"
              >
                <span className="truncate font-medium">{nameOf(customer)}</span>
                <span className="numeric truncate text-secondary">
                  {[customer.phone, customer.email].filter(Boolean).join(' · ')}
                </span>
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
