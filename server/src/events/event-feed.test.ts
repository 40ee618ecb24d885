import { expect, test } from 'vitest';
import { eventually } from '../../testing/eventually.ts';
import { startPlatform, type TestPlatform } from '../../testing/platform.ts';
import { hasRedis, redisServer } from '../../testing/redis-server.ts';

const event = 'product.created';

/** Subscribes in the process, and waits until the other one knows. */
async function subscribe({ kernel }: TestPlatform, tenantId: string, other: TestPlatform) {
  const received: string[] = [];
  const end = kernel.feed.subscribe({ tenantId, event }, (payload) => {
    received.push((payload as { product: { sku: string } }).product.sku);
  });
  await eventually(() => expect(other.kernel.feed.hasSubscriber(tenantId, event)).toBe(true));
  return { received, end };
}

async function createProduct(platform: TestPlatform, headers: Record<string, string>, sku: string) {
  const payload = { sku, title: 'Tea', price: '10' };
  const { status } = await platform.request({ method: 'POST', url: '/api/v1/products', headers, payload });
  expect(status).toBe(201);
}

async function twoProcesses(environment = {}) {
  const first = await startPlatform({ environment });
  const second = await startPlatform({ environment, sharedWith: first, identity: first.identity });
  await first.kernel.work();
  const acme = await first.tenant();
  const headers = { authorization: `Bearer ${acme.caller('products.create').token}`, 'x-tenant': acme.id };
  return { first, second, acme, headers };
}

test('a process publishes the events that another one subscribes to, until that one ends', async () => {
  const { first, second, acme, headers } = await twoProcesses();
  const { received, end } = await subscribe(second, acme.id, first);
  await createProduct(first, headers, 'TEA-1');
  await eventually(() => expect(received).toEqual(['TEA-1']));
  end();
  end();
  await eventually(() => expect(first.kernel.feed.hasSubscriber(acme.id, event)).toBe(false));
  expect(second.kernel.feed.subscribers).toBe(0);
  await createProduct(first, headers, 'TEA-2');
  const again = await subscribe(second, acme.id, first);
  await createProduct(first, headers, 'TEA-3');
  await eventually(() => expect(again.received).toEqual(['TEA-3']));
  expect(received).toEqual(['TEA-1']);
});

test.skipIf(!hasRedis)('events reach another process over Redis, and without it', async () => {
  const redis = await redisServer();
  await redis.start();
  const { first, second, acme, headers } = await twoProcesses({ REDIS_URL: redis.url });
  const health = async () => (await first.request({ method: 'GET', url: '/api/health' })).body.services.redis;
  await eventually(async () => expect(await health()).toBe('up'));
  const { received } = await subscribe(second, acme.id, first);
  await createProduct(first, headers, 'TEA-1');
  await eventually(() => expect(received).toEqual(['TEA-1']));
  await redis.stop();
  await eventually(async () => expect(await health()).toBe('down'));
  await createProduct(first, headers, 'TEA-2');
  await eventually(() => expect(received).toEqual(['TEA-1', 'TEA-2']));
});
