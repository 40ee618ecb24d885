import { type Db, Failure, type Log, sql } from '@chowk/kit/kernel';
import { databaseFailure } from '../db/failures.ts';

interface Count {
  readonly alias: string;
  readonly version: string;
  calls: number;
  errors: number;
}

const flushEveryMs = 60_000;

/** Counts the calls and the internal errors of each module in this process, for `chowkd ring:promote --soak`. */
export class CallCounts {
  readonly #central: Db;
  readonly #ring: string;
  readonly #log: Log;
  readonly #counts: ReadonlyMap<string, Count>;
  readonly #timer: NodeJS.Timeout;

  constructor(
    central: Db,
    ring: string,
    modules: readonly { readonly alias: string; readonly manifest: { readonly version: string } }[],
    log: Log,
  ) {
    this.#central = central;
    this.#ring = ring;
    this.#log = log;
    this.#counts = new Map(
      modules.map(({ alias, manifest }) => [alias, { alias, version: manifest.version, calls: 0, errors: 0 }]),
    );
    this.#timer = setInterval(() => void this.flush(), flushEveryMs).unref();
  }

  /** A call of an action of the module has ended, with or without an error. */
  add(module: string | undefined, error?: unknown): void {
    const count = module === undefined ? undefined : this.#counts.get(module);
    if (!count) return;
    count.calls += 1;
    if (error !== undefined && isInternal(error)) count.errors += 1;
  }

  /** Adds what was counted since the last time to the row of the hour. What cannot be written is kept for the next time. */
  async flush(): Promise<void> {
    const counts = [...this.#counts.values()].filter(({ calls }) => calls > 0).map((count) => ({ ...count }));
    if (counts.length === 0) return;
    const change = (sign: 1 | -1) => {
      for (const { alias, calls, errors } of counts) {
        const count = this.#counts.get(alias) as Count;
        count.calls += sign * calls;
        count.errors += sign * errors;
      }
    };
    change(-1);
    try {
      await insertCounts(this.#central, this.#ring, counts);
    } catch (error) {
      change(1);
      this.#log.warn({ err: error }, 'could not write the counts of calls; will retry');
    }
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.flush();
  }
}

/** The module is the cause, and not the caller or the database. */
function isInternal(error: unknown): boolean {
  return !(error instanceof Failure) && databaseFailure(error) === undefined;
}

async function insertCounts(central: Db, ring: string, counts: readonly Count[]): Promise<void> {
  const column = <Key extends keyof Count>(key: Key) => counts.map((count) => count[key]);
  await central.run(sql`
    INSERT INTO module_call_counts AS c (ring, alias, version, hour, calls, errors)
    SELECT ${ring}, alias, version, date_trunc('hour', now()), calls, errors
    FROM unnest(${column('alias')}::text[], ${column('version')}::text[], ${column('calls')}::bigint[],
      ${column('errors')}::bigint[]) AS n (alias, version, calls, errors)
    ORDER BY alias
    ON CONFLICT (ring, alias, version, hour) DO UPDATE
      SET calls = c.calls + excluded.calls, errors = c.errors + excluded.errors`);
}
