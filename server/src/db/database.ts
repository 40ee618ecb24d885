import { setTimeout as pause } from 'node:timers/promises';
import type { Db, Sql } from '@chowk/kit';
import type { ConnectionBudget, Target } from './budget.ts';
import { isStalePlan } from './connection.ts';
import { reader, withCallersStack } from './reader.ts';
import { streamAlone } from './stream.ts';
import { inTransaction } from './transaction.ts';

/** How often a transaction that lost against another one is tried again. */
const retries = 5;

/** The database behind a target: each query borrows a connection, each transaction keeps one. */
export function openDatabase(budget: ConnectionBudget, target: Target): Db {
  return {
    ...reader(async (query, pick) => {
      const turn = budget.acquire(target);
      const lease = turn instanceof Promise ? await turn : turn;
      try {
        return pick(await lease.connection.query(query));
      } catch (error) {
        throw withCallersStack(error);
      } finally {
        budget.release(lease);
      }
    }),
    async *stream<Row extends object>(query: Sql) {
      const lease = await budget.acquire(target);
      try {
        yield* streamAlone<Row>(lease.connection, query);
      } finally {
        budget.release(lease);
      }
    },
    async copy(table, columns, rows) {
      const lease = await budget.acquire(target);
      try {
        // Not tried again: the rows can be read only once.
        return await inTransaction(lease.connection, (tx) => tx.copy(table, columns, rows));
      } finally {
        budget.release(lease);
      }
    },
    async tx(work) {
      for (let attempt = 1; ; attempt += 1) {
        const lease = await budget.acquire(target);
        try {
          return await inTransaction(lease.connection, work);
        } catch (error) {
          if (attempt > retries || !isWorthAnotherTry(error)) throw error;
        } finally {
          budget.release(lease);
        }
        await pause(Math.random() * 10 * 2 ** attempt);
      }
    },
  };
}

/** A serialization failure, a deadlock or an outdated plan: nothing is wrong with the transaction but its timing. */
function isWorthAnotherTry(error: unknown): boolean {
  const code = (error as { code?: unknown } | undefined)?.code;
  return code === '40001' || code === '40P01' || isStalePlan(error);
}
