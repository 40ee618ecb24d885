import { listPlans } from '../tenancy/plans.ts';
import type { Command } from './command.ts';

export const planListCommand: Command = {
  name: 'plan:list',
  usage: '[--json]',
  summary: 'list the plans with their limits and their number of tenants',
  async run({ kernel, say, table }, { options }) {
    const { central } = await kernel();
    const plans = await listPlans(central.db);
    if (plans.length === 0 && !options.json) {
      return say("There is no plan: no tenant has limits of its own. Create one with 'chowkd plan:set'.");
    }
    table(plans, '');
  },
};
