import { type Ctx, offsetOf, type Paging, sql } from '@chowk/kit';
import { columns, seen } from './columns.ts';
import type { Order } from './schemas.ts';

/** A page of what one customer has ordered, the most recent first. */
export async function ordersOfCustomer(
  ctx: Ctx,
  { customer_id, ...paging }: { customer_id: string } & Paging,
): Promise<{ orders: Order[]; total: number }> {
  const orders = await ctx.db.rows<Order>(sql`
    SELECT ${columns()} FROM (
      SELECT * FROM orders WHERE customer_id = ${customer_id} AND deleted_at IS NULL
      ORDER BY placed_at DESC, id DESC LIMIT ${paging.per_page}::integer OFFSET ${offsetOf(paging)}::bigint) o
    ORDER BY o.placed_at DESC, o.id DESC`);
  const counted = await ctx.db.row<{ total: number }>(sql`
    SELECT count(*) AS total FROM orders WHERE customer_id = ${customer_id} AND deleted_at IS NULL`);
  return { orders: orders.map((order) => seen(ctx, order)), total: counted?.total ?? 0 };
}
