import type { Log } from '@chowk/kit/kernel';

/** Longer SQL is truncated in the log. It contains no values: they are bound. */
const maxSqlLength = 300;

/** Logs statements that take at least `SLOW_QUERY_MS`. */
export class SlowQueryLog {
  readonly #log: Log;
  readonly #thresholdMs: number;

  constructor(log: Log, thresholdMs: number) {
    this.#log = log;
    this.#thresholdMs = thresholdMs;
  }

  /** `startedAt` as of `performance.now()`. An unnamed statement was not prepared. */
  record(statement: { readonly name: string | undefined; readonly text: string }, startedAt: number): void {
    const durationMs = performance.now() - startedAt;
    if (this.#thresholdMs === 0 || durationMs < this.#thresholdMs) return;
    const sql = statement.text.replace(/\s+/g, ' ').trim().slice(0, maxSqlLength);
    this.#log.warn({ statement: statement.name ?? 'unnamed', duration_ms: Math.round(durationMs), sql }, 'slow query');
  }
}
