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
/** After a start there is some work left, and connections that were used are kept for a while. */
const settlingSeconds = 60;

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
  await inCentralDatabase(storagePath, async (central) => {
    // New tenants count as used, and would be visited by jobs that skip others.
    await central.query(`UPDATE outbox_activity SET active_at = now() - interval '3 days'`);
    await central.query(`UPDATE tenant_activity SET active_at = now() - interval '3 days'`);
    await central.query(`UPDATE tenants SET updated_at = now() - interval '3 days'`);
  });
  await delay(settlingSeconds * 1_000);

  const postmaster = await readPostmasterPid(storagePath);
  const [before, after] = await inCentralDatabase(storagePath, async (central) => {
    const first = await readState(central, server.pid, postmaster);
    await delay(restSeconds * 1_000);
    return [first, await readState(central, server.pid, postmaster)];
  });
  const { rss } = await readMemory(server.pid);
  const tasks = await stage.start(node, chowkd('jobs:run', 'products.release_expired', '--json'), environment).output();
  const taskMs = (JSON.parse(tasks) as { ms: number }[]).map(({ ms }) => ms);
  const migrate = async () => {
    const beganAt = performance.now();
    await stage.start(node, chowkd('migrate'), environment).output();
    return (performance.now() - beganAt) / 1_000;
  };
  const withoutWork = await migrate();
  await undoMigration(storagePath);
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
async function undoMigration(storagePath: string): Promise<void> {
  const [owner, name] = ['kernel', '0011_iso_function.sql'];
  await inCentralDatabase(storagePath, async (central) => {
    const { rows } = await central.query<{ database: string }>('SELECT database_name AS database FROM tenants');
    await inParallel(rows, 4, async ({ database }) => {
      const tenant = await openDatabase(storagePath, database);
      await tenant.query('DELETE FROM schema_migrations WHERE owner = $1 AND name = $2', [owner, name]);
      await tenant.end();
    });
    await central.query(
      `UPDATE tenant_migrations SET applied = ARRAY(SELECT id FROM unnest(applied) id WHERE id NOT LIKE $1 || '/' || $2 || ' %')`,
      [owner, name],
    );
  });
}

async function inCentralDatabase<T>(storagePath: string, work: (central: pg.Client) => Promise<T>): Promise<T> {
  const central = await openDatabase(storagePath, 'chowk');
  try {
    return await work(central);
  } finally {
    await central.end();
  }
}

async function openDatabase(storagePath: string, database: string): Promise<pg.Client> {
  const [, , , port] = (await readFile(join(storagePath, 'postgres/data/postmaster.pid'), 'utf8')).split('\n');
  const password = (await readFile(join(storagePath, 'postgres/password'), 'utf8')).trim();
  const client = new pg.Client({ host: '127.0.0.1', port: Number(port), user: 'chowk', password, database });
  await client.connect();
  return client;
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
