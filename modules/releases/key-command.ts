import type { ModuleCommand } from '@chowk/kit';
import { createKey, readKeys, removeKey } from './key-files.ts';

export const releasesKeyCommand: ModuleCommand = {
  name: 'releases:key',
  usage: '[--new] [--remove=<id>] [--json]',
  summary: 'list the keys that sign releases of the command-line client; --new makes one, --remove ends one',
  options: { new: { type: 'boolean' }, remove: { type: 'string' } },
  async run({ system }, { options }, { table, progress }) {
    if (options.remove !== undefined) {
      await removeKey(system, String(options.remove));
      progress('Clients that were built with this key only accept no new releases.');
    }
    if (options.new) {
      const { file } = await createKey(system);
      progress(`Stored ${file}. Keep a copy: without it no release can be signed.`);
      progress('Build the client with the public keys below, old and new, before you remove an old one.');
    }
    const keys = await readKeys(system);
    table(
      keys.map(({ id, publicKey }) => ({ id, public_key: publicKey })),
      "There are no keys; 'chowkd releases:key --new' makes one.",
    );
  },
};
