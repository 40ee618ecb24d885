import { type Log, systemJob, Type } from '@chowk/kit/kernel';
import type { Central } from './central-database.ts';
import { listInterruptedMoves, settleMove } from './move-tenant.ts';
import { listInterruptedRestores, settleRestore } from './restore-record.ts';

/** The kernel's job that finishes or undoes moves and restores whose process has died, so that no tenant stays paused. */
export function moveJobs(central: Central) {
  return {
    'kernel.settle_moves': systemJob({
      data: Type.Object({}),
      schedule: '* * * * *',
      async run({ log }) {
        for (const { tenant_id: tenant } of await listInterruptedMoves(central)) {
          await settleMove(central, tenant).catch(warn(log, 'move', tenant));
        }
        for (const { tenantId } of await listInterruptedRestores(central)) {
          await settleRestore(central, tenantId).catch(warn(log, 'restore', tenantId));
        }
      },
    }),
  };
}

const warn = (log: Log, what: string, tenant: string) => (err: unknown) =>
  log.warn({ err, tenant }, `could not settle an interrupted ${what}; trying again in a minute`);
