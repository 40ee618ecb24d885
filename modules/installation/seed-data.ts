import type { SystemCtx } from '@chowk/kit';
import { identityOf } from './identity.ts';
import type { DataSeeded } from './schemas.ts';

/** Step 3. */
export async function seedData(ctx: SystemCtx): Promise<DataSeeded> {
  const identity = await identityOf(ctx);
  return ctx.central.tx(async (db) => ({ ...(await identity.seed({ db })), ...(await ctx.system.seed(db)) }));
}
