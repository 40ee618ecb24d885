import { requireTenantId, resumeTenant } from '../tenancy/tenants.ts';
import type { Command } from './command.ts';

export const tenantResumeCommand: Command = {
  name: 'tenant:resume',
  usage: '<id or domain> [--json]',
  summary: 'serve a suspended tenant again',
  positionals: { min: 1, max: 1 },
  async run({ kernel, say, table }, { positionals: [label = ''], options }) {
    const { central } = await kernel();
    const id = await requireTenantId(central.db, label);
    if (!(await resumeTenant(central.db, id))) throw new Error(`${id} is not suspended`);
    if (options.json) return table([{ id, status: 'active' }], '');
    say(`Resumed ${id}. Jobs that waited run within half a minute.`);
  },
};
