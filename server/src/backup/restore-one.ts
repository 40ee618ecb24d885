import { mkdir, rm } from 'node:fs/promises';
import { type RestoreResult, restoreTenant } from '../tenancy/restore-tenant.ts';
import type { BackupManifest } from './backup-manifest.ts';
import type { BackupServices } from './backup-services.ts';
import { backUpOne } from './create-backup.ts';
import { findTenant, withTenantBackup } from './tenant-source.ts';

export interface TenantRestore extends RestoreResult {
  /** The id of the backup that was made before. */
  readonly safety: string;
}

/** Brings one tenant back to what it was in a backup, after a backup of what it is now. */
export async function restoreFromBackup(
  services: BackupServices,
  manifest: BackupManifest,
  tenantId: string,
): Promise<TenantRestore> {
  const tenant = findTenant(manifest, tenantId);
  const migrations = await services.readMigrations();
  const { manifest: safety } = await backUpOne(services, tenantId);
  const own = { ...services, scratch: `${services.scratch}-restore-${safety.id}` };
  await mkdir(own.scratch, { recursive: true, mode: 0o700 });
  try {
    const result = await withTenantBackup(
      own,
      tenant,
      (source) => restoreTenant(services.archives, tenantId, source, { migrations }),
      // The tenant is in use: a file that is there is not written again.
      async (file) => (await services.files.contentSize(tenantId, file)) !== file.size,
    );
    return { ...result, safety: safety.id };
  } finally {
    await rm(own.scratch, { recursive: true, force: true });
  }
}
