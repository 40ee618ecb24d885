import { and, type Ctx, offsetOf, pageJson, sql } from '@chowk/kit';
import { columns } from './columns.ts';
import { conditions, orderBy } from './filters.ts';
import type { ListQuery } from './schemas.ts';

/** One page as JSON text. How many there are altogether is kept; how many a filter finds is counted. */
export async function listProducts(ctx: Ctx, { page, per_page, ...query }: ListQuery): Promise<string> {
  const paging = { page, per_page };
  const filters = await conditions(ctx, query);
  const order = orderBy(query);
  // The inner SELECT finds the page, the outer one makes text of its rows and not of those it leaves out.
  const rows = sql`
    SELECT ${columns} FROM (
      SELECT * FROM products p WHERE p.deleted_at IS NULL ${and(filters)}
      ORDER BY ${order} LIMIT ${per_page}::integer OFFSET ${offsetOf(paging)}::bigint) p
    ORDER BY ${order}`;
  const total =
    filters.length === 0
      ? sql`SELECT coalesce(sum(total), 0)::bigint AS total FROM product_counts`
      : sql`SELECT count(*) AS total FROM products p WHERE p.deleted_at IS NULL ${and(filters)}`;
  const row = await ctx.db.row<{ body: string }>(pageJson({ key: 'products', rows, total, paging }));
  return row?.body as string;
}
