import { type Db, type SystemCtx, sql } from '@chowk/kit';
import { fail } from './errors.ts';
import { hasMarker, writeMarker } from './marker.ts';

/** Cached for a minute; a reset clears it in every process. */
export const installedKey = 'app.installed';

/** The marker file decides, then the tables. Throws if the database does not answer. */
export async function isInstalled(ctx: SystemCtx): Promise<boolean> {
  if (await hasMarker(ctx)) return true;
  const { cache } = ctx.system;
  if ((await cache.get(installedKey)) !== true) {
    if (!(await hasUsersAndTenants(ctx.central))) return false;
    await cache.set(installedKey, true, 60);
  }
  await tryToWriteMarker(ctx);
  return true;
}

export async function mustNotBeInstalled(ctx: SystemCtx): Promise<void> {
  if (await isInstalled(ctx)) throw fail('installation.installed', {}, { body: { redirect: '/login' } });
}

/** Without the marker file the tables decide, and the next check tries again. */
export async function tryToWriteMarker(ctx: SystemCtx): Promise<void> {
  try {
    await writeMarker(ctx);
  } catch (error) {
    ctx.log.warn({ err: error }, 'could not write the marker file of the installation');
  }
}

async function hasUsersAndTenants(central: Db): Promise<boolean> {
  const tables = await central.row<{ there: boolean }>(sql`
    SELECT to_regclass('users') IS NOT NULL AND to_regclass('tenants') IS NOT NULL AS there`);
  if (!tables?.there) return false;
  const rows = await central.row<{ there: boolean }>(sql`
    SELECT EXISTS (SELECT FROM users) AND EXISTS (SELECT FROM tenants) AS there`);
  return rows?.there ?? false;
}
