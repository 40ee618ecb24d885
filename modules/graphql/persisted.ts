import { createHash } from 'node:crypto';
import { type Db, type Issues, removedFields, type SystemCtx, sql } from '@chowk/kit';
import { fail } from './errors.ts';
import { getPersistedQueries, invalidatePersisted } from './persisted-cache.ts';
import type { NewPersistedQuery, PersistedQuery, RegisteredQuery } from './schemas.ts';

/** Per tenant. The list is one response, so the size of all queries is limited too. */
const limits = { count: 5_000, megabytes: 16 };

export function hashQuery(query: string): string {
  return createHash('sha256').update(query).digest('hex');
}

export async function listPersisted(ctx: SystemCtx): Promise<PersistedQuery[]> {
  await getPersistedQueries(ctx.system).uses.flush(ctx.tenant.id);
  return ctx.db.rows<PersistedQuery>(sql`
    SELECT hash, name, query, created_at, last_used_at, uses FROM persisted_queries ORDER BY name, created_at, hash`);
}

export async function checkQuery(ctx: SystemCtx, { query }: Partial<NewPersistedQuery>, issues: Issues): Promise<void> {
  if (query === undefined) return;
  for (const problem of await findProblems(ctx, query)) issues.add('query', problem);
}

export async function createPersisted(ctx: SystemCtx, { query, name }: NewPersistedQuery): Promise<RegisteredQuery> {
  const hash = hashQuery(query);
  await register(ctx, [{ hash, name, query }]);
  return { hash, name };
}

export async function deletePersisted(ctx: SystemCtx, { hash }: { hash: string }): Promise<void> {
  const deleted = await ctx.tx(async (tx) => {
    const row = await tx.db.row(sql`DELETE FROM persisted_queries WHERE hash = ${hash} RETURNING hash, name`);
    if (row) tx.audit(removedFields(row));
    return row;
  });
  // Also if there was none: a process that died after its deletion has not notified the others.
  await invalidatePersisted(ctx, [hash]);
  if (!deleted) throw fail('graphql.persisted_not_found', { hash });
}

/** Why the query cannot be executed. */
export async function findProblems(ctx: SystemCtx, query: string): Promise<string[]> {
  const errors = await ctx.system.graphql.validate(ctx, { query, operationName: operationNameIn(query) });
  return errors.map(({ message }) => message);
}

/** The name of the operation that the query begins with, if any. */
export function operationNameIn(query: string): string | undefined {
  return /^\s*(?:query|mutation)\s+(\w+)/.exec(query)?.[1];
}

/** Registers valid queries. A query that is registered already gets the new name. */
export async function register(ctx: SystemCtx, queries: readonly PersistedText[]): Promise<void> {
  await ctx.tx(async ({ db }) => {
    // One registration at a time, so that the limits hold.
    await db.run(sql`SELECT pg_advisory_xact_lock(hashtext('persisted_queries'))`);
    await insertQueries(db, queries, ctx.now());
    await db.run(sql`DELETE FROM unregistered_operations WHERE hash = ANY(${queries.map(({ hash }) => hash)})`);
    const { count, megabytes } = await measureSize(db);
    if (count > limits.count || megabytes > limits.megabytes) throw fail('graphql.too_many_persisted', limits);
  });
  await invalidatePersisted(
    ctx,
    queries.map(({ hash }) => hash),
  );
}

interface PersistedText extends RegisteredQuery {
  readonly query: string;
}

function insertQueries(db: Db, queries: readonly PersistedText[], at: Date): Promise<number> {
  return db.run(sql`
    INSERT INTO persisted_queries (hash, name, query, created_at)
    SELECT hash, name, query, ${at} FROM unnest(${queries.map(({ hash }) => hash)}::text[],
      ${queries.map(({ name }) => name)}::text[], ${queries.map(({ query }) => query)}::text[]) AS q (hash, name, query)
    ON CONFLICT (hash) DO UPDATE SET name = excluded.name`);
}

async function measureSize(db: Db): Promise<{ count: number; megabytes: number }> {
  const row = await db.row<{ count: number; bytes: number }>(sql`
    SELECT count(*) AS count, coalesce(sum(octet_length(query)), 0)::bigint AS bytes FROM persisted_queries`);
  return { count: row?.count ?? 0, megabytes: (row?.bytes ?? 0) / 1_048_576 };
}
