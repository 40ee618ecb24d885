import type { Db } from '@chowk/kit/kernel';
import type { Config } from '../config/config.ts';
import type { MigrationSource } from '../db/migrations.ts';
import type { ArchiveServices, FileContents, FileRow } from '../tenancy/archive-services.ts';
import { BackupError } from './backup-error.ts';
import type { BackupKeys, RingBackup } from './backup-manifest.ts';
import { BackupStore } from './backup-store.ts';
import { openObjectStore } from './object-store.ts';

/** The contents of files of tenants and, without an id, of system modules. */
export interface BackupFiles extends FileContents {
  contentKey(tenantId: string | undefined, file: FileRow): string;
  contentSize(tenantId: string | undefined, file: FileRow): Promise<number | undefined>;
  readContent(tenantId: string | undefined, file: FileRow): Promise<AsyncIterable<Uint8Array> | undefined>;
  writeContent(tenantId: string | undefined, file: FileRow, content: AsyncIterable<Uint8Array>): Promise<void>;
}

/** What a backup is made of, and where it is written. */
export interface BackupServices {
  readonly archives: ArchiveServices;
  readonly files: BackupFiles;
  readonly store: BackupStore;
  /** How many backups of the platform are kept. */
  readonly keep: number;
  /** A folder of this machine for files that are being written or read. */
  readonly scratch: string;
  readKeys(): Promise<BackupKeys>;
  readRings(db: Db): Promise<RingBackup[]>;
  /** The migrations of tenants' databases of all rings. */
  readMigrations(): Promise<readonly MigrationSource[]>;
}

export function hasBackups({ backupPath, backupStorageUrl }: Config): boolean {
  return (backupPath ?? backupStorageUrl) !== undefined;
}

/** The place that is configured. Throws if there is none. */
export async function openBackupStore(config: Config, options: { creates?: boolean } = {}): Promise<BackupStore> {
  const objects = await openObjectStore(config);
  if (!objects || config.backupKey === undefined) {
    throw new BackupError('no place for backups is configured: set BACKUP_PATH or BACKUP_STORAGE_URL, and BACKUP_KEY');
  }
  return BackupStore.open(objects, config.backupKey, options);
}
