import { type Actions, action, named, Type } from '@chowk/kit/kernel';
import type { Config } from '../config/config.ts';
import { lockPath } from '../loader/lock-path.ts';
import { healthCheck } from '../operator/health-check.ts';
import type { Redis } from '../redis/redis.ts';
import type { Central } from '../tenancy/central-database.ts';
import { mainServer } from '../tenancy/servers.ts';

const ServiceStatus = Type.String({ description: '`up`, `down`, `full` (no space on its disk) or `read_only`.' });
const RedisStatus = Type.String({ description: '`up`, `down` or `not_configured`. Nothing depends on Redis.' });

const Health = named(
  'Health',
  Type.Object({
    status: Type.String({ description: '`ok`, or `degraded` when a service is down.' }),
    ring: Type.Object({ name: Type.String(), lock_path: Type.String() }),
    services: Type.Object({ database: ServiceStatus, redis: RedisStatus }),
  }),
);

const Liveness = named('Liveness', Type.Object({ status: Type.String({ description: 'Always `ok`.' }) }));

const Readiness = named(
  'Readiness',
  Type.Object({
    status: Type.String({
      description: '`ready`; `degraded` when only some tenants or features are affected; `not_ready`.',
    }),
    database_servers: Type.Record(Type.String(), ServiceStatus, {
      description: 'Each database server by name. `main` has the central database.',
    }),
    storage: Type.String({ description: 'The disk of `STORAGE_PATH`: `up` or `full`.' }),
    redis: RedisStatus,
  }),
);

const open = { root: true, public: true, tenant: 'none', limit: false } as const;

/** For monitoring, load balancers and orchestrators. Not counted against rate limits. */
export function healthActions(config: Config, central: Pick<Central, 'servers'>, redis: Redis | undefined): Actions {
  const check = healthCheck(config, central, redis);
  return {
    'health.get': action({
      ...open,
      summary: 'Check the health of the service',
      description:
        'Reports whether all database servers and Redis are up, and the ring that responded. Fails if a database server is not up or the disk is full; an outage of Redis is reported but harms nobody.',
      http: 'GET /api/health',
      output: Health,
      answer: { status: ({ services }) => (services.database === 'up' ? 200 : 503) },
      responses: { 503: { description: 'A database server is not up, or the disk is full.', body: Health } },
      run: async () => {
        const { servers, storage, redis: cache } = await check();
        const database = [...Object.values(servers), storage].find((status) => status !== 'up') ?? 'up';
        return {
          status: database === 'up' && cache !== 'down' ? 'ok' : 'degraded',
          ring: { name: config.ringName, lock_path: lockPath(config) },
          services: { database, redis: cache },
        };
      },
    }),
    'health.live': action({
      ...open,
      summary: 'Check that the process responds',
      description: 'Checks no other service. Restart a process that does not respond.',
      http: 'GET /api/health/live',
      output: Liveness,
      run: async () => ({ status: 'ok' }),
    }),
    'health.ready': action({
      ...open,
      summary: 'Check that the process can serve requests',
      description:
        'Fails if the central database cannot be used, so that a load balancer sends no requests. Other database servers hold some of the tenants: their outage is reported, but not a failure.',
      http: 'GET /api/health/ready',
      output: Readiness,
      answer: { status: ({ status }) => (status === 'not_ready' ? 503 : 200) },
      responses: { 503: { description: 'The central database cannot be used.', body: Readiness } },
      run: async () => {
        const { servers, storage, redis: cache } = await check();
        const isDegraded = [...Object.values(servers), storage].some((status) => status !== 'up') || cache === 'down';
        const status = servers[mainServer] !== 'up' ? 'not_ready' : isDegraded ? 'degraded' : 'ready';
        return { status, database_servers: servers, storage, redis: cache };
      },
    }),
  };
}
