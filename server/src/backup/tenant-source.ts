import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { openArchive, type TenantSource } from '../tenancy/archive-source.ts';
import { BackupError } from './backup-error.ts';
import type { BackupManifest, FileEntry, TenantBackup } from './backup-manifest.ts';
import type { BackupServices } from './backup-services.ts';

/** The data of a tenant in a backup. `isNeeded` says which of its files are read. */
export async function withTenantBackup<Result>(
  { store, scratch }: Pick<BackupServices, 'store' | 'scratch'>,
  tenant: TenantBackup,
  work: (source: TenantSource) => Promise<Result>,
  isNeeded: (file: FileEntry) => Promise<boolean> = async () => true,
): Promise<Result> {
  const path = join(scratch, `${tenant.id}.zip`);
  try {
    await store.readToFile(tenant.archive, path);
    const archive = await openArchive(path, { isLarge: true });
    try {
      return await work({
        facts: archive.facts,
        rows: archive.rows,
        async *files() {
          for await (const file of store.readFileList(tenant.files)) {
            if (await isNeeded(file)) yield { id: file.id, module: file.module, content: store.read(file.object) };
          }
        },
      });
    } finally {
      await archive.close();
    }
  } finally {
    await rm(path, { force: true });
  }
}

export function findTenant({ id, tenants }: BackupManifest, tenantId: string): TenantBackup {
  const found = tenants.find((tenant) => tenant.id === tenantId);
  if (!found) throw new BackupError(`the backup ${id} does not have the tenant ${tenantId}`);
  return found;
}
