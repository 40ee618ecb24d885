import { summarize } from '../backup/backup-manifest.ts';
import { openBackupStore } from '../backup/backup-services.ts';
import type { Command } from './command.ts';

export const backupListCommand: Command = {
  name: 'backup:list',
  usage: '[--json]',
  summary: 'list the complete backups, the newest first',
  async run({ config, table }) {
    const store = await openBackupStore(config);
    const rows = [];
    for (const id of await store.listIds()) rows.push(summarize(await store.readManifest(id)));
    table(rows, 'There are no backups.');
  },
};
