import type { SystemCtx } from '@chowk/kit';
import type { DataSeeded } from './schemas.ts';

/** Step 3. */
export async function seedData(ctx: SystemCtx): Promise<DataSeeded> {
  return ctx.central.tx(async (db) => ({
    ...(await ctx.withCentral(db).bus.call('identity.seed', {})),
    ...(await ctx.system.seed(db)),
  }));
}
