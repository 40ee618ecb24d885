import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describeProblem, migrationProblems } from '../db/linter/migration-problems.ts';
import { referenceProblems } from '../loader/check-modules.ts';
import { type LoadedModule, loadModule } from '../loader/load-modules.ts';
import { folderIntegrity, readLockFile } from '../loader/lock-file.ts';
import { lockPath, repository, ringLockPath } from '../loader/lock-path.ts';
import { readManifest } from '../loader/manifest.ts';
import { modulesFolder } from '../loader/module-folders.ts';
import type { Command } from './command.ts';

export const moduleVerifyCommand: Command = {
  name: 'module:verify',
  usage: '[--ring=<ring>] [--json]',
  summary: 'check that the modules match the lock file of a ring, and that they load',
  options: { ring: { type: 'string' } },
  async run({ config, table }, { options }) {
    const file = resolve(
      repository,
      options.ring === undefined ? lockPath(config) : ringLockPath(String(options.ring)),
    );
    const lock = await readLockFile(file);
    const checked = await Promise.all(
      Object.entries(lock.modules).map(async ([alias, pinned]) => ({
        alias,
        version: pinned.version,
        module: await verifyModule(alias, pinned),
      })),
    );
    const modules = checked.map(({ module }) => module).filter((module) => typeof module !== 'string');
    // References to a module that does not load would be reported as wrong.
    const problems = modules.length === checked.length ? referenceProblems(modules) : new Map<string, string[]>();
    const rows = checked.map(({ alias, version, module }) => ({
      alias,
      version,
      state: typeof module === 'string' ? module : problems.get(alias)?.join('; ') || 'ok',
    }));
    table(rows, `${file} lists no modules.`);
    const invalid = rows.filter(({ state }) => state !== 'ok');
    if (invalid.length > 0) {
      const aliases = invalid.map(({ alias }) => alias).join(', ');
      throw new Error(
        `these modules do not match ${file} or do not load: ${aliases}; see their state above, and run "chowkd module:lock" to accept changes`,
      );
    }
  },
};

/** The module, or why it cannot be loaded. */
async function verifyModule(
  alias: string,
  pinned: { version: string; integrity: string },
): Promise<LoadedModule | string> {
  const folder = join(modulesFolder, alias);
  if (!existsSync(folder)) return 'missing';
  try {
    const manifest = await readManifest(join(folder, 'module.json'));
    if (manifest.version !== pinned.version) return `version is ${manifest.version}`;
    if ((await folderIntegrity(folder)) !== pinned.integrity) return 'files changed';
    const module = await loadModule(folder, manifest);
    return (await migrationProblems([module.migrations])).map(describeProblem).join('; ') || module;
  } catch (error) {
    return (error as Error).message;
  }
}
