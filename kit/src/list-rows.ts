import type { Ctx } from './context.ts';
import { inBatches } from './download.ts';
import type { ListQuery, Spec } from './list-definition.ts';
import { pageByCursor } from './list-page.ts';
import { readFilters, selectRows } from './list-sql.ts';
import { and, type Sql } from './sql.ts';

/** All rows of the filters, one at a time. */
export async function everyRow(spec: Spec, ctx: Ctx, query: ListQuery): Promise<AsyncIterable<object>> {
  const { conditions } = await readFilters(spec, ctx, query);
  return spec.database ? inPages(spec, ctx, query) : stream(spec, ctx, selectRows(spec, ctx, query, and(conditions)));
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
      pagination: { next_cursor: string; has_more: boolean };
    } & Record<string, object[]>;
    yield* batch[spec.name] as object[];
    cursor = batch.pagination.has_more ? batch.pagination.next_cursor : undefined;
  } while (cursor !== undefined);
}
