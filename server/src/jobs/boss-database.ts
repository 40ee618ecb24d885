import type { Db as BossDatabase } from 'pg-boss';
import type { ConnectionBudget, Target } from '../db/budget.ts';
import type { Signals } from '../db/signals.ts';

/** The workers of all queues poll at once; with a connection for each, an idle process would hold more than a dozen. */
const maxConnections = 4;

/** Runs pg-boss on the connection budget of the process and on its one listening connection. */
export function bossDatabase(budget: ConnectionBudget, central: Target, signals: Signals): BossDatabase {
  const limit = concurrencyLimit(maxConnections);
  return {
    executeSql: (text, values) =>
      limit(async () => {
        const lease = await budget.acquire(central);
        try {
          return await lease.connection.queryWithDefaults(text, values);
        } finally {
          budget.release(lease);
        }
      }),
    async listen(channel, onNotification, onReconnect) {
      await signals.listen(channel, { onNotify: onNotification, onConnectionChange: (ok) => ok && onReconnect() });
      return { close: async () => {} };
    },
  };
}

/** Returns a function that runs at most `count` tasks at once; the others wait in order. */
function concurrencyLimit(count: number) {
  const waiting: (() => void)[] = [];
  let free = count;
  return async <Result>(task: () => Promise<Result>): Promise<Result> => {
    if (free > 0) free -= 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await task();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else free += 1;
    }
  };
}
