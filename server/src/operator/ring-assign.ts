import { countOf } from '../count-of.ts';
import { operatorName } from '../operator-name.ts';
import { assignTenant } from '../promotion/assign-tenant.ts';
import { requireTenantId } from '../tenancy/tenants.ts';
import type { Command } from './command.ts';

export const ringAssignCommand: Command = {
  name: 'ring:assign',
  usage: '<tenant> <ring> [--force] [--reason=<text>] [--json]',
  summary: 'move a tenant to another ring, from its next request on',
  options: { force: { type: 'boolean' }, reason: { type: 'string' } },
  positionals: { min: 2, max: 2 },
  async run({ kernel: open, say, progress, table }, { positionals: [label = '', ring = ''], options }) {
    const kernel = await open();
    const result = await assignTenant(kernel, {
      tenantId: await requireTenantId(kernel.central.db, label),
      ring,
      operator: operatorName(),
      reason: typeof options.reason === 'string' ? options.reason : undefined,
      force: Boolean(options.force),
    });
    for (const problem of result.overridden) progress(`forced: ${problem}`);
    if (options.json) return table([result], '');
    const { tenant, from, to, changed, migrations } = result;
    if (!changed) return say(`${tenant} is on ${to} already.`);
    const migrated = migrations.length > 0 ? `; its database got ${countOf(migrations.length, 'migration')}` : '';
    say(`Assigned ${tenant} to ${to}, from ${from}${migrated}.`);
  },
};
