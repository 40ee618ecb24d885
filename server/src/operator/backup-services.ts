import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Db, sql } from '@chowk/kit/kernel';
import type { BackupKeys, RingBackup } from '../backup/backup-manifest.ts';
import { type BackupServices, openBackupStore } from '../backup/backup-services.ts';
import type { Config } from '../config/config.ts';
import type { Kernel } from '../kernel.ts';
import { ringLockFile } from '../loader/lock-path.ts';
import { SecretBox } from '../secrets.ts';
import { readAppKey } from '../storage.ts';
import { archiveServices } from './archive-services.ts';
import { listRingConfigs, readRingMigrations } from './ring-migrations.ts';

/** The files under `STORAGE_PATH` that an installation needs besides its databases and files. */
const keyFiles = ['oauth-private.key', 'oauth-public.key', 'installed'];

/** What backups of this platform are made of. The place of a first backup is prepared. */
export async function backupServices(kernel: Kernel, onProgress?: (line: string) => void): Promise<BackupServices> {
  const { config, files } = kernel;
  return {
    archives: await archiveServices(kernel, onProgress),
    files,
    store: await openBackupStore(config, { creates: true }),
    keep: config.backupKeep,
    scratch: scratchFolder(config),
    readKeys: () => readKeys(kernel),
    readRings: (db) => readRings(config, db),
    readMigrations: async () => (await readRingMigrations(await listRingConfigs(config, kernel.central.db))).tenant,
  };
}

export function scratchFolder({ storagePath }: Config): string {
  return join(storagePath, 'backup');
}

async function readKeys({ config, secrets }: Kernel): Promise<BackupKeys> {
  const { storagePath: path, appPreviousKey, appPreviousKeys } = config;
  const key = await readAppKey({ path, appKeyFile: join(path, 'app.key') }, config);
  if (new SecretBox(key).keyIds[0] !== secrets.keyIds[0]) throw new Error('app.key was replaced; restart the process');
  const files: Record<string, string> = {};
  for (const name of keyFiles) {
    const content = await readFile(join(path, name), 'utf8').catch(() => undefined);
    if (content !== undefined) files[name] = content;
  }
  const previous = [...appPreviousKeys, ...(appPreviousKey === undefined ? [] : [appPreviousKey])];
  return { app_key: key.toString('base64'), previous_keys: previous, files };
}

async function readRings(config: Config, db: Db): Promise<RingBackup[]> {
  const rings = await db.rows<{ name: string; manifest_path: string }>(
    sql`SELECT name, manifest_path FROM module_rings ORDER BY name`,
  );
  return Promise.all(
    rings.map(async (ring) => ({
      name: ring.name,
      lock: await readFile(ringLockFile(config, ring), 'utf8').catch(() => null),
    })),
  );
}
