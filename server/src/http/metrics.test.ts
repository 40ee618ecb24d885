import { readFile } from 'node:fs/promises';
import { action, sql, Type } from '@chowk/kit/kernel';
import type { InjectOptions } from 'fastify';
import { expect, test } from 'vitest';
import { startPlatform } from '../../testing/platform.ts';
import { testConfig } from '../../testing/test-config.ts';
import { recordRun } from '../backup/backup-runs.ts';
import { createHttpServer } from './server.ts';

const backups = { BACKUP_PATH: '/nonexistent', BACKUP_KEY: 'x'.repeat(16) };
const platform = await startPlatform({
  actions: {
    'things.get': action({
      summary: 'Test',
      http: 'GET /things/:id',
      needs: 'things.view',
      input: Type.Object({ id: Type.Integer() }),
      run: async () => ({}),
    }),
  },
});
const acme = await platform.tenant();

/** Requests the metrics of the platform with another environment. */
async function getMetrics(environment: Record<string, string>, request: Partial<InjectOptions> = {}) {
  const app = await createHttpServer({ ...platform.kernel, config: testConfig(environment) });
  const { statusCode, headers, body } = await app.inject({ url: '/metrics', ...request });
  return { status: statusCode, scheme: headers['www-authenticate'], body };
}

test('requests are counted by method, route and class of status, in the Prometheus format', async () => {
  const caller = acme.caller('things.view');
  await caller.get('/api/v1/things/1');
  await caller.get('/api/v1/things/2');
  await caller.get('/api/v1/things/three');
  await caller.get('/api/v1/nowhere/at/all');
  const { status, headers, body } = await platform.request({ url: '/metrics' });
  expect(status).toBe(200);
  expect(headers['content-type']).toMatch(/^text\/plain; version=0\.0\.4/);
  const count = (labels: string) =>
    new RegExp(`^chowk_http_request_seconds_count\\{${labels}\\} (\\d+)$`, 'm').exec(body)?.[1];
  expect(count('method="GET",route="/api/v1/things/:id",status="2xx"')).toBe('2');
  expect(count('method="GET",route="/api/v1/things/:id",status="4xx"')).toBe('1');
  expect(count('method="GET",route="unknown",status="4xx"')).toBe('1');
});

test('connections, tenants and the process itself are measured', async () => {
  const { body } = await platform.request({ url: '/metrics' });
  for (const state of ['busy', 'idle', 'waiting']) {
    expect(body).toMatch(new RegExp(`^chowk_database_connections\\{state="${state}"\\} \\d+$`, 'm'));
  }
  expect(body).toMatch(/^chowk_known_tenants [1-9]\d*$/m);
  expect(body).toMatch(/^process_cpu_seconds_total /m);
  expect(body).toMatch(/^nodejs_eventloop_lag_seconds /m);
});

test('the times of the last good backup and of the last rehearsal are measured', async () => {
  const { db } = platform.kernel.central;
  const end = async (id: string, kind: 'backup' | 'rehearsal', error?: string, tenantId?: string) =>
    (await recordRun(db, { id, kind, tenantId })).end(error);
  await end('good', 'backup');
  await db.run(sql`UPDATE backup_runs SET finished_at = '2026-01-31T12:00:00Z'`);
  await end('failed', 'backup', 'the disk is full');
  await end('of a tenant', 'backup', undefined, acme.id);
  const { body } = await getMetrics(backups);
  expect(body).toMatch(
    new RegExp(`^chowk_backup_last_success_seconds ${Date.parse('2026-01-31T12:00:00Z') / 1_000}$`, 'm'),
  );
  expect(body).toMatch(/^chowk_backup_last_rehearsal_seconds 0$/m);
});

test('queues are measured by ring and state, also tasks that failed permanently and events that are not delivered', async () => {
  const { jobs, central } = platform.kernel;
  await jobs.addDead({ job: 'things.sync', tenant: acme.id, data: {}, requestId: 'test' }, 'default', 'it failed');
  await central.db.run(sql`
    INSERT INTO outbox_activity (tenant_id, active_at) VALUES (${acme.id}, now() - interval '1 hour')
    ON CONFLICT (tenant_id) DO UPDATE SET active_at = excluded.active_at`);
  const { body } = await getMetrics({});
  expect(body).toMatch(/^chowk_failed_tasks 1$/m);
  expect(body).toMatch(/^chowk_undelivered_tenants 1$/m);
  expect(body).toMatch(/^# TYPE chowk_queue_tasks gauge$/m);
  expect(body).toMatch(/^# TYPE chowk_queue_oldest_seconds gauge$/m);
});

test('every metric of the dashboard and of the alerts exists', async () => {
  const { body } = await getMetrics(backups);
  const known = new Set([...body.matchAll(/^# TYPE (\S+) /gm)].map(([, name = '']) => name));
  for (const file of ['grafana-dashboard.json', 'alerts.yaml']) {
    const text = await readFile(new URL(`../../../deploy/observability/${file}`, import.meta.url), 'utf8');
    const used = [...text.matchAll(/\b(?:chowk|process|nodejs)_\w+/g)].map(([name]) => name);
    const unknown = used.filter((name) => !known.has(name) && !known.has(name.replace(/_(bucket|sum|count)$/, '')));
    expect(used.length, file).toBeGreaterThan(5);
    expect(unknown, file).toEqual([]);
  }
});

test('no metric identifies a tenant, a user or a requested record', async () => {
  const caller = acme.caller('things.view');
  await caller.get('/api/v1/things/424242', { host: `${acme.id}.localhost` });
  await platform.request({ url: `/${acme.id}/secret-path` });
  const { body } = await platform.request({ url: '/metrics' });
  for (const word of [acme.id, '424242', 'secret-path', caller.token, caller.user.email])
    expect(body).not.toContain(word);
});

test('with METRICS_TOKEN only requests with the token can read the metrics, from any address', async () => {
  const environment = { METRICS_TOKEN: 'let-me-read-them', APP_ENV: 'production' };
  const request = (authorization: string) =>
    getMetrics(environment, { headers: { authorization }, remoteAddress: '198.51.100.1' });
  expect((await request('Bearer let-me-read-them')).status).toBe(200);
  for (const wrong of ['Bearer let-me-read-then', 'Bearer let-me-read-them2', 'Bearer ', 'let-me-read-them', '']) {
    expect(await request(wrong), wrong).toMatchObject({ status: 401, scheme: expect.stringMatching(/^Bearer/) });
  }
  expect((await getMetrics(environment, { remoteAddress: '127.0.0.1' })).status).toBe(401);
  expect((await getMetrics({ METRICS_TOKEN: 'let-me-read-them' })).status).toBe(401);
});

test('in production without METRICS_TOKEN only this machine can read the metrics', async () => {
  const environment = { APP_ENV: 'production' };
  for (const remoteAddress of ['127.0.0.1', '127.8.8.8', '::1', '::ffff:127.0.0.1']) {
    expect((await getMetrics(environment, { remoteAddress })).status, remoteAddress).toBe(200);
  }
  for (const remoteAddress of ['198.51.100.1', '10.0.0.1', '::ffff:198.51.100.1', '2001:db8::1', '12.7.0.0']) {
    expect((await getMetrics(environment, { remoteAddress })).status, remoteAddress).toBe(403);
  }
});

test('in production a request through a proxy on this machine is not local', async () => {
  const remoteAddress = '127.0.0.1';
  for (const headers of [
    { 'x-forwarded-for': '198.51.100.1' },
    { 'x-forwarded-for': '127.0.0.1' },
    { forwarded: 'for=198.51.100.1' },
  ]) {
    for (const proxies of [{}, { TRUSTED_PROXIES: 'loopback' }]) {
      expect((await getMetrics({ APP_ENV: 'production', ...proxies }, { remoteAddress, headers })).status).toBe(403);
    }
  }
});

test('outside production only this machine can read the metrics too', async () => {
  expect((await getMetrics({ APP_ENV: 'local' }, { remoteAddress: '198.51.100.1' })).status).toBe(403);
});
