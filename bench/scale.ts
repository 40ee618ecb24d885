import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { figure, median, printTable } from './figures.ts';
import { waitUntilHealthy } from './health.ts';
import { inParallel, startPlatform } from './platform.ts';
import { cpuSeconds, listChildren, readMemory } from './process-figures.ts';
import { freePort, node, onStage, readPostmasterPid, repository, type Stage } from './stage.ts';

/*
 * What do tenants cost that nobody uses? The start, CPU time, transactions and connections at rest, a scheduled task in each tenant, and
 * `chowkd migrate`, without anything to do and with one file for each.
 */

const steps = (process.env.TENANTS ?? '10,100,1000').split(',').map(Number);
const restSeconds = Number(process.env.SECONDS ?? 60);
/** After a start there is some work left. */
const settlingSeconds = 30;

await onStage(async (stage) => {
  const storagePath = await stage.folder();
  const rows: string[][] = [];
  let created = 0;
  for (const count of steps) {
    await createTenants(stage, storagePath, created, count);
    created = count;
    rows.push([`${count}`, ...(await measure(stage, storagePath))]);
    console.log(rows.at(-1)?.join('  '));
  }
  const head = [
    'tenants',
    'start',
    'memory',
    'of a core: platform',
    'PostgreSQL',
    'transactions',
    'connections',
    'a task',
    'chowkd migrate',
    'with one file',
  ];
  printTable(`tenants at rest, for ${restSeconds} s`, head, rows);
});

/** Without fsync, because this is not measured. */
async function createTenants(stage: Stage, storagePath: string, from: number, to: number): Promise<void> {
  const platform = await startPlatform(stage, { storagePath, unsafe: true, environment: { SPARE_DATABASES: '0' } });
  const ids = Array.from({ length: to - from }, (_, index) => `t${from + index}`);
  await inParallel(ids, 4, (id) => platform.post('/api/v1/bench/tenants', { id }));
  await platform.stop();
}

async function measure(stage: Stage, storagePath: string): Promise<string[]> {
  const environment = { APP_ENV: 'production', STORAGE_PATH: storagePath, SPARE_DATABASES: '0' };
  const chowkd = (...args: string[]) => [`${repository}/server/src/main.ts`, ...args];
  const port = await freePort();
  const startedAt = performance.now();
  const server = stage.start(node, chowkd('serve'), { ...environment, PORT: `${port}` });
  await waitUntilHealthy(port);
  const startSeconds = (performance.now() - startedAt) / 1_000;
  await delay(settlingSeconds * 1_000);

  const [, , , databasePort] = (await readFile(join(storagePath, 'postgres/data/postmaster.pid'), 'utf8')).split('\n');
  const password = await readFile(join(storagePath, 'postgres/password'), 'utf8');
  const login = { user: 'chowk', password: password.trim(), database: 'chowk' };
  const client = new pg.Client({ host: '127.0.0.1', port: Number(databasePort), ...login });
  await client.connect();
  const postmaster = await readPostmasterPid(storagePath);
  const before = await readState(client, server.pid, postmaster);
  await delay(restSeconds * 1_000);
  const after = await readState(client, server.pid, postmaster);
  await client.end();
  const { rss } = await readMemory(server.pid);
  const tasks = await stage.start(node, chowkd('jobs:run', 'products.release_expired', '--json'), environment).output();
  const taskMs = (JSON.parse(tasks) as { ms: number }[]).map(({ ms }) => ms);
  const migrate = async () => {
    const beganAt = performance.now();
    await stage.start(node, chowkd('migrate'), environment).output();
    return (performance.now() - beganAt) / 1_000;
  };
  const withoutWork = await migrate();
  await undoMigration(login, Number(databasePort));
  const withOneFile = await migrate();
  await server.stop();
  const percent = (name: 'platform' | 'postgres') => figure(((after[name] - before[name]) / restSeconds) * 100, '%');
  return [
    figure(startSeconds, 's'),
    figure(rss, 'MB'),
    percent('platform'),
    percent('postgres'),
    figure((after.transactions - before.transactions) / restSeconds, '/s'),
    `${after.connections}`,
    figure(median(taskMs), 'ms'),
    figure(withoutWork, 's'),
    figure(withOneFile, 's'),
  ];
}

/** A file that can be applied twice counts as missing in all tenants. */
async function undoMigration(login: { user: string; password: string }, port: number): Promise<void> {
  const [owner, name] = ['kernel', '0011_iso_function.sql'];
  const connect = async (database: string) => {
    const client = new pg.Client({ host: '127.0.0.1', port, ...login, database });
    await client.connect();
    return client;
  };
  const central = await connect('chowk');
  const { rows } = await central.query<{ database: string }>('SELECT database_name AS database FROM tenants');
  await inParallel(rows, 4, async ({ database }) => {
    const client = await connect(database);
    await client.query('DELETE FROM schema_migrations WHERE owner = $1 AND name = $2', [owner, name]);
    await client.end();
  });
  await central.query(
    `UPDATE tenant_migrations SET applied = ARRAY(SELECT id FROM unnest(applied) id WHERE id NOT LIKE $1 || '/' || $2 || ' %')`,
    [owner, name],
  );
  await central.end();
}

async function readState(client: pg.Client, pid: number, postmaster: number) {
  const { rows } = await client.query(`
    SELECT (SELECT sum(xact_commit + xact_rollback)::float8 FROM pg_stat_database) AS transactions,
      (SELECT count(*)::int FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()) AS connections`);
  const live = await Promise.all([postmaster, ...(await listChildren(postmaster))].map((one) => cpuSeconds(one)));
  const ended = await cpuSeconds(postmaster, { ofEndedChildren: true });
  const postgres = live.filter(Number.isFinite).reduce((sum, one) => sum + one, ended);
  return { ...(rows[0] as { transactions: number; connections: number }), platform: await cpuSeconds(pid), postgres };
}
