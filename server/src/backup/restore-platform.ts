import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { raw, sql } from '@chowk/kit/kernel';
import type { Config } from '../config/config.ts';
import { type Connection, withConnection } from '../db/connection.ts';
import type { DatabaseServer } from '../db/server.ts';
import { parseDatabaseUrl } from '../db/server-address.ts';
import type { Kernel } from '../kernel.ts';
import type { MigrationSources } from '../loader/migration-sources.ts';
import { fillDatabase, loadFiles } from '../tenancy/archive-fill.ts';
import { archivedMigrations } from '../tenancy/archive-manifest.ts';
import type { ArchiveServices } from '../tenancy/archive-services.ts';
import { backupRules } from '../tenancy/archive-tables.ts';
import { databaseExists, identifier, type TenantServer } from '../tenancy/central-database.ts';
import { recordMigration } from '../tenancy/migrate-fleet.ts';
import { findServer } from '../tenancy/servers.ts';
import { BackupError } from './backup-error.ts';
import type { BackupKeys, BackupManifest, FileList, TenantBackup } from './backup-manifest.ts';
import type { BackupStore } from './backup-store.ts';
import { CentralArchive } from './central-archive.ts';
import { withTenantBackup } from './tenant-source.ts';

const limits = { connectTimeoutMs: 5_000, queryTimeoutMs: 10 * 60_000 };

/** What the restore needs of the program. */
export interface PlatformRestore {
  readonly config: Config;
  readonly server: DatabaseServer;
  readonly store: BackupStore;
  readonly manifest: BackupManifest;
  readonly scratch: string;
  readonly onProgress: (line: string) => void;
  /** Those of all rings: they share the databases. */
  readonly migrations: MigrationSources;
  /** Boots the platform of a ring, with the keys of the backup, on a central database. */
  bootRing(ring: string, centralDatabase: string): Promise<Kernel>;
  archiveServices(kernel: Kernel): Promise<ArchiveServices>;
}

export interface RestoredPlatform {
  readonly tenants: number;
  readonly files: number;
  readonly tasks: number;
  readonly reports: readonly string[];
}

/**
 * Restores the platform to an empty installation. The central database is built under another name, and gets its own at the end:
 * until then the installation is empty, and a restore that was interrupted starts again.
 */
export async function restorePlatform(restore: PlatformRestore): Promise<RestoredPlatform> {
  const { server, config, manifest } = restore;
  const { keys, central } = manifest;
  if (!keys || !central) throw new BackupError(`the backup ${manifest.id} is of one tenant; name one of the platform`);
  await requireOwnKey(config, keys);
  // In a database that the restore does not rename.
  return withConnection(server.address, 'postgres', limits, async (connection) => {
    const { rows } = await connection.query<{ locked: boolean }>(
      sql`SELECT pg_try_advisory_lock(hashtext(${`restore ${server.centralDatabase}`})) AS locked`,
    );
    if (!rows[0]?.locked) throw new Error('another restore is under way');
    await requireEmpty(restore);
    const next = nextName(server.centralDatabase);
    await removeInterrupted(restore, next);
    await mkdir(restore.scratch, { recursive: true, mode: 0o700 });
    try {
      const result = await fillPlatform(restore, next, central);
      await writeKeys(config, keys);
      await switchTo(server, next);
      await writeMarker(config, keys);
      return result;
    } finally {
      await rm(restore.scratch, { recursive: true, force: true });
    }
  });
}

async function fillPlatform(
  restore: PlatformRestore,
  next: string,
  central: NonNullable<BackupManifest['central']>,
): Promise<RestoredPlatform> {
  const { server, store, manifest, onProgress, scratch } = restore;
  const path = join(scratch, 'central.zip');
  await store.readToFile(central.archive, path);
  const archive = await CentralArchive.open(path);
  try {
    onProgress('central database');
    await createCentral(server, next);
    await archive.load({ address: server.address, database: next }, restore.migrations.central, onProgress);
    const rings = Map.groupBy(manifest.tenants, ({ ring }) => ring);
    const result = { tenants: 0, files: 0, tasks: 0, reports: [] as string[] };
    // The ring of this process restores the rest, also if it has no tenants.
    if (!rings.has(restore.config.ringName)) rings.set(restore.config.ringName, []);
    for (const [ring, tenants] of rings) {
      const kernel = await restore.bootRing(ring, next);
      try {
        await requireNoDatabases(kernel, tenants);
        for (const tenant of tenants) {
          onProgress(`${result.tenants + 1}/${manifest.tenants.length} ${tenant.id}`);
          result.reports.push(...(await restoreOne(restore, kernel, next, tenant)));
          result.tenants += 1;
          result.files += tenant.files.count;
        }
        if (ring !== restore.config.ringName) continue;
        result.files += await restoreCentralFiles(restore, kernel, central.files);
        result.tasks = await archive.addTasks(kernel.jobs, join(scratch, 'tasks.jsonl'));
      } finally {
        await kernel.close();
      }
    }
    result.reports.push(...manifest.failed.map(({ id, error }) => `${id} is not in the backup: ${error}`));
    return result;
  } finally {
    await archive.close();
  }
}

async function restoreOne(
  restore: PlatformRestore,
  kernel: Kernel,
  next: string,
  tenant: TenantBackup,
): Promise<string[]> {
  const { central, databases } = kernel;
  const server = await placeTenant(kernel, tenant);
  await withConnection(restore.server.address, next, limits, (connection) =>
    connection.query(sql`INSERT INTO restore.databases VALUES (${server.name}, ${tenant.database})`),
  );
  await central.db.run(sql`
    UPDATE tenants SET database_server = ${server.name}, database_name = ${tenant.database} WHERE id = ${tenant.id}`);
  const archives = await restore.archiveServices(kernel);
  const services = { ...archives, rules: backupRules(archives.rules), onProgress: restore.onProgress };
  return withTenantBackup(restore, tenant, async (source) => {
    const sources = archivedMigrations(source.facts, restore.migrations.tenant);
    const target = { tenantId: tenant.id, server, database: tenant.database };
    const reports = await fillDatabase(services, source, { target, sources, isCopy: false });
    reports.push(...(await loadFiles(services, source, target, undefined)));
    await central.db.tx(async (tx) => {
      await recordMigration(tx, tenant.id, databases.migrationIds, null);
      await databases.onMigrated(tx, tenant.id);
    });
    return reports.map((report) => `${tenant.id}: ${report}`);
  });
}

/** The server of the backup if there is one of that name. */
async function placeTenant({ central, databases }: Kernel, { server }: TenantBackup): Promise<TenantServer> {
  return findServer(central, server) ?? (await databases.place());
}

async function restoreCentralFiles({ store }: PlatformRestore, { files }: Kernel, list: FileList): Promise<number> {
  for await (const { object, ...row } of store.readFileList(list)) {
    await files.writeContent(undefined, row, store.read(object));
  }
  return list.count;
}

/** Throws if the installation has a user or a tenant. */
async function requireEmpty({ config, server }: PlatformRestore): Promise<void> {
  if (existsSync(join(config.storagePath, 'installed'))) {
    throw new Error(`STORAGE_PATH ${config.storagePath} belongs to an installation; restore to an empty one`);
  }
  const isEmpty = await withConnection(server.address, server.centralDatabase, limits, async (connection) => {
    const { rows } = await connection.query<{ count: number }>(sql`
      SELECT count(*) FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relname IN ('tenants', 'users')`);
    if ((rows[0]?.count ?? 0) < 2) return true;
    const used = await connection.query(sql`
      SELECT 1 FROM (SELECT FROM tenants LIMIT 1) t UNION ALL SELECT 1 FROM (SELECT FROM users LIMIT 1) u`);
    return used.rows.length === 0;
  });
  if (!isEmpty) {
    throw new Error(
      `the database ${server.centralDatabase} has an installation with data; restore to an empty one, or one tenant with 'chowkd tenant:restore --backup'`,
    );
  }
}

/** An installation of its own has another key, and cannot read what the backup has encrypted. */
async function requireOwnKey({ appKey, storagePath }: Config, keys: BackupKeys): Promise<void> {
  const stored = await readFile(join(storagePath, 'app.key'), 'utf8').catch(() => undefined);
  const present = appKey ?? stored?.trim();
  if (present === undefined || present === keys.app_key) return;
  throw new Error(
    appKey === undefined
      ? `STORAGE_PATH ${storagePath} has an app.key of another installation; remove it, or choose another folder`
      : 'APP_KEY is not that of the backup; do not set it, and the restore writes that of the backup',
  );
}

/** Databases that exist may have the only copy of their data. */
async function requireNoDatabases(kernel: Kernel, tenants: readonly TenantBackup[]): Promise<void> {
  const existing: string[] = [];
  for (const tenant of tenants) {
    const server = await placeTenant(kernel, tenant);
    if (await databaseExists(server, tenant.database)) existing.push(`${tenant.database} on ${server.name}`);
  }
  if (existing.length === 0) return;
  throw new Error(
    `${existing.length} databases of the backup exist already, such as ${existing[0]}: drop or rename them, or use another server`,
  );
}

async function createCentral({ address }: DatabaseServer, next: string): Promise<void> {
  await withConnection(address, 'postgres', limits, (connection) =>
    connection.query(sql`CREATE DATABASE ${identifier(next)}`),
  );
  // What a repetition removes if this restore is interrupted.
  await withConnection(address, next, limits, (connection) =>
    connection.script('CREATE SCHEMA restore; CREATE TABLE restore.databases (server text, name text)'),
  );
}

interface CreatedDatabase {
  readonly server: string;
  readonly name: string;
}

/** Drops what an interrupted restore has created. */
async function removeInterrupted({ server: { address }, config }: PlatformRestore, next: string): Promise<void> {
  const drop = (server: typeof address, name: string) =>
    withConnection(server, 'postgres', limits, (connection) =>
      connection.query(sql`DROP DATABASE IF EXISTS ${identifier(name)} WITH (FORCE)`),
    );
  const { rows } = await withConnection(address, 'postgres', limits, (connection) =>
    connection.query(sql`SELECT FROM pg_database WHERE datname = ${next}`),
  );
  if (rows.length === 0) return;
  for (const { server: name, name: database } of await withConnection(address, next, limits, listCreated)) {
    const other = config.databaseServers.find((one) => one.name === name);
    await drop(other ? parseDatabaseUrl(other.url, 'postgres').address : address, database);
  }
  await drop(address, next);
}

/** The databases of tenants, and the templates that they were copied from. */
async function listCreated(connection: Connection): Promise<CreatedDatabase[]> {
  const created: CreatedDatabase[] = [];
  for (const table of ['restore.databases', 'public.prepared_databases']) {
    const { rows } = await connection.query<{ found: boolean }>(sql`SELECT to_regclass(${table}) IS NOT NULL AS found`);
    if (!rows[0]?.found) continue;
    created.push(...(await connection.query<CreatedDatabase>(sql`SELECT server, name FROM ${raw(table)}`)).rows);
  }
  return created;
}

async function writeKeys({ appKey, storagePath }: Config, { app_key, files }: BackupKeys): Promise<void> {
  const keep = { mode: 0o600, flush: true };
  if (appKey === undefined) await writeFile(join(storagePath, 'app.key'), `${app_key}\n`, keep);
  for (const [name, content] of Object.entries(files)) {
    if (name !== 'installed') await writeFile(join(storagePath, name), content, keep);
  }
}

async function writeMarker({ storagePath }: Config, { files: { installed } }: BackupKeys): Promise<void> {
  if (installed !== undefined) await writeFile(join(storagePath, 'installed'), installed);
}

/** From here on the platform is installed. */
async function switchTo({ address, centralDatabase }: DatabaseServer, next: string): Promise<void> {
  await withConnection(address, next, limits, (connection) => connection.script('DROP SCHEMA restore CASCADE'));
  await withConnection(address, 'postgres', limits, async (connection) => {
    await connection.query(sql`DROP DATABASE ${identifier(centralDatabase)} WITH (FORCE)`);
    await connection.query(sql`ALTER DATABASE ${identifier(next)} RENAME TO ${identifier(centralDatabase)}`);
  });
}

/** The same name for every attempt, short enough not to be truncated by PostgreSQL. */
function nextName(database: string): string {
  return `chowk_restore_${createHash('sha256').update(database).digest('hex').slice(0, 12)}`;
}
