import type { Readable } from 'node:stream';
import { fail } from '../errors.ts';
import type { Kernel } from '../kernel.ts';
import type { TenantEntry } from '../tenancy/directory.ts';

/** How many files are being sent, by tenant. */
const open = new WeakMap<Kernel, Map<string, number>>();

/**
 * A file that is made while it is sent may hold one of its tenant's connections for as long as its reader takes. Half of
 * them stay for everybody else, however many readers fall asleep.
 */
export function limitDownloads(kernel: Kernel, tenant: TenantEntry | undefined, body: Readable): void {
  if (!tenant) return;
  const counts = open.get(kernel) ?? new Map<string, number>();
  open.set(kernel, counts);
  const count = counts.get(tenant.id) ?? 0;
  if (count >= Math.max(1, Math.floor(kernel.config.databaseConnectionsPerTenant / 2))) {
    body.destroy();
    throw fail('http.too_many_downloads', {}, { headers: { 'Retry-After': '10' } });
  }
  counts.set(tenant.id, count + 1);
  body.once('close', () => {
    const left = (counts.get(tenant.id) ?? 1) - 1;
    if (left > 0) counts.set(tenant.id, left);
    else counts.delete(tenant.id);
  });
}
