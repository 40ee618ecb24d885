import { type Db, GuardedCache, platformState, type SystemCtx, sql } from '@chowk/kit';
import { OperationUses, type Uses } from './operation-uses.ts';

interface PersistedOperation {
  readonly hash: string;
  readonly query: string;
}

const cacheKilobytes = 65_536;

/** The persisted queries that this process has looked up, until any process changes them, and their uses. */
export const getPersistedQueries = platformState((system) => {
  const cache = new GuardedCache<PersistedOperation, Db>({
    max: cacheKilobytes,
    entrySize: ({ query }) => Math.ceil((query.length + 1) / 1_024),
    load: (key, db) => findOperation(db, key.slice(key.indexOf(' ') + 1)),
  });
  // Notifications arrive once `listen` has settled.
  cache.trust(false);
  const listening = system.signals.listen('chowk_persisted_query', {
    onNotify: (key) => cache.invalidate(key),
    onConnectionChange: (isConnected) => cache.trust(isConnected),
  });
  listening.then(
    () => cache.trust(true),
    () => {},
  );
  return { cache, uses: new OperationUses<PersistedOperation>(system, { max: 5_000, write: recordUses }) };
});

/** The persisted query with this hash; counts one use of it. */
export async function takePersisted(ctx: SystemCtx, hash: string): Promise<PersistedOperation | undefined> {
  const operation = await findPersisted(ctx, hash);
  if (operation) getPersistedQueries(ctx.system).uses.add(ctx, operation);
  return operation;
}

/** The persisted query with this hash; counts nothing. */
export async function findPersisted(ctx: SystemCtx, hash: string): Promise<PersistedOperation | undefined> {
  return getPersistedQueries(ctx.system).cache.get(`${ctx.tenant.id} ${hash}`, ctx.db);
}

/** Notifies all processes that these persisted queries have changed. */
export async function invalidatePersisted(ctx: SystemCtx, hashes: readonly string[]): Promise<void> {
  await ctx.central.run(sql`
    SELECT pg_notify('chowk_persisted_query', ${ctx.tenant.id} || ' ' || hash) FROM unnest(${hashes}::text[]) AS hash`);
}

function findOperation(db: Db, hash: string): Promise<PersistedOperation | undefined> {
  return db.row<PersistedOperation>(sql`SELECT hash, query FROM persisted_queries WHERE hash = ${hash}`);
}

/** In a transaction, which is retried after a deadlock with another process. */
function recordUses(db: Db, uses: readonly Uses<PersistedOperation>[]): Promise<number> {
  return db.tx((tx) =>
    tx.run(sql`
      UPDATE persisted_queries p SET uses = p.uses + u.count, last_used_at = greatest(p.last_used_at, u.at)
      FROM unnest(${uses.map(({ operation }) => operation.hash)}::text[], ${uses.map(({ count }) => count)}::bigint[],
        ${uses.map(({ lastAt }) => lastAt)}::timestamptz[]) AS u (hash, count, at)
      WHERE p.hash = u.hash`),
  );
}
