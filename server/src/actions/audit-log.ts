import { type Changes, type Db, Failure, type Log, sql } from '@chowk/kit/kernel';
import { databaseFailure } from '../db/failures.ts';
import { newId } from '../ids.ts';
import { isPersonalOrSecret, mayContainPersonalOrSecret } from '../sensitive-fields.ts';
import type { TenantEntry } from '../tenancy/directory.ts';

export type Transport = 'rest' | 'bus' | 'graphql' | 'mcp' | 'job' | 'command' | 'system';

interface Call {
  readonly tenant: TenantEntry;
  readonly transport: Transport;
  /** The calling module; `undefined` for a call from outside. */
  readonly module: string | undefined;
  readonly action: string;
  readonly userId: number | undefined;
  readonly requestId: string;
  /** Whether a call without changes is left out. Default false. */
  readonly changesOnly?: boolean;
  readonly input: unknown;
}

/** A row of `module_bus_audit_log`, completed when the call ends. */
export interface AuditEntry extends Omit<Call, 'input'> {
  /** Set on the first write, not during the call. */
  id?: string;
  readonly at: number;
  readonly startedAt: number;
  /** JSON text. */
  readonly input: string | undefined;
  /** The id of the record that the action concerns. */
  resourceId: string | undefined;
  changes: Changes | undefined;
  outcome: 'ok' | 'refused' | 'failed';
  error: string | undefined;
  duration: number;
  /** The row is committed with the change and up to date. */
  isWritten: boolean;
  /** A transaction with the row is known to be committed. */
  isCommitted: boolean;
  /** The entries that are committed with the transaction that the call is part of. */
  transactionEntries: AuditEntry[] | undefined;
}

/** How a call ended; without a code it succeeded. */
interface Ending {
  readonly code?: string;
  readonly output?: unknown;
  /** The failure tells the caller that somebody has this email or phone. */
  readonly isLookup?: boolean;
}

const flushEveryMs = 1_000;
/** A full batch is written without waiting for the timer. */
const batchSize = 500;
/** Entries kept in memory while a database cannot be written; the oldest are dropped first. */
const maxPending = 50_000;
/** Longer JSON is replaced by its length, in characters. */
const maxInputLength = 4_096;
const maxChangesLength = 65_536;
/** Longer texts among the changes are truncated. */
const maxTextLength = 500;
/** The id is indexed. */
const maxIdLength = 255;
/**
 * Writes the audit log. The entry of a change is committed with the change (`write`); all other entries are written in
 * batches, and no call waits for them.
 */
export class AuditLog {
  readonly #log: Log;
  readonly #timer: NodeJS.Timeout;
  #pending: AuditEntry[] = [];
  #flushing: Promise<void> | undefined;

  constructor(log: Log) {
    this.#log = log;
    this.#timer = setInterval(() => void this.#write(), flushEveryMs).unref();
  }

  begin({ tenant, transport, module, action, userId, requestId, changesOnly = false, input }: Call): AuditEntry {
    return {
      // Serialized now: the action may modify its input.
      tenant,
      transport,
      module,
      action,
      userId,
      requestId,
      changesOnly,
      input: jsonText(input, maxInputLength),
      at: Date.now(),
      startedAt: performance.now(),
      duration: 0,
      outcome: 'ok',
      error: undefined,
      resourceId: readId(input),
      changes: undefined,
      transactionEntries: undefined,
      isWritten: false,
      isCommitted: false,
    };
  }

  /** Writes entries in the transaction of the change. The statements are sent before the function returns. */
  write(db: Db, entries: readonly AuditEntry[]): Promise<unknown> {
    const recorded = entries.filter(isRecorded);
    for (const entry of recorded) entry.duration = performance.now() - entry.startedAt;
    return Promise.all(recorded.map((entry) => insertEntry(db, entry)));
  }

  fail(entry: AuditEntry, error: unknown): void {
    const isFailure = error instanceof Failure;
    this.end(entry, { code: isFailure ? error.code : 'http.internal', isLookup: isFailure && isLookup(error) });
  }

  /** Completes an entry; without a code the call succeeded. */
  end(entry: AuditEntry, { code, output, isLookup = false }: Ending): void {
    if (!isRecorded(entry)) return;
    const id = readId(output);
    if (code === undefined && entry.isWritten && (entry.resourceId !== undefined || id === undefined)) return;
    // Invalid input from outside has changed nothing and is not recorded, unless the refusal reveals something.
    if (code === 'http.validation_failed' && entry.transport !== 'bus' && !isLookup) return;
    entry.duration = performance.now() - entry.startedAt;
    entry.error = code;
    entry.outcome = code === undefined ? 'ok' : isRefusal(code) ? 'refused' : 'failed';
    entry.resourceId ??= id;
    if (code === undefined && entry.transactionEntries) {
      entry.transactionEntries.push(entry);
      return;
    }
    this.#pending.push(entry);
    if (this.#pending.length > maxPending) this.#pending.splice(0, this.#pending.length - maxPending);
    if (this.#pending.length % batchSize === 0) void this.#write();
  }

  /** Resolves when all pending entries are written. Entries that cannot be written are retried later. */
  async flush(): Promise<void> {
    // A write in progress does not include the latest entries.
    if (this.#flushing) await this.#flushing;
    await this.#write();
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.flush();
  }

  /** One write at a time; concurrent calls share it. */
  #write(): Promise<void> {
    this.#flushing ??= this.#writeAll().finally(() => {
      this.#flushing = undefined;
    });
    return this.#flushing;
  }

  async #writeAll(): Promise<void> {
    const entries = this.#pending;
    this.#pending = [];
    for (const [tenant, batch] of Map.groupBy(entries, ({ tenant }) => tenant)) {
      const unwritten = await this.#writeBatch(tenant, batch);
      this.#pending.unshift(...unwritten.slice(-maxPending));
    }
  }

  /** Resolves to the entries to retry. If PostgreSQL refuses one of the entries, the others are written one by one. */
  async #writeBatch(tenant: TenantEntry, batch: readonly AuditEntry[]): Promise<readonly AuditEntry[]> {
    try {
      await tenant.db.tx((tx) => Promise.all(batch.map((entry) => insertEntry(tx, entry))));
      return [];
    } catch (error) {
      const [only, ...others] = batch;
      if (only && isRefused(error)) {
        if (others.length > 0) return this.#writeSeparately(tenant, batch);
        this.#log.error(
          { err: error, tenant: tenant.id, action: only.action },
          'dropped an audit entry that PostgreSQL refuses',
        );
        return [];
      }
      this.#log.warn({ err: error, tenant: tenant.id }, 'could not write the audit log; will retry');
      return batch;
    }
  }

  async #writeSeparately(tenant: TenantEntry, batch: readonly AuditEntry[]): Promise<readonly AuditEntry[]> {
    for (const [index, entry] of batch.entries()) {
      const unwritten = await this.#writeBatch(tenant, [entry]);
      // The database has become unavailable.
      if (unwritten.length > 0) return batch.slice(index);
    }
    return [];
  }
}

/** Completes the audit entry, if there is one, with the outcome of the work. */
export async function withAuditEntry<Output>(
  audit: AuditLog,
  auditEntry: AuditEntry | undefined,
  work: () => Promise<Output>,
): Promise<Output> {
  if (!auditEntry) return work();
  try {
    const output = await work();
    audit.end(auditEntry, { output });
    return output;
  } catch (error) {
    audit.fail(auditEntry, error);
    throw error;
  }
}

/** Whether the entry is the cause of the error, and not the database or the connection. */
function isRefused(error: unknown): boolean {
  if (error instanceof Failure || databaseFailure(error)?.status === 503) return false;
  const { code } = error as { code?: unknown };
  return typeof code !== 'string' || !/^(08|25|28|3D|40|42|53|55|57|58)/.test(code);
}

function isRecorded({ changesOnly, changes }: AuditEntry): boolean {
  return !changesOnly || changes !== undefined;
}

function isLookup({ extras: { errors = {} } }: Failure): boolean {
  return Object.entries(errors).some(
    ([field, problems]) => isPersonalOrSecret(field) && problems.some(({ code }) => code === 'taken'),
  );
}

/** Whether the action was not run because the call was refused. */
function isRefusal(code: string): boolean {
  return /^(bus\.|auth\.|modules\.not_installed$|http\.validation_failed$)/.test(code);
}

function readId(value: unknown): string | undefined {
  const id = (value as { id?: unknown } | null | undefined)?.id;
  return typeof id === 'string' || typeof id === 'number' ? String(id) : undefined;
}

/** Not `async`: what fails before the statement is sent must throw, so that the transaction is rolled back. */
function insertEntry(db: Db, entry: AuditEntry): Promise<unknown> {
  // Only an entry that was inserted before can conflict, and an INSERT that looks for conflicts costs more.
  const onConflict = entry.id === undefined ? sql`` : entry.isCommitted ? updateEntry : keepEntry;
  entry.id ??= newId();
  const { transport, module = null, userId = null, action, outcome, error = null, requestId, duration } = entry;
  const resource = action.slice(0, action.indexOf('.'));
  const resourceId = entry.resourceId?.slice(0, maxIdLength).replaceAll('\0', '\ufffd').toWellFormed() ?? null;
  const changes = maskFields(jsonText(entry.changes, maxChangesLength, truncateText));
  return db.run(sql`
    INSERT INTO module_bus_audit_log (id, at, transport, module, user_id, action, resource, resource_id, outcome,
      error_code, request_id, duration_ms, input, changes)
    VALUES (${entry.id}, ${new Date(entry.at)}, ${transport}, ${module}, ${userId}, ${action}, ${resource},
      ${resourceId}, ${outcome}, ${error}, ${requestId}, ${duration}, ${maskFields(entry.input)}::jsonb,
      ${changes}::jsonb) ${onConflict}`);
}

/** The call failed because the response to COMMIT was lost. If the row exists, the change has been made. */
const keepEntry = sql`ON CONFLICT (at, id) DO NOTHING`;

const updateEntry = sql`
  ON CONFLICT (at, id) DO UPDATE SET changes = excluded.changes, outcome = excluded.outcome,
    error_code = excluded.error_code, resource_id = excluded.resource_id, duration_ms = excluded.duration_ms,
    updated_at = DEFAULT`;

/** The value as JSON text; a placeholder if it is too long or cannot be serialized. */
function jsonText(
  value: unknown,
  maxLength: number,
  replace?: (key: string, value: unknown) => unknown,
): string | undefined {
  try {
    const text = JSON.stringify(value, replace) as string | undefined;
    return text && text.length > maxLength ? `{"too_long":${text.length}}` : text;
  } catch {
    return '{"unreadable":true}';
  }
}

function truncateText(_: string, value: unknown): unknown {
  return typeof value === 'string' && value.length > maxTextLength ? `${value.slice(0, maxTextLength)}…` : value;
}

/** Masks secrets and personal data in JSON text. Ids are kept. */
function maskFields(input: string | undefined): string | null {
  if (input === undefined) return null;
  // PostgreSQL can store neither NUL nor unpaired surrogates.
  const text = input.replace(/(?<!\\)((?:\\\\)*)\\u(?:0000|d[89a-f][0-9a-f]{2})/g, '$1\\ufffd');
  if (!mayContainPersonalOrSecret(text)) return text;
  return JSON.stringify(JSON.parse(text, (key, value) => (isPersonalOrSecret(key) ? '••••' : value)));
}
