import { existsSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { findModules } from '../loader/load-modules.ts';
import { folderIntegrity, type LockFile, readLockFile, writeLockFile } from '../loader/lock-file.ts';
import { packageFolder } from '../loader/module-folders.ts';
import type { Command, Session } from './command.ts';
import { findLockFile } from './find-lock-file.ts';

export const moduleLockCommand: Command = {
  name: 'module:lock',
  usage: '[--ring=<ring>] [--check] [--json]',
  summary:
    'lock the modules in modules/ and the packages of a ring; with --check, report whether its lock file is up to date',
  options: { ring: { type: 'string' }, check: { type: 'boolean' } },
  async run(session, { options }) {
    const { config, say, table } = session;
    const ring = String(options.ring ?? config.ringName);
    const file = await findLockFile(session, options.ring);
    const locked = await readLocked(file);
    const modules = { ...(await lockPlatformModules()), ...installedPackages(config, locked) };
    const changed = changedModules(locked, modules);
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
    else
      say(
        [`Locked ${rows.length} modules for the ring ${ring} in ${file}.`, ...describeChanges(locked, modules)].join(
          '\n',
        ),
      );
  },
};

/** None if there is no valid file. */
async function readLocked(file: string): Promise<LockFile['modules']> {
  return readLockFile(file).then(
    (lock) => lock.modules,
    () => ({}),
  );
}

async function lockPlatformModules(): Promise<LockFile['modules']> {
  const modules: LockFile['modules'] = {};
  for (const { folder, manifest } of await findModules()) {
    modules[manifest.alias] = { version: manifest.version, integrity: await folderIntegrity(folder) };
  }
  return modules;
}

/** The packages that the ring has stay as they are: their content never changes. */
function installedPackages(config: Session['config'], locked: LockFile['modules']): LockFile['modules'] {
  return Object.fromEntries(
    Object.entries(locked).filter(([alias, { version }]) => existsSync(packageFolder(config, alias, version))),
  );
}

/** The versions that were replaced. A module that is neither in `modules/` nor installed is no longer locked. */
function describeChanges(locked: LockFile['modules'], modules: LockFile['modules']): string[] {
  return Object.entries(locked)
    .filter(([alias, { version }]) => version !== modules[alias]?.version)
    .map(
      ([alias, { version }]) => `  ${alias} ${version} → ${modules[alias]?.version ?? 'not here, no longer locked'}`,
    );
}

/** The aliases whose entries differ. */
function changedModules(locked: LockFile['modules'], modules: LockFile['modules']): string[] {
  const aliases = new Set([...Object.keys(locked), ...Object.keys(modules)]);
  return [...aliases].filter((alias) => !isDeepStrictEqual(locked[alias], modules[alias]));
}
