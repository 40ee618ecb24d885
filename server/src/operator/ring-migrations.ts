import { type Db, sql } from '@chowk/kit/kernel';
import type { Config } from '../config/config.ts';
import type { MigrationSource } from '../db/migrations.ts';
import { loadModules } from '../loader/load-modules.ts';
import { ringLockFile } from '../loader/lock-path.ts';
import { type MigrationSources, readMigrationSources } from '../loader/migration-sources.ts';

/**
 * The migrations of the modules of several rings: they share the databases, so that a tenant may have those of a ring that it is not
 * on. Rings whose modules are not on this machine are left out.
 */
export async function readRingMigrations(rings: readonly Config[]): Promise<MigrationSources> {
  const all: MigrationSources[] = [];
  for (const config of rings) {
    const modules = await loadModules(config).catch(() => undefined);
    if (modules) all.push(await readMigrationSources(modules));
  }
  return { central: merge(all.map(({ central }) => central)), tenant: merge(all.map(({ tenant }) => tenant)) };
}

/** The configuration of a process of each ring on this machine, that of this process first. */
export async function listRingConfigs(config: Config, db: Db): Promise<Config[]> {
  const rings = await db.rows<{ name: string; manifest_path: string }>(sql`
    SELECT name, manifest_path FROM module_rings ORDER BY name <> ${config.ringName}, name`);
  return rings.map((ring) => ({ ...config, ringName: ring.name, moduleLockPath: ringLockFile(config, ring) }));
}

/** Two versions of a module have the first migrations in common. */
function merge(all: readonly (readonly MigrationSource[])[]): MigrationSource[] {
  const merged = new Map<string, Map<string, MigrationSource['migrations'][number]>>();
  for (const { owner, migrations } of all.flat()) {
    const own = merged.get(owner) ?? new Map();
    merged.set(owner, own);
    for (const migration of migrations) own.set(migration.name, migration);
  }
  return [...merged].map(([owner, own]) => ({
    owner,
    migrations: [...own.values()].sort((one, other) => (one.name < other.name ? -1 : 1)),
  }));
}
