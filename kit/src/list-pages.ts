import type { Ctx } from './context.ts';
import { Failure } from './errors.ts';
import { Json } from './json.ts';
import type { ListQuery, Spec } from './list-definition.ts';
import { cursorPage, mustNotMix, type Positioned, page } from './list-page.ts';
import { cursorColumns, databaseFor, orderBy, readFilters, selectRows } from './list-sql.ts';
import * as paging from './paging.ts';
import { and, raw, sql } from './sql.ts';

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

/** The only filter in which first pages differ, if a column can replace its value. */
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
  const { conditions } = await readFilters(spec, ctx, { ...query, [name]: sql`keys.value` });
  const window = sql`${and(conditions)} ORDER BY ${orderBy(spec, query)} ${paging.limitTo(limit + 1)}`;
  const values = queries.map((one) => one[name]);
  const found = await databaseFor(spec, ctx).rows<Positioned & { key_position: number }>(sql`
    SELECT page.*, keys.position::integer AS key_position
    FROM unnest(${values}::${type}[]) WITH ORDINALITY AS keys (value, position)
      CROSS JOIN LATERAL (${selectRows(spec, ctx, query, window, cursorColumns(spec, query))}) page`);
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
