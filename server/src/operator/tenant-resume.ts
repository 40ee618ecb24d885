import { requireTenantId, resumeTenant } from '../tenancy/tenants.ts';
import type { Command } from './command.ts';

export const tenantResumeCommand: Command = {
  name: 'tenant:resume',
  usage: '<id or domain>',
  summary: 'serve a suspended tenant again',
  positionals: { min: 1, max: 1 },
  async run({ kernel, say }, { positionals: [label = ''] }) {
    const { central } = await kernel();
    const id = await requireTenantId(central.db, label);
    if (!(await resumeTenant(central.db, id))) throw new Error(`${id} is not suspended`);
    say(`Resumed ${id}. Jobs that waited run within half a minute.`);
  },
};
