import type { Ctx } from '@chowk/kit';
import { maskOrder } from './masking.ts';
import type { Order, OrderCustomer } from './schemas.ts';

/** The orders with their customers, masked; one query for all of them. */
export async function withCustomers<Row extends Pick<Order, 'customer_id' | 'shipping_address'>>(
  ctx: Ctx,
  orders: readonly Row[],
): Promise<(Row & { customer: OrderCustomer | null })[]> {
  const customers = await ctx.helpers('customers');
  const ids = [...new Set(orders.map(({ customer_id }) => customer_id))];
  const contacts = await customers?.contacts({ ids });
  return orders.map((order) => ({ ...maskOrder(ctx, order), customer: contacts?.get(order.customer_id) ?? null }));
}
