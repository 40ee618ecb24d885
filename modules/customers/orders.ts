import { type Ctx, pageOf } from '@chowk/kit';
import { findCustomer } from './find.ts';
import type { CustomerDetail, OrderPage, OrdersQuery } from './schemas.ts';

export async function listOrders(ctx: Ctx, query: OrdersQuery): Promise<OrderPage> {
  await findCustomer(ctx, query.id);
  return ordersOf(ctx, query);
}

/** As many as fit beside a profile. */
export async function recentOrders(ctx: Ctx, { id }: { id: string }): Promise<CustomerDetail['recent_orders']> {
  return (await ordersOf(ctx, { id, page: 1, per_page: 10 })).orders;
}

async function ordersOf(ctx: Ctx, { id, ...query }: OrdersQuery): Promise<OrderPage> {
  const orders = await ctx.helpers('orders');
  if (orders) return orders.ofCustomer({ customer_id: id, ...query });
  if (query.cursor !== undefined || query.limit !== undefined) {
    return { orders: [], pagination: { next_cursor: null, has_more: false } };
  }
  return { orders: [], pagination: pageOf(query, 0) };
}
