import { findLastChange } from '../packages/module-history.ts';
import type { RingModules } from '../packages/ring-modules.ts';
import { recordOperation } from '../tenancy/rings.ts';
import { applyChange, type ChangeReport, changeModules, reportChange } from './change-modules.ts';
import type { Command } from './command.ts';

export const moduleRollbackCommand: Command = {
  name: 'module:rollback',
  usage: '<alias> [--ring=<ring>] [--reason=<text>] [--json]',
  summary:
    'undo the last installation, upgrade, promotion or removal of a module in a ring; databases stay as they are',
  options: { ring: { type: 'string' }, reason: { type: 'string' } },
  positionals: { min: 1, max: 1 },
  async run(session, input) {
    const [alias = ''] = input.positionals;
    const report = await changeModules(session, input, (modules) => rollBack(modules, alias));
    const state = report.to === null ? `has no ${alias}` : `has ${alias} ${report.to}`;
    reportChange(session, input, `Rolled back: the ring ${report.ring} ${state}.`, report);
  },
};

async function rollBack(modules: RingModules, alias: string): Promise<ChangeReport> {
  const { central, ring, lock, operator, reason } = modules;
  const last = await findLastChange(central.db, ring, alias);
  if (!last)
    throw new Error(`nothing of ${alias} in the ring ${ring} can be rolled back; 'chowkd ring:history' lists changes`);
  const [from, to] = [last.to_value ?? undefined, last.from_value ?? undefined];
  if (last.status === 'failed') {
    // The lock file was not changed.
    const operation = { operator, operation: 'module.rollback', ring, alias, from_value: from, to_value: to, reason };
    await recordOperation(central.db, operation);
    return { alias, ring, from: from ?? null, to: to ?? null };
  }
  const locked = lock.modules[alias]?.version;
  if (locked !== from) {
    throw new Error(
      `the last change of ${alias} was to ${from ?? 'remove it'}, but the ring ${ring} has ${locked ?? 'none'}; lock the version you want with module:install, module:upgrade or ring:promote`,
    );
  }
  const integrity = last.details?.from?.integrity;
  return applyChange(modules, {
    operation: 'module.rollback',
    alias,
    to: to === undefined ? undefined : { version: to, integrity },
  });
}
