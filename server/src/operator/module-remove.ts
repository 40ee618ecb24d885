import { type Db, sql } from '@chowk/kit/kernel';
import { countOf } from '../count-of.ts';
import { applyChange, changeModules, reportChange } from './change-modules.ts';
import { type Command, UsageError } from './command.ts';

export const moduleRemoveCommand: Command = {
  name: 'module:remove',
  usage: '<alias> [--ring=<ring>] [--yes] [--reason=<text>] [--json]',
  summary: 'remove a module that no tenant has enabled from a ring; its data and packages stay',
  options: { ring: { type: 'string' }, reason: { type: 'string' }, yes: { type: 'boolean' } },
  positionals: { min: 1, max: 1 },
  async run(session, input) {
    const [alias = ''] = input.positionals;
    const report = await changeModules(session, input, async (modules) => {
      const { ring, lock, central } = modules;
      if (!lock.modules[alias]) throw new Error(`the ring ${ring} has no module ${alias}`);
      await requireUnused(central.db, ring, alias);
      if (!input.options.yes) await confirm(session, alias, ring);
      return applyChange(modules, { operation: 'module.remove', alias, to: undefined, hook: 'uninstall' });
    });
    reportChange(session, input, `Removed ${alias} ${report.from} from the ring ${report.ring}.`, report);
  },
};

async function confirm({ ask }: Parameters<Command['run']>[0], alias: string, ring: string): Promise<void> {
  const answer = await ask(`This removes ${alias} from the ring ${ring}. Enter its alias to continue:`);
  if (answer === undefined) throw new UsageError('confirm with --yes');
  if (answer !== alias) throw new UsageError(`${answer} is not ${alias}; nothing was removed`);
}

async function requireUnused(db: Db, ring: string, alias: string): Promise<void> {
  const tenants = await listTenantsWith(db, ring, alias);
  if (tenants.length === 0) return;
  const names = `${tenants.slice(0, 5).join(', ')}${tenants.length > 5 ? ', …' : ''}`;
  throw new Error(
    `${countOf(tenants.length, 'tenant')} of the ring ${ring} ${tenants.length === 1 ? 'has' : 'have'} ${alias} enabled (${names}); disable it for them first`,
  );
}

async function listTenantsWith(db: Db, ring: string, alias: string): Promise<string[]> {
  const rows = await db.rows<{ id: string }>(sql`
    SELECT t.id FROM tenants t JOIN module_rings r ON r.id = t.module_ring_id
      JOIN module_installations i ON i.tenant_id = t.id
    WHERE r.name = ${ring} AND i.alias = ${alias} AND i.status = 'enabled' ORDER BY 1`);
  return rows.map(({ id }) => id);
}
