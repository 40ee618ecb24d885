import { setImmediate } from 'node:timers/promises';
import { action, sql } from '@chowk/kit/kernel';
import { expect, test } from 'vitest';
import { eventually } from '../../server/testing/eventually.ts';
import { startPlatform, type TestTenant } from '../../server/testing/platform.ts';
import { repositoryModules } from '../../server/testing/repository-modules.ts';
import { testModule } from '../../server/testing/test-module.ts';

const actions = {
  'notes.list': action({
    summary: 'List notes',
    http: 'GET /notes',
    graphql: 'notes',
    needs: 'orders.view',
    bus: { rateLimit: 600 },
    run: async () => ({}),
  }),
};
const modules = [
  ...(await repositoryModules()),
  testModule({ alias: 'notes', actions, migration: 'CREATE TABLE notes (n int)' }),
  testModule({ alias: 'diary', consumes: ['notes.list'] }),
];
const platform = await startPlatform({ modules });
const second = await startPlatform({ modules, sharedWith: platform, identity: platform.identity });

const manager = (tenant: TestTenant) =>
  tenant.caller('modules.view', 'modules.enable', 'orders.view', 'graphql.schema.view');
const statusIn = async ({ request }: typeof platform, tenant: TestTenant, token: string) =>
  (await request({ url: '/api/v1/notes', headers: { authorization: `Bearer ${token}`, 'x-tenant': tenant.id } }))
    .status;

interface Listed {
  readonly alias: string;
}

test('the list shows the modules of the ring and what the tenant would not have without them', async () => {
  const acme = await platform.tenant();
  const { status, body } = await manager(acme).get('/api/v1/modules');
  expect(status).toBe(200);
  const find = (alias: string) => body.modules.find((module: Listed) => module.alias === alias);
  expect(find('notes')).toEqual({
    alias: 'notes',
    name: 'notes',
    version: '1.0.0',
    description: 'For a test.',
    is_enabled: true,
    is_system: false,
    is_installed: true,
    requires: [],
    used_by: ['diary'],
    provides: { actions: 1, listeners: 0, graphql_fields: ['notes', 'notes_list'], permissions: [], settings: [] },
  });
  expect(find('orders')).toMatchObject({
    provides: {
      permissions: expect.arrayContaining(['orders.view']),
      graphql_fields: expect.arrayContaining(['orders']),
    },
  });
  expect(find('webhooks')).toMatchObject({ requires: ['identity'] });
  expect(find('identity')).toMatchObject({ is_system: true, is_enabled: true });
  expect((await acme.caller('modules.enable').get('/api/v1/modules')).status).toBe(403);
});

test('a disabled module is gone with the next request in every process, its data stays, and it comes back', async () => {
  const acme = await platform.tenant();
  const caller = manager(acme);
  const readSdl = async () => (await caller.get('/api/v1/graphql/schema')).body as string;
  await caller.post('/api/v1/modules/diary/disable');
  await acme.db.run(sql`INSERT INTO notes VALUES (1)`);
  expect(await readSdl()).toMatch(/^ {2}notes_list/m);
  expect(await statusIn(second, acme, caller.token)).toBe(200);

  const { status, body } = await caller.post('/api/v1/modules/notes/disable');
  expect({ status, isEnabled: body.module.is_enabled }).toEqual({ status: 200, isEnabled: false });
  expect(await statusIn(platform, acme, caller.token)).toBe(404);
  await eventually(async () => expect(await statusIn(second, acme, caller.token)).toBe(404));
  expect(await readSdl()).not.toMatch(/^ {2}notes_list/m);

  expect((await caller.post('/api/v1/modules/notes/enable')).status).toBe(200);
  expect(await statusIn(platform, acme, caller.token)).toBe(200);
  await eventually(async () => expect(await statusIn(second, acme, caller.token)).toBe(200));
  expect(await acme.db.rows(sql`SELECT n FROM notes`)).toEqual([{ n: 1 }]);
  await platform.kernel.audit.flush();
  const entries = await acme.db.rows(sql`
    SELECT action, changes FROM module_bus_audit_log WHERE action LIKE 'modules.%' AND input->>'alias' = 'notes' ORDER BY at`);
  expect(entries).toEqual([
    { action: 'modules.disable', changes: { is_enabled: [true, false] } },
    { action: 'modules.enable', changes: { is_enabled: [false, true] } },
  ]);
});

test('a module that another one needs, a system module and an unknown one cannot be disabled', async () => {
  const acme = await platform.tenant();
  const disable = (alias: string) => manager(acme).post(`/api/v1/modules/${alias}/disable`);
  expect(await disable('notes')).toMatchObject({
    status: 409,
    body: { code: 'rings.module_in_use', message: 'The module notes is needed by diary. Disable what needs it first.' },
  });
  expect(await disable('identity')).toMatchObject({ status: 409, body: { code: 'rings.module_is_system' } });
  expect(await disable('nothing')).toMatchObject({ status: 404, body: { code: 'rings.module_not_found' } });
  expect((await acme.caller('modules.view').post('/api/v1/modules/diary/disable')).status).toBe(403);
});

test('a module is enabled only with what it needs, by those who may install it, in a migrated database', async () => {
  const acme = await platform.tenant();
  const enable = (...permissions: string[]) =>
    acme.caller('modules.enable', ...permissions).post('/api/v1/modules/diary/enable');
  await platform.kernel.central.db.run(
    sql`DELETE FROM module_installations WHERE tenant_id = ${acme.id} AND alias = 'diary'`,
  );
  await platform.kernel.installations.set(acme.id, 'notes', 'disabled');
  expect(await enable()).toMatchObject({
    status: 403,
    body: { message: 'This needs the permission modules.install.' },
  });
  expect(await enable('modules.install')).toMatchObject({ status: 409, body: { code: 'rings.module_requires' } });
  await platform.kernel.installations.set(acme.id, 'notes', 'enabled');
  await platform.kernel.central.db.run(
    sql`UPDATE tenant_migrations SET status = 'failed' WHERE tenant_id = ${acme.id}`,
  );
  expect(await enable('modules.install')).toMatchObject({ status: 409, body: { code: 'rings.module_not_migrated' } });
  await platform.kernel.central.db.run(sql`UPDATE tenant_migrations SET status = 'done' WHERE tenant_id = ${acme.id}`);
  expect((await enable('modules.install')).status).toBe(200);
  expect((await enable()).status).toBe(200);
});

test('of two changes at once that exclude each other, one is refused', async () => {
  const acme = await platform.tenant();
  const caller = manager(acme);
  for (let round = 0; round < 5; round += 1) {
    await caller.post('/api/v1/modules/notes/enable');
    await caller.post('/api/v1/modules/diary/disable');
    const [enabled, disabled] = await Promise.all([
      caller.post('/api/v1/modules/diary/enable'),
      caller.post('/api/v1/modules/notes/disable'),
    ]);
    expect([enabled.status, disabled.status].sort()).toEqual([200, 409]);
  }
});

test('no request fails with an internal error while a module is enabled and disabled', async () => {
  const acme = await platform.tenant();
  const caller = manager(acme);
  await caller.post('/api/v1/modules/diary/disable');
  let isDone = false;
  const statuses = new Set<number>();
  const traffic = Array.from({ length: 4 }, async (_, index) => {
    while (!isDone) {
      statuses.add(await statusIn(index % 2 === 0 ? platform : second, acme, caller.token));
      await setImmediate();
    }
  });
  for (let round = 0; round < 10; round += 1) {
    expect((await caller.post('/api/v1/modules/notes/disable')).status).toBe(200);
    expect((await caller.post('/api/v1/modules/notes/enable')).status).toBe(200);
  }
  isDone = true;
  await Promise.all(traffic);
  expect([...statuses].sort()).toEqual([200, 404]);
});
