import { listTenantStates } from '../tenancy/tenants.ts';
import type { Command } from './command.ts';

export const tenantListCommand: Command = {
  name: 'tenant:list',
  usage: '[--json]',
  summary: 'list all tenants',
  async run({ kernel, table }) {
    const { central, databases } = await kernel();
    const tenants = await listTenantStates(central.db, databases.migrationIds);
    table(
      tenants.map(({ domains, database, ...tenant }) => ({
        ...tenant,
        domains: domains.map(({ domain }) => domain),
        database,
      })),
      "There are no tenants yet; run 'chowkd tenant:create <id>' to create one.",
    );
  },
};
