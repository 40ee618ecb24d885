import { type Ctx, type Failure, removalOf, type Sql, sql } from '@chowk/kit';
import { columns, history } from './columns.ts';
import { withCustomers } from './customers.ts';
import { fail } from './errors.ts';
import type { NumberKey, Order, OrderDetails } from './schemas.ts';

export type Key = { readonly id: string };

export async function getOrder(ctx: Ctx, { id }: Key): Promise<OrderDetails> {
  const [order] = await readOrders(ctx, sql`o.id = ${id}`);
  if (!order) throw fail('orders.not_found', { key: id });
  return order;
}

export async function getOrders(ctx: Ctx, keys: readonly Key[]): Promise<(OrderDetails | Failure)[]> {
  const orders = await readOrders(ctx, sql`o.id = ANY(${keys.map(({ id }) => id)}::uuid[])`);
  const found = new Map(orders.map((order) => [order.id, order]));
  return keys.map(({ id }) => found.get(id.toLowerCase()) ?? fail('orders.not_found', { key: id }));
}

export async function getOrderByNumber(ctx: Ctx, { order_number }: NumberKey): Promise<OrderDetails> {
  // The index has the digits at its end; no number has more of them.
  const [digits = '0'] = /\d{1,18}$/.exec(order_number) ?? [];
  const [order] = await readOrders(ctx, sql`o.number = ${digits}::bigint AND o.order_number = ${order_number}`);
  if (!order) throw fail('orders.not_found', { key: order_number });
  return order;
}

async function readOrders(ctx: Ctx, where: Sql): Promise<OrderDetails[]> {
  const orders = await ctx.db.rows<Omit<OrderDetails, 'customer'>>(sql`
    SELECT ${columns}, ${history} FROM orders o WHERE ${where} AND o.deleted_at IS NULL`);
  return withCustomers(ctx, orders);
}

/** Hides the order for good. Its number is not used again. */
export async function deleteOrder(ctx: Ctx, { id }: Key): Promise<void> {
  await ctx.tx(async (tx) => {
    const order = await lockOrder(tx, id);
    const now = tx.now();
    await tx.db.run(sql`UPDATE orders SET deleted_at = ${now}, updated_at = ${now} WHERE id = ${id}`);
    tx.audit(removalOf(order));
    await tx.emit('order.deleted', { order }, { about: id });
  });
}

export function findOrder(ctx: Ctx, id: string): Promise<Order | undefined> {
  return ctx.db.row<Order>(sql`SELECT ${columns} FROM orders o WHERE id = ${id} AND deleted_at IS NULL`);
}

/**
 * The order, locked until the transaction ends. Its customer is locked first, as in every write about customers: a merge
 * waits, and there is no deadlock.
 */
export async function lockOrder(ctx: Ctx, id: string): Promise<Order> {
  const customers = await ctx.helpers('customers');
  const found = await ctx.db.row<{ customer_id: string }>(
    sql`SELECT customer_id FROM orders WHERE id = ${id} AND deleted_at IS NULL`,
  );
  if (found) await customers?.lock({ id: found.customer_id });
  await ctx.db.run(sql`SELECT FROM orders WHERE id = ${id} FOR NO KEY UPDATE`);
  // A statement of its own, so that it sees the items as they are once the lock is held.
  const order = await findOrder(ctx, id);
  if (!order) throw fail('orders.not_found', { key: id });
  ctx.mustMatch(order);
  return order;
}
