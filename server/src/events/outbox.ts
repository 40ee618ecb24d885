import { type Db, empty, join, type Sql, sql } from '@chowk/kit/kernel';

/* The tenant's tables of work that a transaction causes: deliveries to `afterCommit` listeners, and jobs. */

export interface Event {
  readonly id: string;
  readonly name: string;
  /** The id of the record that the event is about. A listener gets the events with the same subject in order. */
  readonly subject: string | undefined;
  readonly payload: unknown;
  readonly emittedAt: string;
  /** The version of the module that emits it. */
  readonly version: string;
}

/** An event that is not yet delivered to one of its listeners. */
export interface PendingDelivery {
  readonly seq: number;
  readonly id: string;
  readonly name: string;
  readonly subject: string | null;
  readonly payload: unknown;
  readonly emittedAt: string;
  readonly listener: string;
  /** The number of failed attempts. */
  readonly attempts: number;
  /** The version of the module that emitted the event. */
  readonly version: string | null;
  /** What it has been waiting for, because this ring could not read it. */
  readonly waitsFor: string | null;
}

export interface AddedJob<Task> {
  readonly id: string;
  readonly task: Task;
  /** ISO 8601; `null` is now. */
  readonly startAt: string | null;
}

/** A listener in the outbox. */
export interface Recipient {
  readonly key: string;
  readonly onlyIf?: Sql | undefined;
}

interface Destinations {
  readonly recipients: readonly Recipient[];
  /** Whether the events are added to the event log. */
  readonly isLogged: boolean;
}

/**
 * Writes events of one name, in order, to the event log and for each listener whose condition holds. Returns the number of rows for
 * listeners.
 */
export async function writeEvents(
  db: Db,
  events: readonly Event[],
  { recipients, isLogged }: Destinations,
): Promise<number> {
  const [{ name, emittedAt, version }] = events as [Event];
  const rows = JSON.stringify(events.map(({ id, subject, payload }) => ({ id, subject, payload })));
  const source = sql`
    e AS MATERIALIZED (
      SELECT * FROM ROWS FROM (jsonb_to_recordset(${rows}::jsonb) AS (id uuid, subject text, payload jsonb)) WITH ORDINALITY
        AS e (id, subject, payload, position))`;
  const log = sql`
    INSERT INTO event_log (id, type, resource_id, payload, emitted_at, version)
    SELECT id, ${name}, subject, payload, ${emittedAt}, ${version} FROM e ORDER BY position`;
  if (recipients.length === 0) {
    if (isLogged) await db.run(sql`WITH ${source} ${log}`);
    return 0;
  }
  const always = recipients.filter(({ onlyIf }) => !onlyIf).map(({ key }) => key);
  const sometimes = recipients.flatMap(({ key, onlyIf }) =>
    onlyIf ? [sql`UNION ALL SELECT ${key}::text WHERE ${onlyIf}`] : [],
  );
  return db.run(sql`
    WITH ${source} ${isLogged ? sql`, logged AS (${log})` : empty}
    INSERT INTO event_deliveries (event_id, name, about, payload, emitted_at, listener, version)
    SELECT e.id, ${name}, e.subject, e.payload, ${emittedAt}, l.listener, ${version}
    FROM e,
      (SELECT unnest(${always}::text[]) ${sometimes.length > 0 ? join(sometimes, ' ') : empty}) AS l (listener)
    ORDER BY e.position, l.listener`);
}

const isPostponed = sql`(attempts > 0 OR waits_for IS NOT NULL) AND due_at > now()`;

/** A delivery that waits for its next attempt blocks later ones with the same subject. */
function readyFor(listeners: readonly string[]): Sql {
  return sql`
    d.due_at <= now() AND d.listener = ANY(${listeners}::text[]) AND NOT EXISTS (
      SELECT FROM (SELECT * FROM event_deliveries WHERE ${isPostponed}) w
      WHERE w.listener = d.listener AND w.about = d.about AND w.seq < d.seq)`;
}

export function readyDeliveries(db: Db, listeners: readonly string[], limit: number): Promise<PendingDelivery[]> {
  return db.rows<PendingDelivery>(sql`
    SELECT seq, event_id AS id, name, about AS subject, payload, emitted_at AS "emittedAt", listener, attempts, version,
      waits_for AS "waitsFor"
    FROM event_deliveries d WHERE ${readyFor(listeners)} ORDER BY seq LIMIT ${limit}`);
}

export interface OutboxState {
  readonly hasReady: boolean;
  /** The time of the next retry. */
  readonly nextAttemptAt: string | null;
  readonly isEmpty: boolean;
}

export async function outboxState(db: Db, listeners: readonly string[]): Promise<OutboxState> {
  return (await db.row<OutboxState>(sql`
    SELECT EXISTS (SELECT FROM event_deliveries d WHERE ${readyFor(listeners)}) AS "hasReady",
      (SELECT min(due_at) FROM event_deliveries WHERE ${isPostponed}) AS "nextAttemptAt",
      NOT EXISTS (SELECT FROM event_deliveries WHERE due_at IS NOT NULL) AND NOT EXISTS (SELECT FROM added_jobs) AS "isEmpty"
  `)) as OutboxState;
}

export async function deleteDeliveries(db: Db, seqs: readonly number[]): Promise<void> {
  if (seqs.length > 0) await db.run(sql`DELETE FROM event_deliveries WHERE seq = ANY(${seqs}::bigint[])`);
}

/** Tries it again later. Not counted as an attempt. */
export async function postponeDelivery(db: Db, seq: number, waitsFor: string, delaySeconds: number): Promise<void> {
  await db.run(sql`
    UPDATE event_deliveries SET waits_for = ${waitsFor}, due_at = now() + make_interval(secs => ${delaySeconds})
    WHERE seq = ${seq}`);
}

/** The events that wait because the ring of the tenant cannot read them, by what they wait for. */
export function countWaiting(db: Db): Promise<{ waitsFor: string; events: number }[]> {
  return db.rows(sql`
    SELECT waits_for AS "waitsFor", count(*) AS events FROM event_deliveries WHERE waits_for IS NOT NULL GROUP BY 1 ORDER BY 1`);
}

/** Without a delay, the delivery waits for an operator. */
export async function recordFailure(db: Db, seq: number, delaySeconds: number | undefined): Promise<void> {
  await db.run(sql`
    UPDATE event_deliveries SET attempts = attempts + 1, due_at = now() + make_interval(secs => ${delaySeconds ?? null})
    WHERE seq = ${seq}`);
}

export async function reviveDelivery(db: Db, seq: number): Promise<void> {
  await db.run(sql`
    UPDATE event_deliveries SET attempts = 0, due_at = DEFAULT WHERE seq = ${seq} AND due_at IS NULL`);
}

export async function writeJob<Task>(db: Db, { id, task, startAt }: AddedJob<Task>): Promise<void> {
  await db.run(sql`
    INSERT INTO added_jobs (id, task, start_at) VALUES (${id}, ${JSON.stringify(task)}::jsonb, ${startAt}::timestamptz)
    ON CONFLICT (id) DO NOTHING`);
}

/** The next jobs with one of these names. Others wait for a process that has their module. */
export function addedJobs<Task>(db: Db, names: readonly string[]): Promise<AddedJob<Task>[]> {
  return db.rows<AddedJob<Task>>(sql`
    SELECT id, task, start_at AS "startAt" FROM added_jobs WHERE task->>'job' = ANY(${names}::text[]) ORDER BY id LIMIT 500`);
}

export async function deleteAddedJobs(db: Db, ids: readonly string[]): Promise<void> {
  await db.run(sql`DELETE FROM added_jobs WHERE id = ANY(${ids}::uuid[])`);
}
