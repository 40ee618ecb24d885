import { type Ctx, type Sql, sql } from '@chowk/kit';
import { columns, seen } from './columns.ts';
import { withCustomers } from './customers.ts';
import { fail } from './errors.ts';
import { tellDeleted } from './events.ts';
import { historyOf } from './history.ts';
import type { ListedOrder, Order, OrderDetail, OrderKey } from './schemas.ts';

/** An order with all that is known of it. */
export async function showOrder(ctx: Ctx, key: OrderKey): Promise<OrderDetail> {
  const order = await ctx.db.row<Order>(
    sql`SELECT ${columns()} FROM orders o WHERE ${isMeant(key)} AND o.deleted_at IS NULL`,
  );
  if (!order) throw fail('orders.not_found', { key: key.id ?? key.order_number });
  const [listed] = await withCustomers(ctx, [seen(ctx, order)]);
  return { ...(listed as ListedOrder), history: await historyOf(ctx, order.id) };
}

/** By the digits at the end of the order number there is an index. */
function isMeant({ id, order_number = '' }: OrderKey): Sql {
  if (id !== undefined) return sql`o.id = ${id}`;
  // More digits than any number has lead to none.
  const [digits = '0'] = /\d{1,18}$/.exec(order_number) ?? [];
  return sql`o.number = ${digits}::bigint AND o.order_number = ${order_number}`;
}

/** Hides the order for good. It counts nowhere any more, and its number is not given again. */
export async function deleteOrder(ctx: Ctx, { id }: { id: string }): Promise<void> {
  await ctx.tx(async (tx) => {
    const order = await lockOrder(tx, id);
    const now = tx.now();
    await tx.db.run(sql`UPDATE orders SET deleted_at = ${now}, updated_at = ${now} WHERE id = ${id}`);
    await tellDeleted(tx, order);
  });
}

/**
 * The order as it is now, and nobody else's until the transaction ends. The customer is locked before it, as by everyone
 * who writes about customers: whoever merges it waits, and nobody waits in a circle.
 */
export async function lockOrder(ctx: Ctx, id: string): Promise<Order> {
  const customers = await ctx.helpers('customers');
  const found = await ctx.db.row<{ customer_id: string }>(
    sql`SELECT customer_id FROM orders WHERE id = ${id} AND deleted_at IS NULL`,
  );
  if (found) await customers?.lock({ id: found.customer_id });
  // The items are looked at by a statement that begins when the lock is held.
  const held = found && (await holdRow(ctx, id));
  const order = held && (await ctx.db.row<Order>(sql`SELECT ${columns()} FROM orders o WHERE id = ${id}`));
  if (!order) throw fail('orders.not_found', { key: id });
  return order;
}

async function holdRow(ctx: Ctx, id: string): Promise<boolean> {
  const row = await ctx.db.row(sql`SELECT FROM orders WHERE id = ${id} AND deleted_at IS NULL FOR NO KEY UPDATE`);
  return row !== undefined;
}
