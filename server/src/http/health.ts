import { setTimeout as pause } from 'node:timers/promises';
import { Answer, type Db, type Route, route, sql, Type } from '@chowk/kit';
import type { Config } from '../config.ts';
import { lockPath } from '../loader/lock-path.ts';
import type { Redis } from '../redis/redis.ts';

const answer = Type.Object({
  status: Type.String({ description: '`ok`, or `degraded` when a service is not up' }),
  ring: Type.Object({ name: Type.String(), lock_path: Type.String() }),
  services: Type.Object({
    database: Type.String({ description: '`up` or `down`' }),
    redis: Type.String({ description: '`up`, `down`, or `not_configured`' }),
  }),
});

/** A service that needs longer than this to answer nothing is not up. */
const patienceMs = 2_000;

export function healthRoute(config: Config, central: Db, redis: Redis | undefined): Route {
  return route({
    method: 'GET',
    path: '/api/health',
    root: true,
    tag: 'Platform',
    summary: 'Whether the service and what it stands on are up, and which ring answered.',
    public: true,
    tenant: 'none',
    answer,
    run: async () => {
      const [database, cache] = await Promise.all([
        isUp(central.row(sql`SELECT 1`)),
        redis && isUp(redis.client.ping()),
      ]);
      const allUp = database && cache !== false;
      const body = {
        status: allUp ? 'ok' : 'degraded',
        ring: { name: config.ringName, lock_path: lockPath(config) },
        services: { database: word(database), redis: cache === undefined ? 'not_configured' : word(cache) },
      };
      return new Answer(body, { status: allUp ? 200 : 503 });
    },
  });
}

function isUp(answer: Promise<unknown>): Promise<boolean> {
  const alive = answer.then(
    () => true,
    () => false,
  );
  return Promise.race([alive, pause(patienceMs, false, { ref: false })]);
}

function word(up: boolean): string {
  return up ? 'up' : 'down';
}
