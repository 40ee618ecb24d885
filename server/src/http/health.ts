import { setTimeout as pause } from 'node:timers/promises';
import { Answer, type Db, type Route, route, sql, Type } from '@chowk/kit';
import type { Config } from '../config.ts';
import { lockPath } from '../loader/lock-path.ts';

const answer = Type.Object({
  status: Type.String({ description: '`ok`, or `degraded` when a service is not up' }),
  ring: Type.Object({ name: Type.String(), lock_path: Type.String() }),
  services: Type.Object({
    database: Type.String({ description: '`up` or `down`' }),
    redis: Type.String({ description: '`up`, `down`, or `not_configured`' }),
  }),
});

/** A database that needs longer than this to answer nothing is not up. */
const patienceMs = 2_000;

export function healthRoute(config: Config, central: Db): Route {
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
      const alive = central.row(sql`SELECT 1`).then(
        () => true,
        () => false,
      );
      const database = await Promise.race([alive, pause(patienceMs, false, { ref: false })]);
      const body = {
        status: database ? 'ok' : 'degraded',
        ring: { name: config.ringName, lock_path: lockPath(config) },
        services: { database: database ? 'up' : 'down', redis: 'not_configured' },
      };
      return new Answer(body, { status: database ? 200 : 503 });
    },
  });
}
