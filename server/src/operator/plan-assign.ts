import { assignPlan, requirePlan } from '../tenancy/plans.ts';
import { requireTenantId } from '../tenancy/tenants.ts';
import { type Command, UsageError } from './command.ts';

export const planAssignCommand: Command = {
  name: 'plan:assign',
  usage: '<tenant id or domain> (<plan> | --default) [--json]',
  summary: 'give a tenant a plan, from its next request on; with --default, that of tenants without one',
  options: { default: { type: 'boolean' } },
  positionals: { min: 1, max: 2 },
  async run({ kernel, say, table }, { positionals: [label = '', name], options }) {
    if ((name === undefined) !== (options.default === true))
      throw new UsageError('give the name of a plan, or --default');
    const { central } = await kernel();
    const id = await requireTenantId(central.db, label);
    if (name !== undefined) await requirePlan(central.db, name);
    await assignPlan(central.db, id, name ?? null);
    if (options.json) return table([{ id, plan: name ?? null }], '');
    say(name === undefined ? `${id} has the default plan.` : `${id} has the plan ${name}.`);
  },
};
