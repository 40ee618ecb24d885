import type { Sql } from './sql.ts';

/**
 * One database, outside a transaction or inside one. Every value in a query is bound, never spliced.
 * Timestamps come back as ISO 8601 text with `Z`, decimals as text, bigint as number.
 */
export interface Db {
  /** Every row the query yields. */
  rows<Row extends object>(query: Sql): Promise<Row[]>;
  /** The first row, or `undefined`. */
  row<Row extends object>(query: Sql): Promise<Row | undefined>;
  /** Runs the query and says how many rows it touched. */
  run(query: Sql): Promise<number>;
  /** The rows one after the other, as of one moment, in memory only a few hundred at a time. */
  stream<Row extends object>(query: Sql): AsyncIterable<Row>;
  /**
   * Puts rows into a table, however many, and says how many: all of them or, if PostgreSQL refuses one or they cannot be
   * read to their end, none. In memory there are only a few at a time, and it may take as long as it makes progress.
   * `null` and `undefined` are NULL; an array or JSON is given as the text that PostgreSQL reads.
   * Inside a transaction the rows must not come from the transaction itself, and must begin anew when it does.
   */
  copy(
    table: string,
    columns: readonly string[],
    rows: Iterable<readonly unknown[]> | AsyncIterable<readonly unknown[]>,
  ): Promise<number>;
  /**
   * Runs `work` in a transaction; inside a transaction, in a savepoint of it. A serialization failure or a deadlock
   * runs the whole outermost `work` again, so `work` must have no effect outside the database.
   * Await everything in it, and while a savepoint is open use nothing but its handle.
   */
  tx<Result>(work: (tx: Db) => Promise<Result>): Promise<Result>;
}

/** The unique index that a statement has violated; `undefined` for any other error. */
export function violatedIndex(error: unknown): string | undefined {
  const { code, constraint } = error as { code?: unknown; constraint?: string };
  return code === '23505' ? constraint : undefined;
}
