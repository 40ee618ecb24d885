import { sql } from '@chowk/kit/kernel';
import { migrationState } from '../tenancy/migrate-fleet.ts';
import { requireServer } from '../tenancy/servers.ts';
import type { TenantDatabases } from '../tenancy/tenant-databases.ts';
import { requireTenantId, showTenant, type TenantSummary } from '../tenancy/tenants.ts';
import type { Command } from './command.ts';

export const tenantShowCommand: Command = {
  name: 'tenant:show',
  usage: '<id or domain> [--json]',
  summary: 'show a tenant with its domains and the state of its database',
  positionals: { min: 1, max: 1 },
  async run({ kernel, table }, { positionals: [label = ''], options }) {
    const { central, databases } = await kernel();
    const tenant = (await showTenant(central.db, await requireTenantId(central.db, label))) as TenantSummary;
    const state = await central.db.row(sql`
      SELECT ${migrationState(databases.migrationIds)} AS migrations, m.error AS migration_error, mv.step AS move, mv.target AS moving_to
      FROM tenants t LEFT JOIN tenant_migrations m ON m.tenant_id = t.id
      LEFT JOIN tenant_moves mv ON mv.tenant_id = t.id WHERE t.id = ${tenant.id}`);
    const fields = { ...tenant, ...state, database_size: await readSize(databases, tenant) };
    if (options.json) return table([fields], '');
    const domains = tenant.domains.map(({ domain: name, kind }) => `${name} (${kind})`);
    table(
      Object.entries({ ...fields, domains }).map(([field, value]) => ({ field, value })),
      '',
    );
  },
};

async function readSize({ servers }: TenantDatabases, { server, database }: TenantSummary): Promise<string> {
  try {
    const row = await requireServer({ servers }, server).db.row<{ size: string }>(sql`
      SELECT pg_size_pretty(pg_database_size(oid)) AS size FROM pg_database WHERE datname = ${database}`);
    return row?.size ?? 'missing';
  } catch (error) {
    const { message, code } = error as NodeJS.ErrnoException;
    return `unknown: ${message || code}`;
  }
}
