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
  /** Streams rows of one snapshot, a few hundred at a time. */
  stream<Row extends object>(query: Sql): AsyncIterable<Row>;
  /**
   * Copies rows into a table and returns their number: all of them, or none if one is rejected or the source fails. Rows are
   * streamed, and the query timeout restarts with progress. `null` and `undefined` are NULL; arrays and JSON are text as
   * PostgreSQL reads it. In a transaction the rows must not come from the same transaction, and the source must restart when
   * the transaction is retried.
   */
  copy(
    table: string,
    columns: readonly string[],
    rows: Iterable<readonly unknown[]> | AsyncIterable<readonly unknown[]>,
  ): Promise<number>;
  /**
   * Runs `work` in a transaction, or in a savepoint inside one. After a serialization failure or a deadlock the outermost
   * `work` runs again, so it must have no effects outside the database. Await all queries, and use only the handle of the
   * innermost savepoint.
   */
  tx<Result>(work: (tx: Db) => Promise<Result>): Promise<Result>;
}

/** The unique index that a statement has violated; `undefined` for any other error. */
export function violatedIndex(error: unknown): string | undefined {
  const { code, constraint } = error as { code?: unknown; constraint?: string };
  return code === '23505' ? constraint : undefined;
}
