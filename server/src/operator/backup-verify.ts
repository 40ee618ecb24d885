import { openBackupStore } from '../backup/backup-services.ts';
import { verifyBackup } from '../backup/verify-backup.ts';
import { throttled } from './archive-services.ts';
import { scratchFolder } from './backup-services.ts';
import type { Command } from './command.ts';

export const backupVerifyCommand: Command = {
  name: 'backup:verify',
  usage: '[<id>] [--all] [--json]',
  summary: 'decrypt a backup, the newest by default, and check every digest',
  options: { all: { type: 'boolean' } },
  positionals: { min: 0, max: 1 },
  async run({ config, table, say, progress }, { positionals: [id = 'latest'], options }) {
    const store = await openBackupStore(config);
    const manifests = options.all
      ? await Promise.all((await store.listIds()).map((one) => store.readManifest(one)))
      : [await store.find(id, () => true)];
    const verification = {
      store,
      scratch: `${scratchFolder(config)}-verify-${process.pid}`,
      onProgress: throttled(progress),
    };
    const checked = new Set<string>();
    const damages = [];
    for (const manifest of manifests) damages.push(...(await verifyBackup(verification, manifest, checked)));
    if (options.json || damages.length > 0) table(damages, '');
    if (damages.length > 0) {
      throw new Error(
        `${damages.length} objects are damaged; delete them in ${store.place}, and the next backup writes them again`,
      );
    }
    if (!options.json) say(`${manifests.map((one) => one.id).join(', ')}: ${checked.size} objects are intact.`);
  },
};
