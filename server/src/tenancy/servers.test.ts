import { job, sql, Type } from '@chowk/kit/kernel';
import { expect, test } from 'vitest';
import { eventually } from '../../testing/eventually.ts';
import { startPlatform, uniqueId } from '../../testing/platform.ts';
import { serverUrl, startSecondServer } from '../../testing/second-server.ts';
import { silent } from '../../testing/silent-log.ts';
import { startProxy } from '../../testing/tcp-proxy.ts';
import { testModule } from '../../testing/test-module.ts';
import { Context } from '../context/context.ts';
import type { TenantEntry } from './directory.ts';
import { findProblems } from './doctor.ts';
import { migrateFleet } from './migrate-fleet.ts';
import { TenantDatabases } from './tenant-databases.ts';
import {
  activateTenant,
  addRandomDomain,
  createTenant,
  discardTenant,
  ensureDatabase,
  reserveTenant,
} from './tenants.ts';

const runs: string[] = [];
const work = testModule({
  alias: 'work',
  emits: ['work.done'],
  jobs: {
    'work.do': job({
      data: Type.Unknown(),
      async run({ tenant, db }) {
        await db.run(sql`SELECT 1`);
        runs.push(`job of ${tenant.id}`);
      },
    }),
  },
  listeners: [
    {
      event: 'work.done',
      when: 'after_commit',
      name: 'listen',
      run: async ({ tenant }) => void runs.push(`event of ${tenant.id}`),
    },
  ],
});

const wire = await startProxy(await startSecondServer(), () => {});
const platform = await startPlatform({
  modules: [work],
  environment: {
    DATABASE_SERVERS: `east=${serverUrl(wire.address)}?weight=2`,
    DATABASE_CONNECT_TIMEOUT_MS: '500',
  },
});
const { central, databases, directory } = platform.kernel;
await central.db.run(sql`UPDATE installation SET id = gen_random_uuid()`);
await central.db.run(sql`DELETE FROM prepared_databases`);
const [main, east] = central.servers as [(typeof central.servers)[0], (typeof central.servers)[0]];

async function findServerName(id: string): Promise<string | undefined> {
  const row = await central.db.row<{ server: string }>(sql`
    SELECT database_server AS server FROM tenants WHERE id = ${id}`);
  return row?.server;
}

/** A tenant on this server, whatever its weight. */
async function tenantOn(name: 'main' | 'east') {
  const servers = central.servers.map((server) => ({ ...server, weight: server.name === name ? 1 : 0 }));
  const there = new TenantDatabases(
    { ...central, servers: servers as never },
    databases.sources,
    0,
    silent,
    databases.onMigrated,
  );
  const id = uniqueId();
  await createTenant(central.db, there, { id, name: id });
  const entry = await directory.find(id);
  if (!entry) throw new Error('the tenant was not created');
  return entry;
}

async function findings(): Promise<string[]> {
  return (await findProblems(central, databases)).map(({ problem, subject }) => `${problem}: ${subject}`);
}

test('new tenants are spread over the servers by weight', async () => {
  const tenants = [];
  for (let count = 0; count < 6; count += 1) tenants.push(await platform.tenant());
  const servers = await Promise.all(tenants.map(({ id }) => findServerName(id)));
  expect(servers.toSorted()).toEqual(['east', 'east', 'east', 'east', 'main', 'main']);
  for (const [index, { id, db }] of tenants.entries()) {
    const row = await db.row(sql`SELECT current_database() AS name, current_setting('port')::int AS port`);
    const port = servers[index] === 'main' ? main.address.port : expect.not.toSatisfy((p) => p === main.address.port);
    expect(row).toEqual({ name: `tenant${id}`, port });
  }
});

test('a tenant that is created step by step stays on the server where it was reserved', async () => {
  const [one, other] = [uniqueId(), uniqueId()];
  for (const id of [one, other]) await reserveTenant(central.db, databases, { id, name: id, role: 'merchant' }, 'test');
  for (const id of [one, other]) {
    const server = await databases.getServer(id);
    await ensureDatabase(databases, id);
    await ensureDatabase(databases, id);
    expect(await databases.exists(`tenant${id}`, server)).toBe(true);
    expect(await databases.exists(`tenant${id}`, server === main ? east : main)).toBe(false);
  }
  await addRandomDomain(central.db, one);
  await activateTenant(central.db, databases, one);
  const server = await databases.getServer(other);
  await discardTenant(central.db, databases, other);
  expect(await databases.exists(`tenant${other}`, server)).toBe(false);
});

test('every server has its own template and spares', async () => {
  const extra = { owner: 'extra', migrations: [{ name: '0001_x.sql', text: 'SELECT 1', checksum: uniqueId() }] };
  const prepared = new TenantDatabases(central, [extra], 2, silent);
  await prepared.refillSpares();
  const counts = () =>
    central.db.rows(sql`
      SELECT server, count(*) FILTER (WHERE kind = 'spare') AS spares FROM prepared_databases
      WHERE ready AND fingerprint = ${prepared.fingerprint} GROUP BY 1 ORDER BY 1`);
  expect(await counts()).toEqual([
    { server: 'east', spares: 2 },
    { server: 'main', spares: 2 },
  ]);
  const spare = await east.db.row<{ oid: number }>(sql`
    SELECT oid::int FROM pg_database WHERE datname LIKE ${`${central.database}_spare_%`} ORDER BY oid LIMIT 1`);
  const id = uniqueId();
  await prepared.create(`tenant${id}`, east);
  expect(await east.db.row(sql`SELECT oid::int FROM pg_database WHERE datname = ${`tenant${id}`}`)).toEqual(spare);
  await prepared.drop(`tenant${id}`, east);
});

test('a spare of another server that a crash has left without its row is not used twice', async () => {
  const extra = { owner: 'extra', migrations: [{ name: '0001_y.sql', text: 'SELECT 1', checksum: uniqueId() }] };
  const prepared = new TenantDatabases(central, [extra], 1, silent);
  await prepared.refillSpares();
  const row = await central.db.row<{ name: string }>(sql`
    SELECT name FROM prepared_databases
    WHERE kind = 'spare' AND server = 'east' AND fingerprint = ${prepared.fingerprint}`);
  await prepared.drop(String(row?.name), east);
  expect(await findings()).toContain(`missing spare database: ${row?.name} on east`);
  const id = uniqueId();
  await prepared.create(`tenant${id}`, east);
  expect(await prepared.exists(`tenant${id}`, east)).toBe(true);
  await prepared.drop(`tenant${id}`, east);
  expect(await findings()).toEqual([]);
});

test('the doctor finds missing and orphaned databases on every server', async () => {
  const tenant = await tenantOn('east');
  const orphan = `tenant${uniqueId()}`;
  await databases.copyTemplate(orphan, east);
  await east.db.run(sql`SELECT 1`);
  await databases.drop(`tenant${tenant.id}`, east);
  expect(await findings()).toEqual([`missing database: ${tenant.id}`, `orphaned database: ${orphan} on east`]);
  for (const { repair } of await findProblems(central, databases)) await repair?.();
  await central.db.run(sql`DELETE FROM tenants WHERE id = ${tenant.id}`);
  expect(await findings()).toEqual([]);
});

test('a database of a tenant on another server than recorded is reported and never dropped', async () => {
  const { id } = await tenantOn('east');
  await central.db.run(sql`UPDATE tenants SET database_server = 'main' WHERE id = ${id}`);
  expect(await findings()).toEqual([`missing database: ${id}`, `database on another server: tenant${id} on east`]);
  for (const { repair } of await findProblems(central, databases)) await repair?.();
  expect(await databases.exists(`tenant${id}`, east)).toBe(true);
  await central.db.run(sql`UPDATE tenants SET database_server = 'east' WHERE id = ${id}`);
});

test('a tenant on a server that is not configured is reported, and its requests are answered with 503', async () => {
  const tenant = await platform.tenant();
  const server = await findServerName(tenant.id);
  await central.db.run(sql`UPDATE tenants SET database_server = 'west' WHERE id = ${tenant.id}`);
  await platform.kernel.signals.waitUntilApplied();
  expect(await findings()).toEqual(['unknown server: west (1 tenant)']);
  expect(await tenant.caller().get('/api/v1/realtime/config')).toMatchObject({ status: 503 });
  await central.db.run(sql`UPDATE tenants SET database_server = ${server} WHERE id = ${tenant.id}`);
});

test('migrations reach the tenants of every server', async () => {
  const [here, there] = [await tenantOn('main'), await tenantOn('east')];
  const text = 'CREATE TABLE planets (name text)';
  const extra = { owner: 'extra', migrations: [{ name: '0001_planets.sql', text, checksum: 'planets' }] };
  const upgraded = new TenantDatabases(central, [...databases.sources, extra], 0, silent);
  expect(await migrateFleet(central.db, upgraded, { parallel: 2 })).toMatchObject({ failed: [], pending: 0 });
  for (const { db } of [here, there]) expect(await db.rows(sql`SELECT * FROM planets`)).toEqual([]);
});

test('while a server is down, tenants of the others work, new tenants are created there, and it is reported', async () => {
  const [here, there] = [await tenantOn('main'), await tenantOn('east')];
  wire.cut();
  const id = uniqueId();
  await createTenant(central.db, databases, { id, name: id });
  expect(await findServerName(id)).toBe('main');
  await expect(there.db.run(sql`SELECT 1`)).rejects.toThrow();
  expect(await here.db.row(sql`SELECT 1 AS one`)).toEqual({ one: 1 });
  expect(await findings()).toEqual([expect.stringMatching(/^unreachable server: east: /)]);

  const extra = { owner: 'late', migrations: [{ name: '0001_late.sql', text: 'SELECT 1', checksum: 'late' }] };
  const upgraded = new TenantDatabases(central, [...databases.sources, extra], 0, silent);
  const result = await migrateFleet(central.db, upgraded, { parallel: 2 });
  const failed = await central.db.rows(sql`SELECT id FROM tenants WHERE database_server = 'east' ORDER BY id`);
  expect(result.failed.map(({ id }) => ({ id })).toSorted((a, b) => (a.id < b.id ? -1 : 1))).toEqual(failed);

  wire.heal();
  expect(await there.db.row(sql`SELECT 1 AS one`)).toEqual({ one: 1 });
  expect(await migrateFleet(central.db, upgraded, { parallel: 2 })).toMatchObject({ failed: [], pending: 0 });
  expect(await findings()).toEqual([]);
});

test('jobs and events of tenants on a server that is down wait, those of others do not, and none is lost', async () => {
  const [here, there] = [await tenantOn('main'), await tenantOn('east')];
  const { kernel } = platform;
  const emit = (tenant: TenantEntry) =>
    new Context(kernel, { requestId: 'test', module: 'work', tenant, system: true }).emit(
      'work.done' as never,
      {} as never,
    );
  const addJob = ({ id }: TenantEntry) => kernel.jobs.add({ job: 'work.do', tenant: id, data: {}, requestId: 'test' });
  // Committed before the server goes down, and not yet delivered.
  await emit(there);
  wire.cut();
  await kernel.work();
  await addJob(there);
  for (let count = 0; count < 5; count += 1) {
    await emit(here);
    await addJob(here);
  }
  const countRuns = (run: string) => runs.filter((other) => other === run).length;
  await eventually(() => {
    expect(countRuns(`job of ${here.id}`)).toBe(5);
    expect(countRuns(`event of ${here.id}`)).toBe(5);
  });
  const task = () =>
    central.db.row(sql`SELECT state::text, retry_count FROM pgboss.job WHERE data->>'tenant' = ${there.id}`);
  await eventually(async () => expect(await task()).toEqual({ state: 'created', retry_count: 0 }));
  expect(runs.filter((run) => run.endsWith(there.id))).toEqual([]);
  wire.heal();
  await central.db.run(sql`UPDATE pgboss.job SET start_after = now() WHERE data->>'tenant' = ${there.id}`);
  await eventually(() => {
    expect(countRuns(`job of ${there.id}`)).toBe(1);
    expect(countRuns(`event of ${there.id}`)).toBe(1);
  });
});

test('a reset drops the databases on all servers, and none if one of them is down', async () => {
  const [here, there] = [await tenantOn('main'), await tenantOn('east')];
  const exist = () =>
    Promise.all([databases.exists(`tenant${here.id}`, main), databases.exists(`tenant${there.id}`, east)]);
  wire.cut();
  await expect(platform.kernel.services.reset()).rejects.toThrow(
    /cannot delete the databases of a server that is down: east/,
  );
  wire.heal();
  expect(await exist()).toEqual([true, true]);
  const left = ['kept_tenantx_1', 'restored_x_1'].map((name) => `${name}_${uniqueId()}`);
  for (const name of left) await databases.copyTemplate(name, east);
  await platform.kernel.services.reset();
  expect(await exist()).toEqual([false, false]);
  for (const name of left) expect(await databases.exists(name, east)).toBe(false);
  const prepared = await east.db.rows(sql`
    SELECT datname FROM pg_database WHERE starts_with(datname, ${`${central.database}_`})`);
  expect(prepared).toEqual([]);
});
