import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Kernel } from '../kernel.ts';
import { exportTenant } from '../tenancy/archive-export.ts';
import type { ArchiveServices } from '../tenancy/archive-services.ts';
import { deleteTenant } from '../tenancy/remove-tenant.ts';
import { requireTenantId, resumeTenant, showTenant, suspendTenant, type TenantSummary } from '../tenancy/tenants.ts';
import { archiveServices, throttled } from './archive-services.ts';
import { type Command, UsageError } from './command.ts';
import { requireOwnRing } from './own-ring.ts';
import { archiveName } from './tenant-export.ts';

export const tenantDeleteCommand: Command = {
  name: 'tenant:delete',
  usage: '<id or domain> [--yes=<id>] [--no-export] [--json]',
  summary: 'export a tenant and delete it with its database, files, domains and members',
  options: { yes: { type: 'string' }, 'no-export': { type: 'boolean' } },
  positionals: { min: 1, max: 1 },
  async run({ kernel: open, ask, say, table, progress }, { positionals: [label = ''], options }) {
    const kernel = await open();
    const { id, role, status } = (await showTenant(
      kernel.central.db,
      await requireTenantId(kernel.central.db, label),
    )) as TenantSummary;
    if (role === 'platform_owner') throw new Error(`${id} is the platform's own tenant and cannot be deleted`);
    if (!['active', 'suspended', 'deleting'].includes(status))
      throw new Error(`${id} is ${status}; run chowkd tenant:doctor`);
    const confirmed = options.yes ?? (await ask(`This deletes ${id} and all of its data. Enter its id to continue:`));
    if (confirmed === undefined) throw new UsageError(`confirm with --yes=${id}`);
    if (confirmed !== id) throw new UsageError(`${String(confirmed)} is not ${id}; nothing was deleted`);
    const services = await archiveServices(kernel, throttled(progress));
    // The database of an interrupted deletion may be gone.
    const isExported = status !== 'deleting' && !options['no-export'];
    if (isExported) await requireOwnRing(kernel, id);
    const file = isExported ? await exportSuspended(kernel, services, id) : null;
    if (file !== null && !options.json) say(`Exported it to ${file}.`);
    await deleteTenant(services, id);
    if (options.json) return table([{ id, status: 'deleted', file }], '');
    say(`Deleted ${id}.`);
  },
};

/** Suspended first, so that nothing is written after the export. If it fails, the tenant is as before. */
async function exportSuspended(
  { central, config, now }: Kernel,
  services: ArchiveServices,
  id: string,
): Promise<string> {
  const folder = join(config.storagePath, 'exports');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const file = join(folder, archiveName(id, now()));
  const wasActive = await suspendTenant(central.db, id, 'deletion');
  try {
    await exportTenant(services, id, file);
    return file;
  } catch (error) {
    if (wasActive) await resumeTenant(central.db, id);
    throw error;
  }
}
