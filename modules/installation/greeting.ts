import type { SystemCtx } from '@chowk/kit';
import { installToken } from './access.ts';
import { isInstalled } from './installed.ts';

/** What to do next, for the operator who has started the server. */
export async function greeting(ctx: SystemCtx, url: string): Promise<string[]> {
  if (await isInstalled(ctx)) return [`Sign in at ${url}/login`];
  const next = `Not installed yet: open ${url}/install or run ./chowkd install in a second terminal`;
  const { isExposed, installToken: chosen } = ctx.system.options;
  return isExposed && chosen === undefined ? [next, `Install token: ${await installToken(ctx)}`] : [next];
}
