import { randomBytes } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { sql } from '@chowk/kit/kernel';
import { writeArchive } from '../tenancy/archive-export.ts';
import { Measure } from '../tenancy/archive-manifest.ts';
import type { FileRow } from '../tenancy/archive-services.ts';
import { withSnapshot } from '../tenancy/archive-source.ts';
import { backupRules } from '../tenancy/archive-tables.ts';
import { type Central, runIfUnlocked } from '../tenancy/central-database.ts';
import { installationId } from '../tenancy/tenant-databases.ts';
import { version } from '../version.ts';
import {
  type BackupManifest,
  type FileEntry,
  type FileList,
  manifestFormat,
  type TenantBackup,
} from './backup-manifest.ts';
import { recordRun } from './backup-runs.ts';
import type { BackupServices } from './backup-services.ts';
import { withCentralSnapshot, writeCentralArchive } from './central-archive.ts';
import { pruneBackups } from './prune-backups.ts';

export class BackupUnderWay extends Error {}

export interface CreatedBackup {
  readonly manifest: BackupManifest;
  /** What this backup has added to the place, in bytes. */
  readonly written: number;
  readonly removed: readonly string[];
}

/** Counts of a backup under way. */
interface Totals {
  written: number;
  missingFiles: number;
}

interface TenantPlace {
  readonly id: string;
  readonly ring: string;
  readonly server: string;
  readonly database: string;
}

/** Backs up the platform. Throws if another backup is under way. */
export function backUpPlatform(services: BackupServices): Promise<CreatedBackup> {
  return exclusively(services, async () => {
    const { archives, store } = services;
    const { central } = archives;
    const totals: Totals = { written: 0, missingFiles: 0 };
    const begun = await begin(services);
    const tenants = new Map<string, TenantBackup>();
    const failed = new Map<string, string>();
    const backUpAll = async (places: readonly TenantPlace[]) => {
      for (const place of places.filter(({ id }) => !tenants.has(id) && !failed.has(id))) {
        archives.onProgress(`${tenants.size + failed.size + 1}/${places.length} ${place.id}`);
        await backUpTenant(services, place, begun.folder, totals).then(
          (backup) => tenants.set(place.id, backup),
          (error: Error) => failed.set(place.id, error.message),
        );
      }
    };
    return begun.finish(async () => {
      await backUpAll(await listTenants(central));
      // After the tenants, so that it has every user that their rows refer to.
      const written = await withCentralSnapshot(central, async (snapshot) => {
        const path = join(begun.folder, 'central.zip');
        await writeCentralArchive(snapshot, path);
        const object = `central/${begun.id}`;
        const archive = await store.writeFile(object, path);
        totals.written += archive.bytes;
        const files = await backUpFiles(
          services,
          { tenantId: undefined, rows: snapshot.fileRows() },
          begun.folder,
          totals,
        );
        return { archive: { object, bytes: archive.bytes }, files };
      });
      // Those that were created meanwhile.
      await backUpAll(await listTenants(central));
      const existing = new Set((await listTenants(central)).map(({ id }) => id));
      const lost = [...failed].filter(([id]) => existing.has(id)).map(([id, error]) => ({ id, error }));
      return {
        kind: 'platform',
        tenants: [...tenants.values()],
        failed: lost,
        missing_files: totals.missingFiles,
        central: written,
        rings: await services.readRings(central.db),
        keys: await services.readKeys(),
      };
    }, totals);
  });
}

/** Backs up one tenant, as before a restore. */
export function backUpOne(services: BackupServices, tenantId: string): Promise<CreatedBackup> {
  return exclusively(services, async () => {
    const { central } = services.archives;
    const totals: Totals = { written: 0, missingFiles: 0 };
    const begun = await begin(services, tenantId);
    return begun.finish(async () => {
      const place = (await listTenants(central)).find(({ id }) => id === tenantId);
      if (!place) throw new Error(`${tenantId} is neither active nor suspended`);
      const tenant = await backUpTenant(services, place, begun.folder, totals);
      return {
        kind: 'tenant',
        tenants: [tenant],
        failed: [],
        missing_files: totals.missingFiles,
        rings: (await services.readRings(central.db)).filter(({ name }) => name === place.ring),
      };
    }, totals);
  });
}

async function exclusively<Result>({ archives }: BackupServices, work: () => Promise<Result>): Promise<Result> {
  let result: { readonly value: Result } | undefined;
  await runIfUnlocked(archives.central, 'backup', async () => {
    result = { value: await work() };
  });
  if (!result) throw new BackupUnderWay('another backup is under way');
  return result.value;
}

type Content = Omit<BackupManifest, 'format' | 'id' | 'platform' | 'installation' | 'started_at' | 'finished_at'>;

/** Prepares a backup. It exists when `finish` has written its manifest. */
async function begin({ archives, store, scratch, keep }: BackupServices, tenantId?: string) {
  const { central, now } = archives;
  const startedAt = now();
  const id = backupId(startedAt);
  const folder = join(scratch, id);
  // What a killed backup has left; the lock says that none is under way.
  await rm(scratch, { recursive: true, force: true });
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const run = await recordRun(central.db, { id, kind: 'backup', tenantId });
  const finish = async (work: () => Promise<Content>, totals: Totals): Promise<CreatedBackup> => {
    try {
      const manifest: BackupManifest = {
        format: manifestFormat,
        id,
        platform: version,
        installation: await installationId(central.db),
        started_at: startedAt.toISOString(),
        ...(await work()),
        finished_at: now().toISOString(),
      };
      await store.writeManifest(manifest);
      const { failed } = manifest;
      await run.end(failed[0] && `${failed.length} tenants could not be read, such as ${failed[0].id}`, totals.written);
      const removed = manifest.kind === 'platform' ? await pruneBackups(store, keep) : [];
      return { manifest, written: totals.written, removed };
    } catch (error) {
      await run.end((error as Error).message).catch(() => {});
      throw error;
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  };
  return { id, folder, finish };
}

/** `20260131T120000.123Z-0f3a`: sorted by name is sorted by time. */
function backupId(at: Date): string {
  return `${at.toISOString().replace(/[-:]/g, '')}-${randomBytes(2).toString('hex')}`;
}

async function listTenants({ db }: Central): Promise<TenantPlace[]> {
  return db.rows<TenantPlace>(sql`
    SELECT t.id, r.name AS ring, t.database_server AS server, t.database_name AS database
    FROM tenants t JOIN module_rings r ON r.id = t.module_ring_id
    WHERE t.status IN ('active', 'suspended') ORDER BY t.id`);
}

/** One snapshot: the rows, and the files that they refer to. */
async function backUpTenant(
  services: BackupServices,
  place: TenantPlace,
  folder: string,
  totals: Totals,
): Promise<TenantBackup> {
  const { archives, store } = services;
  const path = join(folder, 'tenant.zip');
  const reader = { ...archives, rules: backupRules(archives.rules) };
  try {
    return await withSnapshot(reader, place.id, async (snapshot) => {
      const { manifest, rows } = await writeArchive(reader, { ...snapshot, async *files() {} }, path);
      const { created_at: _, ...content } = manifest;
      // A tenant whose rows have not changed has the same name, and is not written again.
      const object = `tenants/${place.id}/${store.nameContent(JSON.stringify(content))}`;
      const { isNew, ...archive } = await store.writeFile(object, path);
      if (isNew) totals.written += archive.bytes;
      const files = await backUpFiles(services, { tenantId: place.id, rows: snapshot.fileRows() }, folder, totals);
      return { ...place, rows, archive, files };
    });
  } finally {
    await rm(path, { force: true });
  }
}

/** Files never change, so that one that is there is not read again. */
async function backUpFiles(
  { store, files, archives }: BackupServices,
  { tenantId, rows }: { readonly tenantId: string | undefined; readonly rows: AsyncIterable<FileRow> },
  folder: string,
  totals: Totals,
): Promise<FileList> {
  const path = join(folder, 'files.jsonl');
  const counts = { count: 0, total_bytes: 0 };
  const measure = new Measure();
  const entries = async function* () {
    for await (const { id, module, type, size, is_public } of rows) {
      const row = { id, module, type, size, is_public };
      const object = `files/${files.contentKey(tenantId, row)}`;
      if (!(await store.has(object, size))) {
        const content = await files.readContent(tenantId, row);
        if (!content) {
          totals.missingFiles += 1;
          continue;
        }
        await store.write(object, size, exactly(size, content, object));
        totals.written += size;
      }
      counts.count += 1;
      counts.total_bytes += size;
      if (counts.count % 100 === 0) archives.onProgress(`${counts.count.toLocaleString('en')} files`);
      yield Buffer.from(`${JSON.stringify({ ...row, object } satisfies FileEntry)}\n`);
    }
  };
  await pipeline(measure.through(entries()), createWriteStream(path, { mode: 0o600 }));
  const object = `lists/${tenantId === undefined ? 'central' : `tenants/${tenantId}`}/${store.nameContent(measure.digest().sha256)}`;
  const { isNew: _, ...list } = await store.writeFile(object, path);
  await rm(path, { force: true });
  return { ...list, ...counts };
}

/** Throws for content that does not have the size of its row. */
async function* exactly(size: number, content: AsyncIterable<Uint8Array>, name: string): AsyncGenerator<Uint8Array> {
  let length = 0;
  for await (const chunk of content) {
    length += chunk.length;
    yield chunk;
  }
  if (length !== size) throw new Error(`${name} has ${length} bytes in the storage and ${size} in its row`);
}
