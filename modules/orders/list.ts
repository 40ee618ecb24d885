import { and, type Ctx, offsetOf, paginationOf, sql } from '@chowk/kit';
import { columns, seen } from './columns.ts';
import { withCustomers } from './customers.ts';
import { allStatuses, conditions as conditionsOf, countOrders, orderBy } from './filters.ts';
import type { CountsAnswer, ListQuery, Order, OrderPage, Status } from './schemas.ts';

/** One page with items and customers. */
export async function listOrders(ctx: Ctx, { page, per_page, sort_by, sort_order, ...filters }: ListQuery) {
  const paging = { page, per_page };
  const order = orderBy({ sort_by, sort_order });
  const conditions = await conditionsOf(ctx, filters);
  // The inner SELECT finds the page, the outer one looks up the items of its orders and not of those it leaves out.
  const found = ctx.db.rows<Order>(sql`
    SELECT ${columns()} FROM (
      SELECT * FROM orders o WHERE o.deleted_at IS NULL ${and(conditions)}
      ORDER BY ${order} LIMIT ${per_page}::integer OFFSET ${offsetOf(paging)}::bigint) o
    ORDER BY ${order}`);
  const [orders, total] = await Promise.all([found, countOrders(ctx, filters, conditions)]);
  const seenOrders = orders.map((one) => seen(ctx, one));
  return { orders: await withCustomers(ctx, seenOrders), pagination: paginationOf(paging, total) } satisfies OrderPage;
}

/** How many orders there are in each status; kept, not counted. */
export async function countByStatus(ctx: Ctx): Promise<CountsAnswer> {
  const rows = await ctx.db.rows<{ status: Status; orders: number }>(sql`
    SELECT status, sum(orders)::bigint AS orders FROM order_counts GROUP BY status`);
  const found = new Map(rows.map(({ status, orders }) => [status, orders]));
  const counts = Object.fromEntries(allStatuses.map((status) => [status, found.get(status) ?? 0]));
  const total = rows.reduce((sum, { orders }) => sum + orders, 0);
  return { total, counts: counts as Record<Status, number> };
}
