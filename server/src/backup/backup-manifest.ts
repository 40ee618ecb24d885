import type { FileRow } from '../tenancy/archive-services.ts';

export const manifestFormat = 1;

/** An encrypted object, with the size of what is encrypted. */
export interface StoredObject {
  readonly object: string;
  readonly bytes: number;
}

/** The files that rows of one database refer to. */
export interface FileList extends StoredObject {
  readonly count: number;
  readonly total_bytes: number;
}

export interface TenantBackup {
  readonly id: string;
  readonly ring: string;
  readonly server: string;
  readonly database: string;
  readonly rows: number;
  readonly archive: StoredObject;
  readonly files: FileList;
}

export interface RingBackup {
  readonly name: string;
  /** The text of its lock file; `null` if there is none. */
  readonly lock: string | null;
}

/** What is not in the databases. */
export interface BackupKeys {
  readonly app_key: string;
  readonly previous_keys: readonly string[];
  /** The key files under `STORAGE_PATH`, by name. */
  readonly files: Readonly<Record<string, string>>;
}

export interface BackupManifest {
  readonly format: number;
  readonly id: string;
  /** A backup of one tenant was made before it was restored. */
  readonly kind: 'platform' | 'tenant';
  readonly platform: string;
  readonly installation: string;
  readonly started_at: string;
  readonly finished_at: string;
  readonly tenants: readonly TenantBackup[];
  /** Tenants that could not be read. */
  readonly failed: readonly { readonly id: string; readonly error: string }[];
  /** Files that were deleted during the backup. */
  readonly missing_files: number;
  /** Absent in a backup of one tenant. */
  readonly central?: { readonly archive: StoredObject; readonly files: FileList };
  readonly rings: readonly RingBackup[];
  readonly keys?: BackupKeys;
}

/** A line of a list of files. */
export interface FileEntry extends Pick<FileRow, 'id' | 'module' | 'type' | 'size' | 'is_public'> {
  readonly object: string;
}

/** What a list of backups needs, without reading their objects. */
export interface BackupSummary {
  readonly id: string;
  readonly kind: BackupManifest['kind'];
  readonly finished_at: string;
  readonly tenants: number;
  readonly files: number;
  readonly bytes: number;
  readonly failed: number;
}

export function summarize({ id, kind, finished_at, tenants, central, failed }: BackupManifest): BackupSummary {
  const lists = [...tenants.map(({ files }) => files), ...(central ? [central.files] : [])];
  const archives = [...tenants.map(({ archive }) => archive), ...(central ? [central.archive] : [])];
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
  return {
    id,
    kind,
    finished_at,
    tenants: tenants.length,
    files: sum(lists.map(({ count }) => count)),
    bytes: sum(archives.map(({ bytes }) => bytes)) + sum(lists.map(({ total_bytes }) => total_bytes)),
    failed: failed.length,
  };
}
