import { requireTenantId, suspendTenant } from '../tenancy/tenants.ts';
import type { Command } from './command.ts';

export const tenantSuspendCommand: Command = {
  name: 'tenant:suspend',
  usage: '<id or domain> [--reason=<text>] [--json]',
  summary: 'refuse all requests of a tenant until it is resumed; its jobs wait and its data stays',
  options: { reason: { type: 'string' } },
  positionals: { min: 1, max: 1 },
  async run({ kernel, say, table }, { positionals: [label = ''], options }) {
    const { central } = await kernel();
    const id = await requireTenantId(central.db, label);
    if (!(await suspendTenant(central.db, id, typeof options.reason === 'string' ? options.reason : null))) {
      throw new Error(`${id} is not active; see 'chowkd tenant:show ${id}'`);
    }
    if (options.json) return table([{ id, status: 'suspended' }], '');
    say(`Suspended ${id}. Resume it with 'chowkd tenant:resume ${id}'.`);
  },
};
