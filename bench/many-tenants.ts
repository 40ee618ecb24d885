import { statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { figure, percentile, printTable } from './figures.ts';
import { inParallel, type Platform, startPlatform } from './platform.ts';
import { onStage, type Stage } from './stage.ts';

/* Do 1,000 tenants get on with the connections that one process may open? */

const tenants = 1_000;
const perSecond = 100;
const seconds = 20;
const megabytesEach = 8.5;
const mostConnections = 60;

await onStage(async (stage) => {
  await mustHaveRoom(tenants * megabytesEach * 1.2);
  const ids = Array.from({ length: tenants }, (_, index) => `t${index}`);
  const storagePath = await stage.folder();
  await makeTenants(stage, storagePath, ids);

  const platform = await startPlatform(stage, { storagePath });
  const watched = await watchConnections(stage, platform);
  const firstVisits = await visitAll(platform, ids);
  const visits = await arrive(platform, ids);
  const connections = await watched();

  const errors = [...firstVisits, ...visits].map(({ error }) => error).filter((error) => error !== undefined);
  for (const [error, times] of Map.groupBy(errors, String)) console.log(`  ${times.length} × ${error}`);
  printTable(
    `${tenants} tenants in turn, ${perSecond} requests a second for ${seconds} s, with the default budget`,
    ['', 'p50', 'p99', 'errors', 'aim', 'most connections', 'aim'],
    [
      ['first visits, 4 at a time', ...cells(firstVisits), '0', '', ''],
      [`${perSecond} a second`, ...cells(visits), '0', `${Math.max(...connections)}`, `≤ ${mostConnections}`],
    ],
  );
});

interface Visit {
  readonly ms: number;
  readonly error: string | undefined;
}

function cells(visits: readonly Visit[]): string[] {
  const latencies = visits.map(({ ms }) => ms);
  const errors = visits.filter(({ error }) => error !== undefined);
  return [figure(percentile(latencies, 50), 'ms'), figure(percentile(latencies, 99), 'ms'), `${errors.length}`];
}

async function mustHaveRoom(megabytes: number): Promise<void> {
  const { bavail, bsize } = await statfs(tmpdir());
  const free = (bavail * bsize) / 2 ** 20;
  console.log(
    `\n  ${tenants} databases take ${figure(megabytes / 1024)} GB of the ${figure(free / 1024)} GB free in ${tmpdir()}`,
  );
  if (free < megabytes) throw new Error(`not enough room in ${tmpdir()}; set TMPDIR to a folder on a larger disk`);
}

/** Without fsync: only the requests afterwards are measured, on a server with the settings of production. */
async function makeTenants(stage: Stage, storagePath: string, ids: readonly string[]): Promise<void> {
  const began = performance.now();
  const platform = await startPlatform(stage, { storagePath, unsafe: true, environment: { SPARE_DATABASES: '0' } });
  await platform.post('/api/v1/bench/tenants', { id: 'first' });
  await inParallel(ids, 4, (id) => platform.post('/api/v1/bench/tenants', { id }));
  await platform.stop();
  console.log(`  made them in ${figure((performance.now() - began) / 1_000)} s`);
}

/** Counts the client connections of the whole server ten times a second, but for the one that counts. */
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
      await pause(100);
    }
    return counts;
  };
  const watched = watch();
  return () => {
    watching.abort();
    return watched;
  };
}

/**
 * The first session in a database after PostgreSQL has started finds no catalogue at hand and has to build it, which
 * happens once and not while a budget is shared out: hence gently, and shown apart.
 */
async function visitAll(platform: Platform, ids: readonly string[]): Promise<Visit[]> {
  const visits: Visit[] = [];
  await inParallel(ids, 4, async (id) => visits.push(await visit(platform, id, performance.now())));
  return visits;
}

/** Requests come when they come, whether or not those before them are answered; their wait counts from that moment. */
async function arrive(platform: Platform, ids: readonly string[]): Promise<Visit[]> {
  const began = performance.now();
  const visits: Promise<Visit>[] = [];
  for (let number = 0; number < perSecond * seconds; number += 1) {
    const due = began + (number * 1_000) / perSecond;
    const wait = due - performance.now();
    if (wait > 0) await pause(wait);
    visits.push(visit(platform, ids[number % ids.length] as string, due));
  }
  return Promise.all(visits);
}

async function visit(platform: Platform, id: string, due: number): Promise<Visit> {
  const error = await platform.get<{ database: string }>('/api/v1/bench/database', platform.headers(id)).then(
    ({ database }) => (database === `tenant${id}` ? undefined : 'answered from the database of another tenant'),
    // Without the request's id, equal errors are equal.
    ({ message }: Error) => message.replace(/,?"request_id":"[^"]*"/, ''),
  );
  return { ms: performance.now() - due, error };
}
