import type { Ctx } from '@chowk/kit';
import type { ListedOrder, Order, ShippingAddress } from './schemas.ts';

type Address = ShippingAddress | null;

const canViewSensitive = (ctx: Ctx) => ctx.can('customers.view_sensitive');

function sensitiveLines(address: Address): ShippingAddress {
  const names = ['address1', 'address2', 'phone'] as const;
  return Object.fromEntries(names.filter((name) => name in (address ?? {})).map((name) => [name, address?.[name]]));
}

/** The order without phone and street lines, for callers who may not see them. */
export function maskOrder<Row extends Pick<Order, 'shipping_address'>>(ctx: Ctx, order: Row): Row {
  const { shipping_address: address } = order;
  if (address === null || canViewSensitive(ctx)) return order;
  const masked = Object.keys(sensitiveLines(address)).map((name) => [name, null]);
  return { ...order, shipping_address: { ...address, ...Object.fromEntries(masked) } };
}

/** The address to store. Callers who do not see the street send the address back without it: then the street stays. */
export function addressToStore(ctx: Ctx, given: Address, current: Address = null): Address {
  if (given === null) return null;
  const filled = Object.entries(given).filter(([, text]) => text !== null);
  const address = { ...(canViewSensitive(ctx) ? {} : sensitiveLines(current)), ...Object.fromEntries(filled) };
  return Object.keys(address).length === 0 ? null : address;
}

/** The masked orders with their customers, who are read in one query. */
export async function withCustomers<Row extends Order>(ctx: Ctx, orders: readonly Row[]) {
  const customers = await ctx.helpers('customers');
  const ids = [...new Set(orders.map(({ customer_id }) => customer_id))];
  const contacts = await customers?.listContacts({ ids });
  return orders.map((order) => {
    const customer: ListedOrder['customer'] = contacts?.get(order.customer_id) ?? null;
    return { ...maskOrder(ctx, order), customer };
  });
}
