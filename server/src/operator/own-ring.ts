import { resolve } from 'node:path';
import { sql } from '@chowk/kit/kernel';
import type { Kernel } from '../kernel.ts';
import { lockPath, repository, ringLockFile } from '../loader/lock-path.ts';

/** Throws if a tenant is on another ring: this process has the modules of its own ring. */
export async function requireOwnRing({ central, config }: Kernel, tenantId: string): Promise<void> {
  const ring = await central.db.row<{ name: string; manifest_path: string }>(sql`
    SELECT r.name, r.manifest_path FROM tenants t JOIN module_rings r ON r.id = t.module_ring_id
    WHERE t.id = ${tenantId}`);
  if (!ring || ring.name === config.ringName) return;
  const file = ringLockFile(config, ring);
  const isFound = resolve(repository, lockPath({ moduleLockPath: undefined, ringName: ring.name })) === file;
  const variables = `RING_NAME=${ring.name}${isFound ? '' : ` MODULE_LOCK_PATH=${file}`}`;
  throw new Error(`the tenant ${tenantId} is on the ring ${ring.name}; run this command with ${variables}`);
}
