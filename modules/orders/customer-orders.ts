import type { Ctx, Paging } from '@chowk/kit';
import type { Order } from './schemas.ts';
export async function ordersOfCustomer(
  _ctx: Ctx,
  _input: { customer_id: string } & Paging,
): Promise<{ orders: Order[]; total: number }> {
  return { orders: [], total: 0 };
}
