import { sql, taken } from '@chowk/kit/kernel';
import { expect, test } from 'vitest';
import { startPlatform, uniqueId } from '../../testing/platform.ts';
import { silent } from '../../testing/silent-log.ts';
import { TenantDatabases } from './tenant-databases.ts';
import { createTenant, finishTenant, listTenants, showTenant } from './tenants.ts';

const platform = await startPlatform();
const { central, databases, directory } = platform.kernel;

async function exists(database: string): Promise<boolean> {
  return (await central.db.row(sql`SELECT 1 FROM pg_database WHERE datname = ${database}`)) !== undefined;
}

test('a tenant has a random domain, its id as alias, and a database with every migration', async () => {
  const id = uniqueId();
  const tenant = await createTenant(central.db, databases, { id, name: 'Acme', aliases: [`${id}-shop`] });
  expect(tenant).toMatchObject({
    id,
    name: 'Acme',
    role: 'merchant',
    status: 'active',
    ring: 'stable',
    database: `tenant${id}`,
  });
  const domains = tenant.domains.map(({ domain, kind }) => [kind, domain]);
  expect(domains).toEqual([
    ['alias', id],
    ['alias', `${id}-shop`],
    ['random', expect.stringMatching(/^[a-z0-9]{8}$/)],
  ]);
  const entry = await directory.find(`${id}-shop`);
  const all = databases.sources.flatMap(({ owner, migrations }) => migrations.map(({ name }) => ({ owner, name })));
  expect(await entry?.db.rows(sql`SELECT owner, name FROM schema_migrations ORDER BY applied_at`)).toEqual(all);
});

test('without an id the random domain is the id', async () => {
  const alias = uniqueId();
  const tenant = await createTenant(central.db, databases, { name: 'Reseller', aliases: [alias] });
  expect(tenant.id).toMatch(/^[a-z0-9]{8}$/);
  expect(tenant.domains).toEqual([
    { domain: alias, kind: 'alias' },
    { domain: tenant.id, kind: 'random' },
  ]);
});

test('of concurrent requests for one id exactly one succeeds; the id is taken for the others', async () => {
  const id = uniqueId();
  const tries = Array.from({ length: 8 }, () => createTenant(central.db, databases, { id, name: id }));
  const results = await Promise.allSettled(tries);
  const refused = results.filter((result) => result.status === 'rejected').map(({ reason }) => reason.extras.errors);
  expect(refused).toEqual(Array.from({ length: 7 }, () => ({ id: [taken(`${id} is taken.`)] })));
  expect((await showTenant(central.db, id))?.status).toBe('active');
});

test.each([
  ['a reserved id', { id: 'admin' }, 'id'],
  ['a malformed id', { id: 'Not_A_Label' }, 'id'],
  ['the segment of a ring', { id: 'stable' }, 'id'],
  ['a reserved alias', { id: uniqueId(), aliases: ['www'] }, 'aliases'],
])('%s is refused and nothing is created', async (_, request, field) => {
  const before = (await listTenants(central.db)).length;
  const failure = createTenant(central.db, databases, { name: 'x', ...request });
  await expect(failure).rejects.toMatchObject({ status: 422, extras: { errors: { [field]: [{ code: 'invalid' }] } } });
  expect(await listTenants(central.db)).toHaveLength(before);
});

test('a taken alias is rejected and the tenant is not created', async () => {
  const [first, second] = [uniqueId(), uniqueId()];
  await createTenant(central.db, databases, { id: first, name: first });
  const failure = createTenant(central.db, databases, { id: second, name: second, aliases: [first] });
  await expect(failure).rejects.toMatchObject({ extras: { errors: { aliases: [taken(`${first} is taken.`)] } } });
  expect(await showTenant(central.db, second)).toBeUndefined();
  expect(await exists(`tenant${second}`)).toBe(false);
});

test('if the database cannot be copied, no tenant is created', async () => {
  const id = uniqueId();
  const broken = new TenantDatabases(
    central,
    [{ owner: 'broken', migrations: [{ name: '0001_x.sql', text: 'nonsense', checksum: id }] }],
    0,
    silent,
  );
  await expect(createTenant(central.db, broken, { id, name: id })).rejects.toThrow(
    /migration broken\/0001_x.sql failed/,
  );
  expect(await showTenant(central.db, id)).toBeUndefined();
});

test('a database of another installation is never used', async () => {
  const id = uniqueId();
  await central.db.run(sql`SELECT 1`);
  const { runOutsideTransaction, identifier } = await import('./central-database.ts');
  await runOutsideTransaction(central, sql`CREATE DATABASE ${identifier(`tenant${id}`)}`);
  await expect(createTenant(central.db, databases, { id, name: id })).rejects.toMatchObject({
    extras: { errors: { id: [taken(`${id} is taken: a database of this name exists.`)] } },
  });
  await expect(databases.copyTemplate(`tenant${id}`)).rejects.toThrow(/already exists/);
  expect(await databases.exists(`tenant${id}`)).toBe(true);
});

test('an interrupted creation is completed if the database already exists', async () => {
  const id = uniqueId();
  const { ring } = (await central.db.row<{ ring: number }>(sql`SELECT id AS ring FROM module_rings`)) as {
    ring: number;
  };
  await central.db.run(sql`
    INSERT INTO tenants (id, name, database_name, module_ring_id) VALUES (${id}, ${id}, ${`tenant${id}`}, ${ring})`);
  await central.db.run(sql`INSERT INTO domains (domain, tenant_id, kind) VALUES (${id}, ${id}, 'alias')`);
  await databases.copyTemplate(`tenant${id}`);
  expect(await directory.find(id)).toBeUndefined();
  await finishTenant(central.db, databases, id);
  await finishTenant(central.db, databases, id);
  await expect.poll(() => directory.find(id)).toMatchObject({ id });
});
