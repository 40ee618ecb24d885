import { Redis } from 'ioredis';
import { expect, onTestFinished, test } from 'vitest';
import { eventually } from '../../testing/eventually.ts';
import { startPlatform } from '../../testing/platform.ts';
import { RealtimeClient, subscribe } from '../../testing/realtime-client.ts';
import { hasRedis, redisServer } from '../../testing/redis-server.ts';

test.skipIf(!hasRedis)(
  'events reach another process over Redis, without it, and over Redis when it is back',
  async () => {
    const redis = await redisServer();
    await redis.start();
    const environment = { REDIS_URL: redis.url };
    const first = await startPlatform({ environment });
    const second = await startPlatform({ environment, sharedWith: first, identity: first.identity });
    await second.app.listen({ host: '127.0.0.1', port: 0 });
    const health = async ({ request } = first) =>
      (await request({ method: 'GET', url: '/api/health' })).body.services.redis;
    const observer = new Redis(redis.url, { lazyConnect: true });
    onTestFinished(() => observer.disconnect());
    observer.on('error', () => {});
    /** Waits until both processes publish to Redis and are subscribed. */
    const connected = () =>
      eventually(async () => {
        expect([await health(first), await health(second)]).toEqual(['up', 'up']);
        const [channel = ''] = (await observer.pubsub('CHANNELS', '*messages')) as string[];
        expect(await observer.pubsub('NUMSUB', channel)).toEqual([channel, 2]);
      });
    /** The number of events that went over Redis since it started. */
    const overRedis = async () => /cmdstat_publish:calls=(\d+)/.exec(await observer.info('commandstats'))?.[1] ?? '0';

    const acme = await first.tenant();
    const asha = acme.caller('notifications.view');
    const channel = `private-user.${asha.user.id}`;
    const client = new RealtimeClient(second.app, `/app/${first.kernel.realtime.key}?protocol=7`);
    await subscribe(client, asha, await client.socketId(), channel);
    const broadcast = (event: string) => acme.context('orders').broadcast(channel, event, {});

    await connected();
    await broadcast('over-redis');
    await client.next('over-redis');
    await redis.stop();
    await eventually(async () => expect(await health()).toBe('down'));
    await broadcast('over-postgres');
    await client.next('over-postgres');
    await redis.start();
    await connected();
    const before = Number(await overRedis());
    await broadcast('over-redis-again');
    await client.next('over-redis-again');
    expect(Number(await overRedis())).toBeGreaterThan(before);
    expect(client.frames).toEqual([]);
  },
);
