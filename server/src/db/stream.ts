import { type Sql, sql } from '@chowk/kit';
import type { QueryResult } from 'pg';
import type { Connection } from './connection.ts';

type Send = <Row extends object>(query: Sql) => Promise<QueryResult<Row>>;

const batchSize = 500;
const fetchBatch = sql`FETCH 500 FROM stream_cursor`;

/** Reads through a cursor in the transaction of `send`. */
export async function* streamInTransaction<Row extends object>(send: Send, query: Sql): AsyncGenerator<Row> {
  await send(sql`DECLARE stream_cursor NO SCROLL CURSOR FOR ${query}`);
  for (let hasNext = true; hasNext; ) {
    const { rows } = await send<Row>(fetchBatch);
    yield* rows;
    hasNext = rows.length === batchSize;
  }
  await send(sql`CLOSE stream_cursor`);
}

/** Reads in a new transaction with one snapshot for all rows. */
export async function* streamInOwnTransaction<Row extends object>(
  connection: Connection,
  query: Sql,
): AsyncGenerator<Row> {
  await connection.script('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
  try {
    yield* streamInTransaction<Row>((statement) => connection.query(statement), query);
  } finally {
    // The transaction is read-only, so ROLLBACK is right after success and after an early return.
    await connection.script('ROLLBACK').catch(() => {});
  }
}
