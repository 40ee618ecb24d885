import type { Log } from '@chowk/kit/kernel';

/** Longer SQL is truncated in the log. It contains no values: they are bound. */
const maxSqlLength = 300;

interface SlowStatement {
  /** An unnamed statement was not prepared. */
  readonly name: string | undefined;
  readonly text: string;
  /** Each tenant has its own. */
  readonly database: string;
}

/** Logs statements that take at least `SLOW_QUERY_MS`. */
export class SlowQueryLog {
  readonly #log: Log;
  readonly #thresholdMs: number;

  constructor(log: Log, thresholdMs: number) {
    this.#log = log;
    this.#thresholdMs = thresholdMs;
  }

  /** `startedAt` as of `performance.now()`. */
  record({ name, text, database }: SlowStatement, startedAt: number): void {
    const durationMs = performance.now() - startedAt;
    if (this.#thresholdMs === 0 || durationMs < this.#thresholdMs) return;
    const sql = text.replace(/\s+/g, ' ').trim().slice(0, maxSqlLength);
    const details = { database, statement: name ?? 'unnamed', duration_ms: Math.round(durationMs), sql };
    this.#log.warn(details, 'slow query');
  }
}
