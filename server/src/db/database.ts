import { setTimeout as pause } from 'node:timers/promises';
import { type Db, raw, type Sql, sql } from '@chowk/kit';
import type { QueryResult } from 'pg';
import type { ConnectionBudget, Target } from './budget.ts';
import type { Connection } from './connection.ts';

/** How often a transaction that lost against another one is tried again. */
const retries = 5;
const begin = sql`BEGIN`;
const commit = sql`COMMIT`;
const rollback = sql`ROLLBACK`;

type Send = <Row extends object>(query: Sql) => Promise<QueryResult<Row>>;

/** The database behind a target: each query borrows a connection, each transaction keeps one. */
export function openDatabase(budget: ConnectionBudget, target: Target): Db {
  return {
    ...reader(async (query) => {
      const lease = await budget.acquire(target);
      try {
        return await lease.connection.query(query);
      } finally {
        budget.release(lease);
      }
    }),
    async tx(work) {
      for (let attempt = 1; ; attempt += 1) {
        const lease = await budget.acquire(target);
        try {
          return await inTransaction(lease.connection, work);
        } catch (error) {
          if (attempt > retries || !lostAgainstAnother(error)) throw error;
        } finally {
          budget.release(lease);
        }
        await pause(Math.random() * 10 * 2 ** attempt);
      }
    },
  };
}

function reader(send: Send): Omit<Db, 'tx'> {
  return {
    rows: async <Row extends object>(query: Sql) => (await send<Row>(query)).rows,
    row: async <Row extends object>(query: Sql) => (await send<Row>(query)).rows[0],
    run: async (query) => (await send(query)).rowCount ?? 0,
  };
}

async function inTransaction<Result>(connection: Connection, work: (tx: Db) => Promise<Result>): Promise<Result> {
  // Not awaited: it is pipelined before the first statement of `work`, whose failure would tell of its own.
  const begun = connection.query(begin);
  begun.catch(() => {});
  try {
    const result = await work(transaction(connection, 0));
    await begun;
    await connection.query(commit);
    return result;
  } catch (error) {
    await connection.query(rollback).catch(() => {});
    throw error;
  }
}

function transaction(connection: Connection, depth: number): Db {
  return {
    ...reader((query) => connection.query(query)),
    async tx(work) {
      const savepoint = raw(`s${depth + 1}`);
      await connection.query(sql`SAVEPOINT ${savepoint}`);
      try {
        const result = await work(transaction(connection, depth + 1));
        await connection.query(sql`RELEASE SAVEPOINT ${savepoint}`);
        return result;
      } catch (error) {
        await connection.query(sql`ROLLBACK TO SAVEPOINT ${savepoint}`);
        throw error;
      }
    },
  };
}

/** A serialization failure or a deadlock: nothing is wrong with the transaction but its timing. */
function lostAgainstAnother(error: unknown): boolean {
  const code = (error as { code?: unknown } | undefined)?.code;
  return code === '40001' || code === '40P01';
}
