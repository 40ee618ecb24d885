import { action, sql } from '@chowk/kit/kernel';
import { expect, onTestFinished, test } from 'vitest';
import { startPlatform } from '../../testing/platform.ts';
import { onSeparateConnection } from '../../testing/scratch-database.ts';
import { silent } from '../../testing/silent-log.ts';
import { startProxy } from '../../testing/tcp-proxy.ts';
import { testConfig, testSecrets } from '../../testing/test-config.ts';
import { boot } from '../boot.ts';
import { createHttpServer } from './server.ts';

const actions = {
  'test.query': action({
    summary: 'Test',
    http: 'GET /query',
    public: true,
    run: (ctx) => ctx.db.rows(sql`SELECT 1 AS one`),
  }),
};
const environment = { RING_NAME: 'edge', MODULE_LOCK_PATH: '/srv/edge.lock.json' };
const platform = await startPlatform({ environment, modules: [] });
const acme = await platform.tenant();

test('health reports the ring and the services, and nothing else', async () => {
  const { status, body } = await platform.request({ url: '/api/health' });
  expect({ status, body }).toEqual({
    status: 200,
    body: {
      status: 'ok',
      ring: { name: 'edge', lock_path: '/srv/edge.lock.json' },
      services: { database: 'up', redis: 'not_configured' },
    },
  });
});

test('health is not bound to a tenant: every host is accepted, and HEAD works', async () => {
  for (const host of ['localhost', 'nobody.localhost', '10.0.0.7:8080', 'example.com']) {
    expect((await platform.request({ url: '/api/health', headers: { host } })).status, host).toBe(200);
  }
  expect((await platform.request({ method: 'HEAD', url: '/api/health' })).status).toBe(200);
});

test.each([
  ['refuses connections', 'cut'],
  ['answers nothing', 'blackHole'],
] as const)('a database that %s is reported down within seconds, and up again once it is back', async (_, damage) => {
  const { wire, ask } = await throughProxy();
  expect((await ask('/api/health')).status).toBe(200);
  wire[damage]();
  const { status, body, tookMs } = await ask('/api/health');
  expect({ status, body }).toMatchObject({
    status: 503,
    body: { status: 'degraded', ring: { name: 'stable' }, services: { database: 'down', redis: 'not_configured' } },
  });
  expect(tookMs).toBeLessThan(3_000);
  wire.heal();
  await expect.poll(async () => (await ask('/api/health')).status, { timeout: 20_000 }).toBe(200);
});

test('a live process is live while its database is down, but not ready', async () => {
  const { wire, ask } = await throughProxy();
  expect(await ask('/api/health/ready')).toMatchObject({
    status: 200,
    body: { status: 'ready', database_servers: { main: 'up' }, storage: 'up', redis: 'not_configured' },
  });
  wire.cut();
  expect(await ask('/api/health/live')).toMatchObject({ status: 200, body: { status: 'ok' } });
  expect(await ask('/api/health/ready')).toMatchObject({
    status: 503,
    body: { status: 'not_ready', database_servers: { main: 'down' } },
  });
});

test('an outage of another database server is named, and only its tenants are affected', async () => {
  const { address } = platform.kernel.central;
  const wire = await startProxy(address);
  const { user, password, port } = wire.address;
  const east = `east=postgres://${user}:${encodeURIComponent(password)}@127.0.0.1:${port}`;
  const two = await startPlatform({ environment: { DATABASE_SERVERS: east }, modules: [] });
  const ready = () => two.request({ url: '/api/health/ready' });
  expect(await ready()).toMatchObject({ status: 200, body: { database_servers: { main: 'up', east: 'up' } } });
  wire.cut();
  expect(await ready()).toMatchObject({
    status: 200,
    body: { status: 'degraded', database_servers: { main: 'up', east: 'down' } },
  });
  expect(await two.request({ url: '/api/health' })).toMatchObject({
    status: 503,
    body: { status: 'degraded', services: { database: 'down' } },
  });
});

test('a server that cannot write to its disk is full, and one that accepts no changes is read-only', async () => {
  const { kernel, request } = await startPlatform({ modules: [] });
  const { db, database } = kernel.central;
  const restart = async (setting: string) => {
    await onSeparateConnection('postgres', (connection) =>
      connection.script(`ALTER DATABASE "${database}" ${setting}`),
    );
    await db.run(
      sql`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = ${database} AND pid <> pg_backend_pid()`,
    );
    await db.run(sql`SELECT pg_terminate_backend(pg_backend_pid())`).catch(() => {});
  };
  await restart('SET temp_file_limit = 0');
  for (const url of ['/api/health', '/api/health/ready']) {
    await expect.poll(async () => (await request({ url })).status, { timeout: 10_000 }).toBe(503);
  }
  expect((await request({ url: '/api/health/ready' })).body).toMatchObject({ database_servers: { main: 'full' } });
  await restart('SET default_transaction_read_only = on');
  await expect
    .poll(async () => (await request({ url: '/api/health' })).body.services.database, { timeout: 10_000 })
    .toBe('read_only');
});

test('checks are not counted against the rate limit', async () => {
  const { request } = await startPlatform({ environment: { RATE_LIMIT_PER_MINUTE: '2' }, modules: [] });
  for (const url of ['/api/health', '/api/health/live', '/api/health/ready']) {
    for (let n = 0; n < 4; n += 1) expect((await request({ url })).status, url).toBe(200);
  }
});

test('while the database is down requests are 503 with Retry-After and without the cause', async () => {
  const { wire, ask } = await throughProxy();
  expect((await ask('/api/v1/query')).status).toBe(200);
  wire.cut();
  const { status, body, headers } = await ask('/api/v1/query');
  expect({ status, retry: headers['retry-after'] }).toEqual({ status: 503, retry: '1' });
  expect(body).toEqual({
    message: 'The database cannot be reached; try again in a moment.',
    code: 'db.unavailable',
    request_id: headers['x-request-id'],
  });
  wire.heal();
  await expect.poll(async () => (await ask('/api/v1/query')).status, { timeout: 20_000 }).toBe(200);
});

/** The same databases through a proxy that the test controls. */
async function throughProxy() {
  const { address, database: centralDatabase } = platform.kernel.central;
  const wire = await startProxy(address);
  const config = testConfig({ STORAGE_PATH: platform.kernel.config.storagePath });
  const server = { address: wire.address, centralDatabase, embedded: false, close: async () => {} };
  const kernel = await boot({ config, log: silent, server, secrets: testSecrets }, { actions });
  const app = await createHttpServer(kernel);
  onTestFinished(() => kernel.close());
  const ask = async (url: string) => {
    const began = performance.now();
    const response = await app.inject({ url, headers: { 'x-tenant': acme.id } });
    const tookMs = performance.now() - began;
    return { status: response.statusCode, body: response.json(), headers: response.headers, tookMs };
  };
  return { wire, ask };
}
