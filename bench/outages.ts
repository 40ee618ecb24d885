import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { createConnection, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { figure, printTable } from './figures.ts';
import { waitUntilHealthy } from './health.ts';
import { listChildren } from './process-figures.ts';
import { freePort, node, onStage, type Running, readPostmasterPid, repository, type Stage } from './stage.ts';

/*
 * Is an order that was acknowledged ever lost or placed twice, and how long until orders are accepted again? Two servers, a worker, two
 * PostgreSQL servers and Redis, under orders in two tenants, one on each PostgreSQL server. `ONLY=redis RATE=10` for less.
 */

const rate = Number(process.env.RATE ?? 50);
const only = process.env.ONLY ?? '';
/** Before and after each fault. */
const calmMs = 5_000;
/** A client gives up on an answer after this time and sends the order again with its key. */
const answerMs = 10_000;
const giveUpMs = 120_000;
const credentials = { email: 'bench@example.com', password: 'correct horse battery' };

/** Between the platform and a PostgreSQL server. */
interface Link {
  readonly port: number;
  /** `cut` closes connections and refuses new ones, `silent` accepts bytes and passes none on. */
  state: 'open' | 'cut' | 'silent';
}

interface Database {
  readonly link: Link;
  readonly storagePath: string;
  readonly login: { readonly user: string; readonly password: string };
}

interface Process {
  readonly port: number;
  running: Running;
  start(): Promise<void>;
}

interface Platform {
  readonly main: Database;
  readonly east: Database;
  readonly servers: readonly [Process, Process];
  readonly worker: Process;
  readonly redis: { running: Running; start(): Promise<void> };
  chowkd(...args: string[]): Promise<string>;
}

interface Outcome {
  readonly acknowledged: number;
  readonly lost: number;
  readonly duplicated: number;
  /** First attempts that failed; their orders were sent again. */
  readonly failedAttempts: number;
  readonly givenUp: number;
  /** The longest time, from the fault on, in which no order was acknowledged in one of the tenants. */
  readonly longestGapMs: number;
}

const tenants = ['acme', 'bazaar'] as const;
type Tenant = (typeof tenants)[number];

const faults: Readonly<Record<string, (platform: Platform) => Promise<unknown>>> = {
  'kill -9 of a server, back after a second': ({ servers }) => killAndStart(servers[0]),
  'kill -9 of the worker, back after a second': ({ worker }) => killAndStart(worker),
  'kill -9 of PostgreSQL': async ({ main }) => {
    for (const pid of await postgresProcesses(main)) signal(pid, 'SIGKILL');
  },
  'PostgreSQL stands still for 10 s': ({ main }) => freeze(main, 10_000),
  'PostgreSQL stands still for 40 s': ({ main }) => freeze(main, 40_000),
  'the disk of PostgreSQL is full for 10 s': fillDisk,
  'Redis is gone for 10 s': async ({ redis }) => {
    process.kill(-redis.running.pid, 'SIGKILL');
    await delay(10_000);
    await redis.start();
  },
  'the second PostgreSQL server refuses connections for 10 s': ({ east }) => disturb(east.link, 'cut'),
  'the second PostgreSQL server is silent for 10 s': ({ east }) => disturb(east.link, 'silent'),
  'rolling restart of both servers': async ({ servers }) => {
    for (const server of servers) {
      await server.running.stop();
      await server.start();
    }
  },
  'a tenant moves to the other PostgreSQL server': ({ chowkd }) => chowkd('tenant:move', 'acme', '--to=east'),
  'the tenant moves back': ({ chowkd }) => chowkd('tenant:move', 'acme', '--to=main'),
};

await onStage(async (stage) => {
  const platform = await startPlatform(stage);
  const rows: string[][] = [];
  for (const [name, cause] of Object.entries(faults)) {
    if (!name.includes(only)) continue;
    const outcome = await underOrders(platform, cause);
    rows.push([
      name,
      `${outcome.acknowledged}`,
      `${outcome.lost}`,
      `${outcome.duplicated}`,
      `${outcome.failedAttempts}`,
      `${outcome.givenUp}`,
      figure(outcome.longestGapMs / 1_000, 's'),
    ]);
    console.log(rows.at(-1)?.join('  '));
  }
  const head = ['fault', 'acknowledged', 'lost', 'twice', 'failed attempts', 'given up', 'longest gap'];
  printTable(`${rate} orders a second; a failed attempt is repeated with its Idempotency-Key`, head, rows);
  await printUnfinished(platform);
});

async function killAndStart(process_: Process): Promise<void> {
  process.kill(-process_.running.pid, 'SIGKILL');
  await delay(1_000);
  await process_.start();
}

async function postgresProcesses({ storagePath }: Database): Promise<number[]> {
  const postmaster = await readPostmasterPid(storagePath);
  return [postmaster, ...(await listChildren(postmaster))];
}

async function freeze(database: Database, ms: number): Promise<void> {
  const pids = await postgresProcesses(database);
  for (const pid of pids) signal(pid, 'SIGSTOP');
  await delay(ms);
  for (const pid of pids.reverse()) signal(pid, 'SIGCONT');
}

async function fillDisk({ main }: Platform): Promise<void> {
  const ballast = join(main.storagePath, 'ballast');
  try {
    execFileSync('dd', ['if=/dev/zero', `of=${ballast}`, 'bs=1M'], { stdio: 'ignore' });
  } catch {
    // The disk is full.
  }
  await delay(10_000);
  await rm(ballast, { force: true });
}

async function disturb(link: Link, state: 'cut' | 'silent'): Promise<void> {
  link.state = state;
  await delay(10_000);
  link.state = 'open';
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It has ended.
  }
}

/** Orders at the rate before, during and after the fault; then what is in the databases is compared with what was acknowledged. */
async function underOrders(platform: Platform, cause: (platform: Platform) => Promise<unknown>): Promise<Outcome> {
  const token = await signIn(platform);
  const run = `${Date.now()}`;
  const acknowledged: Record<Tenant, { key: string; at: number }[]> = { acme: [], bazaar: [] };
  let [failedAttempts, givenUp, count] = [0, 0, 0];
  const place = async (tenant: Tenant, key: string) => {
    const startedAt = performance.now();
    for (let attempt = 0; performance.now() - startedAt < giveUpMs; attempt += 1) {
      const { port } = platform.servers[(count + attempt) % 2] as Process;
      if (await order(port, token, tenant, key)) {
        acknowledged[tenant].push({ key, at: performance.now() });
        return;
      }
      if (attempt === 0) failedAttempts += 1;
      await delay(Math.min(2_000, 100 * 2 ** attempt));
    }
    givenUp += 1;
  };
  const pending = new Set<Promise<void>>();
  const beganAt = performance.now();
  const timer = setInterval(() => {
    for (; count < ((performance.now() - beganAt) / 1_000) * rate; count += 1) {
      const one: Promise<void> = place(tenants[count % 2] as Tenant, `${run}-${count}`).finally(() =>
        pending.delete(one),
      );
      pending.add(one);
    }
  }, 5);
  await delay(calmMs);
  const faultAt = performance.now();
  await cause(platform);
  await delay(calmMs);
  clearInterval(timer);
  await Promise.all(pending);

  let [lost, duplicated, longestGapMs] = [0, 0, 0];
  for (const tenant of tenants) {
    const stored = await readOrders(platform, tenant, run);
    lost += acknowledged[tenant].filter(({ key }) => !stored.has(key)).length;
    duplicated += [...stored.values()].filter((times) => times > 1).length;
    const times = acknowledged[tenant].map(({ at }) => at).filter((at) => at >= faultAt);
    const gaps = [faultAt, ...times.sort((a, b) => a - b)].map((at, index, all) => (all[index + 1] ?? at) - at);
    longestGapMs = Math.max(longestGapMs, ...gaps);
  }
  const total = acknowledged.acme.length + acknowledged.bazaar.length;
  return { acknowledged: total, lost, duplicated, failedAttempts, givenUp, longestGapMs };
}

async function order(port: number, token: string, tenant: Tenant, key: string): Promise<boolean> {
  try {
    const response = await fetch(`http://127.0.0.1:${port}/api/v1/orders`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'x-tenant': tenant,
        'idempotency-key': key,
        'content-type': 'application/json',
      },
      body: JSON.stringify({
        note: key,
        customer: { email: `${key.slice(-2)}@example.com` },
        items: [{ name: 'Tea', quantity: 1, price: '4.50' }],
      }),
      signal: AbortSignal.timeout(answerMs),
    });
    await response.arrayBuffer();
    return response.status === 201;
  } catch {
    return false;
  }
}

async function signIn({ servers }: Platform): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${servers[0].port}/api/v1/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(credentials),
  });
  const body = (await response.json()) as { access_token: string };
  return body.access_token;
}

/** How many orders there are for each key of the run. */
async function readOrders(platform: Platform, tenant: Tenant, run: string): Promise<Map<string, number>> {
  const stored = new Map<string, number>();
  await inDatabaseOf(platform, tenant, async (client) => {
    const { rows } = await client.query(
      "SELECT note, count(*)::int AS times FROM orders WHERE note LIKE $1 || '-%' GROUP BY 1",
      [run],
    );
    for (const { note, times } of rows) stored.set(note, times);
  });
  return stored;
}

async function inDatabaseOf(
  platform: Platform,
  tenant: Tenant,
  work: (client: pg.Client) => Promise<unknown>,
): Promise<void> {
  const central = await connect(platform.main, 'platform');
  const { rows } = await central.query('SELECT database_server, database_name FROM tenants WHERE id = $1', [tenant]);
  await central.end();
  const client = await connect(
    rows[0].database_server === 'main' ? platform.main : platform.east,
    rows[0].database_name,
  );
  await work(client).finally(() => client.end());
}

/** Events that nobody delivered and orders that the statistics of customers lack, when the queues are empty. */
async function printUnfinished(platform: Platform): Promise<void> {
  await delay(calmMs);
  const rows: string[][] = [];
  for (const tenant of tenants) {
    await inDatabaseOf(platform, tenant, async (client) => {
      const { rows: found } = await client.query(`
        SELECT (SELECT count(*)::int FROM orders) AS orders, (SELECT coalesce(sum(total_orders), 0)::int FROM customers) AS counted,
          (SELECT count(*)::int FROM event_log WHERE type = 'order.created') AS events,
          (SELECT count(*)::int FROM event_deliveries) AS waiting`);
      const { orders, counted, events, waiting } = found[0];
      rows.push([tenant, `${orders}`, `${counted}`, `${events}`, `${waiting}`]);
    });
  }
  printTable(
    'Afterwards',
    ['tenant', 'orders', 'in the statistics of customers', 'events', 'events not delivered'],
    rows,
  );
}

async function startPlatform(stage: Stage): Promise<Platform> {
  const [main, east] = [await startDatabase(stage, { onSmallDisk: true }), await startDatabase(stage)];
  const storagePath = await stage.folder();
  const redisPort = await freePort();
  const redisArgs = ['--port', `${redisPort}`, '--save', '', '--appendonly', 'no'];
  const redis = {
    running: stage.start('redis-server', redisArgs),
    async start() {
      redis.running = stage.start('redis-server', redisArgs);
    },
  };
  const url = ({ link, login }: Database, path = '') =>
    `postgres://${login.user}:${encodeURIComponent(login.password)}@127.0.0.1:${link.port}${path}`;
  const environment = {
    APP_ENV: 'production',
    HOST: '127.0.0.1',
    STORAGE_PATH: storagePath,
    DATABASE_URL: url(main, '/platform'),
    DATABASE_SERVERS: `east=${url(east)}?weight=0`,
    REDIS_URL: `redis://127.0.0.1:${redisPort}`,
    SPARE_DATABASES: '0',
    RATE_LIMIT_PER_MINUTE: '0',
    DATABASE_CONNECTIONS: '20',
    LOG_LEVEL: 'error',
  };
  const program = join(repository, 'chowkd');
  const chowkd = (...args: string[]) => stage.start(program, args, environment).output();
  const owner = ['--organization=Acme', '--slug=acme', `--email=${credentials.email}`];
  await chowkd('install', ...owner, `--password=${credentials.password}`);
  await chowkd('tenant:create', 'bazaar', `--owner=${credentials.email}`);
  await chowkd('tenant:move', 'bazaar', '--to=east');
  const serve = (port: number) => () => startProcess(stage, ['serve', '--no-build', '--no-work'], environment, port);
  const servers = [await serve(await freePort())(), await serve(await freePort())()] as const;
  const worker = await startProcess(stage, ['work'], environment, await freePort());
  return { main, east, servers, worker, redis, chowkd };
}

async function startProcess(
  stage: Stage,
  args: string[],
  environment: Record<string, string>,
  port: number,
): Promise<Process> {
  const isWorker = args[0] === 'work';
  const start = () =>
    stage.start(join(repository, 'chowkd'), isWorker ? [...args, `--port=${port}`] : args, {
      ...environment,
      PORT: `${port}`,
    });
  const process_: Process = {
    port,
    running: start(),
    async start() {
      process_.running = start();
      await ready();
    },
  };
  const ready = () => (isWorker ? process_.running.firstLine() : waitUntilHealthy(port));
  await ready();
  return process_;
}

/** The embedded PostgreSQL of another platform, which restarts it when it dies, behind a link that can be disturbed. */
async function startDatabase(stage: Stage, { onSmallDisk = false } = {}): Promise<Database> {
  const storagePath = await stage.folder();
  if (onSmallDisk) mountSmallDisk(stage, storagePath);
  const lender = stage.start(node, [join(repository, 'bench/server/serve.ts')], {
    APP_ENV: 'production',
    PORT: '0',
    STORAGE_PATH: storagePath,
    SPARE_DATABASES: '0',
  });
  const { database } = JSON.parse(await lender.firstLine()) as {
    database: { host: string; port: number; user: string; password: string };
  };
  return { link: await startLink(stage, database.port), storagePath, login: database };
}

/** In memory, so that it can be full. */
function mountSmallDisk(stage: Stage, path: string): void {
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=700m', 'tmpfs', path]);
  stage.atEnd(async () => {
    execFileSync('umount', ['-l', path]);
  });
}

async function startLink(stage: Stage, target: number): Promise<Link> {
  const pairs = new Set<readonly [Socket, Socket]>();
  let state: Link['state'] = 'open';
  const server = createServer((incoming) => {
    if (state === 'cut') return void incoming.destroy();
    const outgoing = createConnection({ host: '127.0.0.1', port: target });
    const pair = [incoming, outgoing] as const;
    pairs.add(pair);
    const pass = (from: Socket, to: Socket) => {
      from.on('data', (bytes) => {
        if (state !== 'silent') to.write(bytes);
      });
      from.on('close', () => {
        pairs.delete(pair);
        to.destroy();
      });
      from.on('error', () => {});
    };
    pass(incoming, outgoing);
    pass(outgoing, incoming);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const disconnect = () => {
    for (const [incoming] of pairs) incoming.destroy();
  };
  stage.atEnd(async () => {
    disconnect();
    server.close();
  });
  return {
    port: typeof address === 'object' && address ? address.port : 0,
    get state() {
      return state;
    },
    set state(next) {
      // Bytes were lost while it was silent: those connections cannot be used any more.
      if (next === 'cut' || state === 'silent') disconnect();
      state = next;
    },
  };
}

async function connect({ link, login }: Database, database: string): Promise<pg.Client> {
  const client = new pg.Client({ host: '127.0.0.1', port: link.port, ...login, database });
  client.on('error', () => {});
  await client.connect();
  return client;
}
