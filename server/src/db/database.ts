import { setTimeout as pause } from 'node:timers/promises';
import type { Db, Sql } from '@chowk/kit/kernel';
import type { ConnectionBudget, Target } from './budget.ts';
import { isStalePlan } from './connection.ts';
import { queryMethods, withCallerStack } from './query-methods.ts';
import { streamInOwnTransaction } from './stream.ts';
import { inTransaction } from './transaction.ts';

/** How often a transaction is retried after a serialization failure, a deadlock or a stale plan. */
const maxRetries = 5;

/** A handle that leases a connection for each query and for each transaction. */
export function openDatabase(budget: ConnectionBudget, target: Target): Db {
  return {
    ...queryMethods(async (query, readResult) => {
      const acquired = budget.acquire(target);
      const lease = acquired instanceof Promise ? await acquired : acquired;
      try {
        return readResult(await lease.connection.query(query));
      } catch (error) {
        throw withCallerStack(error);
      } finally {
        budget.release(lease);
      }
    }),
    async *stream<Row extends object>(query: Sql) {
      const lease = await budget.acquire(target);
      try {
        yield* streamInOwnTransaction<Row>(lease.connection, query);
      } finally {
        budget.release(lease);
      }
    },
    async copy(table, columns, rows) {
      const lease = await budget.acquire(target);
      try {
        // Not retried: the rows can be read only once.
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
          if (attempt > maxRetries || !isRetryable(error)) throw error;
        } finally {
          budget.release(lease);
        }
        await pause(Math.random() * 10 * 2 ** attempt);
      }
    },
    runWithCommit: outsideTransaction,
    releaseLocksEarly: outsideTransaction,
  };
}

export function outsideTransaction(): never {
  throw new Error('this is for transactions only: call it in ctx.tx');
}

function isRetryable(error: unknown): boolean {
  const code = (error as { code?: unknown } | undefined)?.code;
  return code === '40001' || code === '40P01' || isStalePlan(error);
}
