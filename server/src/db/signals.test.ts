import { type Db, sql } from '@chowk/kit';
import { afterAll, expect, inject, onTestFinished, test, vi } from 'vitest';
import { eventually } from '../../testing/eventually.ts';
import { aside, limits, scratchDatabase, terminate } from '../../testing/scratch-database.ts';
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

/** The sessions that listen. */
async function listeners(): Promise<number[]> {
  const { rows } = await aside('postgres', (connection) =>
    connection.query<{ pid: number }>(
      sql`SELECT pid FROM pg_stat_activity WHERE datname = ${database} AND query ~ '^(LISTEN|SELECT 1$)'`,
    ),
  );
  return rows.map(({ pid }) => pid);
}

async function start(channels: string[], address: ServerAddress = inject('server'), connectTimeoutMs = 1_000) {
  const said: string[] = [];
  const signals = new Signals(address, database, { ...limits, connectTimeoutMs }, silent);
  for (const channel of channels) {
    signals.listen(channel, {
      onNotify: (payload) => said.push(`${channel}: ${payload}`),
      onConnectionChange: (ok) => said.push(`${channel}: ${ok ? 'hearing' : 'deaf'}`),
    });
  }
  onTestFinished(() => signals.close());
  await signals.start();
  return { signals, said };
}

test('what is said is heard in order, by those who listen on the channel', async () => {
  const { said } = await start(['one', 'Two']);
  await notify(db, 'one', 'a');
  await notify(db, 'three', 'nobody hears this');
  await notify(db, 'Two', 'b');
  await notify(db, 'one', '');
  await eventually(() => expect(said.slice(2)).toEqual(['one: a', 'Two: b', 'one: ']));
  expect(said.slice(0, 2)).toEqual(['one: hearing', 'Two: hearing']);
});

test('what is said in a transaction is heard after it commits, and never if it does not', async () => {
  const { said } = await start(['one']);
  await db.tx(async (tx) => {
    await notify(tx, 'one', 'committed');
    await notify(db, 'one', 'meanwhile');
    await eventually(() => expect(said).toContain('one: meanwhile'));
    expect(said).not.toContain('one: committed');
  });
  const undone = db.tx(async (tx) => {
    await notify(tx, 'one', 'undone');
    throw new Error('undo');
  });
  await expect(undone).rejects.toThrow('undo');
  await notify(db, 'one', 'last');
  await eventually(() => expect(said).toContain('one: last'));
  expect(said).toEqual(['one: hearing', 'one: meanwhile', 'one: committed', 'one: last']);
});

test('who has caught up has heard whatever was committed before', async () => {
  const { signals, said } = await start(['one']);
  for (let round = 0; round < 50; round += 1) {
    await notify(db, 'one', String(round));
    await signals.waitUntilApplied();
    expect(said.at(-1)).toBe(`one: ${round}`);
  }
});

test('nobody waits for a voice that cannot come', async () => {
  const { address, blackHole } = await startProxy(inject('server'));
  const { signals } = await start(['one'], address);
  blackHole();
  const began = performance.now();
  await signals.waitUntilApplied();
  expect(performance.now() - began).toBeLessThan(3_000);
  await signals.close();
  await signals.waitUntilApplied();
});

test('a lost connection is told at once, taken up again, and told again before anything new is heard', async () => {
  const { said } = await start(['one', 'two']);
  for (const pid of await listeners()) await terminate(pid);
  await eventually(() => expect(said.slice(2)).toEqual(['one: deaf', 'two: deaf', 'one: hearing', 'two: hearing']));
  await notify(db, 'two', 'again');
  await eventually(() => expect(said.at(-1)).toBe('two: again'));
  expect(await listeners()).toHaveLength(1);
});

test('while the server cannot be reached it is tried again and again', async () => {
  const proxy = await startProxy(inject('server'));
  const { said } = await start(['one'], proxy.address);
  proxy.cut();
  await eventually(() => expect(said).toEqual(['one: hearing', 'one: deaf']));
  await notify(db, 'one', 'said to nobody');
  proxy.heal();
  await vi.waitFor(() => expect(said.at(-1)).toBe('one: hearing'), { timeout: 5_000 });
  await notify(db, 'one', 'heard');
  await eventually(() => expect(said.at(-1)).toBe('one: heard'));
  expect(said).toEqual(['one: hearing', 'one: deaf', 'one: hearing', 'one: heard']);
});

test('a connection that only looks alive is noticed by its heartbeat', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const proxy = await startProxy(inject('server'));
  const { said } = await start(['one'], proxy.address);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(said).toEqual(['one: hearing']);
  proxy.blackHole();
  await vi.advanceTimersByTimeAsync(12_000);
  vi.useRealTimers();
  await eventually(() => expect(said).toEqual(['one: hearing', 'one: deaf']));
  proxy.heal();
  await vi.waitFor(() => expect(said.at(-1)).toBe('one: hearing'), { timeout: 5_000 });
});

test('a start against a server that cannot be reached fails', async () => {
  const proxy = await startProxy(inject('server'));
  proxy.blackHole();
  await expect(start(['one'], proxy.address, 200)).rejects.toThrow('timeout');
  proxy.cut();
  await expect(start(['one'], proxy.address)).rejects.toThrow();
});

test('a channel that cannot be listened on leaves no connection behind', async () => {
  await expect(start(['no"name'])).rejects.toMatchObject({ code: '42601' });
  await eventually(async () => expect(await listeners()).toEqual([]));
});

test('closing ends the connection, also one that is just being made', async () => {
  const proxy = await startProxy(inject('server'));
  const { signals, said } = await start(['one'], proxy.address);
  proxy.cut();
  await eventually(() => expect(said).toEqual(['one: hearing', 'one: deaf']));
  proxy.blackHole();
  await eventually(() => expect(proxy.connections).toBe(1));
  const closing = signals.close();
  proxy.heal();
  await closing;
  await eventually(async () => expect(await listeners()).toEqual([]));
  await eventually(() => expect(proxy.connections).toBe(0));
  expect(said).toEqual(['one: hearing', 'one: deaf']);
});

test('closing does not wait for a server that says nothing', async () => {
  const proxy = await startProxy(inject('server'));
  const { signals } = await start(['one'], proxy.address);
  proxy.blackHole();
  const started = performance.now();
  await signals.close();
  expect(performance.now() - started).toBeLessThan(3_000);
});
