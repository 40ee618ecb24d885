import { randomInt } from 'node:crypto';
import { rehearseRestore } from '../backup/rehearse-restore.ts';
import { findTenant } from '../backup/tenant-source.ts';
import { requireTenantId } from '../tenancy/tenants.ts';
import { throttled } from './archive-services.ts';
import { backupServices } from './backup-services.ts';
import { type Command, UsageError } from './command.ts';

export const backupRehearseCommand: Command = {
  name: 'backup:rehearse',
  usage: '[<id or domain>] [--backup=<id>] [--json]',
  summary: 'restore a tenant from a backup to a temporary database and compare them; a random tenant by default',
  options: { backup: { type: 'string' } },
  positionals: { min: 0, max: 1 },
  async run({ kernel: open, say, table, progress }, { positionals: [label], options }) {
    const kernel = await open();
    const services = await backupServices(kernel, throttled(progress));
    const id = label === undefined ? undefined : await requireTenantId(kernel.central.db, label);
    const { ringName } = kernel.config;
    const manifest = await services.store.find(String(options.backup ?? 'latest'), ({ tenants }) =>
      tenants.some((one) => (id === undefined ? one.ring === ringName : one.id === id)),
    );
    const candidates = manifest.tenants.filter(({ ring }) => ring === ringName);
    const tenant = id === undefined ? candidates[randomInt(candidates.length)] : findTenant(manifest, id);
    if (!tenant) throw new UsageError(`the backup has no tenant of the ring ${ringName}`);
    if (tenant.ring !== ringName) {
      throw new Error(`${tenant.id} was on the ring ${tenant.ring}; run this command with RING_NAME=${tenant.ring}`);
    }
    const result = await rehearseRestore(services, manifest, tenant);
    if (options.json) return table([{ backup: manifest.id, ...result }], '');
    const { tables, rows, files } = result;
    say(`${tenant.id} can be restored from ${manifest.id}: ${tables} tables, ${rows} rows, ${files} files.`);
  },
};
