import { job, sql, Type } from '@chowk/kit/kernel';
import { expect, test } from 'vitest';
import { eventually } from '../../testing/eventually.ts';
import { startPlatform } from '../../testing/platform.ts';
import { RealtimeClient, subscribe } from '../../testing/realtime-client.ts';
import { testModule } from '../../testing/test-module.ts';
import { resumeTenant, suspendTenant } from './tenants.ts';

const runs: string[] = [];
const work = testModule({
  alias: 'work',
  jobs: { 'work.do': job({ data: Type.Unknown(), run: async ({ tenant }) => void runs.push(tenant.id) }) },
});
const platform = await startPlatform({ modules: [work] });
const { kernel } = platform;
const { central, jobs } = kernel;
await kernel.work();
await platform.app.listen({ host: '127.0.0.1', port: 0 });

const addJob = (tenant: string) => jobs.add({ job: 'work.do', tenant, data: {}, requestId: 'test' });

test('a suspended tenant is refused everywhere with a clear message, others are not', async () => {
  const [acme, globex] = [await platform.tenant(), await platform.tenant()];
  const caller = acme.caller();
  expect((await caller.get('/api/v1/realtime/config')).status).toBe(200);
  expect(await suspendTenant(central.db, acme.id, 'unpaid')).toBe(true);
  expect(await suspendTenant(central.db, acme.id, 'again')).toBe(false);
  await kernel.signals.waitUntilApplied();
  const refused = { status: 403, body: { code: 'tenancy.suspended', message: expect.stringMatching(/suspended/) } };
  expect(await caller.get('/api/v1/realtime/config')).toMatchObject(refused);
  const host = `${acme.id}.localhost`;
  expect(await platform.request({ url: '/api/v1/realtime/config', headers: { host } })).toMatchObject(refused);
  expect((await globex.caller().get('/api/v1/realtime/config')).status).toBe(200);
  expect(await resumeTenant(central.db, acme.id)).toBe(true);
  await kernel.signals.waitUntilApplied();
  expect((await caller.get('/api/v1/realtime/config')).status).toBe(200);
});

test('suspension closes the sockets of the tenant', async () => {
  const acme = await platform.tenant();
  const caller = acme.caller('notifications.view');
  const client = new RealtimeClient(platform.app, `/app/${kernel.realtime.key}?protocol=7`);
  await subscribe(client, caller, await client.socketId(), `private-user.${caller.user.id}`);
  await suspendTenant(central.db, acme.id, null);
  expect(await client.closed).toBeGreaterThanOrEqual(4000);
});

test('jobs of a suspended tenant wait until it is resumed and count no attempt', async () => {
  const [acme, globex] = [await platform.tenant(), await platform.tenant()];
  await suspendTenant(central.db, acme.id, null);
  await kernel.signals.waitUntilApplied();
  await addJob(acme.id);
  await addJob(globex.id);
  const readState = (tenant: string) =>
    central.db.row<{ state: string; retry_count: number; waits: boolean }>(sql`
      SELECT state::text, retry_count, start_after > now() + interval '10 seconds' AS waits
      FROM pgboss.job WHERE data->>'tenant' = ${tenant}`);
  await eventually(async () => {
    expect(runs).toContain(globex.id);
    expect(await readState(acme.id)).toEqual({ state: 'created', retry_count: 0, waits: true });
  });
  expect(runs).not.toContain(acme.id);
  await resumeTenant(central.db, acme.id);
  await kernel.signals.waitUntilApplied();
  await central.db.run(sql`UPDATE pgboss.job SET start_after = now() WHERE data->>'tenant' = ${acme.id}`);
  await eventually(() => expect(runs).toContain(acme.id));
});
