import { type Ctx, type Paging, paginationOf, type Static } from '@chowk/kit';
import { findCustomer } from './identity.ts';
import type { CustomerDetail, OrderPage } from './schemas.ts';

/** As many as fit beside a profile. */
const recent: Paging = { page: 1, per_page: 10 };

export async function listOrders(ctx: Ctx, { id }: { id: string }, paging: Paging): Promise<Static<typeof OrderPage>> {
  await findCustomer(ctx, id);
  const { orders, total } = await ordersOf(ctx, id, paging);
  return { orders, pagination: paginationOf(paging, total) };
}

export async function recentOrders(ctx: Ctx, { id }: { id: string }): Promise<CustomerDetail['recent_orders']> {
  return (await ordersOf(ctx, id, recent)).orders;
}

async function ordersOf(ctx: Ctx, customer_id: string, paging: Paging) {
  const orders = await ctx.helpers('orders');
  return orders ? orders.ofCustomer({ customer_id, ...paging }) : { orders: [], total: 0 };
}
