import type { Customer } from '@chowk/client';

type Named = Pick<Customer, 'first_name' | 'last_name' | 'email' | 'phone'>;

export function customerName(customer: Named | null): string {
  if (!customer) return 'Deleted customer';
  const { first_name, last_name, email, phone } = customer;
  return [first_name, last_name].filter(Boolean).join(' ') || email || phone || 'No name';
}
