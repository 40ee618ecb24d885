import type { Db as BossDatabase } from 'pg-boss';
import type { ConnectionBudget, Target } from '../db/budget.ts';
import type { Signals } from '../db/signals.ts';

/** Runs pg-boss on the connection budget of the process and on its one listening connection. */
export function bossDatabase(budget: ConnectionBudget, central: Target, signals: Signals): BossDatabase {
  return {
    async executeSql(text, values) {
      const lease = await budget.acquire(central);
      try {
        return await lease.connection.queryWithDefaults(text, values);
      } finally {
        budget.release(lease);
      }
    },
    async listen(channel, onNotification, onReconnect) {
      await signals.listen(channel, { onNotify: onNotification, onConnectionChange: (ok) => ok && onReconnect() });
      return { close: async () => {} };
    },
  };
}
