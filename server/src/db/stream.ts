import { raw, type Sql, sql } from '@chowk/kit/kernel';
import type { QueryResult } from 'pg';
import type { Connection } from './connection.ts';

type Send = <Row extends object>(query: Sql) => Promise<QueryResult<Row>>;

const batchSize = 500;

/**
 * Reads through a cursor in the transaction of `send`, and closes it when the reader is done, stops early or fails.
 * `openCursors` has the numbers of the cursors of the transaction: each has a name of its own.
 */
export async function* streamInTransaction<Row extends object>(
  send: Send,
  query: Sql,
  openCursors: Set<number>,
): AsyncGenerator<Row> {
  let number = 1;
  while (openCursors.has(number)) number += 1;
  openCursors.add(number);
  const cursor = raw(`stream_${number}`);
  const fetchBatch = sql`FETCH ${raw(String(batchSize))} FROM ${cursor}`;
  await send(sql`DECLARE ${cursor} NO SCROLL CURSOR FOR ${query}`);
  try {
    for (let hasNext = true; hasNext; ) {
      const { rows } = await send<Row>(fetchBatch);
      yield* rows;
      hasNext = rows.length === batchSize;
    }
  } finally {
    // If the transaction has failed or is over, so is the cursor.
    await send(sql`CLOSE ${cursor}`).then(
      () => openCursors.delete(number),
      () => {},
    );
  }
}

/** Reads in a new transaction with one snapshot for all rows. */
export async function* streamInOwnTransaction<Row extends object>(
  connection: Connection,
  query: Sql,
): AsyncGenerator<Row> {
  await connection.script('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
  try {
    yield* streamInTransaction<Row>((statement) => connection.query(statement), query, new Set());
  } finally {
    // The transaction is read-only, so ROLLBACK is right after success and after an early return.
    await connection.script('ROLLBACK').catch(() => {});
  }
}
