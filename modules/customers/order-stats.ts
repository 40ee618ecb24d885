import { type Ctx, sql, within } from '@chowk/kit';
import { lockCustomer } from './find.ts';
import type { CustomerRecord } from './schemas.ts';

/** What a customer's orders add up to; cancelled and failed ones do not count. */
type Statistics = Pick<
  CustomerRecord,
  'total_orders' | 'total_spent' | 'avg_order_value' | 'first_order_at' | 'last_order_at'
>;

/** What the orders of these customers together add up to, by one aggregate; if there are no orders to ask, what is known. */
export async function statisticsOf(ctx: Ctx, ids: readonly string[]): Promise<Statistics> {
  const orders = await ctx.helpers('orders');
  return orders ? orders.statistics({ customer_ids: ids }) : knownStatistics(ctx, ids);
}

async function knownStatistics(ctx: Ctx, ids: readonly string[]): Promise<Statistics> {
  return (await ctx.db.row<Statistics>(sql`
    SELECT sum(total_orders)::integer AS total_orders, sum(total_spent)::numeric(18, 2) AS total_spent,
      coalesce(sum(total_spent) / nullif(sum(total_orders), 0), 0)::numeric(18, 2) AS avg_order_value,
      min(first_order_at) AS first_order_at, max(last_order_at) AS last_order_at
    FROM customers WHERE id = ANY(${ids}::uuid[])`)) as Statistics;
}

/** Counts anew. The lock comes first, so that of two orders at once the second counts the first. */
async function recalculate(ctx: Ctx, customerId: string): Promise<void> {
  const held = await lockCustomer(ctx, customerId);
  if (held) await writeStatistics(ctx, held.customer.id, await statisticsOf(ctx, [held.customer.id]));
}

async function writeStatistics(ctx: Ctx, id: string, statistics: Statistics): Promise<void> {
  const { total_orders, total_spent, avg_order_value, first_order_at, last_order_at } = statistics;
  await ctx.db.run(sql`
    UPDATE customers SET total_orders = ${total_orders}, total_spent = ${total_spent},
      avg_order_value = ${avg_order_value}, first_order_at = ${first_order_at}, last_order_at = ${last_order_at},
      updated_at = ${ctx.now()}
    WHERE id = ${id}`);
}

const count = (ctx: Ctx, { order }: { order: { customer_id: string } }) => recalculate(ctx, order.customer_id);

export const listeners = [
  within('order.created', 'count-created', count),
  within('order.updated', 'count-updated', count),
  within('order.status_changed', 'count-status', count),
  within('order.deleted', 'count-deleted', count),
];
