import { type Ctx, type Issues, sql } from '@chowk/kit';
import { columnsWith } from './columns.ts';
import { fail } from './errors.ts';
import { addressToStore, maskOrder } from './masking.ts';
import { mustBeAllowed, sum } from './rules.ts';
import { itemRows } from './save.ts';
import type { NewOrder, Order } from './schemas.ts';

export async function checkNewOrder(ctx: Ctx, input: Partial<NewOrder>, issues: Issues): Promise<string | null> {
  if (input.status) mustBeAllowed(ctx, input.status);
  const total = input.total ?? sum(input.items, issues);
  // Only if there are other problems to report; otherwise finding the customer checks it.
  if (issues.any) {
    issues.addAll(await ctx.bus.callIfInstalled('customers.checkIdentity', { customer: customerInput(input) }));
  }
  return total ?? null;
}

export async function createOrder(ctx: Ctx, input: NewOrder, total: string | null): Promise<Order> {
  const { 'general.currency': currency, 'orders.number_prefix': prefix } = await ctx.settings();
  const customer = await ctx.bus.callIfInstalled('customers.findOrCreate', customerInput(input));
  if (!customer) throw fail('orders.no_customers');
  const order = await insertOrder(ctx, {
    ...input,
    total: total as string,
    prefix,
    customer_id: customer.id,
    currency: input.currency ?? currency,
    shipping_address: addressToStore(ctx, input.shipping_address),
  });
  await ctx.emit('order.created', { order });
  return maskOrder(ctx, order);
}

function customerInput({ customer, customer_id }: Partial<NewOrder>) {
  return { ...(customer_id === undefined ? {} : { id: customer_id }), ...customer };
}

type Row = NewOrder & Pick<Order, 'total' | 'currency' | 'customer_id'> & { readonly prefix: string };

/** One statement for number, order, items and history, so that a failure leaves no gap in the numbers. */
async function insertOrder(ctx: Ctx, row: Row): Promise<Order> {
  const { prefix, customer_id, status, currency, total, shipping_address, note, items } = row;
  const now = ctx.now();
  const refunded = status === 'refunded' ? total : null;
  return (await ctx.db.row<Order>(sql`
    WITH next AS (UPDATE order_numbers SET last = last + 1 RETURNING last),
    o AS (
      INSERT INTO orders (id, number, order_number, customer_id, status, currency, total, refunded_total,
        shipping_address, note, placed_at, created_at, updated_at)
      SELECT ${ctx.newId()}::uuid, last, ${prefix}::text || last, ${customer_id}::uuid, ${status}, ${currency},
        ${total}::numeric, coalesce(${refunded}::numeric, 0), ${shipping_address}::jsonb, ${note},
        ${row.placed_at ?? now}::timestamptz, ${now}::timestamptz, ${now}::timestamptz
      FROM next RETURNING *),
    inserted AS (
      INSERT INTO order_items (id, order_id, position, name, sku, quantity, price)
      SELECT n.id, o.id, n.position, n.name, n.sku, n.quantity, n.price
      FROM o, jsonb_populate_recordset(NULL::order_items, ${itemRows(ctx, items)}::jsonb) n RETURNING *),
    logged AS (
      INSERT INTO order_history (id, order_id, status, refunded, user_id, at)
      SELECT ${ctx.newId()}::uuid, id, status, ${refunded}::numeric, ${ctx.userId ?? null}::bigint, ${now}::timestamptz
      FROM o)
    SELECT ${columnsWith(sql`inserted`)} FROM o`)) as Order;
}
