import type { CustomerDetail } from '@chowk/client';
import { keys } from '../../api/query-keys.ts';
import { useApi, useCan } from '../../api/use-api.ts';
import { money } from '../../format/numbers.ts';
import { formatPhone } from '../../format/phone.ts';
import { customerName } from '../../people/customer-name.ts';
import { CustomerSearch } from '../../people/customer-search.tsx';
import { Button } from '../../ui/button.tsx';
import { Field, Input } from '../../ui/field.tsx';
import { Section } from '../../ui/page.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import {
  type Address,
  type ContactField,
  contactFields,
  type OrderDraft,
  type OrderErrors,
  toOrderAddress,
} from './order-draft.ts';

interface CustomerSectionProps {
  readonly draft: OrderDraft;
  readonly onChange: (changes: Partial<OrderDraft>) => void;
  readonly errors: OrderErrors;
}

/** Chooses a customer, or takes the name and the contact of one. */
export function CustomerSection({ draft, onChange, errors }: CustomerSectionProps) {
  const { customerId, contact, address } = draft;
  const canSearch = useCan()('customers.view');
  if (customerId !== undefined) {
    return (
      <Section title="Customer">
        <ChosenCustomer
          id={customerId}
          onRemove={(customer) => {
            // An address of theirs goes with them; one that was typed stays.
            const isTheirs = customer?.addresses.some((one) => isSame(toOrderAddress(one), address));
            onChange({ customerId: undefined, ...(isTheirs && { address: {} }) });
          }}
        />
        {errors['customer.id'] && <p className="text-xs text-error">{errors['customer.id']}</p>}
      </Section>
    );
  }
  const isNew = contact !== undefined || !canSearch;
  const back = isNew && canSearch && (
    <Button variant="quiet" className="-mr-3.5 text-sm" onClick={() => onChange({ contact: undefined })}>
      Search instead
    </Button>
  );
  return (
    <Section title={isNew ? 'New customer' : 'Customer'} actions={back}>
      {isNew ? (
        <ContactFields contact={contact ?? {}} onChange={(next) => onChange({ contact: next })} errors={errors} />
      ) : (
        <div className="grid gap-2">
          <CustomerSearch
            label="Search customers"
            onChoose={(id) => {
              onChange({ customerId: id });
              focusNext('items');
            }}
            onCreate={(text) => {
              onChange({ contact: contactFrom(text) });
              focusNext('customer.');
            }}
          />
          <p className="text-xs text-faint">Without one, the order belongs to a new customer called Guest.</p>
        </div>
      )}
    </Section>
  );
}

/** The first empty field whose name begins like this, when it is there. */
function focusNext(name: string): void {
  setTimeout(() => {
    const fields = [...document.querySelectorAll<HTMLInputElement>(`input[name^="${name}"]`)];
    fields.find(({ value }) => value === '')?.focus();
  });
}

interface ChosenCustomerProps {
  readonly id: string;
  readonly onRemove: (customer: CustomerDetail | undefined) => void;
}

function ChosenCustomer({ id, onRemove }: ChosenCustomerProps) {
  const can = useCan();
  const { data, error } = useApi(
    keys.customers.detail(id),
    (client) => client.customers.get({ id }),
    can('customers.view'),
  );
  const customer = data?.customer;
  return (
    <div className="flex items-center gap-3 rounded-panel border border-line px-4 py-2.5">
      <div className="grid min-w-0 flex-1">
        <span className="truncate font-medium">
          {customer ? customerName(customer) : error ? 'Unknown customer' : <Skeleton className="my-1 h-3.5 w-40" />}
        </span>
        {customer && <span className="truncate text-sm text-secondary">{summarize(customer)}</span>}
      </div>
      <Button onClick={() => onRemove(customer)}>Change</Button>
    </div>
  );
}

function isSame(one: Address, other: Address): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function summarize({ phone, email, total_orders, total_spent, currency }: CustomerDetail): string {
  const orders = total_orders === 1 ? '1 order' : `${total_orders} orders`;
  return [phone && formatPhone(phone), email, orders, currency && money(total_spent, currency)]
    .filter(Boolean)
    .join(' · ');
}

const labels: Readonly<Record<ContactField, string>> = {
  first_name: 'First name',
  last_name: 'Last name',
  phone: 'Phone',
  email: 'Email',
};

interface ContactFieldsProps {
  readonly contact: Partial<Record<ContactField, string>>;
  readonly onChange: (contact: Partial<Record<ContactField, string>>) => void;
  readonly errors: OrderErrors;
}

function ContactFields({ contact, onChange, errors }: ContactFieldsProps) {
  return (
    <div className="grid grid-cols-2 gap-x-3 gap-y-4 md:gap-x-4">
      {contactFields.map((field) => (
        <div key={field} className={field === 'phone' || field === 'email' ? 'max-sm:col-span-2' : ''}>
          <Field label={labels[field]} error={errors[`customer.${field}`]}>
            {(control) => (
              <Input
                {...control}
                name={`customer.${field}`}
                type={field === 'email' ? 'email' : field === 'phone' ? 'tel' : 'text'}
                autoComplete="off"
                value={contact[field] ?? ''}
                onChange={({ target }) => onChange({ ...contact, [field]: target.value })}
              />
            )}
          </Field>
        </div>
      ))}
      <p className="col-span-2 text-xs text-faint">
        A customer with this phone or email is used if there is one already.
      </p>
    </div>
  );
}

/** What was searched for, in the field that it fits. */
function contactFrom(text: string): Partial<Record<ContactField, string>> {
  if (text.includes('@')) return { email: text };
  if (/^[+\d][\d\s()-]{4,}$/.test(text)) return { phone: text };
  const [first_name = '', ...rest] = text.split(/\s+/);
  return { first_name, last_name: rest.join(' ') };
}
