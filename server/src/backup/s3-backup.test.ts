import { expect, test } from 'vitest';
import { startAccounts } from '../../testing/accounts.ts';
import { filledTenant } from '../../testing/archives.ts';
import { startS3Server } from '../../testing/s3-server.ts';
import { backupServices } from '../operator/backup-services.ts';
import { backUpPlatform } from './create-backup.ts';
import { rehearseRestore } from './rehearse-restore.ts';
import { findTenant } from './tenant-source.ts';
import { verifyBackup } from './verify-backup.ts';

const url = await startS3Server();

test('a platform with files in a bucket is backed up to a bucket, and old backups are removed', async () => {
  const platform = await startAccounts({
    environment: {
      APP_KEY: Buffer.alloc(32, 'test').toString('base64'),
      OBJECT_STORAGE_URL: url,
      BACKUP_STORAGE_URL: url,
      BACKUP_KEY: 'a-passphrase-of-the-operator',
      BACKUP_KEEP: '1',
    },
  });
  const { tenant } = await filledTenant(platform, { size: 5 });
  const services = await backupServices(platform.kernel);
  await backUpPlatform(services);
  const { manifest, removed } = await backUpPlatform(services);
  expect(removed).toHaveLength(1);
  expect(await services.store.listIds()).toEqual([manifest.id]);
  const verification = { store: services.store, scratch: `${services.scratch}-verify`, onProgress() {} };
  expect(await verifyBackup(verification, manifest)).toEqual([]);
  const backup = findTenant(manifest, tenant.id);
  expect(await rehearseRestore(services, manifest, backup)).toMatchObject({ files: 2 });
});
