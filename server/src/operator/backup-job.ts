import { sql, systemJob, Type } from '@chowk/kit/kernel';
import { hasBackups } from '../backup/backup-services.ts';
import { BackupUnderWay, backUpPlatform } from '../backup/create-backup.ts';
import type { Config } from '../config/config.ts';
import type { Kernel } from '../kernel.ts';
import { backupServices } from './backup-services.ts';

/** The kernel's job that backs up the platform every night, if a place for backups is configured. */
export function backupJobs(open: () => Kernel, config: Config) {
  if (!hasBackups(config)) return {};
  return {
    'kernel.backup': systemJob({
      data: Type.Object({}),
      queue: 'backup',
      schedule: '43 1 * * *',
      async run({ log }) {
        const kernel = open();
        // Each ring has the schedule.
        const recent = await kernel.central.db.row(sql`
          SELECT FROM backup_runs WHERE kind = 'backup' AND tenant_id IS NULL AND finished_at IS NOT NULL AND error IS NULL
            AND started_at > now() - interval '12 hours'`);
        if (recent) return { skipped: 'there is a recent backup' };
        const created = await backUpPlatform(await backupServices(kernel)).catch((error: unknown) => {
          // A long backup is started again by the queue while it goes on.
          if (!(error instanceof BackupUnderWay)) throw error;
        });
        if (!created) return { skipped: 'another backup is under way' };
        const { manifest, written, removed } = created;
        log.info({ backup: manifest.id, tenants: manifest.tenants.length, written, removed }, 'backed up the platform');
        const [first] = manifest.failed;
        if (first)
          throw new Error(
            `${manifest.failed.length} tenants are not in the backup, such as ${first.id}: ${first.error}`,
          );
        return { backup: manifest.id, written };
      },
    }),
  };
}
