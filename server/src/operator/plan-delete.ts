import { deletePlan, requirePlan } from '../tenancy/plans.ts';
import type { Command } from './command.ts';

export const planDeleteCommand: Command = {
  name: 'plan:delete',
  usage: '<name> [--json]',
  summary: 'delete a plan that no tenant was given; tenants that have it by default lose its limits',
  positionals: { min: 1, max: 1 },
  async run({ kernel, say, table }, { positionals: [name = ''], options }) {
    const { central } = await kernel();
    await requirePlan(central.db, name);
    if (!(await deletePlan(central.db, name))) {
      throw new Error(`tenants have the plan ${name}; give them another one with 'chowkd plan:assign'`);
    }
    if (options.json) return table([{ name, deleted: true }], '');
    say(`Deleted the plan ${name}.`);
  },
};
