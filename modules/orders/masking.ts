import type { Ctx } from '@chowk/kit';
import type { ListedOrder, Order, ShippingAddress } from './schemas.ts';

type Address = ShippingAddress | null;

const canViewSensitive = (ctx: Ctx) => ctx.can('customers.view_sensitive');

const hiddenFields = new Set(['address1', 'address2', 'phone']);

type Masked = Pick<Order, 'shipping_address' | 'billing_address' | 'contact'>;

/** Hides street lines and phones from users without `customers.view_sensitive`. */
export function maskOrder<Row extends Masked>(ctx: Ctx, order: Row): Row {
  if (canViewSensitive(ctx)) return order;
  const { shipping_address, billing_address, contact } = order;
  return {
    ...order,
    shipping_address: hide(shipping_address),
    billing_address: hide(billing_address),
    contact: contact && { ...contact, phone: null },
  };
}

export const hideAddress = (ctx: Ctx, address: Address) => (canViewSensitive(ctx) ? address : hide(address));

function hide(address: Address): Address {
  if (address === null) return null;
  const masked = Object.entries(address).map(([name, text]) => [name, hiddenFields.has(name) ? null : text]);
  return Object.fromEntries(masked);
}

/** The address to store. A user who cannot see the hidden fields sends them empty; the current ones are kept. */
export function addressToStore(ctx: Ctx, sent: Address, current: Address = null): Address {
  if (sent === null) return null;
  const filled = Object.entries(sent).filter(([, text]) => text !== null);
  const hidden = Object.entries(current ?? {}).filter(([name]) => hiddenFields.has(name) && !canViewSensitive(ctx));
  const fields = [...hidden, ...filled];
  return fields.length === 0 ? null : Object.fromEntries(fields);
}

export async function withCustomers<Row extends Order>(ctx: Ctx, orders: readonly Row[]) {
  const ids = [...new Set(orders.map(({ customer_id }) => customer_id))];
  const listed = (await ctx.bus.callIfInstalled('customers.listContacts', { ids })) ?? [];
  const contacts = new Map(listed.map((contact) => [contact.id, contact]));
  return orders.map((order) => {
    const customer: ListedOrder['customer'] = contacts.get(order.customer_id) ?? null;
    return { ...maskOrder(ctx, order), customer };
  });
}
