import { type Db, deleteInBatches, job, sql, Type } from '@chowk/kit/kernel';

/** The most events that are numbered at once. */
const batchSize = 5_000;

/**
 * Numbers the committed events of a tenant that have no number. Events of one record were written in the order of their changes,
 * because the second change waits for the first one to commit; so an event that becomes visible later never belongs before one
 * that has a number.
 */
export async function numberEvents(db: Db): Promise<void> {
  while ((await hasUnnumbered(db)) && (await numberBatch(db)) === batchSize);
}

async function hasUnnumbered(db: Db): Promise<boolean> {
  return (await db.row(sql`SELECT FROM event_log WHERE sequence IS NULL LIMIT 1`)) !== undefined;
}

function numberBatch(db: Db): Promise<number> {
  return db.tx(async (tx) => {
    // In a statement of its own: the next one sees what another reader has numbered meanwhile.
    await tx.row(sql`SELECT FROM event_log_state FOR UPDATE`);
    const state = await tx.row<{ numbered: number }>(sql`
      WITH unnumbered AS MATERIALIZED (
        SELECT id, row_number() OVER (ORDER BY position) AS place
        FROM (SELECT id, position FROM event_log WHERE sequence IS NULL ORDER BY position LIMIT ${batchSize}) e
      ), numbered AS (
        UPDATE event_log e SET sequence = s.last_sequence + u.place FROM unnumbered u, event_log_state s WHERE e.id = u.id
      )
      UPDATE event_log_state SET last_sequence = last_sequence + (SELECT count(*) FROM unnumbered)
      RETURNING (SELECT count(*) FROM unnumbered) AS numbered`);
    return state?.numbered ?? 0;
  });
}

/** Requests of a user and of a tenant that may wait in one process: each asks the database every second. */
const maxWaiting = { user: 10, tenant: 100 };

/** Tells waiting requests of this process that a transaction has committed events. */
export class EventLogSignal {
  readonly #waiting = new Map<string, Set<() => void>>();
  readonly #counts = new Map<string, number>();
  isStopping = false;

  committed(tenantId: string): void {
    for (const wake of this.#waiting.get(tenantId) ?? []) wake();
  }

  /** Counts a request that waits until the returned function is called; `undefined` if too many of the user or the tenant wait. */
  enter(tenantId: string, user: string): (() => void) | undefined {
    const keys = { user: JSON.stringify([tenantId, user]), tenant: tenantId };
    const isFull = (kind: 'user' | 'tenant') => (this.#counts.get(keys[kind]) ?? 0) >= maxWaiting[kind];
    if (isFull('user') || isFull('tenant')) return undefined;
    this.#add(keys.user, 1);
    this.#add(keys.tenant, 1);
    return () => {
      this.#add(keys.user, -1);
      this.#add(keys.tenant, -1);
    };
  }

  #add(key: string, change: number): void {
    const count = (this.#counts.get(key) ?? 0) + change;
    if (count === 0) this.#counts.delete(key);
    else this.#counts.set(key, count);
  }

  /** Ends all waiting. */
  stop(): void {
    this.isStopping = true;
    for (const waiting of this.#waiting.values()) for (const wake of waiting) wake();
  }

  /** Resolves when this process commits an event of the tenant, and after the time at the latest. */
  async next(tenantId: string, maxMs: number): Promise<void> {
    const { promise, resolve: wake } = Promise.withResolvers<void>();
    const waiting = this.#waiting.get(tenantId) ?? new Set();
    this.#waiting.set(tenantId, waiting.add(wake));
    const timer = setTimeout(wake, maxMs).unref();
    await promise;
    clearTimeout(timer);
    waiting.delete(wake);
    if (waiting.size === 0) this.#waiting.delete(tenantId);
  }
}

export const eventLogJobs = {
  'kernel.prune_events': job({
    data: Type.Object({}),
    schedule: '27 3 * * *',
    async run(ctx) {
      const { 'events.retention_days': days } = await ctx.settings();
      // Numbered first, so that readers notice that they have missed events.
      await numberEvents(ctx.db);
      const isOld = sql`emitted_at < now() - make_interval(days => ${days})`;
      return { events: await deleteInBatches(ctx.db, sql`event_log`, isOld) };
    },
  }),
};
