import { setTimeout as pause } from 'node:timers/promises';
import { type Actions, action, type Db, named, sql, Type } from '@chowk/kit/kernel';
import type { Config } from '../config/config.ts';
import { lockPath } from '../loader/lock-path.ts';
import type { Redis } from '../redis/redis.ts';

const Health = named(
  'Health',
  Type.Object({
    status: Type.String({ description: '`ok`, or `degraded` when a service is down.' }),
    ring: Type.Object({ name: Type.String(), lock_path: Type.String() }),
    services: Type.Object({
      database: Type.String({ description: '`up` or `down`.' }),
      redis: Type.String({ description: '`up`, `down` or `not_configured`.' }),
    }),
  }),
);

/** A service that does not respond within this time is down. */
const timeoutMs = 2_000;

export function healthActions(config: Config, central: Db, redis: Redis | undefined): Actions {
  return {
    'health.get': action({
      summary: 'Check the health of the service',
      description: 'Reports whether the database and Redis are up, and the ring that responded.',
      http: 'GET /api/health',
      root: true,
      public: true,
      tenant: 'none',
      output: Health,
      answer: { status: ({ status }) => (status === 'ok' ? 200 : 503) },
      responses: { 503: { description: 'A service is down.', body: Health } },
      run: async () => {
        const [database, cache] = await Promise.all([
          isUp(central.row(sql`SELECT 1`)),
          redis && isUp(redis.client.ping()),
        ]);
        return {
          status: database && cache !== false ? 'ok' : 'degraded',
          ring: { name: config.ringName, lock_path: lockPath(config) },
          services: { database: upOrDown(database), redis: cache === undefined ? 'not_configured' : upOrDown(cache) },
        };
      },
    }),
  };
}

function isUp(ping: Promise<unknown>): Promise<boolean> {
  const succeeded = ping.then(
    () => true,
    () => false,
  );
  return Promise.race([succeeded, pause(timeoutMs, false, { ref: false })]);
}

function upOrDown(up: boolean): string {
  return up ? 'up' : 'down';
}
