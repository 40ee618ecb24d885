import { sql } from '@chowk/kit/kernel';
import { countWaiting } from '../events/outbox.ts';
import type { Kernel } from '../kernel.ts';
import type { Finding } from '../tenancy/doctor.ts';
import { inParallel } from './in-parallel.ts';

/** Events that the modules of the tenant's ring cannot read. Databases that cannot be reached are left out. */
export async function findWaitingEvents({ central, directory }: Kernel): Promise<Finding[]> {
  const tenants = await central.db.rows<{ id: string }>(sql`
    SELECT a.tenant_id AS id FROM outbox_activity a JOIN tenants t ON t.id = a.tenant_id WHERE t.status = 'active' ORDER BY 1`);
  const findings = await inParallel(tenants, async ({ id }): Promise<Finding[]> => {
    const tenant = await directory.entry(id);
    const waiting = tenant ? await countWaiting(tenant.db).catch(() => []) : [];
    return waiting.map(({ waitsFor, events }) => ({
      problem: 'waiting events',
      subject: `${id}: ${events} ${events === 1 ? 'event waits' : 'events wait'} for ${waitsFor}`,
      remedy: 'promote the version to the ring, or assign the tenant to a ring that has it',
    }));
  });
  return findings.flat();
}
