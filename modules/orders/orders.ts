import { type Ctx, type Failure, removedFields, type Sql, sql } from '@chowk/kit';
import { columns, details } from './columns.ts';
import { followCodes } from './discount-codes.ts';
import { fail } from './errors.ts';
import { withCustomers } from './masking.ts';
import { followStock } from './order-stock.ts';
import { closedStatuses, nextStatuses } from './rules.ts';
import type { Order, OrderDetails } from './schemas.ts';

type Key = { readonly id: string };

export async function getOrder(ctx: Ctx, { id }: Key): Promise<OrderDetails> {
  return firstOrFail(await readOrders(ctx, sql`o.id = ${id}`), id);
}

export async function getOrderByNumber(ctx: Ctx, { order_number }: { order_number: string }): Promise<OrderDetails> {
  // The index is on the number, at most 18 digits at the end.
  const [digits = '0'] = /\d{1,18}$/.exec(order_number) ?? [];
  const isSame = sql`o.number = ${digits}::bigint AND o.order_number = ${order_number}`;
  return firstOrFail(await readOrders(ctx, isSame), order_number);
}

export async function getOrders(ctx: Ctx, keys: readonly Key[]): Promise<(OrderDetails | Failure)[]> {
  const orders = await readOrders(ctx, sql`o.id = ANY(${keys.map(({ id }) => id)}::uuid[])`);
  const found = new Map(orders.map((order) => [order.id, order]));
  return keys.map(({ id }) => found.get(id.toLowerCase()) ?? fail('orders.not_found', { key: id }));
}

function firstOrFail<Row>([order]: readonly Row[], key: string): Row {
  if (!order) throw fail('orders.not_found', { key });
  return order;
}

/** The order with nothing masked. */
export async function getRecord(ctx: Ctx, { id, lock = false }: Key & { lock?: boolean }): Promise<OrderDetails> {
  if (lock) await lockOrder(ctx, id);
  const order = firstOrFail(await selectOrders(ctx, sql`o.id = ${id}`), id);
  const contacts = await ctx.bus.callIfInstalled('customers.listContacts', {
    ids: [order.customer_id],
    unmasked: true,
  });
  return { ...order, customer: contacts?.[0] ?? null };
}

async function readOrders(ctx: Ctx, where: Sql): Promise<OrderDetails[]> {
  return withCustomers(ctx, await selectOrders(ctx, where));
}

async function selectOrders(ctx: Ctx, where: Sql): Promise<Omit<OrderDetails, 'customer'>[]> {
  const orders = await ctx.db.rows<Omit<OrderDetails, 'customer' | 'next_statuses'>>(sql`
    SELECT ${columns}, ${details} FROM orders o WHERE ${where} AND o.deleted_at IS NULL`);
  return orders.map((order) => ({ ...order, next_statuses: nextStatuses(order) }));
}

export async function deleteOrder(ctx: Ctx, { id }: Key): Promise<void> {
  await ctx.tx(async (tx) => {
    const order = await lockOrder(tx, id);
    await tx.db.run(sql`UPDATE orders SET deleted_at = ${tx.now()}, updated_at = ${tx.now()} WHERE id = ${id}`);
    await giveBack(tx, order);
    tx.audit(removedFields(order));
    await tx.emit('order.deleted', { order });
  });
}

/** Releases stock and codes of an order that is removed while it is open, as cancelling it does. */
export async function giveBack(ctx: Ctx, order: Order): Promise<void> {
  if (closedStatuses.has(order.status)) return;
  await followStock(ctx, { ...order, status: 'cancelled' });
  await followCodes(ctx, order, 'cancelled');
}

/** Locks the customer before the order, in the same order as a merge, which prevents deadlocks. */
export async function lockOrder(ctx: Ctx, id: string): Promise<Order> {
  const found = await ctx.db.row<{ customer_id: string }>(
    sql`SELECT customer_id FROM orders WHERE id = ${id} AND deleted_at IS NULL`,
  );
  if (found) await ctx.bus.callIfInstalled('customers.lock', { id: found.customer_id });
  await ctx.db.run(sql`SELECT FROM orders WHERE id = ${id} FOR NO KEY UPDATE`);
  // A new statement sees what other transactions committed before the lock was granted.
  const order = await findOrder(ctx, id);
  ctx.mustMatch(order);
  return order;
}

export async function findOrder(ctx: Ctx, id: string): Promise<Order> {
  const order = await ctx.db.row<Order>(sql`SELECT ${columns} FROM orders o WHERE id = ${id} AND deleted_at IS NULL`);
  if (!order) throw fail('orders.not_found', { key: id });
  return order;
}
