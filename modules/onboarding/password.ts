import type { Issues, SystemCtx } from '@chowk/kit';

/** Adds a problem that the schema cannot express. */
export async function checkPassword(ctx: SystemCtx, password: string, issues: Issues): Promise<void> {
  const problem = await ctx.bus.call('identity.passwordProblem', { password });
  if (problem) issues.add('password', problem);
}
