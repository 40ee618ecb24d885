import { type Db, sql } from '@chowk/kit';

/** An event in the tenant's database, written in the transaction of the change it describes. */
export interface OutboxEvent {
  readonly id: string;
  readonly name: string;
  /** The id of its subject. Events about one subject keep their order. */
  readonly about: string | undefined;
  readonly payload: unknown;
  readonly emittedAt: string;
}

const batchSize = 500;
/** An arbitrary number that no other advisory lock in a tenant's database uses. */
const lockKey = 6_318_610;

export async function writeOutbox(db: Db, { id, name, about, payload, emittedAt }: OutboxEvent): Promise<void> {
  await db.run(sql`
    INSERT INTO outbox (id, name, about, payload, emitted_at)
    VALUES (${id}, ${name}, ${about ?? null}, ${JSON.stringify(payload)}::jsonb, ${emittedAt})`);
}

/**
 * Passes the events in the outbox to `enqueue`, in order, and deletes them. If the deletion fails, the next drain passes
 * them again. A lock keeps the order when several processes drain one tenant.
 */
export async function drainOutbox(db: Db, enqueue: (events: readonly OutboxEvent[]) => Promise<void>): Promise<void> {
  for (let drained = batchSize; drained === batchSize; ) {
    drained = await db.tx(async (tx) => {
      await tx.run(sql`SELECT pg_advisory_xact_lock(${lockKey})`);
      const events = await tx.rows<OutboxEvent & { seq: number }>(sql`
        SELECT seq, id, name, about, payload, emitted_at AS "emittedAt" FROM outbox ORDER BY seq LIMIT ${batchSize}`);
      if (events.length === 0) return 0;
      await enqueue(events.map(({ seq: _, about, ...event }) => ({ ...event, about: about ?? undefined })));
      await tx.run(sql`DELETE FROM outbox WHERE seq = ANY(${events.map(({ seq }) => seq)}::bigint[])`);
      return events.length;
    });
  }
}
