import { sql } from '@chowk/kit';
import { showTenant, type TenantSummary, tenantIdOf } from '../tenancy/tenants.ts';
import type { Command } from './command.ts';

export const tenantShowCommand: Command = {
  name: 'tenant:show',
  usage: '<id or domain> [--json]',
  summary: 'show a tenant with its domains and the state of its database',
  positionals: { min: 1, max: 1 },
  async run({ kernel, table }, { positionals: [label = ''], options }) {
    const { central } = await kernel();
    const tenant = (await showTenant(central.db, await tenantIdOf(central.db, label))) as TenantSummary;
    const database = await central.db.row(sql`
      SELECT m.status AS migrations, m.error AS migration_error,
        pg_size_pretty(pg_database_size(d.oid)) AS database_size
      FROM tenants t LEFT JOIN tenant_migrations m ON m.tenant_id = t.id
      LEFT JOIN pg_database d ON d.datname = t.database_name WHERE t.id = ${tenant.id}`);
    const fields = { ...tenant, ...database };
    if (options.json) return table([fields], '');
    const domains = tenant.domains.map(({ domain: name, kind }) => `${name} (${kind})`);
    table(
      Object.entries({ ...fields, domains }).map(([field, value]) => ({ field, value })),
      '',
    );
  },
};
