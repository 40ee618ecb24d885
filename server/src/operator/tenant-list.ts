import { listTenants } from '../tenancy/tenants.ts';
import type { Command } from './command.ts';

export const tenantListCommand: Command = {
  name: 'tenant:list',
  usage: '[--json]',
  summary: 'list all tenants',
  async run({ kernel, table }) {
    const { central } = await kernel();
    const tenants = await listTenants(central.db);
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
