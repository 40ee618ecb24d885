import { type Log, sql } from '@chowk/kit/kernel';
import { newId } from '../ids.ts';
import type { TenantEntry } from '../tenancy/directory.ts';

/** A request of an API client or an app. */
interface LoggedRequest {
  readonly tenant: TenantEntry;
  readonly clientId: string;
  readonly userId: number;
  readonly method: string;
  /** The pattern of the route, which holds no personal data. */
  readonly path: string;
  readonly status: number;
  readonly milliseconds: number;
  readonly requestId: string;
}

const flushEveryMs = 2_000;
/** A request beyond these in the memory of this process is not logged. */
const maxPending = 20_000;
/** Rows that a tenant keeps. */
const maxRows = 100_000;
/** The number of new rows of a tenant after which the oldest are deleted. */
const trimAfter = 10_000;

interface Pending extends LoggedRequest {
  readonly at: Date;
}

/** Writes the request log in batches. No request waits for it, and none is logged twice: what cannot be written is dropped. */
export class RequestLog {
  readonly #log: Log;
  readonly #timer: NodeJS.Timeout;
  #pending: Pending[] = [];
  #writing: Promise<void> = Promise.resolve();
  /** Rows since the last time that old ones were deleted, by tenant. */
  readonly #written = new Map<string, number>();

  constructor(log: Log) {
    this.#log = log;
    this.#timer = setInterval(() => void this.flush(), flushEveryMs).unref();
  }

  add(request: LoggedRequest): void {
    if (this.#pending.length < maxPending) this.#pending.push({ ...request, at: new Date() });
  }

  /** Resolves when everything that was added is written. */
  flush(): Promise<void> {
    this.#writing = this.#writing.then(() => this.#writeAll());
    return this.#writing;
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.flush();
  }

  async #writeAll(): Promise<void> {
    const requests = this.#pending;
    this.#pending = [];
    for (const [tenant, batch] of Map.groupBy(requests, ({ tenant }) => tenant)) {
      try {
        await this.#write(tenant, batch);
      } catch (error) {
        this.#log.warn({ err: error, tenant: tenant.id, requests: batch.length }, 'could not write the request log');
      }
    }
  }

  async #write({ id, db }: TenantEntry, batch: readonly Pending[]): Promise<void> {
    const rows = batch.map(({ tenant: _, at, ...one }) => ({ ...one, id: newId(), at: at.toISOString() }));
    await db.run(sql`
      INSERT INTO request_log (id, at, client_id, user_id, method, path, status, duration_ms, request_id)
      SELECT r.id, r.at, r."clientId", r."userId", r.method, r.path, r.status, r.milliseconds, r."requestId"
      FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS r(id uuid, at timestamptz, "clientId" text,
        "userId" bigint, method text, path text, status smallint, milliseconds real, "requestId" text)`);
    const written = (this.#written.get(id) ?? 0) + rows.length;
    this.#written.set(id, written < trimAfter ? written : 0);
    if (written < trimAfter) return;
    await db.run(sql`
      DELETE FROM request_log WHERE at < (SELECT at FROM request_log ORDER BY at DESC OFFSET ${maxRows} LIMIT 1)`);
  }
}
