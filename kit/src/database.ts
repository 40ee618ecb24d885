import type { Sql } from './sql.ts';

/**
 * A database, or a transaction in it. Values in queries are always bound. Timestamps are returned as ISO 8601 text with `Z`,
 * decimals as text, bigint as number.
 */
export interface Db {
  rows<Row extends object>(query: Sql): Promise<Row[]>;
  /** The first row, or `undefined`. */
  row<Row extends object>(query: Sql): Promise<Row | undefined>;
  /** Runs the query and returns the number of affected rows. */
  run(query: Sql): Promise<number>;
  /**
   * In a transaction: sends a statement whose answer only the commit waits for, which fails if the statement does. For the last
   * write of work that holds locks.
   */
  runWithCommit(query: Sql): void;
  /** Streams rows of one snapshot, a few hundred at a time. */
  stream<Row extends object>(query: Sql): AsyncIterable<Row>;
  /**
   * Streams all rows, or none, into a table and returns their number. Arrays and JSON must be text. In a transaction, the
   * source must not read from the same transaction, and must restart when it is retried.
   */
  copy(
    table: string,
    columns: readonly string[],
    rows: Iterable<readonly unknown[]> | AsyncIterable<readonly unknown[]>,
  ): Promise<number>;
  /**
   * Runs `work` in a transaction, or in a savepoint inside one. It runs again after a serialization failure or a deadlock,
   * so it must have no effects outside the database. Await all queries, and use only the innermost handle.
   */
  tx<Result>(work: (tx: Db) => Promise<Result>): Promise<Result>;
  /**
   * In a transaction: its commit releases the locks before it is on the disk, so that those who wait for them do not wait for the
   * disk too. The caller of the transaction still waits for it. For locks that many transactions wait for.
   */
  releaseLocksEarly(): void;
}

/** The unique index that a statement has violated; `undefined` for any other error. */
export function violatedIndex(error: unknown): string | undefined {
  const { code, constraint } = error as { code?: unknown; constraint?: string };
  return code === '23505' ? constraint : undefined;
}
