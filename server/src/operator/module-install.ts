import { countOf } from '../count-of.ts';
import { installPackage } from '../packages/install-package.ts';
import { findMissing } from '../packages/missing-packages.ts';
import { type PackageId, readPackageId } from '../packages/package-name.ts';
import { applyChange, changeModules, reportChange } from './change-modules.ts';
import { type Command, type CommandInput, type Session, UsageError } from './command.ts';
import { findLockFile } from './find-lock-file.ts';

export const moduleInstallCommand: Command = {
  name: 'module:install',
  usage: '(<alias>@<version> | --locked) [--ring=<ring>] [--reason=<text>] [--json]',
  summary: 'add a module to a ring; with --locked, download what the lock file of the ring names and is missing here',
  options: { ring: { type: 'string' }, reason: { type: 'string' }, locked: { type: 'boolean' } },
  positionals: { min: 0, max: 1 },
  async run(session, input) {
    const [name] = input.positionals;
    if ((name === undefined) !== (input.options.locked === true)) {
      throw new UsageError('name a version such as notes@1.0.0, or use --locked');
    }
    if (name === undefined) return installLocked(session, input);
    const id = readPackageId(name);
    if (!id) throw new UsageError(`${name} is not a module and a version such as notes@1.0.0`);
    await install(session, input, id);
  },
};

async function install(session: Session, input: CommandInput, id: PackageId): Promise<void> {
  const { alias, version } = id;
  const report = await changeModules(session, input, async (modules) => {
    const locked = modules.lock.modules[alias];
    if (locked && locked.version !== version) {
      throw new Error(
        `the ring ${modules.ring} has ${alias} ${locked.version}; run 'chowkd module:upgrade ${alias} --to=${version} --ring=${modules.ring}'`,
      );
    }
    // A module of the lock file is only downloaded if it is missing here.
    const to = locked ?? { version };
    return applyChange(modules, { operation: 'module.install', alias, to, ...(locked ? {} : { hook: 'install' }) });
  });
  reportChange(session, input, `Installed ${alias} ${version}.`, report);
}

/** Needs no database: for a new machine. */
async function installLocked(session: Session, { options }: CommandInput): Promise<void> {
  const { config, say, table, progress } = session;
  const file = await findLockFile(session, options.ring);
  const missing = await findMissing(config, file);
  for (const { alias, version, integrity } of missing) {
    await installPackage(config, { alias, version }, { integrity, warn: progress });
  }
  if (options.json) table(missing, '');
  else
    say(missing.length === 0 ? `All modules of ${file} are there.` : `Installed ${countOf(missing.length, 'module')}.`);
}
