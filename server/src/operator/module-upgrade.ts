import { gt } from 'semver';
import { isVersion } from '../packages/package-name.ts';
import { applyChange, changeModules, reportChange } from './change-modules.ts';
import { type Command, UsageError } from './command.ts';

export const moduleUpgradeCommand: Command = {
  name: 'module:upgrade',
  usage: '<alias> --to=<version> [--ring=<ring>] [--reason=<text>] [--json]',
  summary: 'move a ring to a newer version of a module: download, check, migrate, run its upgrade hook, lock',
  options: { to: { type: 'string' }, ring: { type: 'string' }, reason: { type: 'string' } },
  positionals: { min: 1, max: 1 },
  async run(session, input) {
    const [alias = ''] = input.positionals;
    const version = String(input.options.to);
    if (!isVersion(version)) throw new UsageError('--to must be a version such as 1.2.0');
    const report = await changeModules(session, input, async (modules) => {
      const locked = modules.lock.modules[alias];
      const { ring } = modules;
      if (!locked)
        throw new Error(`the ring ${ring} has no module ${alias}; run 'chowkd module:install ${alias}@${version}'`);
      if (!gt(version, locked.version)) {
        throw new Error(
          `the ring ${ring} has ${alias} ${locked.version}, which is not older than ${version}; 'chowkd module:rollback ${alias}' goes back`,
        );
      }
      return applyChange(modules, { operation: 'module.upgrade', alias, to: { version }, hook: 'upgrade' });
    });
    reportChange(session, input, `Upgraded ${alias} from ${report.from} to ${report.to}.`, report);
  },
};
