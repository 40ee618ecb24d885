import { type Ctx, inTransaction, pageOf, sql } from '@chowk/kit';
import { findCustomer, lockCurrent } from './find.ts';
import type { OrderPage, OrdersQuery, Statistics } from './schemas.ts';

export async function listOrders(ctx: Ctx, query: OrdersQuery): Promise<OrderPage> {
  await findCustomer(ctx, query.id);
  return ordersOf(ctx, query);
}

/** A page of orders, empty if the tenant does not have the orders module. */
export async function ordersOf(ctx: Ctx, { id, ...query }: OrdersQuery): Promise<OrderPage> {
  const orders = await ctx.helpers('orders');
  if (orders) return orders.listByCustomer({ customer_id: id, ...query });
  const byCursor = query.cursor !== undefined || query.limit !== undefined;
  return { orders: [], pagination: byCursor ? { next_cursor: null, has_more: false } : pageOf(query, 0) };
}

/** The order statistics of customers, together; without the orders module, the stored ones. */
export async function statisticsOf(ctx: Ctx, ids: readonly string[]): Promise<Statistics> {
  const orders = await ctx.helpers('orders');
  if (orders) return orders.getStatistics({ customer_ids: ids });
  return (await ctx.db.row<Statistics>(sql`
    SELECT sum(total_orders)::integer AS total_orders, sum(total_spent)::numeric(18, 2) AS total_spent,
      coalesce(sum(total_spent) / nullif(sum(total_orders), 0), 0)::numeric(18, 2) AS avg_order_value,
      min(first_order_at) AS first_order_at, max(last_order_at) AS last_order_at
    FROM customers WHERE id = ANY(${ids}::uuid[])`)) as Statistics;
}

/** Locks first, so that of two concurrent orders the second one counts both. */
async function updateStatistics(ctx: Ctx, { order }: { order: { customer_id: string } }): Promise<void> {
  const id = (await lockCurrent(ctx, order.customer_id))?.customer.id;
  if (id === undefined) return;
  const { total_orders, total_spent, avg_order_value, first_order_at, last_order_at } = await statisticsOf(ctx, [id]);
  await ctx.db.run(sql`
    UPDATE customers SET total_orders = ${total_orders}, total_spent = ${total_spent},
      avg_order_value = ${avg_order_value}, first_order_at = ${first_order_at}, last_order_at = ${last_order_at},
      updated_at = ${ctx.now()}
    WHERE id = ${id}`);
}

export const listeners = [inTransaction('order.*', 'update-statistics', updateStatistics)];
