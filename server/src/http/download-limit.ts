import type { Readable } from 'node:stream';
import { fail } from '../errors.ts';
import type { Kernel } from '../kernel.ts';
import type { TenantEntry } from '../tenancy/directory.ts';

/** Open downloads by tenant id. */
const openDownloads = new WeakMap<Kernel, Map<string, number>>();

/**
 * A streamed file may hold a connection of its tenant until the client has read it. Downloads get at most a quarter of
 * the tenant's connections, so that slow clients do not block other requests.
 */
export function limitDownloads(kernel: Kernel, tenant: TenantEntry | undefined, body: Readable): void {
  if (!tenant) return;
  const counts = openDownloads.get(kernel) ?? new Map<string, number>();
  openDownloads.set(kernel, counts);
  const count = counts.get(tenant.id) ?? 0;
  const { databaseConnectionsPerTenant: configured } = kernel.config;
  const connections = Math.min(configured, tenant.limits.connections ?? configured);
  if (count >= Math.max(1, Math.floor(connections / 4))) {
    body.destroy();
    throw fail('http.too_many_downloads', {}, { headers: { 'Retry-After': '10' } });
  }
  counts.set(tenant.id, count + 1);
  body.once('close', () => {
    const remaining = (counts.get(tenant.id) ?? 1) - 1;
    if (remaining > 0) counts.set(tenant.id, remaining);
    else counts.delete(tenant.id);
  });
}
