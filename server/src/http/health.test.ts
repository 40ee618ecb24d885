import { action, sql } from '@chowk/kit/kernel';
import { expect, onTestFinished, test } from 'vitest';
import { startPlatform } from '../../testing/platform.ts';
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
  const server = { address: wire.address, centralDatabase, embedded: false, close: async () => {} };
  const kernel = await boot({ config: testConfig(), log: silent, server, secrets: testSecrets }, { actions });
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
