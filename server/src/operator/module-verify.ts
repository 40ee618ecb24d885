import { describeProblem, migrationProblems } from '../db/linter/migration-problems.ts';
import { referenceProblems } from '../loader/check-modules.ts';
import { type LoadedModule, loadModule, openModule } from '../loader/load-modules.ts';
import { folderIntegrity, type LockedModule, readLockFile } from '../loader/lock-file.ts';
import type { Command, Session } from './command.ts';
import { findLockFile } from './find-lock-file.ts';

export const moduleVerifyCommand: Command = {
  name: 'module:verify',
  usage: '[--ring=<ring>] [--json]',
  summary: 'check that the modules match the lock file of a ring, load and work together',
  options: { ring: { type: 'string' } },
  async run(session, { options }) {
    const { config, table } = session;
    const file = await findLockFile(session, options.ring);
    const lock = await readLockFile(file);
    const checked = await Promise.all(
      Object.entries(lock.modules).map(async ([alias, pinned]) => ({
        alias,
        version: pinned.version,
        module: await verifyModule(config, alias, pinned),
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
  config: Session['config'],
  alias: string,
  pinned: LockedModule,
): Promise<LoadedModule | string> {
  try {
    const { folder, manifest } = await openModule(config, alias, pinned);
    if ((await folderIntegrity(folder)) !== pinned.integrity) return 'files changed';
    const module = await loadModule(folder, manifest);
    return (await migrationProblems([module.migrations])).map(describeProblem).join('; ') || module;
  } catch (error) {
    return (error as Error).message;
  }
}
