import { action, sql } from '@chowk/kit';
import { expect, onTestFinished, test } from 'vitest';
import { startPlatform, type TestPlatform } from '../../testing/platform.ts';
import { hasRedis, redisServer } from '../../testing/redis-server.ts';
import { testModule } from '../../testing/test-module.ts';
import { LocalCache } from '../shared-cache.ts';

const soon = { timeout: 10_000, interval: 20 };
const common = { summary: 'Test', public: true } as const;
const actions = { 'test.ping': action({ ...common, http: 'GET /ping', tenant: 'none', run: async () => ({}) }) };

/** Two processes of one installation. */
async function twoProcesses(environment: Record<string, string>): Promise<[TestPlatform, TestPlatform]> {
  // A minute that does not end in the midst of a test.
  const at = new Date();
  const parts = { environment, actions, now: () => at };
  const first = await startPlatform(parts);
  return [first, await startPlatform({ ...parts, beside: first })];
}

async function health({ request }: TestPlatform) {
  const { status, body } = await request({ url: '/api/health' });
  return { status, redis: body.services.redis };
}

test('without REDIS_URL nobody misses it', async () => {
  const [first, second] = await twoProcesses({});
  expect(await health(first)).toEqual({ status: 200, redis: 'not_configured' });
  await first.kernel.cache.set('key', { n: 1 }, 60);
  expect(await first.kernel.cache.get('key')).toEqual({ n: 1 });
  expect(await second.kernel.cache.get('key')).toBeUndefined();
});

test.skipIf(!hasRedis)('it is up, down and up again, and the platform starts without it', async () => {
  const redis = await redisServer();
  const platform = await startPlatform({ environment: { REDIS_URL: redis.url }, actions });
  expect(await health(platform)).toEqual({ status: 503, redis: 'down' });
  expect((await platform.request({ url: '/api/v1/ping' })).status).toBe(200);
  await redis.start();
  await expect.poll(() => health(platform), soon).toEqual({ status: 200, redis: 'up' });
  await redis.stop();
  await expect.poll(() => health(platform), soon).toEqual({ status: 503, redis: 'down' });
  await redis.start();
  await expect.poll(() => health(platform), soon).toEqual({ status: 200, redis: 'up' });
});

test.skipIf(!hasRedis)('processes count requests together, alone while it is away, and together again', async () => {
  const redis = await redisServer();
  await redis.start();
  const environment = { REDIS_URL: redis.url, RATE_LIMIT_PER_MINUTE: '20' };
  const [first, second] = await twoProcesses(environment);
  await expect.poll(() => health(first), soon).toMatchObject({ redis: 'up' });
  await expect.poll(() => health(second), soon).toMatchObject({ redis: 'up' });
  const ask = async (platform: TestPlatform, remoteAddress: string) => {
    const { status, headers } = await platform.request({ url: '/api/v1/ping', remoteAddress });
    return { status, remaining: Number(headers['ratelimit-remaining']) };
  };
  const told = () => Promise.all([first, second].map(({ kernel }) => kernel.limiter.tell()));

  for (let times = 0; times < 12; times += 1) expect((await ask(first, '10.0.0.1')).status).toBe(200);
  await told();
  expect((await ask(second, '10.0.0.1')).status).toBe(200);
  await told();
  await expect.poll(() => ask(second, '10.0.0.1'), soon).toMatchObject({ status: 429 });
  await told();
  // One that was quiet meanwhile hears of the others with its next request.
  await ask(first, '10.0.0.1');
  await told();
  expect(await ask(first, '10.0.0.1')).toEqual({ status: 429, remaining: 0 });

  await redis.stop();
  for (let times = 0; times < 5; times += 1) expect((await ask(first, '10.0.0.2')).status).toBe(200);
  expect((await ask(second, '10.0.0.2')).remaining).toBe(19);

  await redis.start();
  await expect.poll(() => health(first), soon).toMatchObject({ redis: 'up' });
  await expect.poll(() => health(second), soon).toMatchObject({ redis: 'up' });
  await told();
  await ask(second, '10.0.0.2');
  await told();
  // Five and two: what was counted alone is told once it is back.
  expect((await ask(second, '10.0.0.2')).remaining).toBe(20 - 5 - 3);
});

test.skipIf(!hasRedis)(
  'the cache is one for all, one for each while it is away, and nothing old comes back',
  async () => {
    const redis = await redisServer();
    await redis.start();
    const [first, second] = await twoProcesses({ REDIS_URL: redis.url });
    const [mine, yours] = [first.kernel.cache, second.kernel.cache];
    await expect.poll(() => health(first), soon).toMatchObject({ redis: 'up' });
    await expect.poll(() => health(second), soon).toMatchObject({ redis: 'up' });
    await mine.set('key', { n: 1 }, 60);
    expect(await yours.get('key')).toEqual({ n: 1 });
    await yours.delete('key');
    expect(await mine.get('key')).toBeUndefined();
    await mine.set('short', 1, 0.02);
    await expect.poll(() => yours.get('short'), soon).toBeUndefined();

    await redis.stop();
    await expect.poll(() => health(first), soon).toMatchObject({ redis: 'down' });
    await mine.set('key', { n: 2 }, 60);
    expect(await mine.get('key')).toEqual({ n: 2 });
    expect(await yours.get('key')).toBeUndefined();

    await redis.start();
    await expect.poll(() => health(first), soon).toMatchObject({ redis: 'up' });
    expect(await mine.get('key')).toBeUndefined();
    await expect.poll(() => health(second), soon).toMatchObject({ redis: 'up' });
    await yours.set('key', { n: 3 }, 60);
    expect(await mine.get('key')).toEqual({ n: 3 });
  },
);

test.skipIf(!hasRedis)('installations that share one Redis do not see each other', async () => {
  const redis = await redisServer();
  await redis.start();
  const environment = { REDIS_URL: redis.url };
  const first = await startPlatform({ environment });
  const { kernel } = await startPlatform();
  await kernel.central.db.run(sql`UPDATE installation SET id = gen_random_uuid()`);
  const other = await startPlatform({ environment, beside: { kernel } as TestPlatform });
  await expect.poll(() => health(first), soon).toMatchObject({ redis: 'up' });
  await expect.poll(() => health(other), soon).toMatchObject({ redis: 'up' });
  await first.kernel.cache.set('key', 1, 60);
  expect(await other.kernel.cache.get('key')).toBeUndefined();
});

test.each(hasRedis ? ['redis', 'postgres'] : ['postgres'])(
  'messages reach every process once, in order, over %s',
  async (over) => {
    const environment: Record<string, string> = {};
    if (over === 'redis') {
      const redis = await redisServer();
      await redis.start();
      environment.REDIS_URL = redis.url;
    }
    const processes = await twoProcesses(environment);
    for (const one of processes) await expect.poll(() => health(one), soon).toMatchObject({ status: 200 });
    const heard: string[][] = await Promise.all(processes.map(hear));
    // Longer than PostgreSQL takes in one go, in letters of several bytes.
    const texts = ['one', '', 'ढेर सारा '.repeat(5_000), 'three'];
    for (const text of texts) await processes[0].kernel.pubsub.publish('news', text);
    await processes[1].kernel.pubsub.publish('other', 'not for us');
    await processes[1].kernel.pubsub.publish('news', 'from the other');
    for (const own of heard) await expect.poll(() => own, soon).toEqual([...texts, 'from the other']);
  },
);

test.skipIf(!hasRedis)(
  'messages go another way while Redis is away, also between who has it and who has not',
  async () => {
    const redis = await redisServer();
    await redis.start();
    const [first, second] = await twoProcesses({ REDIS_URL: redis.url });
    const without = await startPlatform({ beside: first });
    await expect.poll(() => health(first), soon).toMatchObject({ redis: 'up' });
    await expect.poll(() => health(second), soon).toMatchObject({ redis: 'up' });
    const heard = await hear(second);
    await redis.stop();
    await expect.poll(() => health(first), soon).toMatchObject({ redis: 'down' });
    await first.kernel.pubsub.publish('news', 'while it is away');
    await without.kernel.pubsub.publish('news', 'from who never had it');
    await expect.poll(() => heard, soon).toEqual(['while it is away', 'from who never had it']);
    await redis.start();
    await expect.poll(() => health(first), soon).toMatchObject({ redis: 'up' });
    await expect.poll(() => health(second), soon).toMatchObject({ redis: 'up' });
    // The other may need a moment longer to listen again.
    await expect
      .poll(async () => {
        await first.kernel.pubsub.publish('news', 'back');
        return heard.at(-1);
      }, soon)
      .toBe('back');
  },
);

test('who no longer listens hears nothing', async () => {
  const { kernel } = await startPlatform();
  const heard: string[] = [];
  const end = await kernel.pubsub.subscribe('news', (text) => heard.push(text));
  const other: string[] = [];
  await kernel.pubsub.subscribe('news', (text) => other.push(text));
  end();
  await kernel.pubsub.publish('news', 'late');
  await expect.poll(() => other, soon).toEqual(['late']);
  expect(heard).toEqual([]);
});

test('what one module of one tenant remembers is made once, and nobody else sees it', async () => {
  let made = 0;
  const modules = ['alpha', 'beta'].map((alias) =>
    testModule({
      alias,
      actions: {
        [`${alias}.get`]: action({
          ...common,
          http: `GET /${alias}`,
          run: async (ctx) => {
            made += 1;
            return { n: await ctx.cache.remember('n', 60, async () => made) };
          },
        }),
        [`${alias}.forget`]: action({ ...common, http: `DELETE /${alias}`, run: (ctx) => ctx.cache.forget('n') }),
      },
    }),
  );
  const platform = await startPlatform({ modules });
  const [acme, other] = [(await platform.tenant()).caller(), (await platform.tenant()).caller()];
  const ask = async (caller: typeof acme, path: string) => (await caller.get(`/api/v1${path}`)).body.n;
  expect(await ask(acme, '/alpha')).toBe(1);
  expect(await ask(acme, '/alpha')).toBe(1);
  expect(await ask(acme, '/beta')).toBe(3);
  expect(await ask(other, '/alpha')).toBe(4);
  await acme.delete('/api/v1/alpha');
  expect(await ask(acme, '/alpha')).toBe(5);
  expect(await ask(other, '/alpha')).toBe(4);
});

test('what is taken out of the local cache is a copy', async () => {
  const cache = new LocalCache();
  const value = { list: [1] };
  await cache.set('key', value, 60);
  value.list.push(2);
  const got = (await cache.get('key')) as typeof value;
  got.list.push(3);
  expect(await cache.get('key')).toEqual({ list: [1] });
});

async function hear({ kernel }: TestPlatform): Promise<string[]> {
  const heard: string[] = [];
  onTestFinished(await kernel.pubsub.subscribe('news', (text) => heard.push(text)));
  return heard;
}
