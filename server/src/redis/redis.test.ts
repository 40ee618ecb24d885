import { action, sql } from '@chowk/kit/kernel';
import { expect, onTestFinished, test } from 'vitest';
import { startPlatform, type TestPlatform } from '../../testing/platform.ts';
import { hasRedis, redisServer } from '../../testing/redis-server.ts';
import { testModule } from '../../testing/test-module.ts';
import { LocalCache } from '../shared-cache.ts';

const polling = { timeout: 10_000, interval: 20 };
const common = { summary: 'Test', public: true } as const;
const actions = { 'test.ping': action({ ...common, http: 'GET /ping', tenant: 'none', run: async () => ({}) }) };

/** Two processes of one installation. */
async function twoProcesses(environment: Record<string, string>): Promise<[TestPlatform, TestPlatform]> {
  // A fixed time, so that the minute does not end during a test.
  const at = new Date();
  const parts = { environment, actions, now: () => at };
  const first = await startPlatform(parts);
  return [first, await startPlatform({ ...parts, sharedWith: first })];
}

async function health({ request }: TestPlatform) {
  const { status, body } = await request({ url: '/api/health' });
  return { status, redis: body.services.redis };
}

test('without REDIS_URL every process has its own cache', async () => {
  const [first, second] = await twoProcesses({});
  expect(await health(first)).toEqual({ status: 200, redis: 'not_configured' });
  await first.kernel.cache.set('key', { n: 1 }, 60);
  expect(await first.kernel.cache.get('key')).toEqual({ n: 1 });
  expect(await second.kernel.cache.get('key')).toBeUndefined();
});

test.skipIf(!hasRedis)('the platform starts without Redis, and health reports when it is up and down', async () => {
  const redis = await redisServer();
  const platform = await startPlatform({ environment: { REDIS_URL: redis.url }, actions });
  expect(await health(platform)).toEqual({ status: 200, redis: 'down' });
  expect((await platform.request({ url: '/api/v1/ping' })).status).toBe(200);
  await redis.start();
  await expect.poll(() => health(platform), polling).toEqual({ status: 200, redis: 'up' });
  await redis.stop();
  await expect.poll(() => health(platform), polling).toEqual({ status: 200, redis: 'down' });
  await redis.start();
  await expect.poll(() => health(platform), polling).toEqual({ status: 200, redis: 'up' });
});

test.skipIf(!hasRedis)(
  'processes count requests together, separately during an outage, and together again',
  async () => {
    const redis = await redisServer();
    await redis.start();
    const environment = { REDIS_URL: redis.url, RATE_LIMIT_PER_MINUTE: '20' };
    const [first, second] = await twoProcesses(environment);
    await expect.poll(() => health(first), polling).toMatchObject({ redis: 'up' });
    await expect.poll(() => health(second), polling).toMatchObject({ redis: 'up' });
    const send = async (platform: TestPlatform, remoteAddress: string) => {
      const { status, headers } = await platform.request({ url: '/api/v1/ping', remoteAddress });
      return { status, remaining: Number(headers['ratelimit-remaining']) };
    };
    const sync = () => Promise.all([first, second].map(({ kernel }) => kernel.limiter.sync()));

    for (let times = 0; times < 12; times += 1) expect((await send(first, '10.0.0.1')).status).toBe(200);
    await sync();
    expect((await send(second, '10.0.0.1')).status).toBe(200);
    await sync();
    await expect.poll(() => send(second, '10.0.0.1'), polling).toMatchObject({ status: 429 });
    await sync();
    // An idle process learns the counts of the others with its next request.
    await send(first, '10.0.0.1');
    await sync();
    expect(await send(first, '10.0.0.1')).toEqual({ status: 429, remaining: 0 });

    await redis.stop();
    for (let times = 0; times < 5; times += 1) expect((await send(first, '10.0.0.2')).status).toBe(200);
    expect((await send(second, '10.0.0.2')).remaining).toBe(19);

    await redis.start();
    await expect.poll(() => health(first), polling).toMatchObject({ redis: 'up' });
    await expect.poll(() => health(second), polling).toMatchObject({ redis: 'up' });
    await sync();
    await send(second, '10.0.0.2');
    await sync();
    // Counts of the outage are added once Redis is back.
    expect((await send(second, '10.0.0.2')).remaining).toBe(20 - 5 - 3);
  },
);

test.skipIf(!hasRedis)(
  'the cache is shared, local during an outage, and returns no outdated value afterwards',
  async () => {
    const redis = await redisServer();
    await redis.start();
    const [first, second] = await twoProcesses({ REDIS_URL: redis.url });
    const [firstCache, secondCache] = [first.kernel.cache, second.kernel.cache];
    await expect.poll(() => health(first), polling).toMatchObject({ redis: 'up' });
    await expect.poll(() => health(second), polling).toMatchObject({ redis: 'up' });
    await firstCache.set('key', { n: 1 }, 60);
    expect(await secondCache.get('key')).toEqual({ n: 1 });
    await secondCache.delete('key');
    expect(await firstCache.get('key')).toBeUndefined();
    await firstCache.set('short', 1, 0.02);
    await expect.poll(() => secondCache.get('short'), polling).toBeUndefined();

    await redis.stop();
    await expect.poll(() => health(first), polling).toMatchObject({ redis: 'down' });
    await firstCache.set('key', { n: 2 }, 60);
    expect(await firstCache.get('key')).toEqual({ n: 2 });
    expect(await secondCache.get('key')).toBeUndefined();

    await redis.start();
    await expect.poll(() => health(first), polling).toMatchObject({ redis: 'up' });
    expect(await firstCache.get('key')).toBeUndefined();
    await expect.poll(() => health(second), polling).toMatchObject({ redis: 'up' });
    await secondCache.set('key', { n: 3 }, 60);
    expect(await firstCache.get('key')).toEqual({ n: 3 });
  },
);

test.skipIf(!hasRedis)('installations that share one Redis are isolated', async () => {
  const redis = await redisServer();
  await redis.start();
  const environment = { REDIS_URL: redis.url };
  const first = await startPlatform({ environment });
  const { kernel } = await startPlatform();
  await kernel.central.db.run(sql`UPDATE installation SET id = gen_random_uuid()`);
  const other = await startPlatform({ environment, sharedWith: { kernel } as TestPlatform });
  await expect.poll(() => health(first), polling).toMatchObject({ redis: 'up' });
  await expect.poll(() => health(other), polling).toMatchObject({ redis: 'up' });
  await first.kernel.cache.set('key', 1, 60);
  expect(await other.kernel.cache.get('key')).toBeUndefined();
});

test.each(hasRedis ? ['redis', 'postgres'] : ['postgres'])(
  'messages reach every process once and in order over %s',
  async (over) => {
    const environment: Record<string, string> = {};
    if (over === 'redis') {
      const redis = await redisServer();
      await redis.start();
      environment.REDIS_URL = redis.url;
    }
    const processes = await twoProcesses(environment);
    for (const platform of processes) await expect.poll(() => health(platform), polling).toMatchObject({ status: 200 });
    const received: string[][] = await Promise.all(processes.map(collectMessages));
    // Longer than one notification of PostgreSQL, with multi-byte characters.
    const texts = ['one', '', 'ढेर सारा '.repeat(5_000), 'three'];
    for (const text of texts) await processes[0].kernel.pubsub.publish('news', text);
    await processes[1].kernel.pubsub.publish('other', 'other channel');
    await processes[1].kernel.pubsub.publish('news', 'from the second process');
    for (const messages of received)
      await expect.poll(() => messages, polling).toEqual([...texts, 'from the second process']);
  },
);

test.skipIf(!hasRedis)(
  'during an outage messages are sent over PostgreSQL, also to processes without Redis',
  async () => {
    const redis = await redisServer();
    await redis.start();
    const [first, second] = await twoProcesses({ REDIS_URL: redis.url });
    const without = await startPlatform({ sharedWith: first });
    await expect.poll(() => health(first), polling).toMatchObject({ redis: 'up' });
    await expect.poll(() => health(second), polling).toMatchObject({ redis: 'up' });
    const received = await collectMessages(second);
    await redis.stop();
    await expect.poll(() => health(first), polling).toMatchObject({ redis: 'down' });
    await first.kernel.pubsub.publish('news', 'during the outage');
    await without.kernel.pubsub.publish('news', 'from a process without Redis');
    await expect.poll(() => received, polling).toEqual(['during the outage', 'from a process without Redis']);
    await redis.start();
    await expect.poll(() => health(first), polling).toMatchObject({ redis: 'up' });
    await expect.poll(() => health(second), polling).toMatchObject({ redis: 'up' });
    // The subscription of the second process may be restored a little later.
    await expect
      .poll(async () => {
        await first.kernel.pubsub.publish('news', 'back');
        return received.at(-1);
      }, polling)
      .toBe('back');
  },
);

test('an ended subscription receives no messages', async () => {
  const { kernel } = await startPlatform();
  const ended: string[] = [];
  const unsubscribe = await kernel.pubsub.subscribe('news', (text) => ended.push(text));
  const active: string[] = [];
  await kernel.pubsub.subscribe('news', (text) => active.push(text));
  unsubscribe();
  await kernel.pubsub.publish('news', 'late');
  await expect.poll(() => active, polling).toEqual(['late']);
  expect(ended).toEqual([]);
});

test('a cached value is computed once per module and tenant, and not shared with others', async () => {
  let runs = 0;
  const modules = ['alpha', 'beta'].map((alias) =>
    testModule({
      alias,
      actions: {
        [`${alias}.get`]: action({
          ...common,
          http: `GET /${alias}`,
          run: async (ctx) => {
            runs += 1;
            return { n: await ctx.cache.remember('n', 60, async () => runs) };
          },
        }),
        [`${alias}.forget`]: action({ ...common, http: `DELETE /${alias}`, run: (ctx) => ctx.cache.forget('n') }),
      },
    }),
  );
  const platform = await startPlatform({ modules });
  const [acme, other] = [(await platform.tenant()).caller(), (await platform.tenant()).caller()];
  const get = async (caller: typeof acme, path: string) => (await caller.get(`/api/v1${path}`)).body.n;
  expect(await get(acme, '/alpha')).toBe(1);
  expect(await get(acme, '/alpha')).toBe(1);
  expect(await get(acme, '/beta')).toBe(3);
  expect(await get(other, '/alpha')).toBe(4);
  await acme.delete('/api/v1/alpha');
  expect(await get(acme, '/alpha')).toBe(5);
  expect(await get(other, '/alpha')).toBe(4);
});

test('the local cache returns copies', async () => {
  const cache = new LocalCache();
  const value = { list: [1] };
  await cache.set('key', value, 60);
  value.list.push(2);
  const cached = (await cache.get('key')) as typeof value;
  cached.list.push(3);
  expect(await cache.get('key')).toEqual({ list: [1] });
});

async function collectMessages({ kernel }: TestPlatform): Promise<string[]> {
  const messages: string[] = [];
  onTestFinished(await kernel.pubsub.subscribe('news', (text) => messages.push(text)));
  return messages;
}
