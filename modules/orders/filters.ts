import {
  and,
  type Ctx,
  containsWords,
  distinct,
  invalid,
  join,
  readAmounts,
  type Sql,
  since,
  sql,
  until,
  wordsOf,
} from '@chowk/kit';
import { type Filters, type Sorting, Status } from './schemas.ts';

const placedAt = sql`o.placed_at`;

const sortColumns: Readonly<Record<Sorting['sort_by'], Sql>> = {
  placed_at: placedAt,
  total: sql`o.total`,
  order_number: sql`o.number`,
};

/** The order of `orders o`; ids decide between equals, so that pages neither overlap nor leave anything out. */
export function orderBy({ sort_by, sort_order }: Sorting): Sql {
  const column = sortColumns[sort_by];
  return sort_order === 'asc' ? sql`${column} ASC, o.id ASC` : sql`${column} DESC, o.id DESC`;
}

/** What the filters ask of `orders o`, one condition each. */
export async function conditions(ctx: Ctx, filters: Filters): Promise<Sql[]> {
  const settings = await ctx.settings();
  const { search, status, customer_id, placed_from, placed_to } = filters;
  const { min_total, max_total } = readAmounts(filters, ['min_total', 'max_total']);
  return [
    ...(search === undefined ? [] : await contains(ctx, search)),
    ...(status === undefined ? [] : [hasStatus(readStatuses(status))]),
    ...(customer_id === undefined ? [] : [sql`o.customer_id = ${customer_id}`]),
    ...(placed_from === undefined ? [] : [since(placedAt, placed_from, settings)]),
    ...(placed_to === undefined ? [] : [until(placedAt, placed_to, settings)]),
    ...(min_total === undefined ? [] : [sql`o.total >= ${min_total}`]),
    ...(max_total === undefined ? [] : [sql`o.total <= ${max_total}`]),
  ];
}

/** How many orders the filters find: kept where a status alone is asked for or nothing at all, else counted. */
export async function countOrders(ctx: Ctx, filters: Filters, found: readonly Sql[]): Promise<number> {
  const { status, ...others } = filters;
  const isKept = Object.values(others).every((value) => value === undefined);
  const row = await ctx.db.row<{ total: number }>(isKept ? keptTotal(status) : countFound(found));
  return row?.total ?? 0;
}

function keptTotal(status: Filters['status']): Sql {
  const statuses = status === undefined ? allStatuses : readStatuses(status);
  return sql`
    SELECT coalesce(sum(orders), 0)::bigint AS total FROM order_counts WHERE status = ANY(${statuses}::text[])`;
}

function countFound(found: readonly Sql[]): Sql {
  return sql`SELECT count(*) AS total FROM orders o WHERE o.deleted_at IS NULL ${and(found)}`;
}

export const allStatuses: readonly Status[] = Status.enum;

function readStatuses(texts: readonly string[]): string[] {
  const statuses = distinct(texts.flatMap((text) => text.split(',')));
  const known: readonly string[] = allStatuses;
  if (statuses.length > 0 && statuses.every((status) => known.includes(status))) return statuses;
  throw invalid({ status: [`The status must be one of ${known.join(', ')}.`] });
}

/** Of one status the index has the orders in their order, of several it has not. */
function hasStatus(statuses: readonly string[]): Sql {
  return statuses.length === 1 ? sql`o.status = ${statuses[0]}` : sql`o.status = ANY(${statuses}::text[])`;
}

/** Every word is somewhere in the order number or the note, or all of it finds the customer. `#1001` is the order 1001. */
async function contains(ctx: Ctx, text: string): Promise<Sql[]> {
  const words = wordsOf(text).map((word) => word.replace(/^#(?=.)/, ''));
  const own = containsWords(sql`o.search_text`, words, { once: true });
  const customers = await ctx.helpers('customers');
  const ids = (await customers?.matching({ text })) ?? [];
  return ids.length === 0 ? own : [sql`((${join(own, ' AND ')}) OR o.customer_id = ANY(${ids}::uuid[]))`];
}
