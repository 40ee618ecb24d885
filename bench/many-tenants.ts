import { statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { figure, percentile, printTable } from './figures.ts';
import { inParallel, type Platform, startPlatform } from './platform.ts';
import { onStage, type Stage } from './stage.ts';

/* Is the connection budget of one process enough for 1,000 active tenants? */

const tenants = 1_000;
const perSecond = 100;
const seconds = 20;
const megabytesPerTenant = 8.5;
const maxConnections = 60;

await onStage(async (stage) => {
  await assertDiskSpace(tenants * megabytesPerTenant * 1.2);
  const ids = Array.from({ length: tenants }, (_, index) => `t${index}`);
  const storagePath = await stage.folder();
  await createTenants(stage, storagePath, ids);

  const platform = await startPlatform(stage, { storagePath });
  const stopWatching = await watchConnections(stage, platform);
  const firstRequests = await requestEach(platform, ids);
  const requests = await requestAtFixedRate(platform, ids);
  const connections = await stopWatching();

  const errors = [...firstRequests, ...requests].map(({ error }) => error).filter((error) => error !== undefined);
  for (const [error, times] of Map.groupBy(errors, String)) console.log(`  ${times.length} × ${error}`);
  printTable(
    `${tenants} tenants in rotation, ${perSecond} requests a second for ${seconds} s, with the default budget`,
    ['', 'p50', 'p99', 'errors', 'target', 'max connections', 'target'],
    [
      ['first requests, 4 at a time', ...cells(firstRequests), '0', '', ''],
      [`${perSecond} a second`, ...cells(requests), '0', `${Math.max(...connections)}`, `≤ ${maxConnections}`],
    ],
  );
});

interface Outcome {
  readonly ms: number;
  readonly error: string | undefined;
}

function cells(outcomes: readonly Outcome[]): string[] {
  const latencies = outcomes.map(({ ms }) => ms);
  const errors = outcomes.filter(({ error }) => error !== undefined);
  return [figure(percentile(latencies, 50), 'ms'), figure(percentile(latencies, 99), 'ms'), `${errors.length}`];
}

async function assertDiskSpace(megabytes: number): Promise<void> {
  const { bavail, bsize } = await statfs(tmpdir());
  const free = (bavail * bsize) / 2 ** 20;
  console.log(
    `\n  ${tenants} databases take ${figure(megabytes / 1024)} GB of the ${figure(free / 1024)} GB free in ${tmpdir()}`,
  );
  if (free < megabytes)
    throw new Error(`not enough disk space in ${tmpdir()}; set TMPDIR to a folder on a larger disk`);
}

/** Without fsync: only the requests afterwards are measured, with production settings. */
async function createTenants(stage: Stage, storagePath: string, ids: readonly string[]): Promise<void> {
  const startedAt = performance.now();
  const platform = await startPlatform(stage, { storagePath, unsafe: true, environment: { SPARE_DATABASES: '0' } });
  await platform.post('/api/v1/bench/tenants', { id: 'first' });
  await inParallel(ids, 4, (id) => platform.post('/api/v1/bench/tenants', { id }));
  await platform.stop();
  console.log(`  created them in ${figure((performance.now() - startedAt) / 1_000)} s`);
}

/** Counts all client connections except its own ten times a second, until the returned function is called. */
async function watchConnections(stage: Stage, platform: Platform): Promise<() => Promise<number[]>> {
  const client = new pg.Client({ ...platform.database, database: platform.central });
  await client.connect();
  stage.atEnd(() => client.end());
  const counts: number[] = [];
  const watching = new AbortController();
  const watch = async () => {
    while (!watching.signal.aborted) {
      const { rows } = await client.query(`SELECT count(*)::int FROM pg_stat_activity
        WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()`);
      counts.push(rows[0].count);
      await delay(100);
    }
    return counts;
  };
  const result = watch();
  return () => {
    watching.abort();
    return result;
  };
}

/** One request per tenant. PostgreSQL builds the catalog cache of a database in its first session, which is slower. */
async function requestEach(platform: Platform, ids: readonly string[]): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  await inParallel(ids, 4, async (id) => outcomes.push(await request(platform, id, performance.now())));
  return outcomes;
}

/** Sends requests at a fixed rate without waiting for earlier ones; latency counts from the scheduled time. */
async function requestAtFixedRate(platform: Platform, ids: readonly string[]): Promise<Outcome[]> {
  const startedAt = performance.now();
  const outcomes: Promise<Outcome>[] = [];
  for (let number = 0; number < perSecond * seconds; number += 1) {
    const due = startedAt + (number * 1_000) / perSecond;
    const wait = due - performance.now();
    if (wait > 0) await delay(wait);
    outcomes.push(request(platform, ids[number % ids.length] as string, due));
  }
  return Promise.all(outcomes);
}

async function request(platform: Platform, id: string, due: number): Promise<Outcome> {
  const error = await platform.get<{ database: string }>('/api/v1/bench/database', platform.headers(id)).then(
    ({ database }) => (database === `tenant${id}` ? undefined : 'response from the database of another tenant'),
    // Without the request id, so that equal errors are grouped.
    ({ message }: Error) => message.replace(/,?"request_id":"[^"]*"/, ''),
  );
  return { ms: performance.now() - due, error };
}
