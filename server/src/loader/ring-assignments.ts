import { type Db, type RingAssignment, type RingsService, sql } from '@chowk/kit/kernel';
import type { Config } from '../config/config.ts';
import { recordOperation, requireRing } from '../tenancy/rings.ts';
import { readLockFile } from './lock-file.ts';
import { ringLockFile } from './lock-path.ts';

/** `ctx.system.rings`. */
export function ringsService(central: Db, config: Config): RingsService {
  return {
    async versions(ring) {
      // Another machine may have the lock file of another ring.
      const lock = await readLockFile(ringLockFile(config, ring)).catch(() => undefined);
      if (!lock) return undefined;
      return Object.fromEntries(Object.entries(lock.modules).map(([alias, { version }]) => [alias, version]));
    },
    assign: (assignment) => assignTenant(central, assignment),
  };
}

async function assignTenant(central: Db, assignment: RingAssignment): Promise<string | undefined> {
  const { tenantId, ring: name, operator, reason, force = false } = assignment;
  return central.tx(async (tx) => {
    const tenant = await tx.row<{ ring: string }>(sql`
      SELECT r.name AS ring FROM tenants t JOIN module_rings r ON r.id = t.module_ring_id
      WHERE t.id = ${tenantId} AND t.status IN ('active', 'suspended') FOR UPDATE OF t`);
    if (!tenant) return `there is no tenant ${tenantId}`;
    const ring = await requireRing(tx, name);
    if (!ring.is_active) return `the ring ${name} is not active`;
    if (tenant.ring === name) return undefined;
    await tx.run(sql`UPDATE tenants SET module_ring_id = ${ring.id}, updated_at = now() WHERE id = ${tenantId}`);
    await recordOperation(tx, {
      operator,
      operation: 'assign',
      ring: name,
      tenant_id: tenantId,
      from_value: tenant.ring,
      to_value: name,
      forced: force,
      reason,
    });
    return undefined;
  });
}
