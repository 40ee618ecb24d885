import type { Db } from '@chowk/kit/kernel';
import { migrate, migrationIds } from '../db/migrations.ts';
import type { Kernel } from '../kernel.ts';
import { autoInstall } from '../loader/installations.ts';
import type { LockFile } from '../loader/lock-file.ts';
import { readLockedMigrations } from '../loader/locked-migrations.ts';
import { readRingLock } from '../loader/ring-lock.ts';
import { recordMigration } from '../tenancy/migrate-fleet.ts';
import { requireRing } from '../tenancy/rings.ts';
import { requireServer } from '../tenancy/servers.ts';
import { showTenant, type TenantSummary } from '../tenancy/tenants.ts';

/** A tenant whose database has all migrations of a ring. */
export interface PreparedTenant {
  /** The migrations that it lacked. */
  readonly applied: readonly string[];
  /** Records the migrations, and enables the modules that every tenant of the ring gets. The tenant must be on the ring. */
  complete(tx: Db): Promise<void>;
}

/** Migrates the tenant's database. All migrations are additive: the ring that the tenant is on still works with them. */
export async function prepareTenant(
  { config, databases }: Kernel,
  { id, server, database }: Pick<TenantSummary, 'id' | 'server' | 'database'>,
  { ring, lock }: { readonly ring: string; readonly lock: LockFile },
): Promise<PreparedTenant> {
  const modules = (await readLockedMigrations(config, lock)).filter(({ manifest }) => !manifest.system);
  const own = databases.sources.filter(({ owner }) => owner === 'kernel');
  const sources = [...own, ...modules.map(({ migrations }) => migrations)];
  const { applied } = await migrate(requireServer(databases, server).address, database, sources);
  const autoInstalled = modules.filter(({ manifest }) => manifest.auto_install).map(({ manifest }) => manifest.alias);
  return {
    applied,
    async complete(tx) {
      await recordMigration(tx, id, migrationIds(sources), null);
      await autoInstall(tx, ring, id, autoInstalled);
    },
  };
}

/** Completes a new tenant whose ring, the default one, is not that of this process. */
export async function completeNewTenant(kernel: Kernel, id: string): Promise<void> {
  const { config, central } = kernel;
  const tenant = (await showTenant(central.db, id)) as TenantSummary;
  if (tenant.ring === config.ringName) return;
  const { lock } = await readRingLock(config, await requireRing(central.db, tenant.ring));
  const prepared = await prepareTenant(kernel, tenant, { ring: tenant.ring, lock });
  await central.db.tx((tx) => prepared.complete(tx));
}
