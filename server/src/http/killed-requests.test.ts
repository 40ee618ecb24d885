import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { type Sql, sql } from '@chowk/kit/kernel';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { eventually } from '../../testing/eventually.ts';
import { limits } from '../../testing/scratch-database.ts';
import { startProxy } from '../../testing/tcp-proxy.ts';
import { Connection, withConnection } from '../db/connection.ts';
import { openEmbedded } from '../db/embedded/embedded-server.ts';

const program = resolve(import.meta.dirname, '../../testing/order-server.ts');
const databases = { central: 'chowk', tenant: 'tenantacme' };

// A PostgreSQL server of its own, because these tests crash it. Commits are as durable as the default.
const storagePath = await mkdtemp(join(tmpdir(), 'chowk-killed-'));
const postgres = await openEmbedded({ storagePath, onProgress: () => {}, settings: { fsync: 'off' } });
const proxy = await startProxy(postgres.address, afterAll);
let server = await startServer();
afterAll(async () => {
  await server.kill();
  await postgres.close();
  await rm(storagePath, { recursive: true, force: true });
});
await query(sql`CREATE TABLE pause (at text)`);
await query(sql`
  CREATE FUNCTION pause() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    IF EXISTS (SELECT FROM pause WHERE at = TG_NAME) THEN PERFORM pg_advisory_xact_lock_shared(7); END IF;
    RETURN NULL;
  END $$`);
await query(sql`CREATE TRIGGER before_commit AFTER INSERT ON placed FOR EACH ROW EXECUTE FUNCTION pause()`);
await query(sql`
  CREATE CONSTRAINT TRIGGER in_commit AFTER INSERT ON placed DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW EXECUTE FUNCTION pause()`);

const moments = {
  'before the commit': 'before_commit',
  'during the commit': 'in_commit',
  'after the commit': 'in_commit',
};
const killers = {
  'the server': () => server.kill(),
  'its connection': (backend: number) => query(sql`SELECT pg_terminate_backend(${backend})`),
  // PostgreSQL restarts itself when one of its processes is killed.
  PostgreSQL: async (backend: number) => void process.kill(backend, 'SIGKILL'),
};
type Moment = keyof typeof moments;
type Victim = keyof typeof killers;
const cases = Object.keys(killers).flatMap((victim) =>
  Object.keys(moments).map((moment) => [victim as Victim, moment as Moment] as const),
);

test.each(cases)('%s is killed %s: a retry with the same key finds or makes one order', async (victim, moment) => {
  const key = `${victim} ${moment}`.replaceAll(' ', '-');
  const hold = await holdPause(moments[moment]);
  const first = post('/orders', key, { item: key }).catch(() => undefined);
  const backend = await pausedBackend(databases.tenant);
  if (moment === 'after the commit') {
    // The response to COMMIT does not arrive.
    proxy.blackHole();
    await hold.release();
    await eventually(async () => expect(await placed(key)).toHaveLength(1));
  }
  await killers[victim](backend);
  proxy.cut();
  proxy.heal();
  await query(sql`DELETE FROM pause`);
  if (victim === 'the server') server = await startServer();
  else expect((await first)?.status).toBe(503);

  const retried = await eventually(async () => {
    const response = await post('/orders', key, { item: key });
    expect(response.status).toBe(200);
    return response;
  });
  expect(retried.isReplay).toBe(moment === 'after the commit');
  expect(await placed(key)).toEqual([retried.body]);
  expect(await post('/orders', key, { item: key })).toEqual({ ...retried, isReplay: true });
});

test('each order has one audit entry that says it was made', async () => {
  // Writes the entries of failed requests.
  await server.kill('SIGTERM');
  server = await startServer();
  const entries = await query(sql`
    SELECT input->>'item' AS item, count(*) FROM module_bus_audit_log WHERE outcome = 'ok' GROUP BY 1`);
  expect(entries).toHaveLength(cases.length);
  for (const entry of entries) expect(entry).toMatchObject({ count: 1 });
});

test('a change of the central database whose server is killed is not repeated', async () => {
  const hold = await holdPause('', databases.central);
  const first = post('/central', 'central').catch(() => undefined);
  await pausedBackend(databases.central);
  await server.kill();
  await first;
  await hold.release();
  server = await startServer();
  expect(await post('/central', 'central')).toMatchObject({ status: 409, body: { code: 'http.idempotency_busy' } });
});

/** Another process of the installation, connected through the proxy. */
async function startServer() {
  const { user, password } = postgres.address;
  const { host, port } = proxy.address;
  const DATABASE_URL = `postgres://${user}:${encodeURIComponent(password)}@${host}:${port}/${databases.central}`;
  const environment = { APP_ENV: 'testing', SPARE_DATABASES: '0', STORAGE_PATH: storagePath, DATABASE_URL };
  const child = spawn(process.execPath, [program], {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  const failed = exited.then(([code]) => Promise.reject(new Error(`the server exited with code ${code}`)));
  const [line] = await Promise.race([once(child.stdout, 'data'), failed]);
  const { url, token } = JSON.parse(String(line));
  return {
    url,
    token,
    async kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
      child.kill(signal);
      await exited;
    },
  };
}

async function post(path: string, key: string, body: object = {}) {
  const response = await fetch(`${server.url}/api/v1${path}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${server.token}`,
      'x-tenant': 'acme',
      'idempotency-key': key,
      'content-type': 'application/json',
    },
    body: JSON.stringify(body),
  });
  const isReplay = response.headers.get('idempotency-replayed') === 'true';
  return { status: response.status, isReplay, body: await response.json() };
}

/** Every transaction waits at the trigger until the pause is released. */
async function holdPause(trigger: string, database = databases.tenant) {
  await query(sql`INSERT INTO pause VALUES (${trigger})`);
  const connection = await Connection.open(postgres.address, database, limits);
  onTestFinished(() => connection.close());
  await connection.query(sql`SELECT pg_advisory_lock(7)`);
  return { release: () => connection.close() };
}

/** The process of PostgreSQL that waits at the pause. */
function pausedBackend(database: string): Promise<number> {
  return eventually(async () => {
    const [waiting] = await query<{ pid: number }>(
      sql`SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND objid = 7 AND NOT granted`,
      database,
    );
    expect(waiting).toBeDefined();
    return waiting?.pid as number;
  });
}

function placed(item: string): Promise<object[]> {
  return query(sql`SELECT id FROM placed WHERE item = ${item}`);
}

/** On a connection of its own, past the proxy, as soon as PostgreSQL accepts one. */
function query<Row extends object>(statement: Sql, database = databases.tenant): Promise<Row[]> {
  return eventually(async () => {
    const { rows } = await withConnection(postgres.address, database, limits, (connection) =>
      connection.query<Row>(statement),
    );
    return rows;
  });
}
