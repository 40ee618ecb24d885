import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { sql } from '@chowk/kit';
import { afterAll, expect, test } from 'vitest';
import { startAccounts } from '../../server/testing/accounts.ts';
import { eventually } from '../../server/testing/eventually.ts';
import type { TestTenant } from '../../server/testing/platform.ts';
import { jobs } from './deliver.ts';

const requests: string[] = [];
const receiver = createServer((request, response) => {
  requests.push(String(request.url));
  if (request.url === '/hangs') return;
  response.end('ok');
}).listen(0, '127.0.0.1');
await once(receiver, 'listening');
afterAll(() => {
  receiver.closeAllConnections();
  receiver.close();
});
const { port } = receiver.address() as AddressInfo;
const platform = await startAccounts({ environment: { OUTBOUND_ALLOW_HOSTS: '127.0.0.1' } });
const path = '/api/v1/webhooks';

async function shop(endpoint: string) {
  const tenant = await platform.tenant();
  const owner = await platform.person({ tenant });
  const { body } = await owner.post(path, { url: `http://127.0.0.1:${port}${endpoint}`, events: ['product.created'] });
  const sell = (sku: string) => owner.post('/api/v1/products', { sku, title: sku, price: '10' });
  const deliveries = async () => (await owner.get(`${path}/${body.webhook.id}/deliveries`)).body.deliveries;
  return { tenant, owner, id: body.webhook.id as string, sell, deliveries };
}

/** Runs the next attempt of a delivery now. */
async function attempt(tenant: TestTenant, id: string): Promise<void> {
  const row = await tenant.db.row<{ task_id: string }>(sql`SELECT task_id FROM webhook_deliveries WHERE id = ${id}`);
  await jobs['webhooks.deliver'].run(tenant.context('webhooks'), { id, task: row?.task_id });
}

test('a webhook whose server hangs does not delay the webhooks of other tenants', async () => {
  const [slow, quick] = [await shop('/hangs'), await shop('/works')];
  await Promise.all(Array.from({ length: 12 }, (_, n) => slow.sell(`S${n}`)));
  await eventually(() => expect(requests).toContain('/hangs'));
  const startedAt = performance.now();
  await quick.sell('Q');
  await eventually(async () => expect(await quick.deliveries()).toMatchObject([{ status: 'delivered' }]));
  expect(performance.now() - startedAt).toBeLessThan(5_000);
  // Half of the workers at most.
  expect(requests.filter((url) => url === '/hangs').length).toBeLessThanOrEqual(2);
});

test('deliveries wait while the server does not respond, and one of them tests it after the pause', async () => {
  const { tenant, owner, id, sell, deliveries } = await shop('/works');
  const count = () => requests.filter((url) => url === '/works').length;
  const pause = (interval: string) =>
    tenant.db.run(
      sql`UPDATE webhooks SET unanswered = 3, paused_until = now() + ${interval}::interval WHERE id = ${id}`,
    );
  await pause('1 hour');
  const before = count();
  await sell('A');
  await eventually(async () =>
    expect(await deliveries()).toMatchObject([
      { status: 'pending', attempts: 0, error: expect.stringMatching(/^Waits/), next_attempt_at: expect.any(String) },
    ]),
  );
  expect(count()).toBe(before);

  const [{ id: delivery }] = await deliveries();
  await pause('-1 second');
  await attempt(tenant, delivery);
  expect(await deliveries()).toMatchObject([{ status: 'delivered', attempts: 1 }]);
  const row = await tenant.db.row(sql`SELECT unanswered, paused_until FROM webhooks WHERE id = ${id}`);
  expect(row).toEqual({ unanswered: 0, paused_until: null });

  await pause('1 hour');
  await owner.post(`${path}/${id}/test`);
  await eventually(() => expect(count()).toBe(before + 2));
});

test('three requests without a response begin a pause, which grows', async () => {
  const { tenant, owner, id, sell, deliveries } = await shop('/works');
  const refused = createServer().listen(0, '127.0.0.1');
  await once(refused, 'listening');
  const closed = (refused.address() as AddressInfo).port;
  refused.close();
  await owner.patch(`${path}/${id}`, { url: `http://127.0.0.1:${closed}/` });
  await sell('A');
  await eventually(async () => expect(await deliveries()).toMatchObject([{ attempts: 1 }]));
  const [{ id: delivery }] = await deliveries();
  const seconds = async () => {
    const row = await tenant.db.row<{ seconds: number | null }>(sql`
      SELECT round(extract(epoch FROM paused_until - now()))::int AS seconds FROM webhooks WHERE id = ${id}`);
    return row?.seconds ?? null;
  };
  await attempt(tenant, delivery);
  expect(await seconds()).toBeNull();
  await attempt(tenant, delivery);
  expect(await seconds()).toBeGreaterThan(20);
  await attempt(tenant, delivery);
  expect(await deliveries()).toMatchObject([{ attempts: 3 }]);
  await tenant.db.run(sql`UPDATE webhooks SET paused_until = now() - interval '1 second' WHERE id = ${id}`);
  await attempt(tenant, delivery);
  expect(await deliveries()).toMatchObject([{ attempts: 4 }]);
  expect(await seconds()).toBeGreaterThan(50);
});
