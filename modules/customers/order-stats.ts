import { type Ctx, sql, within } from '@chowk/kit';
import { lockCustomer } from './identity.ts';

/** What a customer's orders add up to; cancelled and failed ones do not count. */
export interface OrderStatistics {
  readonly total_orders: number;
  readonly total_spent: string;
  readonly avg_order_value: string;
  readonly first_order_at: string | null;
  readonly last_order_at: string | null;
}

/**
 * Counts anew, by one aggregate, what the customer's orders add up to. The lock comes first, so that of two orders at
 * once the second counts the first.
 */
export async function recalculate(ctx: Ctx, customerId: string): Promise<void> {
  const held = await lockCustomer(ctx, customerId);
  const orders = await ctx.helpers('orders');
  if (held && orders)
    await writeStatistics(ctx, held.customer.id, await orders.statistics({ customer_ids: [held.customer.id] }));
}

async function writeStatistics(ctx: Ctx, id: string, statistics: OrderStatistics): Promise<void> {
  const { total_orders, total_spent, avg_order_value, first_order_at, last_order_at } = statistics;
  await ctx.db.run(sql`
    UPDATE customers SET total_orders = ${total_orders}, total_spent = ${total_spent},
      avg_order_value = ${avg_order_value}, first_order_at = ${first_order_at}, last_order_at = ${last_order_at}
    WHERE id = ${id}`);
}

const count = (ctx: Ctx, { order }: { order: { customer_id: string } }) => recalculate(ctx, order.customer_id);

export const listeners = [
  within('order.created', 'count-created', count),
  within('order.updated', 'count-updated', count),
  within('order.status_changed', 'count-status', count),
  within('order.deleted', 'count-deleted', count),
];
