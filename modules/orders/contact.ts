import type { NewOrder, OrderContact } from './schemas.ts';

/** The customer as it is now; what it does not have is taken from the order. */
export function readContact(
  customer: OrderContact,
  { first_name, last_name, email, phone }: NewOrder['customer'],
): OrderContact {
  return {
    first_name: customer.first_name || first_name || null,
    last_name: customer.last_name || last_name || null,
    email: customer.email ?? email ?? null,
    phone: customer.phone ?? phone ?? null,
  };
}
