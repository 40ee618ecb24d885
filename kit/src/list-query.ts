import type { Ctx } from './context.ts';
import type { Db } from './database.ts';
import { type Columns, inBatches } from './download.ts';
import { invalid } from './errors.ts';
import { type Filter, since } from './filter.ts';
import { Json } from './json.ts';
import * as paging from './paging.ts';
import type { Static, TObject } from './schema.ts';
import { and, raw, type Sql, sql } from './sql.ts';
import { timeFieldsOf, withIsoTimes } from './times-in-json.ts';

/** What a list can be sorted by, and the type by which a cursor reads it again. */
export interface Sort {
  /** Never NULL: a cursor has no place for it. */
  readonly by: Sql;
  readonly type: 'timestamptz' | 'text' | 'numeric' | 'bigint';
}
export const byTime = (by: Sql): Sort => ({ by, type: 'timestamptz' });
export const byText = (by: Sql): Sort => ({ by, type: 'text' });
export const byNumber = (by: Sql): Sort => ({ by, type: 'numeric' });
/** For a column of integers, whose index a numeric cursor could not use. */
export const byInteger = (by: Sql): Sort => ({ by, type: 'bigint' });

export type Filters = Readonly<Record<string, Filter>>;

export interface Definition<
  Context,
  Name extends string,
  Row extends TObject,
  Table extends Filters,
  Scope extends Filters,
> {
  /** What the records are called in the answer. */
  readonly name: Name;
  readonly row: Row;
  /** The table and its alias: `products p`. */
  readonly from: Sql | ((ctx: Context) => Sql);
  readonly alias: Sql;
  /** Which rows there are before any filter. */
  readonly where?: Sql;
  readonly columns: Sql | ((ctx: Context) => Sql);
  /** Filters that must be given, as the id of the record whose list it is. */
  readonly scope?: Scope;
  readonly filters?: Table;
  /** The first is the default; `updated_at` is there in every list. */
  readonly sorts: Readonly<Record<string, Sort>>;
  readonly sortOrder?: 'asc' | 'desc';
  /** Default: the alias's `updated_at`. */
  readonly updatedAt?: Sql;
  /** The type of the alias's `id`, which decides between rows that are equal in the order. Default `uuid`. */
  readonly idType?: 'uuid' | 'bigint' | 'text';
  /** A SELECT of one bigint `total` where what these filters find need not be counted. */
  total?(
    ctx: Context,
    given: { readonly [Key in keyof (Table & Scope)]?: Static<(Table & Scope)[Key]['schema']> },
  ): Sql | undefined | Promise<Sql | undefined>;
  /** Adds what other modules know to the rows. */
  complete?(ctx: Context, rows: readonly never[]): Promise<Static<Row>[]>;
  /** The columns of the CSV file that are not just the field of the same name; `null` leaves a field out. */
  readonly csv?: Columns<Static<Row>>;
  /** The columns of the CSV file, in order. Default: the fields of the row, then the others of `csv`. */
  readonly csvFields?: readonly string[];
  /** Default: the tenant's. `columnsFor` is for those; what answers from another one writes its columns. */
  database?(ctx: Context): Db;
}

export type Wanted = paging.Order & paging.Paging & Readonly<Record<string, unknown>>;
export type AnyDefinition = Definition<Ctx, string, TObject, Filters, Filters>;
export type Spec = AnyDefinition & {
  readonly filters: Filters;
  readonly id: Sql;
  readonly idType: 'uuid' | 'bigint' | 'text';
  readonly where: Sql;
  /** The fields that are times. */
  readonly times: ReadonlySet<string>;
};

export function specOf(definition: AnyDefinition): Spec {
  const { alias, where = sql`true`, idType = 'uuid', updatedAt = sql`${alias}.updated_at` } = definition;
  return {
    ...definition,
    where,
    idType,
    id: sql`${alias}.id`,
    times: timeFieldsOf(definition.row),
    filters: { ...definition.scope, ...definition.filters, updated_from: since(updatedAt) },
    sorts: { ...definition.sorts, updated_at: byTime(updatedAt) },
  };
}

interface Read {
  readonly conditions: readonly Sql[];
  /** The kept total, where there is one for these filters. */
  readonly total: Sql | undefined;
  readonly findsOnce: boolean;
}

async function read(spec: Spec, ctx: Ctx, query: Readonly<Record<string, unknown>>): Promise<Read> {
  const conditions: Sql[] = [];
  const given: Record<string, unknown> = {};
  let findsOnce = false;
  for (const [name, filter] of Object.entries(spec.filters)) {
    const value = query[name];
    const condition = value === undefined ? undefined : await filter.where(value as never, ctx);
    if (!condition) continue;
    conditions.push(condition);
    given[name] = value;
    findsOnce ||= filter.findsOnce ?? false;
  }
  return { conditions, findsOnce, total: await spec.total?.(ctx, given as never) };
}

export function page(spec: Spec, ctx: Ctx, query: Wanted): Promise<unknown> {
  const byNumber = query.cursor === undefined && query.limit === undefined;
  return byNumber ? pageByNumber(spec, ctx, query) : pageByCursor(spec, ctx, query);
}

/** Every row that the filters find. */
export async function everyRow(spec: Spec, ctx: Ctx, query: Wanted): Promise<AsyncIterable<object>> {
  const { conditions } = await read(spec, ctx, query);
  return spec.database ? inPieces(spec, ctx, query) : stream(spec, ctx, rowsOf(spec, ctx, query, and(conditions)));
}

export async function count(spec: Spec, ctx: Ctx, given: Wanted): Promise<number> {
  const { conditions, total } = await read(spec, ctx, given);
  return countOf(spec, ctx, total ?? countSql(spec, ctx, conditions));
}

async function pageByNumber(spec: Spec, ctx: Ctx, query: Wanted): Promise<unknown> {
  const { page, per_page } = query;
  const { conditions, total, findsOnce } = await read(spec, ctx, query);
  const window = sql`ORDER BY ${orderBy(spec, query)} ${paging.limitTo(per_page)} ${paging.skip((page - 1) * per_page)}`;
  const rows = rowsOf(spec, ctx, query, sql`${and(conditions)} ${window}`);
  const counted = total ?? countSql(spec, ctx, conditions);
  // Times of the central database become ISO 8601 only as values of a row.
  if (spec.complete || spec.database) {
    const [found, count] = await Promise.all([dbOf(spec, ctx).rows<never>(rows), countOf(spec, ctx, counted)]);
    return { [spec.name]: (await spec.complete?.(ctx, found)) ?? found, pagination: paging.pageOf(query, count) };
  }
  if (!findsOnce || total) return jsonPage(spec, ctx, query, { rows, total: counted });
  return jsonPage(spec, ctx, query, foundOnce(spec, ctx, query, conditions));
}

/** PostgreSQL cannot tell how many rows such a filter finds: they are found once, for the page and for the total. */
function foundOnce(spec: Spec, ctx: Ctx, query: Wanted, conditions: readonly Sql[]) {
  const { page, per_page, sort_order } = query;
  const from = fromOf(spec, ctx);
  const direction = directionOf(sort_order);
  return {
    found: sql`found AS MATERIALIZED (
      SELECT ${spec.id} AS id, ${sortOf(spec, query).by} AS key FROM ${from} WHERE ${spec.where} ${and(conditions)}),`,
    rows: sql`
      SELECT ${columnsOf(spec, ctx)} FROM (
        SELECT id FROM found ORDER BY key ${direction}, id ${direction}
        ${paging.limitTo(per_page)} ${paging.skip((page - 1) * per_page)}) page
      JOIN ${from} ON ${spec.id} = page.id ORDER BY ${orderBy(spec, query)}`,
    total: sql`SELECT count(*) AS total FROM found`,
  };
}

/** PostgreSQL makes the JSON: nothing is parsed and written again on the way to the caller. */
async function jsonPage(
  spec: Spec,
  ctx: Ctx,
  { page, per_page }: Wanted,
  { rows, total, found = sql`` }: { rows: Sql; total: Sql; found?: Sql },
): Promise<Json<unknown>> {
  const size = raw(String(per_page));
  const row = await dbOf(spec, ctx).row<{ body: string }>(sql`
    WITH ${found} page AS (${rows})
    SELECT json_build_object(${raw(`'${spec.name}'`)}, coalesce((SELECT json_agg(page) FROM page), '[]'),
      'pagination', json_build_object('current_page', ${page === 1 ? raw('1') : sql`${page}::integer`},
        'last_page', greatest(1, (total + ${size} - 1) / ${size}), 'per_page', ${size}, 'total', total))::text AS body
    FROM (${total}) counted`);
  return new Json(withIsoTimes(row?.body as string, spec.times));
}

async function pageByCursor(spec: Spec, ctx: Ctx, query: Wanted): Promise<unknown> {
  const { limit = paging.usualSize, cursor } = query;
  mustNotMix(query);
  const { conditions } = await read(spec, ctx, query);
  const after = cursor === undefined ? [] : [isBehind(spec, query, paging.readCursor(query, cursor))];
  const window = sql`${and([...conditions, ...after])} ORDER BY ${orderBy(spec, query)} ${paging.limitTo(limit + 1)}`;
  const place = sql`, (${sortOf(spec, query).by})::text AS cursor_key, ${spec.id}::text AS cursor_id`;
  const found = await dbOf(spec, ctx).rows<Placed>(rowsOf(spec, ctx, query, window, place));
  const last = found.length > limit ? found[limit - 1] : undefined;
  const rows = found.slice(0, limit).map(({ cursor_key: _, cursor_id: __, ...row }) => row);
  return {
    [spec.name]: spec.complete ? await spec.complete(ctx, rows as never[]) : rows,
    pagination: {
      next_cursor: last ? paging.writeCursor(query, { key: last.cursor_key, id: last.cursor_id }) : null,
      has_more: last !== undefined,
    },
  };
}

function mustNotMix({ page, per_page = paging.usualSize }: Wanted): void {
  const message = 'Use either page and per_page or cursor and limit.';
  if (page !== 1) throw invalid({ page: message });
  if (per_page !== paging.usualSize) throw invalid({ per_page: message });
}

function stream(spec: Spec, ctx: Ctx, rows: Sql): AsyncIterable<object> {
  const { complete } = spec;
  return complete ? inBatches(ctx, rows, (tx, batch) => complete(tx, batch as never[])) : ctx.db.stream<object>(rows);
}

/** A database that all tenants share: no connection of it is held while the reader takes its time. */
async function* inPieces(spec: Spec, ctx: Ctx, query: Wanted): AsyncGenerator<object> {
  let cursor: string | undefined;
  do {
    const piece = (await pageByCursor(spec, ctx, { ...query, page: 1, limit: 500, ...(cursor ? { cursor } : {}) })) as {
      pagination: { next_cursor: string | null };
    } & Record<string, object[]>;
    yield* piece[spec.name] as object[];
    cursor = piece.pagination.next_cursor ?? undefined;
  } while (cursor !== undefined);
}

interface Placed {
  readonly cursor_key: string;
  readonly cursor_id: string;
}

const written = {
  timestamptz: /^(-?infinity|\d{4,6}-\d\d-\d\d [\d:.]+[+-][\d:]+( BC)?)$/,
  numeric: /^-?\d{1,40}(\.\d{1,20})?$/,
  text: /^[^\0\p{Cs}]*$/u,
  uuid: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
  bigint: /^\d{1,18}$/,
};

/** Behind the cursor's place in the order. */
function isBehind(spec: Spec, query: Wanted, { key, id }: paging.Position): Sql {
  const { by, type } = sortOf(spec, query);
  if (!written[type].test(key) || !written[spec.idType].test(id)) throw invalid({ cursor: 'The cursor is not valid.' });
  const place = sql`(${key}::${raw(type)}, ${id}::${raw(spec.idType)})`;
  return query.sort_order === 'asc' ? sql`(${by}, ${spec.id}) > ${place}` : sql`(${by}, ${spec.id}) < ${place}`;
}

/** The inner SELECT finds the rows, the outer one reads the columns of those and not of the ones it leaves out. */
function rowsOf(spec: Spec, ctx: Ctx, order: paging.Order, found: Sql, more = sql``): Sql {
  const { alias, where } = spec;
  return sql`
    SELECT ${columnsOf(spec, ctx)}${more} FROM (
      SELECT ${alias}.* FROM ${fromOf(spec, ctx)} WHERE ${where} ${found}) ${alias}
    ORDER BY ${orderBy(spec, order)}`;
}

function countSql(spec: Spec, ctx: Ctx, conditions: readonly Sql[]): Sql {
  return sql`SELECT count(*) AS total FROM ${fromOf(spec, ctx)} WHERE ${spec.where} ${and(conditions)}`;
}

async function countOf(spec: Spec, ctx: Ctx, total: Sql): Promise<number> {
  return (await dbOf(spec, ctx).row<{ total: number }>(total))?.total ?? 0;
}

/** Ids decide between equals, so that pages neither overlap nor leave anything out. */
function orderBy(spec: Spec, order: paging.Order): Sql {
  const direction = directionOf(order.sort_order);
  return sql`${sortOf(spec, order).by} ${direction}, ${spec.id} ${direction}`;
}

function directionOf(sortOrder: 'asc' | 'desc'): Sql {
  return sortOrder === 'asc' ? sql`ASC` : sql`DESC`;
}

function sortOf({ sorts }: Spec, { sort_by }: paging.Order): Sort {
  return sorts[sort_by] as Sort;
}

function fromOf({ from }: Spec, ctx: Ctx): Sql {
  return typeof from === 'function' ? from(ctx) : from;
}

function columnsOf({ columns }: Spec, ctx: Ctx): Sql {
  return typeof columns === 'function' ? columns(ctx) : columns;
}

function dbOf(spec: Spec, ctx: Ctx): Db {
  return spec.database?.(ctx) ?? ctx.db;
}
