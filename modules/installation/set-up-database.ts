import type { SystemCtx } from '@chowk/kit';
import type { DatabaseSetUp } from './schemas.ts';

/** Step 2, under a lock: concurrent runs would create two keys. */
export function setUpDatabase(ctx: SystemCtx): Promise<DatabaseSetUp> {
  return ctx.system.runExclusively('install database', async () => {
    const { applied, skipped } = await ctx.system.migrate();
    const { keysCreated } = await ctx.bus.call('identity.setUp', {});
    return { applied, skipped, keys_created: keysCreated };
  });
}
