import { sql } from '@chowk/kit/kernel';
import { Context } from '../context/context.ts';
import type { Kernel } from '../kernel.ts';
import { autoInstallEverywhere } from '../loader/installations.ts';
import { listAutoInstalled } from '../loader/module-declarations.ts';

/** Seeds the permissions, grants and settings of modules that were added since the platform was installed. */
export async function seedModules(kernel: Kernel): Promise<void> {
  const { central, services } = kernel;
  const installed = await central.db.row(sql`SELECT FROM platform_settings WHERE key = 'installed'`);
  // Before that, seeding is a step of the installation.
  if (!installed) return;
  const ctx = new Context(kernel, { requestId: 'seed', system: true });
  await central.db.tx(async (db) => {
    await ctx.withCentral(db).bus.callIfInstalled('identity.seed', {});
    await services.seed(db);
  });
}

/** Enables new modules with `auto_install` for the tenants of this ring whose databases are migrated. */
export async function enableModules({ central, config, databases, modules }: Kernel): Promise<void> {
  await autoInstallEverywhere(central.db, config.ringName, databases.migrationIds, listAutoInstalled(modules));
}
