import { type Ctx, sql } from '@chowk/kit';
import type { Counts, Status } from './schemas.ts';

/** How many conversations there are of each status: kept for all of them, counted for one customer. */
export async function countConversations(ctx: Ctx, { customer_id }: { customer_id?: string }): Promise<Counts> {
  const counts = await (customer_id === undefined ? keptCounts(ctx) : countOfCustomer(ctx, customer_id));
  const { open, pending, closed } = counts ?? { open: 0, pending: 0, closed: 0 };
  return { total: open + pending + closed, open, pending, closed };
}

function keptCounts(ctx: Ctx) {
  return ctx.db.row<Record<Status, number>>(sql`
    SELECT coalesce(sum(open), 0)::bigint AS open, coalesce(sum(pending), 0)::bigint AS pending,
      coalesce(sum(closed), 0)::bigint AS closed FROM conversation_counts`);
}

function countOfCustomer(ctx: Ctx, customerId: string) {
  return ctx.db.row<Record<Status, number>>(sql`
    SELECT count(*) FILTER (WHERE status = 'open') AS open, count(*) FILTER (WHERE status = 'pending') AS pending,
      count(*) FILTER (WHERE status = 'closed') AS closed
    FROM conversations WHERE customer_id = ${customerId}`);
}
