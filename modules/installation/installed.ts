import { type SystemCtx, sql } from '@chowk/kit';
import { fail } from './errors.ts';
import { hasMarker, writeMarker } from './marker.ts';

/** Cached for a minute; a reset clears it in every process. */
export const installedKey = 'app.installed';

/** Checks the marker file, then the tables. Throws if the database is unreachable. */
export async function isInstalled(ctx: SystemCtx): Promise<boolean> {
  if (await hasMarker(ctx)) return true;
  const { cache } = ctx.system;
  if ((await cache.get(installedKey)) !== true) {
    if (!(await hasUsersAndTenants(ctx))) return false;
    await cache.set(installedKey, true, 60);
  }
  await tryToWriteMarker(ctx);
  return true;
}

export async function mustNotBeInstalled(ctx: SystemCtx): Promise<void> {
  if (await isInstalled(ctx)) throw fail('installation.installed', {}, { body: { redirect: '/login' } });
}

/** A failure is only logged: without the marker file the tables are checked, and the next check retries. */
export async function tryToWriteMarker(ctx: SystemCtx): Promise<void> {
  try {
    await writeMarker(ctx);
  } catch (error) {
    ctx.log.warn({ err: error }, 'could not write the marker file of the installation');
  }
}

async function hasUsersAndTenants(ctx: SystemCtx): Promise<boolean> {
  const tenant = await ctx.central.row(sql`SELECT FROM tenants LIMIT 1`);
  return tenant !== undefined && ctx.bus.call('identity.hasUsers', {});
}
