import { expect, test } from 'vitest';
import { eventually } from '../../testing/eventually.ts';
import { startPlatform } from '../../testing/platform.ts';
import { RealtimeClient, subscribe } from '../../testing/realtime-client.ts';
import { hasRedis, redisServer } from '../../testing/redis-server.ts';

test.skipIf(!hasRedis)('events reach the sockets of another process over Redis, and without it', async () => {
  const redis = await redisServer();
  await redis.start();
  const environment = { REDIS_URL: redis.url };
  const first = await startPlatform({ environment });
  const second = await startPlatform({ environment, beside: first, identity: first.identity });
  await second.app.listen({ host: '127.0.0.1', port: 0 });
  const health = async () => (await first.request({ method: 'GET', url: '/api/health' })).body.services.redis;
  await eventually(async () => expect(await health()).toBe('up'));

  const acme = await first.tenant();
  const asha = acme.caller('notifications.view');
  const channel = `private-user.${asha.user.id}`;
  const client = new RealtimeClient(second.app, `/app/${first.kernel.realtime.key}?protocol=7`);
  await subscribe(client, asha, await client.socketId(), channel);
  const broadcast = (event: string) => acme.context('orders').broadcast(channel, event, {});
  await broadcast('over-redis');
  await client.next('over-redis');
  await redis.stop();
  await eventually(async () => expect(await health()).toBe('down'));
  await broadcast('over-postgres');
  await client.next('over-postgres');
});
