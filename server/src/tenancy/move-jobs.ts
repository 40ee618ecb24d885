import { systemJob, Type } from '@chowk/kit/kernel';
import type { Central } from './central-database.ts';
import { listInterruptedMoves, settleMove } from './move-tenant.ts';

/** The kernel's job that finishes or undoes moves whose process has died, so that no tenant stays paused. */
export function moveJobs(central: Central) {
  return {
    'kernel.settle_moves': systemJob({
      data: Type.Object({}),
      schedule: '* * * * *',
      async run({ log }) {
        for (const { tenant_id: tenant } of await listInterruptedMoves(central)) {
          await settleMove(central, tenant).catch((err: unknown) =>
            log.warn({ err, tenant }, 'could not settle an interrupted move; trying again in a minute'),
          );
        }
      },
    }),
  };
}
