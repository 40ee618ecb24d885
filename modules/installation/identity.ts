import type { SystemCtx } from '@chowk/kit';
import type { Helpers } from '@chowk/kit/catalogue';

/** The internal API of the identity module, without which nothing can be installed. */
export async function identityOf(ctx: SystemCtx): Promise<Helpers['identity']> {
  const identity = await ctx.helpers('identity');
  if (!identity) throw new Error('the module identity is missing from the lock file of this ring; add it');
  return identity;
}
