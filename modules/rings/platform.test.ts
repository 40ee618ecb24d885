import { readdirSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { raw, sql } from '@chowk/kit/kernel';
import { afterAll, expect, test } from 'vitest';
import { startAccounts } from '../../server/testing/accounts.ts';
import { eventually } from '../../server/testing/eventually.ts';
import { packagesFolder, writePackage, writeTestLock } from '../../server/testing/packages.ts';
import { uniqueId } from '../../server/testing/platform.ts';
import { serverUrl, startSecondServer } from '../../server/testing/second-server.ts';

const folder = await packagesFolder();
afterAll(() => rm(folder, { recursive: true, force: true }));
const lockPath = (ring: string) => join(folder, `${ring}.lock.json`);
const platform = await startAccounts({
  environment: {
    MODULES_PATH: join(folder, 'modules'),
    DATABASE_SERVERS: `east=${serverUrl(await startSecondServer())}?weight=0`,
  },
});
const { central, config, jobs } = platform.kernel;
const owner = await platform.tenant({ role: 'platform_owner' });
const operator = await platform.person({ tenant: owner });
const tenantPath = (id: string, rest = '') => `/api/v1/platform/tenants/${id}${rest}`;
const read = async (id: string) => (await operator.get(tenantPath(id))).body.tenant;
const history = async (id: string) =>
  (await operator.get(`/api/v1/ring-operations?tenant_id=${id}`)).body.operations as { operation: string }[];

test('the owner of the platform finds, suspends and resumes a tenant', async () => {
  const acme = await platform.tenant({ name: 'Acme Stores' });
  const asha = await platform.person({ tenant: acme });
  const { body } = await operator.get(`/api/v1/platform/tenants?search=${acme.id.toUpperCase()}`);
  expect(body).toMatchObject({
    tenants: [
      { id: acme.id, name: 'Acme Stores', status: 'active', ring: 'stable', database_server: 'main', move: null },
    ],
    pagination: { total: 1 },
  });
  const suspended = await operator.post(tenantPath(acme.id, '/suspend'), { reason: 'Unpaid since March' });
  expect(suspended.body.tenant).toMatchObject({ status: 'suspended', suspension_reason: 'Unpaid since March' });
  await eventually(async () => expect((await asha.get('/api/v1/orders')).status).toBe(403));
  expect(await operator.post(tenantPath(acme.id, '/suspend'), {})).toMatchObject({
    status: 409,
    body: { code: 'rings.tenant_state' },
  });
  expect((await operator.post(tenantPath(acme.id, '/resume'))).body.tenant).toMatchObject({ status: 'active' });
  await eventually(async () => expect((await asha.get('/api/v1/orders')).status).toBe(200));
  const user = `user ${operator.id}`;
  expect(await history(acme.id)).toMatchObject([
    { operation: 'resume', operator: user },
    { operation: 'suspend', operator: user, reason: 'Unpaid since March' },
  ]);
});

test('the own tenant cannot be suspended, and an unknown one cannot be found', async () => {
  expect(await operator.post(tenantPath(owner.id, '/suspend'), {})).toMatchObject({
    status: 409,
    body: { code: 'rings.own_tenant' },
  });
  for (const response of [
    await operator.get(tenantPath('nobody')),
    await operator.post(tenantPath('nobody', '/resume')),
    await operator.get(tenantPath('nobody', '/export')),
  ]) {
    expect(response).toMatchObject({ status: 404, body: { code: 'rings.tenant_not_found' } });
  }
});

test('an export is a ZIP file of the tenant, and leaves nothing on the disk', async () => {
  const acme = await platform.tenant();
  const response = await operator.get(tenantPath(acme.id, '/export'));
  expect(response.status).toBe(200);
  expect(response.headers['content-disposition']).toMatch(
    new RegExp(`^attachment; filename="${acme.id}-[\\d-]+\\.zip"$`),
  );
  expect(String(response.body).slice(0, 2)).toBe('PK');
  await eventually(async () => expect(readdirSync(join(config.storagePath, 'exports'))).toEqual([]));
  expect(await history(acme.id)).toMatchObject([{ operation: 'export' }]);
  await central.db.run(sql`
    INSERT INTO module_rings (name, display_name, manifest_path, k8s_namespace, k8s_service, hostname_segment, promotion_order)
    VALUES ('away', 'Away', ${lockPath('away')}, 'away', 'web', 'away', 9)`);
  await central.db.run(sql`
    UPDATE tenants SET module_ring_id = (SELECT id FROM module_rings WHERE name = 'away') WHERE id = ${acme.id}`);
  expect(await operator.get(tenantPath(acme.id, '/export'))).toMatchObject({
    status: 409,
    body: { code: 'rings.other_ring', message: expect.stringContaining('is on the ring away') },
  });
});

test('a tenant is copied and moved in the background, and the history says how it ended', async () => {
  const acme = await platform.tenant();
  await jobs.work(['build']);
  const newId = uniqueId();
  expect(await operator.post(tenantPath(acme.id, '/clone'), { new_id: 'api' })).toMatchObject({
    status: 422,
    body: { errors: { new_id: [expect.any(String)] } },
  });
  expect((await operator.post(tenantPath(acme.id, '/clone'), { new_id: newId })).status).toBe(202);
  await eventually(async () => expect(await read(newId)).toMatchObject({ status: 'active' }));
  await eventually(async () =>
    expect(await history(acme.id)).toMatchObject([{ operation: 'clone', to_value: newId, status: 'done' }]),
  );

  for (const server of ['main', 'nowhere']) {
    const { status, body } = await operator.post(tenantPath(acme.id, '/move'), { server });
    expect({ status, errors: body.errors }).toEqual({
      status: 422,
      errors: { server: ['Choose another database server: east.'] },
    });
  }
  expect((await operator.post(tenantPath(acme.id, '/move'), { server: 'east' })).status).toBe(202);
  // Replication takes longer on a busy machine.
  await expect
    .poll(() => read(acme.id), { timeout: 90_000, interval: 100 })
    .toMatchObject({ database_server: 'east', move: null });
  await eventually(async () =>
    expect((await history(acme.id))[0]).toMatchObject({ operation: 'move', from_value: 'main', to_value: 'east' }),
  );
  const { body } = await operator.get('/api/v1/platform/servers');
  expect(body.servers).toMatchObject([
    { name: 'main', status: 'up' },
    { name: 'east', status: 'up', weight: 0, tenants: 1 },
  ]);

  // The target has the database already, so that the move fails.
  await central.servers[1]?.db.run(sql`CREATE DATABASE ${raw(`"tenant${newId}"`)}`);
  await operator.post(tenantPath(newId, '/move'), { server: 'east' });
  await eventually(async () =>
    expect((await history(newId))[0]).toMatchObject({
      operation: 'move',
      status: 'failed',
      reason: expect.stringContaining('east already has a database'),
    }),
  );
});

test('a promotion shows the difference, refuses what breaks something, and writes the lock file', async () => {
  const one = await writePackage(config.modulesPath, { alias: 'notes', version: '1.0.0' });
  const two = await writePackage(config.modulesPath, {
    alias: 'notes',
    version: '1.1.0',
    migrations: { '0001_notes.sql': 'CREATE TABLE notes (id int)' },
  });
  const three = await writePackage(config.modulesPath, {
    alias: 'notes',
    version: '2.0.0',
    migrations: { '0001_notes.sql': 'DROP TABLE orders' },
  });
  await writeTestLock(lockPath('slow'), 'slow', { notes: one });
  await writeTestLock(lockPath('fast'), 'fast', { notes: two });
  await writeTestLock(lockPath('wild'), 'wild', { notes: three });
  for (const [order, ring] of ['slow', 'fast', 'wild'].entries()) {
    await central.db.run(sql`
      INSERT INTO module_rings (name, display_name, manifest_path, k8s_namespace, k8s_service, hostname_segment, promotion_order)
      VALUES (${ring}, ${ring}, ${lockPath(ring)}, ${ring}, 'web', ${ring}, ${order + 3})`);
  }
  const version = async () => JSON.parse(await readFile(lockPath('slow'), 'utf8')).modules.notes.version;
  const promote = (body: object) => operator.post('/api/v1/rings/slow/promote', { alias: 'notes', ...body });
  const planned = await promote({ from: 'fast', dry_run: true });
  expect(planned.body.promotion).toMatchObject({
    from_version: '1.0.0',
    to_version: '1.1.0',
    changed: false,
    migrations: ['0001_notes.sql'],
    refusals: [],
  });
  expect(await version()).toBe('1.0.0');
  expect((await promote({ from: 'fast', reason: 'Soaked for a week' })).body.promotion).toMatchObject({
    changed: true,
  });
  expect(await version()).toBe('1.1.0');
  const refused = { status: 409, body: { code: 'rings.promotion_refused' } };
  expect(await promote({ from: 'fast' })).toMatchObject(refused);
  expect(await promote({ from: 'wild' })).toMatchObject(refused);
  expect(await promote({ version: '9.9.9' })).toMatchObject(refused);
  expect(await version()).toBe('1.1.0');
  expect((await promote({ from: 'wild', dry_run: true })).body.promotion.refusals).not.toEqual([]);
  expect((await promote({ from: 'nothing' })).status).toBe(404);
  expect((await promote({})).status).toBe(422);
  expect((await promote({ version: '1.1.0', soak: '48h' })).status).toBe(422);
  expect((await promote({ from: 'wild', soak: '48h', dry_run: true })).body.promotion.refusals).toContainEqual(
    expect.stringContaining('has served no calls on wild'),
  );
  expect(await promote({ from: 'wild', soak: '91d' })).toMatchObject(refused);
  expect((await promote({ from: 'wild', force: true })).status).toBe(200);
  expect(await version()).toBe('2.0.0');
  expect((await operator.post('/api/v1/rings/slow/reload')).status).toBe(202);
  expect((await operator.post('/api/v1/rings/nothing/reload')).status).toBe(404);
  const { body } = await operator.get('/api/v1/ring-operations?ring=slow');
  expect(body.operations).toMatchObject([
    { operation: 'reload' },
    { operation: 'promote', forced: true, from_value: '1.1.0', to_value: '2.0.0' },
    { operation: 'promote', forced: false, from_value: '1.0.0', to_value: '1.1.0', reason: 'Soaked for a week' },
  ]);
});

test('failed jobs are listed and retried', async () => {
  const task = { job: 'kernel.settle_moves', tenant: '', data: {}, requestId: 'test' };
  await jobs.addDead(task, 'default', 'the disk is full');
  await jobs.addDead(task, 'default', 'the disk is full');
  const list = async () => (await operator.get('/api/v1/platform/jobs?failed=true')).body;
  const { jobs: failed, total } = await list();
  expect(failed).toMatchObject([
    { job: 'kernel.settle_moves', state: 'failed', error: 'the disk is full' },
    { job: 'kernel.settle_moves', state: 'failed' },
  ]);
  expect(total).toBe(2);
  expect((await operator.post(`/api/v1/platform/jobs/${failed[0].id}/retry`)).status).toBe(200);
  expect(await operator.post(`/api/v1/platform/jobs/${failed[0].id}/retry`)).toMatchObject({
    status: 404,
    body: { code: 'rings.job_not_found' },
  });
  expect((await operator.post('/api/v1/platform/jobs/retry')).body).toMatchObject({ retried: 1 });
  expect((await list()).total).toBe(0);
});

test('the figures count requests', async () => {
  const { figures } = platform.kernel;
  await operator.get('/api/v1/rings');
  figures.sample({ busy_connections: 1, waiting: 0, sockets: 0 });
  const { body } = await operator.get('/api/v1/platform/figures');
  expect(body.seconds).toBe(10);
  expect(body.samples.at(-1).requests).toBeGreaterThan(0);
  expect(body.samples.at(-1).memory_bytes).toBeGreaterThan(1_000_000);
});

test('resellers can do none of it', async () => {
  const reseller = await platform.person({ tenant: await platform.tenant({ role: 'reseller' }) });
  for (const path of ['tenants', `tenants/${owner.id}`, `tenants/${owner.id}/export`, 'jobs', 'servers', 'figures']) {
    expect(await reseller.get(`/api/v1/platform/${path}`)).toMatchObject({
      status: 403,
      body: { code: 'rings.platform_only' },
    });
  }
  for (const path of [
    `platform/tenants/${owner.id}/suspend`,
    `platform/tenants/${owner.id}/resume`,
    'platform/jobs/retry',
    'rings/stable/reload',
  ]) {
    expect((await reseller.post(`/api/v1/${path}`, {})).status).toBe(403);
  }
});
