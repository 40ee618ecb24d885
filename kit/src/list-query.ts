import { identifier } from './columns.ts';
import type { Ctx } from './context.ts';
import type { Db } from './database.ts';
import { type Columns, inBatches } from './download.ts';
import { Failure, invalid } from './errors.ts';
import { type Filter, since } from './filter.ts';
import { Json } from './json.ts';
import * as paging from './paging.ts';
import type { Static, TObject } from './schema.ts';
import { and, join, raw, type Sql, sql } from './sql.ts';
import { timeFieldsOf, withIsoTimes } from './times-in-json.ts';

/** A sort order of a list, with the type of its cursor key. */
export interface Sort {
  /** Must not be NULL, which a cursor cannot express. */
  readonly by: Sql;
  readonly type: 'timestamptz' | 'text' | 'numeric' | 'bigint';
}
export const byTime = (by: Sql): Sort => ({ by, type: 'timestamptz' });
export const byText = (by: Sql): Sort => ({ by, type: 'text' });
export const byNumber = (by: Sql): Sort => ({ by, type: 'numeric' });
/** For integer columns: a numeric cursor could not use their index. */
export const byInteger = (by: Sql): Sort => ({ by, type: 'bigint' });

export type Filters = Readonly<Record<string, Filter>>;

export interface Definition<
  Context,
  Name extends string,
  Row extends TObject,
  Table extends Filters,
  Scope extends Filters,
> {
  /** The key of the records in the response. */
  readonly name: Name;
  readonly row: Row;
  /** The table and its alias: `products p`. */
  readonly from: Sql | ((ctx: Context) => Sql);
  readonly alias: Sql;
  /** A condition for all rows. */
  readonly where?: Sql;
  readonly columns: Sql | ((ctx: Context) => Sql);
  /** Required filters, such as the id of the parent record. */
  readonly scope?: Scope;
  readonly filters?: Table;
  /** The first is the default; `updated_at` is added to all lists. */
  readonly sorts: Readonly<Record<string, Sort>>;
  readonly sortOrder?: 'asc' | 'desc';
  /** Default: the alias's `updated_at`. */
  readonly updatedAt?: Sql;
  /** The type of the alias's `id`, which breaks ties. Default `uuid`. */
  readonly idType?: 'uuid' | 'bigint' | 'text';
  /** A SELECT of a bigint `total`, if the rows of these filters need not be counted. */
  total?(
    ctx: Context,
    filters: { readonly [Key in keyof (Table & Scope)]?: Static<(Table & Scope)[Key]['schema']> },
  ): Sql | undefined | Promise<Sql | undefined>;
  /** Adds data of other modules to the rows. */
  complete?(ctx: Context, rows: readonly never[]): Promise<Static<Row>[]>;
  /** Writers of CSV cells that are not simply a field; `null` omits a field. */
  readonly csv?: Columns<Static<Row>>;
  /** The columns of the CSV file, in order. Default: the fields of the row, then the additional ones of `csv`. */
  readonly csvFields?: readonly string[];
  /** Default: the tenant's database. Other databases cannot use `columnsFor`. */
  database?(ctx: Context): Db;
}

export type ListQuery = paging.Order & paging.Paging & Readonly<Record<string, unknown>>;
export type AnyDefinition = Definition<Ctx, string, TObject, Filters, Filters>;
export type Spec = AnyDefinition & {
  readonly filters: Filters;
  readonly id: Sql;
  readonly idType: 'uuid' | 'bigint' | 'text';
  readonly where: Sql;
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
  /** A known total for these filters. */
  readonly total: Sql | undefined;
  readonly findsOnce: boolean;
}

async function read(spec: Spec, ctx: Ctx, query: Readonly<Record<string, unknown>>): Promise<Read> {
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
  return { conditions, findsOnce, total: await spec.total?.(ctx, values as never) };
}

/** Pages by cursor can be limited to some fields of the records. */
export function page(spec: Spec, ctx: Ctx, query: ListQuery, fields?: ReadonlySet<string>): Promise<unknown> {
  const byNumber = query.cursor === undefined && query.limit === undefined;
  return byNumber ? pageByNumber(spec, ctx, query) : pageByCursor(spec, ctx, query, fields);
}

export async function everyRow(spec: Spec, ctx: Ctx, query: ListQuery): Promise<AsyncIterable<object>> {
  const { conditions } = await read(spec, ctx, query);
  return spec.database ? inPages(spec, ctx, query) : stream(spec, ctx, rowsOf(spec, ctx, query, and(conditions)));
}

export async function count(spec: Spec, ctx: Ctx, query: ListQuery): Promise<number> {
  const { conditions, total } = await read(spec, ctx, query);
  return countOf(spec, ctx, total ?? countSql(spec, ctx, conditions));
}

async function pageByNumber(spec: Spec, ctx: Ctx, query: ListQuery): Promise<unknown> {
  const { page, per_page } = query;
  const { conditions, total, findsOnce } = await read(spec, ctx, query);
  const window = sql`ORDER BY ${orderBy(spec, query)} ${paging.limitTo(per_page)} ${paging.skip((page - 1) * per_page)}`;
  const rows = rowsOf(spec, ctx, query, sql`${and(conditions)} ${window}`);
  const counted = total ?? countSql(spec, ctx, conditions);
  // The central database formats times only as values of a row, not in JSON.
  if (spec.complete || spec.database) {
    const [found, count] = await Promise.all([dbOf(spec, ctx).rows<never>(rows), countOf(spec, ctx, counted)]);
    return { [spec.name]: (await spec.complete?.(ctx, found)) ?? found, pagination: paging.pageOf(query, count) };
  }
  if (!findsOnce || total) return jsonPage(spec, ctx, query, { rows, total: counted });
  return jsonPage(spec, ctx, query, foundOnce(spec, ctx, query, conditions));
}

/** Finds the rows once, for both page and total; see `findsOnce`. */
function foundOnce(spec: Spec, ctx: Ctx, query: ListQuery, conditions: readonly Sql[]) {
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

/** PostgreSQL builds the JSON, which is sent as it is. */
async function jsonPage(
  spec: Spec,
  ctx: Ctx,
  { page, per_page }: ListQuery,
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

async function pageByCursor(spec: Spec, ctx: Ctx, query: ListQuery, fields?: ReadonlySet<string>): Promise<unknown> {
  const { limit = paging.defaultSize, cursor } = query;
  mustNotMix(query);
  const { conditions } = await read(spec, ctx, query);
  const after = cursor === undefined ? [] : [isAfter(spec, query, paging.readCursor(query, cursor))];
  const window = sql`${and([...conditions, ...after])} ORDER BY ${orderBy(spec, query)} ${paging.limitTo(limit + 1)}`;
  if (!spec.complete && !spec.database) return jsonPageByCursor(spec, ctx, query, { window, limit, fields });
  const found = await dbOf(spec, ctx).rows<Positioned>(rowsOf(spec, ctx, query, window, positionOf(spec, query)));
  const rows = found.slice(0, limit).map(({ cursor_key: _, cursor_id: __, ...row }) => row);
  const completed = spec.complete ? await spec.complete(ctx, rows as never[]) : rows;
  return cursorPage(spec, query, found, completed, limit);
}

interface JsonPage {
  readonly body: string;
  readonly positions: string;
  readonly last_key: string;
  readonly last_id: string;
  readonly has_more: boolean;
}

/** PostgreSQL builds the JSON of the records, and separately their positions, which only some callers read. */
async function jsonPageByCursor(
  spec: Spec,
  ctx: Ctx,
  query: ListQuery,
  { window, limit, fields }: { window: Sql; limit: number; fields: ReadonlySet<string> | undefined },
): Promise<Json<object>> {
  const { alias, where, name } = spec;
  const size = raw(String(limit));
  const found = (await ctx.db.row<JsonPage>(sql`
    SELECT coalesce(json_agg(body ORDER BY position) FILTER (WHERE position <= ${size}), '[]')::text AS body,
      coalesce(json_agg(json_build_object('key', key, 'id', id) ORDER BY position) FILTER (WHERE position <= ${size}),
        '[]')::text AS positions,
      max(key) FILTER (WHERE position = ${size}) AS last_key, max(id) FILTER (WHERE position = ${size}) AS last_id,
      count(*) > ${size} AS has_more
    FROM (
      SELECT (SELECT row_to_json(list_row) FROM (${selectFields(spec, ctx, fields)}) list_row) AS body,
        (${sortOf(spec, query).by})::text AS key, ${spec.id}::text AS id,
        row_number() OVER (ORDER BY ${orderBy(spec, query)}) AS position
      FROM (SELECT ${alias}.* FROM ${fromOf(spec, ctx)} WHERE ${where} ${window}) ${alias}) page`)) as JsonPage;
  const { has_more, last_key: key, last_id: id } = found;
  const pagination = { next_cursor: has_more ? paging.writeCursor(query, { key, id }) : null, has_more };
  const records = withIsoTimes(found.body, spec.times);
  return new Json(`{"${name}":${records},"pagination":${JSON.stringify(pagination)}}`, (page) =>
    paging.rememberCursors(page, query, () => JSON.parse(found.positions)),
  );
}

/** The pages of several queries. If they differ in one filter only, with one statement. */
export async function pages(spec: Spec, ctx: Ctx, queries: readonly ListQuery[]): Promise<unknown[]> {
  const varying = varyingFilter(spec, queries);
  if (varying !== undefined) return pagesTogether(spec, ctx, queries, varying);
  const results = await Promise.allSettled(queries.map((query) => page(spec, ctx, query)));
  return results.map((result) => {
    if (result.status === 'fulfilled') return result.value instanceof Json ? result.value.value : result.value;
    if (result.reason instanceof Failure) return result.reason;
    throw result.reason;
  });
}

/** The only difference between first pages, if a column can take the place of its value. */
function varyingFilter(spec: Spec, queries: readonly ListQuery[]): string | undefined {
  const [first, ...others] = queries;
  if (!first || others.length === 0) return undefined;
  if (queries.some(({ limit, cursor, page }) => limit === undefined || cursor !== undefined || page !== 1))
    return undefined;
  const names = new Set(queries.flatMap((query) => Object.keys(query)));
  const differing = [...names].filter((name) => others.some((query) => !isEqual(query[name], first[name])));
  const [name] = differing;
  const isSingle = differing.length === 1 && name !== undefined && queries.every((query) => name in query);
  return isSingle && spec.filters[name]?.columnType ? name : undefined;
}

function isEqual(value: unknown, other: unknown): boolean {
  return value === other || JSON.stringify(value) === JSON.stringify(other);
}

async function pagesTogether(spec: Spec, ctx: Ctx, queries: readonly ListQuery[], name: string): Promise<unknown[]> {
  const [query] = queries as [ListQuery];
  const { limit = paging.defaultSize } = query;
  mustNotMix(query);
  const type = raw(spec.filters[name]?.columnType as string);
  const { conditions } = await read(spec, ctx, { ...query, [name]: sql`keys.value` });
  const window = sql`${and(conditions)} ORDER BY ${orderBy(spec, query)} ${paging.limitTo(limit + 1)}`;
  const values = queries.map((one) => one[name]);
  const found = await dbOf(spec, ctx).rows<Positioned & { key_position: number }>(sql`
    SELECT page.*, keys.position::integer AS key_position
    FROM unnest(${values}::${type}[]) WITH ORDINALITY AS keys (value, position)
      CROSS JOIN LATERAL (${rowsOf(spec, ctx, query, window, positionOf(spec, query))}) page`);
  const rows = found.map(({ key_position: _, cursor_key: __, cursor_id: ___, ...row }) => row);
  const completed = spec.complete ? await spec.complete(ctx, rows as never[]) : rows;
  const byKey = Map.groupBy(found.keys(), (index) => (found[index] as { key_position: number }).key_position);
  return queries.map((_, position) => {
    const indexes = byKey.get(position + 1) ?? [];
    const own = indexes.map((index) => completed[index] as object);
    return cursorPage(
      spec,
      query,
      indexes.map((index) => found[index] as Positioned),
      own,
      limit,
    );
  });
}

/** A page of the rows up to the limit; a further one shows that there are more. */
function cursorPage(
  spec: Spec,
  query: ListQuery,
  found: readonly Positioned[],
  rows: readonly object[],
  limit: number,
): object {
  const positions = found.slice(0, limit).map(({ cursor_key: key, cursor_id: id }) => ({ key, id }));
  const last = found.length > limit ? positions.at(-1) : undefined;
  const pagination = { next_cursor: last ? paging.writeCursor(query, last) : null, has_more: last !== undefined };
  return paging.rememberCursors({ [spec.name]: rows.slice(0, limit), pagination }, query, () => positions);
}

function positionOf(spec: Spec, query: ListQuery): Sql {
  return sql`, (${sortOf(spec, query).by})::text AS cursor_key, ${spec.id}::text AS cursor_id`;
}

function mustNotMix({ page, per_page = paging.defaultSize }: ListQuery): void {
  const message = 'Use either page and per_page or cursor and limit.';
  if (page !== 1) throw invalid({ page: message });
  if (per_page !== paging.defaultSize) throw invalid({ per_page: message });
}

function stream(spec: Spec, ctx: Ctx, rows: Sql): AsyncIterable<object> {
  const { complete } = spec;
  return complete ? inBatches(ctx, rows, (tx, batch) => complete(tx, batch as never[])) : ctx.db.stream<object>(rows);
}

/** Reads page by page, so that a slow reader holds no connection of the shared database. */
async function* inPages(spec: Spec, ctx: Ctx, query: ListQuery): AsyncGenerator<object> {
  let cursor: string | undefined;
  do {
    const batch = (await pageByCursor(spec, ctx, { ...query, page: 1, limit: 500, ...(cursor ? { cursor } : {}) })) as {
      pagination: { next_cursor: string | null };
    } & Record<string, object[]>;
    yield* batch[spec.name] as object[];
    cursor = batch.pagination.next_cursor ?? undefined;
  } while (cursor !== undefined);
}

interface Positioned {
  readonly cursor_key: string;
  readonly cursor_id: string;
}

const keyFormats = {
  timestamptz: /^(-?infinity|\d{4,6}-\d\d-\d\d [\d:.]+[+-][\d:]+( BC)?)$/,
  numeric: /^-?\d{1,40}(\.\d{1,20})?$/,
  text: /^[^\0\p{Cs}]*$/u,
  uuid: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
  bigint: /^-?\d{1,18}$/,
};

/** After the cursor's position in the order. */
function isAfter(spec: Spec, query: ListQuery, { key, id }: paging.Position): Sql {
  const { by, type } = sortOf(spec, query);
  if (!keyFormats[type].test(key) || !keyFormats[spec.idType].test(id))
    throw invalid({ cursor: 'The cursor is not valid.' });
  const position = sql`(${key}::${raw(type)}, ${id}::${raw(spec.idType)})`;
  return query.sort_order === 'asc' ? sql`(${by}, ${spec.id}) > ${position}` : sql`(${by}, ${spec.id}) < ${position}`;
}

/** The inner SELECT finds the rows, so that the outer one computes columns for these only. */
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

/** Ids break ties, so that pages neither overlap nor skip rows. */
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

/** PostgreSQL does not compute columns that are not selected. */
function selectFields(spec: Spec, ctx: Ctx, fields: ReadonlySet<string> | undefined): Sql {
  const all = sql`SELECT ${columnsOf(spec, ctx)}`;
  const names = Object.keys(spec.row.properties).filter((name) => fields?.has(name));
  return names.length > 0 ? sql`SELECT ${join(names.map(identifier))} FROM (${all}) columns` : all;
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
