import { listOperations } from '../tenancy/ring-history.ts';
import { requireTenantId } from '../tenancy/tenants.ts';
import { type Command, UsageError } from './command.ts';

export const ringHistoryCommand: Command = {
  name: 'ring:history',
  usage: '[tenant] [--limit=<1 to 10000>] [--json]',
  summary: 'list what operators did with rings and modules, or with one tenant, the latest first',
  options: { limit: { type: 'string', default: '50' } },
  positionals: { min: 0, max: 1 },
  async run({ kernel, table }, { positionals: [label], options }) {
    const limit = Number(options.limit);
    if (!Number.isInteger(limit) || limit < 1 || limit > 10_000) {
      throw new UsageError('--limit must be an integer from 1 to 10000');
    }
    const { central } = await kernel();
    // The history of a deleted tenant is kept under its id.
    const tenantId = label === undefined ? undefined : await requireTenantId(central.db, label).catch(() => label);
    const operations = await listOperations(central.db, tenantId, limit);
    if (options.json) return table(operations, '');
    table(
      operations.map(({ id: _, details: __, tenant_id, from_value, to_value, ...operation }) => ({
        at: operation.at,
        operator: operation.operator,
        operation: operation.operation,
        ring: operation.ring,
        tenant: tenant_id,
        module: operation.alias,
        from: from_value,
        to: to_value,
        status: operation.forced ? `${operation.status}, forced` : operation.status,
        reason: operation.reason,
      })),
      label === undefined ? 'No operations are recorded.' : `No operations with ${label} are recorded.`,
    );
  },
};
