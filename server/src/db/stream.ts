import { type Sql, sql } from '@chowk/kit';
import type { QueryResult } from 'pg';
import type { Connection } from './connection.ts';

type Send = <Row extends object>(query: Sql) => Promise<QueryResult<Row>>;

/** Rows in hand at a time: enough that a round trip does not count, few enough that memory does not. */
const batchSize = 500;
const fetchBatch = sql`FETCH 500 FROM rows_in_turn`;

/** Reads through a cursor of the transaction that `send` speaks in. */
export async function* streamInTransaction<Row extends object>(send: Send, query: Sql): AsyncGenerator<Row> {
  await send(sql`DECLARE rows_in_turn NO SCROLL CURSOR FOR ${query}`);
  for (let more = true; more; ) {
    const { rows } = await send<Row>(fetchBatch);
    yield* rows;
    more = rows.length === batchSize;
  }
  await send(sql`CLOSE rows_in_turn`);
}

/** Reads in a transaction of its own, so that all rows are as of one moment. */
export async function* streamAlone<Row extends object>(connection: Connection, query: Sql): AsyncGenerator<Row> {
  await connection.script('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
  try {
    yield* streamInTransaction<Row>((each) => connection.query(each), query);
  } finally {
    // It has only read: what ends it also ends a reader who went away half way through.
    await connection.script('ROLLBACK').catch(() => {});
  }
}
