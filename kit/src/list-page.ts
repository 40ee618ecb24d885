import type { Ctx } from './context.ts';
import { invalid } from './errors.ts';
import { Json } from './json.ts';
import type { ListQuery, Spec } from './list-definition.ts';
import {
  cursorColumns,
  databaseFor,
  directionSql,
  findSort,
  isAfter,
  orderBy,
  readFilters,
  readTotal,
  rowColumns,
  selectFields,
  selectRows,
  selectTotal,
  sourceFor,
} from './list-sql.ts';
import * as paging from './paging.ts';
import { and, raw, type Sql, sql } from './sql.ts';
import { withIsoTimes } from './times-in-json.ts';

/** Pages by cursor can be limited to some fields of the records. */
export function page(spec: Spec, ctx: Ctx, query: ListQuery, fields?: ReadonlySet<string>): Promise<unknown> {
  const byNumber = query.cursor === undefined && query.limit === undefined;
  return byNumber ? pageByNumber(spec, ctx, query) : pageByCursor(spec, ctx, query, fields);
}

export async function count(spec: Spec, ctx: Ctx, query: ListQuery): Promise<number> {
  const { conditions, total } = await readFilters(spec, ctx, query);
  return readTotal(spec, ctx, total ?? selectTotal(spec, ctx, conditions));
}

async function pageByNumber(spec: Spec, ctx: Ctx, query: ListQuery): Promise<unknown> {
  const { page, per_page } = query;
  const { conditions, total, findsOnce } = await readFilters(spec, ctx, query);
  const window = sql`ORDER BY ${orderBy(spec, query)} ${paging.limitTo(per_page)} ${paging.skip((page - 1) * per_page)}`;
  const rows = selectRows(spec, ctx, query, sql`${and(conditions)} ${window}`);
  const counted = total ?? selectTotal(spec, ctx, conditions);
  // The central database formats times only as values of a row, not in JSON.
  if (spec.complete || spec.database) {
    const [found, count] = await Promise.all([databaseFor(spec, ctx).rows<never>(rows), readTotal(spec, ctx, counted)]);
    return { [spec.name]: (await spec.complete?.(ctx, found)) ?? found, pagination: paging.pagination(query, count) };
  }
  if (!findsOnce || total) return jsonPage(spec, ctx, query, { rows, total: counted });
  return jsonPage(spec, ctx, query, foundOnce(spec, ctx, query, conditions));
}

/** Finds the rows once, for both page and total; see `findsOnce`. */
function foundOnce(spec: Spec, ctx: Ctx, query: ListQuery, conditions: readonly Sql[]) {
  const { page, per_page, sort_order } = query;
  const from = sourceFor(spec, ctx);
  const direction = directionSql(sort_order);
  return {
    found: sql`found AS MATERIALIZED (
      SELECT ${spec.id} AS id, ${findSort(spec, query).by} AS key FROM ${from} WHERE ${spec.where} ${and(conditions)}),`,
    rows: sql`
      SELECT ${rowColumns(spec, ctx)} FROM (
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
  const row = await databaseFor(spec, ctx).row<{ body: string }>(sql`
    WITH ${found} page AS (${rows})
    SELECT json_build_object(${raw(`'${spec.name}'`)}, coalesce((SELECT json_agg(page) FROM page), '[]'),
      'pagination', json_build_object('current_page', ${page === 1 ? raw('1') : sql`${page}::integer`},
        'last_page', greatest(1, (total + ${size} - 1) / ${size}), 'per_page', ${size}, 'total', total))::text AS body
    FROM (${total}) counted`);
  return new Json(withIsoTimes(row?.body as string, spec.times));
}

export async function pageByCursor(
  spec: Spec,
  ctx: Ctx,
  query: ListQuery,
  fields?: ReadonlySet<string>,
): Promise<unknown> {
  const { limit = paging.defaultSize, cursor } = query;
  mustNotMix(query);
  const { conditions } = await readFilters(spec, ctx, query);
  const position = paging.readPosition(query, cursor);
  const order = isBackward(query) ? reverseOrder(query) : query;
  const after = position ? [isAfter(spec, order, position)] : [];
  const window = sql`${and([...conditions, ...after])} ORDER BY ${orderBy(spec, order)} ${paging.limitTo(limit + 1)}`;
  if (!spec.complete && !spec.database) return jsonPageByCursor(spec, ctx, query, { window, limit, fields, order });
  const found = await databaseFor(spec, ctx).rows<Positioned>(
    selectRows(spec, ctx, order, window, cursorColumns(spec, query)),
  );
  const rows = found.slice(0, limit).map(({ cursor_key: _, cursor_id: __, ...row }) => row);
  if (isBackward(query)) rows.reverse();
  const completed = spec.complete ? await spec.complete(ctx, rows as never[]) : rows;
  return cursorPage(spec, query, found, completed, limit);
}

interface JsonPage {
  readonly body: string;
  readonly positions: string;
  /** NULL without records. */
  readonly last_key: string | null;
  readonly last_id: string | null;
  readonly has_more: boolean;
}

/** PostgreSQL builds the JSON of the records, and separately their positions, which only some callers read. */
async function jsonPageByCursor(
  spec: Spec,
  ctx: Ctx,
  query: ListQuery,
  {
    window,
    limit,
    fields,
    order,
  }: { window: Sql; limit: number; fields: ReadonlySet<string> | undefined; order: ListQuery },
): Promise<Json<object>> {
  const { alias, where, name } = spec;
  const size = raw(String(limit));
  const shown = directionSql(order === query ? 'asc' : 'desc');
  const found = (await ctx.db.row<JsonPage>(sql`
    SELECT coalesce(json_agg(body ORDER BY position ${shown}) FILTER (WHERE position <= ${size}), '[]')::text AS body,
      coalesce(json_agg(json_build_object('key', key, 'id', id) ORDER BY position ${shown})
        FILTER (WHERE position <= ${size}), '[]')::text AS positions,
      (array_agg(key ORDER BY position DESC) FILTER (WHERE position <= ${size}))[1] AS last_key,
      (array_agg(id ORDER BY position DESC) FILTER (WHERE position <= ${size}))[1] AS last_id,
      count(*) > ${size} AS has_more
    FROM (
      SELECT (SELECT row_to_json(list_row) FROM (${selectFields(spec, ctx, fields)}) list_row) AS body,
        (${findSort(spec, query).by})::text AS key, ${spec.id}::text AS id,
        row_number() OVER (ORDER BY ${orderBy(spec, order)}) AS position
      FROM (SELECT ${alias}.* FROM ${sourceFor(spec, ctx)} WHERE ${where} ${window}) ${alias}) page`)) as JsonPage;
  const { has_more, last_key: key, last_id: id } = found;
  const last = key !== null && id !== null ? { key, id } : undefined;
  const pagination = { next_cursor: nextCursor(spec, query, last, has_more), has_more };
  const records = withIsoTimes(found.body, spec.times);
  return new Json(`{"${name}":${records},"pagination":${JSON.stringify(pagination)}}`, (page) =>
    paging.rememberCursors(page, query, () => JSON.parse(found.positions)),
  );
}

export interface Positioned {
  readonly cursor_key: string;
  readonly cursor_id: string;
}

/** A page of the rows up to the limit; a further one shows that there are more. */
export function cursorPage(
  spec: Spec,
  query: ListQuery,
  found: readonly Positioned[],
  rows: readonly object[],
  limit: number,
): object {
  const positions = found.slice(0, limit).map(({ cursor_key: key, cursor_id: id }) => ({ key, id }));
  const has_more = found.length > limit;
  const pagination = { next_cursor: nextCursor(spec, query, positions.at(-1), has_more), has_more };
  if (isBackward(query)) positions.reverse();
  return paging.rememberCursors({ [spec.name]: rows.slice(0, limit), pagination }, query, () => positions);
}

const firstIds = { uuid: '00000000-0000-0000-0000-000000000000', bigint: '-1', text: '' };

/** A client that follows changes continues from the end of the list. */
function nextCursor(spec: Spec, query: ListQuery, last: paging.Position | undefined, hasMore: boolean): string | null {
  const { sort_by, sort_order, cursor } = query;
  if (isBackward(query)) return hasMore && last ? paging.backwardMark + paging.writeCursor(query, last) : null;
  const isEndless = sort_by === 'updated_at' && sort_order === 'asc';
  if (!hasMore && !isEndless) return null;
  if (last) return paging.writeCursor(query, last);
  return cursor ?? paging.writeCursor(query, { key: '-infinity', id: firstIds[spec.idType] });
}

function isBackward({ cursor }: ListQuery): boolean {
  return cursor?.startsWith(paging.backwardMark) ?? false;
}

function reverseOrder(query: ListQuery): ListQuery {
  return { ...query, sort_order: query.sort_order === 'asc' ? 'desc' : 'asc' };
}

export function mustNotMix({ page, per_page = paging.defaultSize }: ListQuery): void {
  const message = 'Use either page and per_page or cursor and limit.';
  if (page !== 1) throw invalid({ page: message });
  if (per_page !== paging.defaultSize) throw invalid({ per_page: message });
}
