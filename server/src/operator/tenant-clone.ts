import { completeNewTenant } from '../promotion/prepare-tenant.ts';
import { cloneTenant } from '../tenancy/archive-import.ts';
import { requireTenantId } from '../tenancy/tenants.ts';
import { archiveServices, throttled } from './archive-services.ts';
import type { Command } from './command.ts';
import { requireOwnRing } from './own-ring.ts';

export const tenantCloneCommand: Command = {
  name: 'tenant:clone',
  usage: '<id or domain> <new id> [--json]',
  summary: 'copy a tenant; the copy sends nothing until its webhooks and providers are set up',
  positionals: { min: 2, max: 2 },
  async run({ kernel: open, say, table, progress }, { positionals: [label = '', id = ''], options }) {
    const kernel = await open();
    const source = await requireTenantId(kernel.central.db, label);
    await requireOwnRing(kernel, source);
    const services = await archiveServices(kernel, throttled(progress));
    const { reports } = await cloneTenant(services, source, { id });
    await completeNewTenant(kernel, id);
    if (options.json) return table([{ id, reports }], '');
    say(`Copied ${source} to ${id}. Pending work, such as events, mails and deliveries, stays with ${source}.`);
    for (const report of reports) say(`  ${report}`);
  },
};
