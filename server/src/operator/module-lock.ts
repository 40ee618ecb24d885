import { resolve } from 'node:path';
import { findModules } from '../loader/load-modules.ts';
import { folderIntegrity, type LockFile, writeLockFile } from '../loader/lock-file.ts';
import { lockPath, repository, ringLockPath } from '../loader/lock-path.ts';
import type { Command } from './command.ts';

export const moduleLockCommand: Command = {
  name: 'module:lock',
  usage: '[--ring=<ring>] [--json]',
  summary: 'write the lock file of a ring from the modules in modules/',
  options: { ring: { type: 'string' } },
  async run({ config, say, table }, { options }) {
    const ring = String(options.ring ?? config.ringName);
    const file = resolve(repository, options.ring === undefined ? lockPath(config) : ringLockPath(ring));
    const modules: LockFile['modules'] = {};
    for (const { folder, manifest } of await findModules()) {
      modules[manifest.alias] = { version: manifest.version, integrity: await folderIntegrity(folder) };
    }
    await writeLockFile(file, { lock_version: 1, ring, generated_at: new Date().toISOString(), modules });
    const rows = Object.entries(modules).map(([alias, entry]) => ({ alias, ...entry }));
    if (options.json) table(rows, '');
    else say(`Locked ${rows.length} modules for the ring ${ring} in ${file}.`);
  },
};
