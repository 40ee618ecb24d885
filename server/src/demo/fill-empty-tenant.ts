import { randomInt } from 'node:crypto';
import type { Kernel } from '../kernel.ts';
import { runExclusively } from '../tenancy/central-database.ts';
import { requireTenant } from '../tenancy/resolve-tenant.ts';
import { showTenant } from '../tenancy/tenants.ts';
import { fillTenant, TenantNotEmpty } from './fill-tenant.ts';

/** Fills a tenant that has no records yet. Returns the number of rows by table; `undefined` if it has records. */
export async function fillEmptyTenant(
  kernel: Kernel,
  tenantId: string,
  customers: number,
): Promise<ReadonlyMap<string, number> | undefined> {
  const { central, directory, now } = kernel;
  const tenant = await requireTenant(directory, tenantId);
  const { database = '' } = (await showTenant(central.db, tenant.id)) ?? {};
  const filling = { tenant, database, size: customers, seed: randomInt(2 ** 32 - 1), now: now(), mustBeEmpty: true };
  try {
    return await runExclusively(central, `demo data of ${tenant.id}`, () =>
      fillTenant(kernel, { ...filling, onRows() {}, onStep() {} }),
    );
  } catch (error) {
    if (error instanceof TenantNotEmpty) return undefined;
    throw error;
  }
}
