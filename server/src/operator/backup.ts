import { summarize } from '../backup/backup-manifest.ts';
import { backUpPlatform } from '../backup/create-backup.ts';
import { throttled } from './archive-services.ts';
import { backupServices } from './backup-services.ts';
import type { Command } from './command.ts';

export const backupCommand: Command = {
  name: 'backup',
  usage: '[--json]',
  summary:
    'back up the platform to BACKUP_PATH or BACKUP_STORAGE_URL: databases, files, keys and lock files, encrypted',
  async run({ kernel, say, table, progress }, { options }) {
    const { manifest, written, removed } = await backUpPlatform(
      await backupServices(await kernel(), throttled(progress)),
    );
    const summary = summarize(manifest);
    if (options.json) {
      table([{ ...summary, written, missing_files: manifest.missing_files, failed: manifest.failed, removed }], '');
    } else {
      say(`Backup ${summary.id}: ${summary.tenants} tenants, ${summary.files.toLocaleString('en')} files.`);
      say(`${megabytes(summary.bytes)} in all, ${megabytes(written)} of them new.`);
      if (manifest.missing_files > 0) say(`${manifest.missing_files} files do not exist any more.`);
      if (removed.length > 0) say(`Removed ${removed.join(', ')}.`);
    }
    const [first] = manifest.failed;
    if (first)
      throw new Error(`${manifest.failed.length} tenants are not in the backup, such as ${first.id}: ${first.error}`);
  },
};

export function megabytes(bytes: number): string {
  return `${(bytes / 1_048_576).toFixed(1)} MB`;
}
