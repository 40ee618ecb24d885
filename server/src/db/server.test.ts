import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type Db, sql } from '@chowk/kit/kernel';
import { expect, inject, onTestFinished, test, vi } from 'vitest';
import { limits, onSeparateConnection } from '../../testing/scratch-database.ts';
import { startProxy } from '../../testing/tcp-proxy.ts';
import { testConfig } from '../../testing/test-config.ts';
import { ConnectionBudget } from './budget.ts';
import { withConnection } from './connection.ts';
import { openDatabase } from './database.ts';
import { openEmbedded } from './embedded/embedded-server.ts';
import { killServer } from './embedded/fixtures.ts';
import { databaseFailure } from './failures.ts';
import { openServer } from './server.ts';

const unique = () => `server_${randomBytes(6).toString('hex')}`;

/** Over TCP, because a URL with a socket path would not exercise the port. */
function open(database: string, changes: { user?: string; password?: string; port?: number } = {}, connectMs = 5_000) {
  const { port, user, password } = { ...inject('server'), ...changes };
  const url = `postgres://${user}:${encodeURIComponent(password)}@127.0.0.1:${port}/${database}`;
  return openServer(testConfig({ DATABASE_URL: url, DATABASE_CONNECT_TIMEOUT_MS: `${connectMs}` }), () => {});
}

test('the central database is created if it is missing, also by several processes at once', async () => {
  const name = unique();
  const servers = await Promise.all([open(name), open(name), open(name)]);
  for (const server of servers) {
    expect(server).toMatchObject({ centralDatabase: name, embedded: false });
    await withConnection(server.address, name, limits, (connection) => connection.query(sql`SELECT 1`));
  }
});

test('the error for an unusable server has its address and the reason, but no password', async () => {
  const message = (opening: Promise<unknown>) => opening.then(String, (error: Error) => error.message);
  expect(await message(open('shop', { port: 1, password: 'hunter2' }))).toMatch(
    /^DATABASE_URL 127.0.0.1:1\/shop: .*ECONNREFUSED/,
  );
  const refused = await message(open('shop', { password: 'hunter2' }));
  expect(refused).toMatch(/^DATABASE_URL .*password authentication failed/);
  expect(refused).not.toContain('hunter2');
});

test('a server that does not respond fails within the timeout', async () => {
  const proxy = await startProxy(inject('server'));
  proxy.blackHole();
  await expect(open('shop', { port: proxy.address.port }, 300)).rejects.toThrow('timeout expired');
});

test('a user without the right to create databases is refused with that reason', async () => {
  const user = unique();
  const database = unique();
  await onSeparateConnection('postgres', async (connection) => {
    await connection.script(`CREATE ROLE ${user} LOGIN PASSWORD 'short'`);
    await connection.script(`CREATE DATABASE ${database}`);
  });
  await expect(open(database, { user, password: 'short' })).rejects.toThrow(
    `the user ${user} may not create databases`,
  );
});

/** Writes one row after another and records the confirmed ones. */
async function write(db: Db, writer: number, log: { confirmed: string[]; failures: unknown[] }, until: AbortSignal) {
  for (let n = 1; !until.aborted; n += 1) {
    const row = `${writer}-${n}`;
    const insert = (to: Db) => to.run(sql`INSERT INTO written VALUES (${row})`);
    try {
      await (writer % 2 === 0 ? insert(db) : db.tx(insert));
      log.confirmed.push(row);
    } catch (error) {
      log.failures.push(error);
      // A client retries after a 503.
      await pause(10);
    }
  }
}

test('a server that is killed and restarted under load loses no confirmed row, and the budget recovers', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'chowk-restart-'));
  const storagePath = join(folder, 'storage');
  const server = await openEmbedded({ storagePath, onProgress: () => {} });
  const proxy = await startProxy(server.address);
  const budget = new ConnectionBudget({ ...limits, connections: 8, perDatabase: 6, waitTimeoutMs: 2_000 });
  onTestFinished(async () => {
    await budget.close();
    await server.close();
    await rm(folder, { recursive: true, force: true });
  });
  const db = openDatabase(budget, { address: proxy.address, database: 'postgres', central: false });
  await db.run(sql`CREATE TABLE written (row text PRIMARY KEY)`);

  const log = { confirmed: [] as string[], failures: [] as unknown[] };
  const stop = new AbortController();
  const writers = Promise.all(Array.from({ length: 10 }, (_, writer) => write(db, writer, log, stop.signal)));
  const wait = { timeout: 20_000 };
  await vi.waitFor(() => expect(log.confirmed.length).toBeGreaterThan(300), wait);
  await killServer(storagePath);
  await vi.waitFor(() => expect(log.failures.length).toBeGreaterThan(10), wait);
  const confirmedBefore = log.confirmed.length;
  await vi.waitFor(() => {
    proxy.pointAt(server.address);
    expect(log.confirmed.length).toBeGreaterThan(confirmedBefore + 300);
  }, wait);
  stop.abort();
  await writers;

  for (const error of log.failures) {
    expect((databaseFailure(error) ?? error) as object).toMatchObject({ status: 503 });
  }
  const rows = await db.rows<{ row: string }>(sql`SELECT row FROM written`);
  const kept = new Set(rows.map(({ row }) => row));
  expect(log.confirmed.filter((row) => !kept.has(row))).toEqual([]);
  expect(budget.counts()).toMatchObject({ waiting: 0 });
});
