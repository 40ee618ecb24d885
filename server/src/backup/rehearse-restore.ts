import { randomBytes } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import { raw, sql } from '@chowk/kit/kernel';
import { fillDatabase, inTarget, type Target } from '../tenancy/archive-fill.ts';
import { archivedMigrations, type Manifest } from '../tenancy/archive-manifest.ts';
import type { TenantSource } from '../tenancy/archive-source.ts';
import { backupRules, quote } from '../tenancy/archive-tables.ts';
import { dropDatabase } from '../tenancy/central-database.ts';
import { BackupError } from './backup-error.ts';
import type { BackupManifest, TenantBackup } from './backup-manifest.ts';
import { recordRun } from './backup-runs.ts';
import type { BackupServices } from './backup-services.ts';
import { withTenantBackup } from './tenant-source.ts';

export interface Rehearsal {
  readonly tenant: string;
  readonly tables: number;
  readonly rows: number;
  readonly files: number;
}

/** Restores a tenant to another database, checks it against the backup, and drops it. */
export async function rehearseRestore(
  services: BackupServices,
  manifest: BackupManifest,
  tenant: TenantBackup,
): Promise<Rehearsal> {
  const { archives } = services;
  const suffix = randomBytes(4).toString('hex');
  const run = await recordRun(archives.central.db, {
    id: `rehearsal-${manifest.id}-${suffix}`,
    kind: 'rehearsal',
    tenantId: tenant.id,
  });
  const own = { ...services, scratch: `${services.scratch}-rehearsal-${suffix}` };
  const server = archives.central.servers[0];
  const target = { tenantId: tenant.id, server, database: `rehearsal_${tenant.id.slice(0, 40)}_${suffix}` };
  try {
    await mkdir(own.scratch, { recursive: true, mode: 0o700 });
    const result = await withTenantBackup(own, tenant, (source) => rehearse(services, { tenant, source, target }));
    await run.end();
    return result;
  } catch (error) {
    await run.end((error as Error).message).catch(() => {});
    throw error;
  } finally {
    await dropDatabase(server, target.database).catch(() => {});
    await rm(own.scratch, { recursive: true, force: true });
  }
}

interface Scene {
  readonly tenant: TenantBackup;
  readonly source: TenantSource;
  readonly target: Target;
}

async function rehearse(
  { archives, store, readMigrations }: BackupServices,
  { tenant, source, target }: Scene,
): Promise<Rehearsal> {
  const sources = archivedMigrations(source.facts, await readMigrations());
  const services = { ...archives, rules: backupRules(archives.rules) };
  // Compares the digest of each table with that of the backup.
  await fillDatabase(services, source, { target, sources, isCopy: false });
  const expected = source.facts.tables as Manifest['tables'];
  const rows = await checkRows(target, expected);
  const files = await checkFiles(target, store, tenant);
  return { tenant: tenant.id, tables: expected.length, rows, files };
}

/** A migration of a newer version may add rows, but the database must have all of those of the backup. */
async function checkRows(target: Target, tables: Manifest['tables']): Promise<number> {
  let total = 0;
  await inTarget(target, async (connection) => {
    for (const { name, rows } of tables) {
      const { rows: found } = await connection.query<{ count: number }>(sql`SELECT count(*) FROM ${raw(quote(name))}`);
      const count = found[0]?.count ?? 0;
      if (count < rows)
        throw new BackupError(`the table ${name} has ${count} rows after the restore and ${rows} in the backup`);
      total += count;
    }
  });
  return total;
}

/** Every file that a row refers to must be in the backup, whole. */
async function checkFiles(target: Target, store: BackupServices['store'], { files }: TenantBackup): Promise<number> {
  let count = 0;
  await inTarget(target, async (connection) => {
    for await (const { id, object, size } of store.readFileList(files)) {
      let length = 0;
      for await (const chunk of store.read(object)) length += chunk.length;
      const { rows } = await connection.query<{ size: number }>(sql`SELECT size FROM stored_files WHERE id = ${id}`);
      if (length !== size || rows[0]?.size !== size) throw new BackupError(`${object} is not the file of its row`);
      count += 1;
    }
  });
  return count;
}
