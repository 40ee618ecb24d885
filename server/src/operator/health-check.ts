import { statfs } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { sql } from '@chowk/kit/kernel';
import type { Config } from '../config/config.ts';
import type { Redis } from '../redis/redis.ts';
import type { Central, TenantServer } from '../tenancy/central-database.ts';

/** A service that does not respond within this time is down. */
const timeoutMs = 2_000;
/** How long the result of writing to the disk of a database server is kept. */
const writeEveryMs = 5_000;
const minFreeBytes = 20 * 1024 * 1024;

export interface HealthState {
  /** By name: `up`, `down`, `full` or `read_only`. */
  readonly servers: Readonly<Record<string, string>>;
  readonly storage: string;
  readonly redis: string;
}

/** Returns the function that checks all services. Concurrent calls share one check, so that nobody can overload them. */
export function healthCheck(
  { storagePath }: Pick<Config, 'storagePath'>,
  { servers }: Pick<Central, 'servers'>,
  redis: Redis | undefined,
): () => Promise<HealthState> {
  const probes = servers.map((server) => ({ name: server.name, probe: serverProbe(server) }));
  let running: Promise<HealthState> | undefined;
  const check = async (): Promise<HealthState> => {
    const [statuses, storage, cache] = await Promise.all([
      Promise.all(probes.map(async ({ name, probe }) => [name, await withinTime(probe())] as const)),
      storageStatus(storagePath),
      redis ? withinTime(redis.client.ping().then(() => 'up')) : 'not_configured',
    ]);
    return { servers: Object.fromEntries(statuses), storage, redis: cache };
  };
  return () => {
    running ??= check().finally(() => {
      running = undefined;
    });
    return running;
  };
}

function withinTime(status: Promise<string>): Promise<string> {
  return Promise.race([status.catch(() => 'down'), pause(timeoutMs, 'down', { ref: false })]);
}

function serverProbe({ db }: TenantServer): () => Promise<string> {
  let written = { at: -Infinity, status: 'up' };
  const writeStatus = async () => {
    if (performance.now() - written.at > writeEveryMs) written = { status: await writeTo(db), at: performance.now() };
    return written.status;
  };
  return async () => {
    const row = await db.row<{ read_only: boolean }>(sql`
      SELECT pg_is_in_recovery() OR current_setting('transaction_read_only')::boolean AS read_only`);
    return row?.read_only ? 'read_only' : writeStatus();
  };
}

/** Sorts more rows than fit into its memory: PostgreSQL writes them to a temporary file, and nothing remains. */
async function writeTo(db: TenantServer['db']): Promise<string> {
  try {
    await db.tx(async (tx) => {
      await tx.run(sql`SET LOCAL work_mem = '64kB'`);
      await tx.row(sql`
        SELECT max(position) FROM (SELECT row_number() OVER (ORDER BY hashint4(n)) AS position FROM generate_series(1, 20000) n) s`);
    });
    return 'up';
  } catch (error) {
    // Out of disk space, or of the space that PostgreSQL may use.
    if (/^(53100|53400|58030)$/.test((error as { code?: string }).code ?? '')) return 'full';
    throw error;
  }
}

async function storageStatus(path: string): Promise<string> {
  try {
    const { bavail, bsize } = await statfs(path);
    return bavail * bsize < minFreeBytes ? 'full' : 'up';
  } catch {
    return 'down';
  }
}
