import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { figure, printTable } from './figures.ts';
import { type Platform, startPlatform } from './platform.ts';
import { onStage } from './stage.ts';

/* How long is a tenant paused when it moves to another database server, by the size of its database? */

/** In megabytes. */
const sizes = (process.env.SIZES ?? '10,1000').split(',').map(Number);
const writesPerSecond = 50;

interface Writes {
  acknowledged: number;
  refused: number;
  slowestMs: number;
}

await onStage(async (stage) => {
  // The second platform only lends its PostgreSQL server.
  const lender = await startPlatform(stage, { storagePath: await stage.folder() });
  const { port, user, password } = lender.database;
  const east = `postgres://${user}:${encodeURIComponent(password)}@127.0.0.1:${port}`;
  const platform = await startPlatform(stage, {
    storagePath: await stage.folder(),
    environment: { DATABASE_SERVERS: `east=${east}?weight=0` },
  });
  const rows: string[][] = [];
  for (const size of sizes) {
    for (const isOffline of [false, true]) {
      const id = `t${size}${isOffline ? 'offline' : ''}`;
      await platform.post('/api/v1/bench/tenants', { id });
      await fill(platform, `tenant${id}`, size);
      const startedAt = performance.now();
      const writes = writeConstantly(platform, id);
      const { pausedMs } = await platform.post<{ pausedMs: number }>('/api/v1/bench/moves', {
        id,
        to: 'east',
        isOffline,
      });
      const seconds = (performance.now() - startedAt) / 1_000;
      const { acknowledged, refused, slowestMs } = await writes.stop();
      rows.push([
        `${size} MB, ${isOffline ? 'copied while paused' : 'followed'}`,
        figure(seconds, 's'),
        figure(pausedMs, 'ms'),
        String(acknowledged),
        String(refused),
        figure(slowestMs, 'ms'),
      ]);
    }
  }
  printTable(
    `A tenant moves between two servers on this machine under ${writesPerSecond} writes a second`,
    ['', 'move', 'pause', 'writes', 'refused', 'slowest write'],
    rows,
  );
});

/** Rows of about a kilobyte that cannot be compressed. */
async function fill(platform: Platform, database: string, megabytes: number): Promise<void> {
  const client = new pg.Client({ ...platform.database, database });
  await client.connect();
  for (let done = 0; done < megabytes; done += 10) {
    await client.query(
      `INSERT INTO idempotency_keys (caller, key, request_hash, response, expires_at)
       SELECT 'bench', $1 || '-' || n, '', (SELECT string_agg(md5(random()::text || n || i), '') FROM generate_series(1, 28) i),
         now() + interval '1 year' FROM generate_series(1, 10000) n`,
      [done],
    );
  }
  await client.end();
}

/** At a fixed rate, also while the tenant is paused. */
function writeConstantly(platform: Platform, tenant: string): { stop(): Promise<Writes> } {
  const writes: Writes = { acknowledged: 0, refused: 0, slowestMs: 0 };
  const requests: Promise<void>[] = [];
  let isStopped = false;
  const write = async (count: number) => {
    const startedAt = performance.now();
    const response = await fetch(`http://127.0.0.1:${platform.port}/api/v1/customers`, {
      method: 'POST',
      headers: { ...platform.headers(tenant), 'content-type': 'application/json' },
      body: JSON.stringify({ email: `customer${count}@example.com` }),
    });
    await response.text();
    if (response.ok) writes.acknowledged += 1;
    else writes.refused += 1;
    writes.slowestMs = Math.max(writes.slowestMs, performance.now() - startedAt);
  };
  const running = (async () => {
    for (let count = 0; !isStopped; count += 1) {
      requests.push(write(count));
      await delay(1_000 / writesPerSecond);
    }
  })();
  return {
    async stop() {
      isStopped = true;
      await running;
      await Promise.all(requests);
      return writes;
    },
  };
}
