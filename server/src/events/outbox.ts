import { type Db, sql } from '@chowk/kit';

/** An event as it is written down in the tenant's database, with the change that it tells of. */
export interface OutboxEvent {
  readonly id: string;
  readonly name: string;
  /** What it is about; events about one thing keep their order. */
  readonly about: string | undefined;
  readonly payload: unknown;
  readonly emittedAt: string;
}

const batchSize = 500;
/** Any number will do as long as nothing else in a tenant's database locks it. */
const lockKey = 6_318_610;

export async function writeOutbox(db: Db, { id, name, about, payload, emittedAt }: OutboxEvent): Promise<void> {
  await db.run(sql`
    INSERT INTO outbox (id, name, about, payload, emitted_at)
    VALUES (${id}, ${name}, ${about ?? null}, ${JSON.stringify(payload)}::jsonb, ${emittedAt})`);
}

/**
 * Hands over what is in the outbox, in order, and removes it when it is handed over. Should the removal be lost, the
 * same events are handed over again. One at a time for each tenant, so that order is kept.
 */
export async function drainOutbox(db: Db, handOver: (events: readonly OutboxEvent[]) => Promise<void>): Promise<void> {
  for (let drained = batchSize; drained === batchSize; ) {
    drained = await db.tx(async (tx) => {
      await tx.run(sql`SELECT pg_advisory_xact_lock(${lockKey})`);
      const events = await tx.rows<OutboxEvent & { seq: number }>(sql`
        SELECT seq, id, name, about, payload, emitted_at AS "emittedAt" FROM outbox ORDER BY seq LIMIT ${batchSize}`);
      if (events.length === 0) return 0;
      await handOver(events.map(({ seq: _, about, ...event }) => ({ ...event, about: about ?? undefined })));
      await tx.run(sql`DELETE FROM outbox WHERE seq = ANY(${events.map(({ seq }) => seq)}::bigint[])`);
      return events.length;
    });
  }
}
