import { type Ctx, sql } from '@chowk/kit';
import { columns } from './columns.ts';
import { and, conditions, orderBy } from './filters.ts';
import type { ListQuery } from './schemas.ts';

/**
 * One page and its pagination as JSON text, built in one statement: nothing is parsed and written again on the way.
 * How many there are altogether is kept; how many a filter finds is counted.
 */
export async function listProducts(ctx: Ctx, { page, per_page, ...query }: ListQuery): Promise<string> {
  const filters = await conditions(ctx, query);
  const total =
    filters.length === 0
      ? sql`SELECT coalesce(sum(total), 0)::bigint AS total FROM product_counts`
      : sql`SELECT count(*) AS total FROM products p WHERE p.deleted_at IS NULL ${and(filters)}`;
  const order = orderBy(query);
  // The inner SELECT finds the page, the outer one makes text of its rows and not of those it leaves out.
  const row = await ctx.db.row<{ body: string }>(sql`
    WITH page AS (
      SELECT ${columns} FROM (
        SELECT * FROM products p WHERE p.deleted_at IS NULL ${and(filters)}
        ORDER BY ${order} LIMIT ${per_page}::integer OFFSET ${(page - 1) * per_page}::bigint) p
      ORDER BY ${order})
    SELECT json_build_object(
      'products', coalesce((SELECT json_agg(page) FROM page), '[]'),
      'pagination', json_build_object('current_page', ${page}::integer,
        'last_page', greatest(1, (total + ${per_page}::integer - 1) / ${per_page}::integer),
        'per_page', ${per_page}::integer, 'total', total))::text AS body
    FROM (${total}) counted`);
  return row?.body as string;
}
