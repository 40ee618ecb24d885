import { resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { findModules } from '../loader/load-modules.ts';
import { folderIntegrity, type LockFile, readLockFile, writeLockFile } from '../loader/lock-file.ts';
import { lockPath, repository, ringLockPath } from '../loader/lock-path.ts';
import type { Command } from './command.ts';

export const moduleLockCommand: Command = {
  name: 'module:lock',
  usage: '[--ring=<ring>] [--check] [--json]',
  summary: 'write the lock file of a ring; with --check, report whether it is up to date',
  options: { ring: { type: 'string' }, check: { type: 'boolean' } },
  async run({ config, say, table }, { options }) {
    const ring = String(options.ring ?? config.ringName);
    const file = resolve(repository, options.ring === undefined ? lockPath(config) : ringLockPath(ring));
    const modules: LockFile['modules'] = {};
    for (const { folder, manifest } of await findModules()) {
      modules[manifest.alias] = { version: manifest.version, integrity: await folderIntegrity(folder) };
    }
    const changed = await changedModules(file, modules);
    if (options.check && changed.length > 0) {
      throw new Error(`${file} is out of date (${changed.join(', ')}); run 'chowkd module:lock' or 'npm run fix'`);
    }
    // An unchanged file is not written, so that it keeps its modification time.
    if (changed.length > 0) {
      await writeLockFile(file, { lock_version: 1, ring, generated_at: new Date().toISOString(), modules });
    }
    if (options.check) return;
    const rows = Object.entries(modules).map(([alias, entry]) => ({ alias, ...entry }));
    if (options.json) table(rows, '');
    else say(`Locked ${rows.length} modules for the ring ${ring} in ${file}.`);
  },
};

/** The aliases whose entries differ from the file; all of them if there is no valid file. */
async function changedModules(file: string, modules: LockFile['modules']): Promise<string[]> {
  const locked = await readLockFile(file).then(
    (lock) => lock.modules,
    (): LockFile['modules'] => ({}),
  );
  const aliases = new Set([...Object.keys(locked), ...Object.keys(modules)]);
  return [...aliases].filter((alias) => !isDeepStrictEqual(locked[alias], modules[alias]));
}
