import { and, type Ctx, offsetOf, paginationOf, type Sql, sql } from '@chowk/kit';
import { columns } from './columns.ts';
import { countConversations } from './counts.ts';
import { conditions, orderBy } from './filters.ts';
import { type Row, withPeople } from './people.ts';
import type { Filters, ListQuery } from './schemas.ts';

export async function listConversations(ctx: Ctx, { page, per_page, ...query }: ListQuery) {
  const paging = { page, per_page };
  const filters = await conditions(ctx, query);
  const order = orderBy(query);
  const [rows, total] = await Promise.all([
    // The inner SELECT finds the page, the outer one looks up what was said last in these and not in those it leaves out.
    ctx.db.rows<Row>(sql`
      SELECT ${columns} FROM (
        SELECT * FROM conversations c WHERE true ${and(filters)}
        ORDER BY ${order} LIMIT ${per_page} OFFSET ${offsetOf(paging)}) c
      ORDER BY ${order}`),
    countFound(ctx, query, filters),
  ]);
  return { conversations: await withPeople(ctx, rows), pagination: paginationOf(paging, total) };
}

/** How many there are altogether or of one status is kept; how many other filters find is counted. */
async function countFound(ctx: Ctx, { status }: Filters, filters: readonly Sql[]): Promise<number> {
  if (filters.length === (status === undefined ? 0 : 1)) return (await countConversations(ctx, {}))[status ?? 'total'];
  const row = await ctx.db.row<{ total: number }>(sql`
    SELECT count(*) AS total FROM conversations c WHERE true ${and(filters)}`);
  return row?.total ?? 0;
}
