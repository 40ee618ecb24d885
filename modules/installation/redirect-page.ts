import type { SystemCtx } from '@chowk/kit';
import { isInstalled } from './installed.ts';

const wizard = '/install';

/** Every page redirects to the wizard until the platform is installed, and the wizard to the sign-in page afterwards. */
export async function redirectPage(ctx: SystemCtx, path: string): Promise<string | undefined> {
  if (await isInstalled(ctx)) return path === wizard ? '/login' : undefined;
  return path === wizard ? undefined : wizard;
}
