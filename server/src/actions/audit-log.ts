import { type Changes, type Db, Failure, type Log, sql } from '@chowk/kit';
import { v7 as uuidv7 } from 'uuid';
import type { TenantEntry } from '../tenancy/directory.ts';

export type Transport = 'rest' | 'bus' | 'graphql' | 'job' | 'command';

/** A call as it begins. */
interface Call {
  readonly tenant: TenantEntry;
  readonly transport: Transport;
  /** The calling module; `undefined` where the call comes from outside. */
  readonly module: string | undefined;
  readonly action: string;
  readonly userId: number | undefined;
  readonly requestId: string;
  readonly input: unknown;
}

/** One line of `module_bus_audit_log` in the making. */
export interface AuditRecord extends Omit<Call, 'input'> {
  /** Given when it is first to be written, so that the call does not wait for it. */
  id?: string;
  readonly at: number;
  readonly startedAt: number;
  /** As JSON. */
  readonly input: string | undefined;
  /** The id of what the action is about. */
  resourceId: string | undefined;
  changes: Changes | undefined;
  outcome: 'ok' | 'refused' | 'failed';
  error: string | undefined;
  duration: number;
  /** Committed together with the change, as it is now. */
  isWritten: boolean;
  /** The lines that are committed with the transaction that the call is part of. */
  transactionLines: AuditRecord[] | undefined;
}

const flushEveryMs = 1_000;
/** Past this many lines a batch is written at once. */
const batchSize = 500;
/** What is kept while a database cannot be written; the oldest go first. */
const mostPending = 50_000;
/** An input, or changes, longer than this are noted by their length alone. */
const longestInput = 4_096;
const longestChanges = 65_536;
/** A longer text among the changes is cut. */
const longestText = 500;
/** An index holds no longer one. */
const longestId = 255;
const secret = 'password|secret|token|otp|authorization|card|cvv|pin';
/** Who is anonymized or removed must not live on here. */
const personal = 'phone|mobile|mail|address|street|(?:first|last|full|customer|contact)_?name|external_?id';
/** What people write freely, or type to find somebody; as a whole word, for it is part of many others. */
const free = 'to|city|state|country|company|tags|notes?|message|body|subject|reason|search|q';
const hiddenName = new RegExp(`${secret}|${personal}|^(?:${free})$`, 'i');
/** Whether there may be such a name in a text; most inputs have none and are parsed the quick way. */
const hiddenSomewhere = new RegExp(`${secret}|${personal}|"(?:${free})"`, 'i');

/**
 * Keeps the audit log. The line of a change is committed with it (`write`); all others are written in batches, and no
 * call waits for them.
 */
export class AuditLog {
  readonly #log: Log;
  readonly #timer: NodeJS.Timeout;
  #pending: AuditRecord[] = [];
  #flushing: Promise<void> | undefined;

  constructor(log: Log) {
    this.#log = log;
    this.#timer = setInterval(() => void this.#write(), flushEveryMs).unref();
  }

  begin({ tenant, transport, module, action, userId, requestId, input }: Call): AuditRecord {
    return {
      // As it is now: what the action does to its input is not what the caller sent.
      ...{ tenant, transport, module, action, userId, requestId, input: textOf(input, longestInput) },
      ...{ at: Date.now(), startedAt: performance.now(), duration: 0, outcome: 'ok', error: undefined },
      ...{ resourceId: idOf(input), changes: undefined, isWritten: false, transactionLines: undefined },
    };
  }

  /** Writes lines in the transaction of the change, so that there is none without the other. */
  async write(db: Db, records: readonly AuditRecord[]): Promise<void> {
    for (const record of records) record.duration = performance.now() - record.startedAt;
    if (records.length > 0) await insertRecords(db, records);
  }

  fail(record: AuditRecord, error: unknown): void {
    this.end(record, { code: error instanceof Failure ? error.code : 'http.internal' });
  }

  /** Completes a line; without a code the call went well. */
  end(record: AuditRecord, { code, output }: { code?: string; output?: unknown }): void {
    const id = idOf(output);
    if (code === undefined && record.isWritten && (record.resourceId !== undefined || id === undefined)) return;
    // From outside, an input that was refused has changed nothing and says nothing about rights.
    if (code === 'http.validation_failed' && record.transport !== 'bus') return;
    record.duration = performance.now() - record.startedAt;
    record.error = code;
    record.outcome = code === undefined ? 'ok' : isRefusal(code) ? 'refused' : 'failed';
    record.resourceId ??= id;
    if (code === undefined && record.transactionLines) {
      record.transactionLines.push(record);
      return;
    }
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
        this.#log.warn({ err: error, tenant: tenant.id }, 'could not write the audit log; trying again');
        this.#pending.unshift(...batch.slice(-mostPending));
      }
    }
  }
}

/** The call was refused; the action was not run. */
function isRefusal(code: string): boolean {
  return /^(bus\.|auth\.|modules\.not_installed$|http\.validation_failed$)/.test(code);
}

function idOf(value: unknown): string | undefined {
  const id = (value as { id?: unknown } | null | undefined)?.id;
  return typeof id === 'string' || typeof id === 'number' ? String(id) : undefined;
}

async function insertRecords(db: Db, records: readonly AuditRecord[]): Promise<void> {
  for (const record of records) record.id ??= uuidv7();
  const rows = records.map((record) => ({
    id: record.id,
    at: new Date(record.at).toISOString(),
    transport: record.transport,
    module: record.module ?? null,
    user_id: record.userId ?? null,
    action: record.action,
    resource: record.action.slice(0, record.action.indexOf('.')),
    resource_id: record.resourceId?.slice(0, longestId).replaceAll('\0', '\ufffd').toWellFormed() ?? null,
    outcome: record.outcome,
    error_code: record.error ?? null,
    request_id: record.requestId,
    duration_ms: record.duration,
    input: redact(record.input),
    changes: redact(textOf(record.changes, longestChanges, shorten)),
  }));
  await db.run(sql`
    INSERT INTO module_bus_audit_log
    SELECT * FROM jsonb_populate_recordset(NULL::module_bus_audit_log, ${JSON.stringify(rows)}::jsonb)
    ON CONFLICT (id) DO UPDATE SET changes = excluded.changes, outcome = excluded.outcome,
      error_code = excluded.error_code, resource_id = excluded.resource_id, duration_ms = excluded.duration_ms`);
}

/** A value as JSON, or what can be said of one that is too long or too deep to be kept. */
function textOf(
  value: unknown,
  longest: number,
  replace?: (key: string, value: unknown) => unknown,
): string | undefined {
  try {
    const text = JSON.stringify(value, replace) as string | undefined;
    return text && text.length > longest ? `{"too_long":${text.length}}` : text;
  } catch {
    return '{"unreadable":true}';
  }
}

function shorten(_: string, value: unknown): unknown {
  return typeof value === 'string' && value.length > longestText ? `${value.slice(0, longestText)}…` : value;
}

/** The input without what must not be kept. Ids stay: they tell what was done to whom for as long as somebody is there. */
function redact(input: string | undefined): unknown {
  if (input === undefined) return null;
  // PostgreSQL can store neither the character NUL nor half of a character.
  const text = input.replace(/(?<!\\)((?:\\\\)*)\\u(?:0000|d[89a-f][0-9a-f]{2})/g, '$1\\ufffd');
  if (!hiddenSomewhere.test(text)) return JSON.parse(text);
  return JSON.parse(text, (key, value) => (hiddenName.test(key) ? '••••' : value));
}
