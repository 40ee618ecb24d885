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
   * Runs `work` in a transaction; inside a transaction, in a savepoint of it. A serialization failure or a deadlock
   * runs the whole outermost `work` again, so `work` must have no effect outside the database.
   * Await everything in it, and while a savepoint is open use nothing but its handle.
   */
  tx<Result>(work: (tx: Db) => Promise<Result>): Promise<Result>;
}
