import { identifier } from './columns.ts';
import type { Ctx } from './context.ts';
import type { Db } from './database.ts';
import { invalid } from './errors.ts';
import type { ListQuery, Sort, Spec } from './list-definition.ts';
import type * as paging from './paging.ts';
import { and, join, raw, type Sql, sql } from './sql.ts';

/* The parts of the statements of a list. */

interface Conditions {
  readonly conditions: readonly Sql[];
  /** A known total for these filters. */
  readonly total: Sql | undefined;
  readonly findsOnce: boolean;
}

export async function readFilters(spec: Spec, ctx: Ctx, query: Readonly<Record<string, unknown>>): Promise<Conditions> {
  const conditions: Sql[] = [];
  const values: Record<string, unknown> = {};
  let findsOnce = false;
  for (const [name, filter] of Object.entries(spec.filters)) {
    const value = query[name];
    const condition = value === undefined ? undefined : await filter.where(value as never, ctx);
    if (!condition) continue;
    conditions.push(condition);
    values[name] = value;
    findsOnce ||= filter.findsOnce ?? false;
  }
  if (followsChanges(query)) conditions.push(await isSettled(spec, ctx));
  return { conditions, findsOnce, total: await spec.total?.(ctx, values as never) };
}

/** Whether the client may continue later from the last record of the response. */
export function followsChanges({ updated_from, sort_by, sort_order }: Readonly<Record<string, unknown>>): boolean {
  return updated_from !== undefined || (sort_by === 'updated_at' && sort_order === 'asc');
}

/**
 * Before the first change of any open transaction, so that no record appears later behind one that a client has seen. A
 * statement of its own: whatever is not open then has ended before the snapshot of the next statement.
 */
async function isSettled(spec: Spec, ctx: Ctx): Promise<Sql> {
  const row = await databaseFor(spec, ctx).row<{ horizon: string }>(sql`
    SELECT least(now(), min(xact_start))::text AS horizon FROM pg_stat_activity
    WHERE datname = current_database() AND backend_xid IS NOT NULL`);
  return sql`${spec.updatedAt} < ${row?.horizon}::timestamptz`;
}

export function cursorColumns(spec: Spec, query: ListQuery): Sql {
  return sql`, (${findSort(spec, query).by})::text AS cursor_key, ${spec.id}::text AS cursor_id`;
}

const keyFormats = {
  timestamptz: /^(-?infinity|\d{4,6}-\d\d-\d\d [\d:.]+[+-][\d:]+( BC)?)$/,
  numeric: /^-?\d{1,40}(\.\d{1,20})?$/,
  text: /^[^\0\p{Cs}]*$/u,
  uuid: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
  bigint: /^-?\d{1,18}$/,
};

/** After the cursor's position in the order. */
export function isAfter(spec: Spec, query: ListQuery, { key, id }: paging.Position): Sql {
  const { by, type } = findSort(spec, query);
  if (!keyFormats[type].test(key) || !keyFormats[spec.idType].test(id))
    throw invalid({ cursor: 'The cursor is not valid.' });
  const position = sql`(${key}::${raw(type)}, ${id}::${raw(spec.idType)})`;
  return query.sort_order === 'asc' ? sql`(${by}, ${spec.id}) > ${position}` : sql`(${by}, ${spec.id}) < ${position}`;
}

/** The inner SELECT finds the rows, so that the outer one computes columns for these only. */
export function selectRows(spec: Spec, ctx: Ctx, order: paging.Order, found: Sql, more = sql``): Sql {
  const { alias, where } = spec;
  return sql`
    SELECT ${rowColumns(spec, ctx)}${more} FROM (
      SELECT ${alias}.* FROM ${sourceFor(spec, ctx)} WHERE ${where} ${found}) ${alias}
    ORDER BY ${orderBy(spec, order)}`;
}

export function selectTotal(spec: Spec, ctx: Ctx, conditions: readonly Sql[]): Sql {
  return sql`SELECT count(*) AS total FROM ${sourceFor(spec, ctx)} WHERE ${spec.where} ${and(conditions)}`;
}

export async function readTotal(spec: Spec, ctx: Ctx, total: Sql): Promise<number> {
  return (await databaseFor(spec, ctx).row<{ total: number }>(total))?.total ?? 0;
}

/** Ids break ties, so that pages neither overlap nor skip rows. */
export function orderBy(spec: Spec, order: paging.Order): Sql {
  const direction = directionSql(order.sort_order);
  return sql`${findSort(spec, order).by} ${direction}, ${spec.id} ${direction}`;
}

export function directionSql(sortOrder: 'asc' | 'desc'): Sql {
  return sortOrder === 'asc' ? sql`ASC` : sql`DESC`;
}

export function findSort({ sorts }: Spec, { sort_by }: paging.Order): Sort {
  return sorts[sort_by] as Sort;
}

/** PostgreSQL does not compute columns that are not selected. */
export function selectFields(spec: Spec, ctx: Ctx, fields: ReadonlySet<string> | undefined): Sql {
  const all = sql`SELECT ${rowColumns(spec, ctx)}`;
  const names = Object.keys(spec.row.properties).filter((name) => fields?.has(name));
  return names.length > 0 ? sql`SELECT ${join(names.map(identifier))} FROM (${all}) columns` : all;
}

export function sourceFor({ from }: Spec, ctx: Ctx): Sql {
  return typeof from === 'function' ? from(ctx) : from;
}

export function rowColumns({ columns }: Spec, ctx: Ctx): Sql {
  return typeof columns === 'function' ? columns(ctx) : columns;
}

export function databaseFor(spec: Spec, ctx: Ctx): Db {
  return spec.database?.(ctx) ?? ctx.db;
}
