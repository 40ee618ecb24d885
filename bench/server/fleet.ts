import { sql } from '@chowk/kit/kernel';
import type { Kernel } from '../../server/src/kernel.ts';
import { Installations } from '../../server/src/loader/installations.ts';
import { migrateNewTenants } from '../../server/src/tenancy/migrate-fleet.ts';
import { listTenantStates } from '../../server/src/tenancy/tenants.ts';

/** No process serves it, so that nothing uses the databases of its tenants, which do not exist. */
const ring = 'simulated';

/** What the central database and this process have to do for so many tenants, in milliseconds. */
export async function measureFleet(kernel: Kernel, tenants: number): Promise<Record<string, number>> {
  const { central, signals, jobs, databases } = kernel;
  const { db } = central;
  await insertTenants(kernel, tenants);
  const size = await db.row<{ mb: number }>(sql`
    SELECT sum(pg_total_relation_size(oid))::float8 / 2 ^ 20 AS mb FROM pg_class
    WHERE relname IN ('tenants', 'domains', 'memberships', 'module_installations', 'tenant_migrations', 'tenant_activity')`);
  const installations = new Installations(db, signals, ring);
  const figures: Record<string, number> = { 'rows of the central database, MB': size?.mb ?? 0 };
  const time = async (name: string, work: () => Promise<unknown>) => {
    const startedAt = performance.now();
    await work();
    figures[`${name}, ms`] = performance.now() - startedAt;
  };
  const ids = (await installations.tenantsWith(undefined)).sort(() => Math.random() - 0.5);

  globalThis.gc?.();
  const before = process.memoryUsage().heapUsed;
  await time('find 25,000 tenants, 16 at a time', () => findEach(kernel, ids.slice(0, 25_000)));
  globalThis.gc?.();
  figures['memory of the directory, which keeps 20,000, MB'] = (process.memoryUsage().heapUsed - before) / 2 ** 20;
  await time('tenants of a nightly job', () => installations.tenantsWith('orders'));
  const hourly = { onlyActive: true };
  await time('tenants of an hourly job', () => installations.tenantsWith('orders', hourly));
  figures['tenants of an hourly job'] = (await installations.tenantsWith('orders', hourly)).length;
  await time('add a task for each tenant', () =>
    jobs.addForTenants({ job: 'kernel.prune', tenant: '', data: {}, requestId: 'bench' }, ids),
  );
  await time('look for tenants to migrate', () => migrateNewTenants(db, databases, ring));
  await time('list all tenants with their migrations', () => listTenantStates(db, databases.migrationIds));
  await time('measure the queues', () => jobs.measure());
  await time('count the tenants of each server', () =>
    db.rows(sql`SELECT database_server, count(*) FROM tenants GROUP BY 1`),
  );
  return figures;
}

async function insertTenants({ central: { db }, databases }: Kernel, tenants: number): Promise<void> {
  await db.run(sql`
    INSERT INTO module_rings (name, display_name, manifest_path, k8s_namespace, k8s_service, hostname_segment, promotion_order)
    VALUES (${ring}, ${ring}, '', '', '', ${ring}, 99)`);
  await db.run(sql`
    INSERT INTO tenants (id, name, status, module_ring_id, database_server, database_name, created_at, updated_at)
    SELECT 's' || n, 'Tenant ' || n, 'active', (SELECT id FROM module_rings WHERE name = ${ring}), 'main',
      'simulated' || n, now() - interval '1 year', now() - interval '1 month' FROM generate_series(1, ${tenants}::int) n`);
  await db.run(sql`
    INSERT INTO domains (domain, tenant_id, kind) SELECT id, id, 'alias' FROM tenants WHERE database_name LIKE 'simulated%'`);
  await db.run(sql`
    INSERT INTO tenant_migrations (tenant_id, applied, status, finished_at, announced_at)
    SELECT id, ${databases.migrationIds}::text[], 'done', created_at + interval '1 second', now()
    FROM tenants WHERE database_name LIKE 'simulated%'`);
  await db.run(sql`
    INSERT INTO module_installations (tenant_id, alias, status)
    SELECT t.id, alias, 'enabled' FROM tenants t, (SELECT DISTINCT alias FROM module_installations) m (alias)
    WHERE database_name LIKE 'simulated%'`);
  await db.run(sql`
    INSERT INTO tenant_activity SELECT id, now() - interval '1 month' FROM tenants WHERE database_name LIKE 'simulated%'`);
  await db.run(sql`ANALYZE`);
}

async function findEach({ directory }: Kernel, ids: readonly string[]): Promise<void> {
  const waiting = [...ids];
  const work = async () => {
    for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) await directory.find(id);
  };
  await Promise.all(Array.from({ length: 16 }, work));
}
