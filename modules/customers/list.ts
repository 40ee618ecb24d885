import { and, type Ctx, offsetOf, type Paging, pageJson, type Sql, sql } from '@chowk/kit';
import { columns, seesAll } from './columns.ts';
import { conditions, orderBy, sortColumnsOf } from './filters.ts';
import type { Filters, ListQuery, Order } from './schemas.ts';
import { isKept, keepRule, vipCount, vipRule } from './vip-rule.ts';

/** To pass over fewer than this costs less than to look up where to begin. */
const deep = 1_000;

/** One page as JSON text. */
export async function listCustomers(ctx: Ctx, { page, per_page, ...query }: ListQuery): Promise<string> {
  const paging = { page, per_page };
  const filters = await conditions(ctx, query);
  if (filters.length === 0) return offsetOf(paging) < deep ? listAll(ctx, query, paging) : listDeep(ctx, query, paging);
  if (filters.length === 1 && query.vip) return listAllVips(ctx, filters, query, paging);
  if (query.search !== undefined || query.tags !== undefined) return listFound(ctx, filters, query, paging);
  return answer(ctx, { rows: pageOf(ctx, filters, query, paging), total: counted(filters, query), paging });
}

/** The VIPs, who has spent most first. */
export function listVips(ctx: Ctx, paging: Paging): Promise<string> {
  return listCustomers(ctx, { vip: true, sort_by: 'total_spent', sort_order: 'desc', ...paging });
}

const everybody = sql`SELECT coalesce(sum(total), 0)::bigint AS total FROM customer_counts`;

/** The first pages of all customers: what is found on the way is what is shown. */
function listAll(ctx: Ctx, order: Order, paging: Paging): Promise<string> {
  const rows = sql`
    SELECT ${columns(seesAll(ctx))} FROM (
      SELECT * FROM customers c WHERE c.deleted_at IS NULL
      ORDER BY ${orderBy(order)} LIMIT ${paging.per_page}::integer OFFSET ${offsetOf(paging)}::bigint) c
    ORDER BY ${orderBy(order)}`;
  return answer(ctx, { rows, total: everybody, paging });
}

/**
 * A page of all customers from where it begins, found by the kept numbers. They are kept from the greatest down: a page
 * the other way round ends as many rows before the last as it would otherwise begin after the first.
 */
function listDeep(ctx: Ctx, order: Order, paging: Paging): Promise<string> {
  const { per_page } = paging;
  const offset = offsetOf(paging);
  const cut =
    order.sort_order === 'desc'
      ? sql`SELECT ${offset}::bigint AS skip, ${per_page}::bigint AS size`
      : sql`
        SELECT greatest(rest - ${per_page}::bigint, 0) AS skip, greatest(least(rest, ${per_page}::bigint), 0) AS size
        FROM (SELECT total - ${offset}::bigint AS rest FROM (${everybody}) counts) counts`;
  const rows = sql`
    SELECT ${columns(seesAll(ctx))} FROM (${cut}) cut
    CROSS JOIN LATERAL customer_page_start(${order.sort_by}, cut.skip) AS start
    CROSS JOIN LATERAL (
      SELECT c.id FROM customers c WHERE c.deleted_at IS NULL AND ${sortColumnsOf(order).rank} <= start.rank
      ORDER BY ${orderBy({ ...order, sort_order: 'desc' })} LIMIT cut.size OFFSET start.remaining) found
    JOIN customers c ON c.id = found.id
    ORDER BY ${orderBy(order)}`;
  return answer(ctx, { rows, total: everybody, paging });
}

/** How many VIPs there are is kept, too, and kept by another rule from now on if the settings have changed. */
async function listAllVips(ctx: Ctx, filters: readonly Sql[], order: Order, paging: Paging): Promise<string> {
  const rule = await vipRule(ctx);
  const rows = pageOf(ctx, filters, order, paging);
  const page = pageJson({ key: 'customers', rows, total: sql`SELECT ${vipCount(rule)} AS total`, paging });
  const row = await ctx.db.row<{ body: string; kept: boolean }>(sql`
    SELECT body, ${isKept(rule)} AS kept FROM (${page}) page`);
  if (!row?.kept) await keepRule(ctx, rule);
  return row?.body as string;
}

/** Who matches a text or a tag is looked up once, for the page and for the total: PostgreSQL cannot guess how many. */
async function listFound(ctx: Ctx, filters: readonly Sql[], order: Order, paging: Paging): Promise<string> {
  const { rank, key } = sortColumnsOf(order);
  const rows = pageOf(ctx, [], order, paging, sql`found c`);
  const page = pageJson({ key: 'customers', rows, total: sql`SELECT count(*) AS total FROM found`, paging });
  const row = await ctx.db.row<{ body: string }>(sql`
    WITH found AS MATERIALIZED (
      SELECT c.id, ${rank}, ${key} FROM customers c WHERE c.deleted_at IS NULL ${and(filters)})
    SELECT body FROM (${page}) page`);
  return row?.body as string;
}

/** The inner SELECT finds the page in an index alone, the outer one reads its rows and not those it leaves out. */
function pageOf(
  ctx: Ctx,
  filters: readonly Sql[],
  order: Order,
  paging: Paging,
  from = sql`customers c WHERE c.deleted_at IS NULL ${and(filters)}`,
): Sql {
  return sql`
    SELECT ${columns(seesAll(ctx))} FROM (
      SELECT c.id FROM ${from}
      ORDER BY ${orderBy(order)} LIMIT ${paging.per_page}::integer OFFSET ${offsetOf(paging)}::bigint) page
    JOIN customers c ON c.id = page.id
    ORDER BY ${orderBy(order)}`;
}

function counted(filters: readonly Sql[], { accepts_marketing }: Filters): Sql {
  if (filters.length === 1 && accepts_marketing)
    return sql`SELECT coalesce(sum(marketing), 0)::bigint AS total FROM customer_counts`;
  return sql`SELECT count(*) AS total FROM customers c WHERE c.deleted_at IS NULL ${and(filters)}`;
}

async function answer(ctx: Ctx, page: { rows: Sql; total: Sql; paging: Paging }): Promise<string> {
  const row = await ctx.db.row<{ body: string }>(pageJson({ key: 'customers', ...page }));
  return row?.body as string;
}
