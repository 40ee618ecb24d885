import { type Db, type Log, sql } from '@chowk/kit';
import { v7 as uuidv7 } from 'uuid';
import type { TenantEntry } from '../tenancy/directory.ts';

/** One line of `module_bus_audit_log` in the making. */
export interface AuditRecord {
  /** Given when it is first to be written, so that who calls does not wait for it. */
  id?: string;
  readonly at: number;
  readonly tenant: TenantEntry;
  readonly caller: string;
  readonly operation: string;
  readonly kind: string;
  readonly userId: number | undefined;
  readonly requestId: string;
  readonly input: string | undefined;
  duration?: number;
  outcome?: string;
  error?: string | undefined;
}

const flushEveryMs = 1_000;
/** Past this many lines a batch is written at once. */
const batchSize = 500;
/** What is kept while a database cannot be written; the oldest go first. */
const mostPending = 50_000;
/** An input longer than this is noted by its length alone. */
const longestInput = 4_096;
const secret = 'password|secret|token|otp|authorization|card|cvv|pin';
/** Who is anonymized or removed must not live on here. */
const personal = 'phone|mobile|mail|address|street|(?:first|last|full|customer|contact)_?name|external_?id';
/** What people write freely, or type to find somebody; as a whole word, for it is part of many others. */
const free = 'to|city|company|notes?|message|body|subject|reason|search|q';
const hiddenName = new RegExp(`${secret}|${personal}|^(?:${free})$`, 'i');
/** Whether there may be such a name in a text; most inputs have none and are parsed the quick way. */
const hiddenSomewhere = new RegExp(`${secret}|${personal}|"(?:${free})"`, 'i');

/** Writes down who called what, behind the caller's back: a call never waits for it. */
export class AuditLog {
  readonly #log: Log;
  readonly #timer: NodeJS.Timeout;
  #pending: AuditRecord[] = [];
  #flushing: Promise<void> | undefined;

  constructor(log: Log) {
    this.#log = log;
    this.#timer = setInterval(() => void this.#write(), flushEveryMs).unref();
  }

  begin(
    call: { tenant: TenantEntry; caller: string; userId: number | undefined; requestId: string },
    operation: string,
    input: unknown,
    kind = 'call',
  ): AuditRecord {
    const { tenant, caller, userId, requestId } = call;
    // The input is written down as it is now: what the callee does to it later is not what the caller sent.
    const text = input === undefined ? undefined : JSON.stringify(input);
    return { at: Date.now(), tenant, caller, operation, kind, userId, requestId, input: text };
  }

  end(record: AuditRecord, durationMs: number, outcome: string, error?: string): void {
    record.duration = durationMs;
    record.outcome = outcome;
    record.error = error;
    this.#pending.push(record);
    if (this.#pending.length > mostPending) this.#pending.splice(0, this.#pending.length - mostPending);
    if (this.#pending.length % batchSize === 0) void this.#write();
  }

  /** Settles when all that there is now was written. What cannot be written is tried again later. */
  async flush(): Promise<void> {
    // What is being written was taken before the latest came.
    if (this.#flushing) await this.#flushing;
    await this.#write();
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.flush();
  }

  /** One batch at a time: who comes while one is being written waits for it. */
  #write(): Promise<void> {
    this.#flushing ??= this.#writeAll().finally(() => {
      this.#flushing = undefined;
    });
    return this.#flushing;
  }

  async #writeAll(): Promise<void> {
    const records = this.#pending;
    this.#pending = [];
    for (const [tenant, batch] of Map.groupBy(records, ({ tenant }) => tenant)) {
      try {
        await insertRecords(tenant.db, batch);
      } catch (error) {
        this.#log.warn({ err: error, tenant: tenant.id }, 'could not write the bus audit log; trying again');
        this.#pending.unshift(...batch.slice(-mostPending));
      }
    }
  }
}

async function insertRecords(db: Db, records: readonly AuditRecord[]): Promise<void> {
  for (const record of records) record.id ??= uuidv7();
  const rows = records.map((record) => ({
    id: record.id,
    at: new Date(record.at).toISOString(),
    caller: record.caller,
    operation: record.operation,
    kind: record.kind,
    user_id: record.userId ?? null,
    request_id: record.requestId,
    duration_ms: record.duration,
    outcome: record.outcome,
    error_code: record.error ?? null,
    input: redact(record.input),
  }));
  await db.run(sql`
    INSERT INTO module_bus_audit_log
      (id, at, caller, operation, kind, user_id, request_id, duration_ms, outcome, error_code, input)
    SELECT id, at, caller, operation, kind, user_id, request_id, duration_ms, outcome, error_code, input
    FROM jsonb_populate_recordset(NULL::module_bus_audit_log, ${JSON.stringify(rows)}::jsonb)
    ON CONFLICT (id) DO NOTHING`);
}

/** The input without what must not be kept. Ids stay: they tell what was done to whom for as long as somebody is there. */
function redact(input: string | undefined): unknown {
  if (input === undefined) return null;
  if (input.length > longestInput) return { too_long: input.length };
  // PostgreSQL cannot keep the character NUL.
  const text = input.replaceAll('\\u0000', '\\ufffd');
  if (!hiddenSomewhere.test(text)) return JSON.parse(text);
  return JSON.parse(text, (key, value) => (hiddenName.test(key) ? '••••' : value));
}
