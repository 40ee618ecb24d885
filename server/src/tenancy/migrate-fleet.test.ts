import { sql } from '@chowk/kit/kernel';
import { expect, test } from 'vitest';
import { startPlatform } from '../../testing/platform.ts';
import { silent } from '../../testing/silent-log.ts';
import { migrateFleet, migrateNewTenants, migrateOne } from './migrate-fleet.ts';
import { planMigration } from './migration-plan.ts';
import { TenantDatabases } from './tenant-databases.ts';

const platform = await startPlatform();
const { central, databases: current } = platform.kernel;

/** The platform after an upgrade with one more migration. */
function upgraded(name: string, text: string): TenantDatabases {
  const extra = { owner: 'extra', migrations: [{ name: `0001_${name}.sql`, text, checksum: name }] };
  return new TenantDatabases(central, [...current.sources, extra], 0, silent);
}

function migrateAll(databases: TenantDatabases, onStep: (id: string) => void = () => {}) {
  return migrateFleet(central.db, databases, { parallel: 3, onStep });
}

/** By tenant, the status and whether all migrations are recorded as applied. */
async function ledger({ migrationIds }: TenantDatabases): Promise<Record<string, string>> {
  const rows = await central.db.rows<{ tenant_id: string; state: string }>(sql`
    SELECT tenant_id, status || CASE WHEN applied @> ${migrationIds}::text[] THEN '' ELSE ', behind' END AS state
    FROM tenant_migrations`);
  return Object.fromEntries(rows.map(({ tenant_id, state }) => [tenant_id, state]));
}

const tenants = [await platform.tenant(), await platform.tenant(), await platform.tenant()] as const;

test('a new tenant has nothing to migrate', async () => {
  const steps: string[] = [];
  expect(await migrateAll(current, (id) => steps.push(id))).toEqual({ done: 3, failed: [], pending: 0 });
  expect(steps).toEqual([]);
});

test('every tenant gets a new migration once, and a second run has nothing to do', async () => {
  const databases = upgraded('colours', 'CREATE TABLE colours (name text)');
  const steps: string[] = [];
  expect(await migrateAll(databases, (id) => steps.push(id))).toEqual({ done: 3, failed: [], pending: 0 });
  expect(steps.sort()).toEqual(tenants.map(({ id }) => id).sort());
  for (const tenant of tenants) expect(await tenant.db.rows(sql`SELECT * FROM colours`)).toEqual([]);
  expect(await migrateAll(databases, () => expect.unreachable())).toEqual({ done: 3, failed: [], pending: 0 });
});

test('a failing tenant stops later rings; after a fix the next run continues there', async () => {
  const [stable, canary, broken] = tenants;
  await central.db.run(sql`
    INSERT INTO module_rings (name, display_name, manifest_path, k8s_namespace, k8s_service, hostname_segment, promotion_order)
    VALUES ('canary', 'Canary', '', '', '', 'canary', 9)`);
  await central.db.run(sql`
    UPDATE tenants SET module_ring_id = (SELECT id FROM module_rings WHERE name = 'canary')
    WHERE id IN (${canary.id}, ${broken.id})`);
  await broken.db.run(sql`CREATE TABLE shapes (already text)`);

  const databases = upgraded('shapes', 'CREATE TABLE shapes (name text)');
  const result = await migrateAll(databases);
  expect(result).toMatchObject({ done: 1, failed: [{ id: broken.id }], pending: 1 });
  expect(result.failed[0]?.error).toMatch(/0001_shapes.sql failed: relation "shapes" already exists/);
  expect(await ledger(databases)).toEqual({
    [stable.id]: 'done, behind',
    [canary.id]: 'done',
    [broken.id]: 'failed, behind',
  });

  await broken.db.run(sql`DROP TABLE shapes`);
  const steps: string[] = [];
  expect(await migrateAll(databases, (id) => steps.push(id))).toEqual({ done: 3, failed: [], pending: 0 });
  expect(steps.sort()).toEqual([stable.id, broken.id].sort());
});

test('versions with different migrations do not undo each other: each tenant is migrated once by each', async () => {
  const [one, other] = [
    upgraded('stars', 'CREATE TABLE stars (n int)'),
    upgraded('moons', 'CREATE TABLE moons (n int)'),
  ];
  await migrateAll(one);
  await migrateAll(other);
  for (const databases of [one, other, current]) {
    expect(await migrateAll(databases, () => expect.unreachable())).toEqual({ done: 3, failed: [], pending: 0 });
  }
});

test('a process that starts migrates the tenants of its own ring only', async () => {
  const databases = upgraded('clouds', 'CREATE TABLE clouds (n int)');
  const steps: string[] = [];
  const options = { parallel: 3, ring: 'canary', onStep: (id: string) => steps.push(id) };
  expect(await migrateFleet(central.db, databases, options)).toEqual({
    done: 2,
    failed: [],
    pending: 0,
  });
  expect(steps.sort()).toEqual([tenants[1].id, tenants[2].id].sort());
  expect((await ledger(databases))[tenants[0].id]).toBe('done, behind');
});

test('a migration that was changed after it was applied is an error', async () => {
  const first = upgraded('letters', 'CREATE TABLE letters (name text)');
  await migrateAll(first);
  const extra = { owner: 'extra', migrations: [{ name: '0001_letters.sql', text: 'SELECT 1', checksum: 'other' }] };
  const changed = new TenantDatabases(central, [...current.sources, extra], 0, silent);
  const { failed } = await migrateAll(changed);
  expect(failed.length).toBeGreaterThan(0);
  for (const { error } of failed) expect(error).toMatch(/was changed after it was applied/);
});

test('a plan names what each ring lacks and estimates the time, and changes nothing', async () => {
  const databases = upgraded('plans', 'CREATE TABLE plans (name text)');
  const plan = (ring?: string) =>
    planMigration(central.address, central.database, {
      central: [{ owner: 'kernel', migrations: [{ name: '9999_later.sql', text: '', checksum: '' }] }],
      tenant: databases.sources,
      parallel: 1,
      batch: 1,
      pauseMs: 10_000,
      ...(ring === undefined ? {} : { ring }),
    });
  const before = await plan();
  expect(before.central).toEqual(['kernel/9999_later.sql']);
  expect(before.rings).toMatchObject([
    {
      ring: 'canary',
      tenants: 2,
      pending: 2,
      pause_seconds: 10,
      migrations: expect.arrayContaining(['extra/0001_plans.sql']),
    },
    { ring: 'stable', tenants: 1, pending: 1, migrations: expect.arrayContaining(['extra/0001_plans.sql']) },
  ]);
  // Earlier tests have migrated these tenants.
  for (const { estimated_seconds } of before.rings) expect(estimated_seconds).toBeGreaterThan(0);
  expect(await plan()).toEqual(before);
  await migrateFleet(central.db, databases, { parallel: 1, ring: 'canary' });
  expect((await plan('canary')).rings).toEqual([
    { ring: 'canary', tenants: 2, pending: 0, migrations: [], estimated_seconds: 0, pause_seconds: 0 },
  ]);
  expect((await plan('stable')).rings).toMatchObject([{ pending: 1 }]);
});

test('batches: a pause after each but the last', async () => {
  const databases = upgraded('batches', 'CREATE TABLE batches (name text)');
  const times: number[] = [];
  const onStep = () => times.push(performance.now());
  const result = await migrateFleet(central.db, databases, {
    parallel: 4,
    batch: 1,
    pauseMs: 150,
    ring: 'canary',
    onStep,
  });
  expect(result).toMatchObject({ done: 2, failed: [] });
  expect((times[1] ?? 0) - (times[0] ?? 0)).toBeGreaterThanOrEqual(149);
});

test('a tenant that an older version creates after an upgrade is migrated; older ones wait', async () => {
  const databases = upgraded('sizes', 'CREATE TABLE sizes (name text)');
  const [migrated, waiting] = [await platform.tenant(), await platform.tenant()];
  expect(await migrateNewTenants(central.db, databases, 'stable')).toEqual([]);
  expect(await ledger(databases)).toMatchObject({ [migrated.id]: 'done, behind', [waiting.id]: 'done, behind' });

  await migrateOne(central.db, databases, migrated.id);
  const straggler = await platform.tenant();
  expect(await migrateNewTenants(central.db, databases, 'stable')).toEqual([]);
  expect(await ledger(databases)).toMatchObject({ [straggler.id]: 'done', [waiting.id]: 'done, behind' });
  expect(await straggler.db.rows(sql`SELECT * FROM sizes`)).toEqual([]);
});
