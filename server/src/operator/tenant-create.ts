import { createTenant, type NewTenant } from '../tenancy/tenants.ts';
import { type Command, UsageError } from './command.ts';

const roles = ['merchant', 'reseller', 'platform_owner'] as const;

export const tenantCreateCommand: Command = {
  name: 'tenant:create',
  usage: '<id> [--name=<text>] [--alias=<label,…>] [--role=merchant|reseller|platform_owner] [--json]',
  summary: 'create a tenant with its domains and its database',
  options: { name: { type: 'string' }, alias: { type: 'string' }, role: { type: 'string' } },
  positionals: { min: 1, max: 1 },
  async run({ kernel, config, say, table }, { positionals: [id = ''], options }) {
    const role = roles.find((name) => name === (options.role ?? 'merchant'));
    if (!role) throw new UsageError(`--role must be one of ${roles.join(', ')}`);
    const aliases = String(options.alias ?? '')
      .split(',')
      .filter(Boolean);
    const newTenant: NewTenant = { id, name: String(options.name ?? id), role, aliases };
    const { central, databases } = await kernel();
    const tenant = await createTenant(central.db, databases, newTenant);
    if (options.json) return table([tenant], '');
    const { port } = new URL(config.appUrl);
    say(`Created ${tenant.id} (${tenant.name}) in the database ${tenant.database}.`);
    for (const { domain } of tenant.domains) say(`  ${domain}.${config.baseDomain}${port && `:${port}`}`);
  },
};
