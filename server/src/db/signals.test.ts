import { type Db, sql } from '@chowk/kit/kernel';
import { afterAll, expect, inject, onTestFinished, test, vi } from 'vitest';
import { eventually } from '../../testing/eventually.ts';
import { limits, onSeparateConnection, scratchDatabase, terminate } from '../../testing/scratch-database.ts';
import { silent } from '../../testing/silent-log.ts';
import { startProxy } from '../../testing/tcp-proxy.ts';
import { ConnectionBudget } from './budget.ts';
import { openDatabase } from './database.ts';
import type { ServerAddress } from './server-address.ts';
import { Signals } from './signals.ts';

const database = await scratchDatabase();
const budget = new ConnectionBudget({ ...limits, connections: 6, perDatabase: 4, waitTimeoutMs: 5_000 });
const db = openDatabase(budget, { address: inject('server'), database, central: false });
afterAll(() => budget.close());

const notify = (on: Db, channel: string, payload: string) => on.run(sql`SELECT pg_notify(${channel}, ${payload})`);

async function listeningSessions(): Promise<number[]> {
  const { rows } = await onSeparateConnection('postgres', (connection) =>
    connection.query<{ pid: number }>(
      sql`SELECT pid FROM pg_stat_activity WHERE datname = ${database} AND query ~ '^(LISTEN|SELECT 1$)'`,
    ),
  );
  return rows.map(({ pid }) => pid);
}

async function start(channels: string[], address: ServerAddress = inject('server'), connectTimeoutMs = 1_000) {
  const received: string[] = [];
  const signals = new Signals(address, database, { ...limits, connectTimeoutMs }, silent);
  for (const channel of channels) {
    signals.listen(channel, {
      onNotify: (payload) => received.push(`${channel}: ${payload}`),
      onConnectionChange: (isConnected) => received.push(`${channel}: ${isConnected ? 'connected' : 'disconnected'}`),
    });
  }
  onTestFinished(() => signals.close());
  await signals.start();
  return { signals, received };
}

test('notifications reach the listeners of their channel in order', async () => {
  const { received } = await start(['one', 'Two']);
  await notify(db, 'one', 'a');
  await notify(db, 'three', 'no listener');
  await notify(db, 'Two', 'b');
  await notify(db, 'one', '');
  await eventually(() => expect(received.slice(2)).toEqual(['one: a', 'Two: b', 'one: ']));
  expect(received.slice(0, 2)).toEqual(['one: connected', 'Two: connected']);
});

test('a notification of a transaction arrives after the commit, and not after a rollback', async () => {
  const { received } = await start(['one']);
  await db.tx(async (tx) => {
    await notify(tx, 'one', 'committed');
    await notify(db, 'one', 'meanwhile');
    await eventually(() => expect(received).toContain('one: meanwhile'));
    expect(received).not.toContain('one: committed');
  });
  const rolledBack = db.tx(async (tx) => {
    await notify(tx, 'one', 'rolled back');
    throw new Error('test failure');
  });
  await expect(rolledBack).rejects.toThrow('test failure');
  await notify(db, 'one', 'last');
  await eventually(() => expect(received).toContain('one: last'));
  expect(received).toEqual(['one: connected', 'one: meanwhile', 'one: committed', 'one: last']);
});

test('waitUntilApplied settles after the notifications of all earlier commits', async () => {
  const { signals, received } = await start(['one']);
  for (let round = 0; round < 50; round += 1) {
    await notify(db, 'one', String(round));
    await signals.waitUntilApplied();
    expect(received.at(-1)).toBe(`one: ${round}`);
  }
});

test('waitUntilApplied ends after a timeout if the server does not respond', async () => {
  const { address, blackHole } = await startProxy(inject('server'));
  const { signals } = await start(['one'], address);
  blackHole();
  const began = performance.now();
  await signals.waitUntilApplied();
  expect(performance.now() - began).toBeLessThan(3_000);
  await signals.close();
  await signals.waitUntilApplied();
});

test('a lost connection is reported, restored and reported again before new notifications arrive', async () => {
  const { received } = await start(['one', 'two']);
  for (const pid of await listeningSessions()) await terminate(pid);
  await eventually(() =>
    expect(received.slice(2)).toEqual(['one: disconnected', 'two: disconnected', 'one: connected', 'two: connected']),
  );
  await notify(db, 'two', 'again');
  await eventually(() => expect(received.at(-1)).toBe('two: again'));
  expect(await listeningSessions()).toHaveLength(1);
});

test('connecting is retried while the server cannot be reached', async () => {
  const proxy = await startProxy(inject('server'));
  const { received } = await start(['one'], proxy.address);
  proxy.cut();
  await eventually(() => expect(received).toEqual(['one: connected', 'one: disconnected']));
  await notify(db, 'one', 'lost');
  proxy.heal();
  await vi.waitFor(() => expect(received.at(-1)).toBe('one: connected'), { timeout: 5_000 });
  await notify(db, 'one', 'received');
  await eventually(() => expect(received.at(-1)).toBe('one: received'));
  expect(received).toEqual(['one: connected', 'one: disconnected', 'one: connected', 'one: received']);
});

test('a connection that does not respond is detected by the heartbeat', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const proxy = await startProxy(inject('server'));
  const { received } = await start(['one'], proxy.address);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(received).toEqual(['one: connected']);
  proxy.blackHole();
  await vi.advanceTimersByTimeAsync(12_000);
  vi.useRealTimers();
  await eventually(() => expect(received).toEqual(['one: connected', 'one: disconnected']));
  proxy.heal();
  await vi.waitFor(() => expect(received.at(-1)).toBe('one: connected'), { timeout: 5_000 });
});

test('starting fails if the server cannot be reached', async () => {
  const proxy = await startProxy(inject('server'));
  proxy.blackHole();
  await expect(start(['one'], proxy.address, 200)).rejects.toThrow('timeout');
  proxy.cut();
  await expect(start(['one'], proxy.address)).rejects.toThrow();
});

test('an invalid channel name fails the start and leaves no connection', async () => {
  await expect(start(['no"name'])).rejects.toMatchObject({ code: '42601' });
  await eventually(async () => expect(await listeningSessions()).toEqual([]));
});

test('closing ends the connection, also one that is being opened', async () => {
  const proxy = await startProxy(inject('server'));
  const { signals, received } = await start(['one'], proxy.address);
  proxy.cut();
  await eventually(() => expect(received).toEqual(['one: connected', 'one: disconnected']));
  proxy.blackHole();
  await eventually(() => expect(proxy.connections).toBe(1));
  const closing = signals.close();
  proxy.heal();
  await closing;
  await eventually(async () => expect(await listeningSessions()).toEqual([]));
  await eventually(() => expect(proxy.connections).toBe(0));
  expect(received).toEqual(['one: connected', 'one: disconnected']);
});

test('closing does not wait for a server that does not respond', async () => {
  const proxy = await startProxy(inject('server'));
  const { signals } = await start(['one'], proxy.address);
  proxy.blackHole();
  const started = performance.now();
  await signals.close();
  expect(performance.now() - started).toBeLessThan(3_000);
});
