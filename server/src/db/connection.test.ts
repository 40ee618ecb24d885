import { sql } from '@chowk/kit/kernel';
import { expect, inject, onTestFinished, test } from 'vitest';
import { eventually } from '../../testing/eventually.ts';
import { limits, onSeparateConnection, scratchDatabase, terminate } from '../../testing/scratch-database.ts';
import { startProxy } from '../../testing/tcp-proxy.ts';
import { type BudgetOptions, ConnectionBudget } from './budget.ts';
import { Connection, withConnection } from './connection.ts';
import { openDatabase } from './database.ts';
import { databaseFailure } from './failures.ts';
import type { ServerAddress } from './server-address.ts';

const database = await scratchDatabase();
const whoAmI = sql`SELECT pg_backend_pid() AS pid`;
/** The watchdog adds a grace period of two seconds to the query timeout. */
const shortQueryTimeout = { queryTimeoutMs: 100 };

async function open(address: ServerAddress = inject('server'), connectionLimits = limits): Promise<Connection> {
  const connection = await Connection.open(address, database, connectionLimits);
  onTestFinished(() => connection.close());
  return connection;
}

/** A database with a single connection, so that every query uses the connection of the previous one. */
function openSingle(address: ServerAddress, options: Partial<BudgetOptions> = {}) {
  const budget = new ConnectionBudget({
    ...limits,
    connections: 4,
    perDatabase: 1,
    waitTimeoutMs: 10_000,
    ...options,
  });
  onTestFinished(() => budget.close());
  return { budget, db: openDatabase(budget, { address, database, central: false }) };
}

async function catchError(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => expect.fail('expected an error'),
    (error: unknown) => error,
  );
}

test('queries are not compiled, whatever the server and the database are configured to do', async () => {
  await onSeparateConnection(database, (connection) => connection.script(`ALTER DATABASE "${database}" SET jit = on`));
  const { rows } = await (await open()).query(sql`SHOW jit`);
  expect(rows).toEqual([{ jit: 'off' }]);
});

test('connecting to a server that does not respond fails within the timeout', async () => {
  const proxy = await startProxy(inject('server'));
  proxy.blackHole();
  const started = performance.now();
  const error = await catchError(open(proxy.address, { ...limits, connectTimeoutMs: 200 }));
  expect(performance.now() - started).toBeLessThan(1_500);
  expect(databaseFailure(error)).toMatchObject({ code: 'db.unavailable', status: 503 });
});

test('a query without a response fails within the timeout, and the next waiter gets a new connection', async () => {
  const proxy = await startProxy(inject('server'));
  const { budget, db } = openSingle(proxy.address, shortQueryTimeout);
  const before = await db.row<{ pid: number }>(whoAmI);
  proxy.freeze();
  const started = performance.now();
  const hanging = catchError(db.row(whoAmI));
  const next = db.row<{ pid: number }>(whoAmI);
  expect(databaseFailure(await hanging)).toMatchObject({ code: 'db.unavailable', status: 503 });
  expect(performance.now() - started).toBeLessThan(4_000);
  expect((await next)?.pid).not.toBe(before?.pid);
  expect(budget.counts()).toMatchObject({ open: 1, idle: 1, waiting: 0 });
});

test('a transaction over a dead network connection fails within the query timeout', async () => {
  const proxy = await startProxy(inject('server'));
  const { db } = openSingle(proxy.address, shortQueryTimeout);
  await db.run(whoAmI);
  const started = performance.now();
  const error = await catchError(
    db.tx(async (tx) => {
      await tx.run(whoAmI);
      proxy.blackHole();
      await tx.run(whoAmI);
    }),
  );
  expect(databaseFailure(error)).toMatchObject({ status: 503 });
  expect(performance.now() - started).toBeLessThan(4_000);
});

test('a broken network connection fails the running query and recovers automatically', async () => {
  const proxy = await startProxy(inject('server'));
  const { db } = openSingle(proxy.address);
  const running = catchError(db.run(sql`SELECT pg_sleep(10)`));
  const active = () =>
    onSeparateConnection(database, (connection) =>
      connection.query(sql`SELECT FROM pg_stat_activity WHERE query ~ 'pg_sleep.10' AND pid <> pg_backend_pid()`),
    );
  await eventually(async () => expect((await active()).rowCount).toBe(1));
  proxy.cut();
  expect(databaseFailure(await running)).toMatchObject({ status: 503 });
  expect(databaseFailure(await catchError(db.run(whoAmI)))).toMatchObject({ status: 503 });
  proxy.heal();
  await db.run(whoAmI);
});

test('a statement that exceeds the statement timeout is cancelled, and its connection stays usable', async () => {
  const { db } = openSingle(inject('server'), shortQueryTimeout);
  const before = await db.row(whoAmI);
  const error = await catchError(db.run(sql`SELECT pg_sleep(10)`));
  expect(databaseFailure(error)).toMatchObject({ code: 'db.too_slow', status: 503 });
  expect(await db.row(whoAmI)).toEqual(before);
});

test('a waiter does not get a connection whose session was terminated', async () => {
  const { db } = openSingle(inject('server'));
  const { pid } = (await db.row<{ pid: number }>(whoAmI)) ?? { pid: 0 };
  const terminated = catchError(db.run(sql`SELECT pg_sleep(10)`));
  const waiting = Promise.all(Array.from({ length: 20 }, () => db.row<{ pid: number }>(whoAmI)));
  await terminate(pid);
  expect(databaseFailure(await terminated)).toMatchObject({ code: 'db.unavailable', status: 503 });
  expect(new Set((await waiting).map((row) => row?.pid)).size).toBe(1);
});

test('an idle connection that the server terminates is reported as lost and does not crash the process', async () => {
  const lost: Connection[] = [];
  const connection = await Connection.open(inject('server'), database, limits, (lostConnection) =>
    lost.push(lostConnection),
  );
  const { rows } = await connection.query<{ pid: number }>(whoAmI);
  expect(connection.isUsable).toBe(true);
  await terminate(rows[0]?.pid ?? 0);
  await eventually(() => expect(lost).toEqual([connection]));
  expect(connection.isUsable).toBe(false);
  await connection.close();
});

test('closing ends soon even if the server does not respond, with and without a running query', async () => {
  const proxy = await startProxy(inject('server'));
  const idle = await Connection.open(proxy.address, database, limits);
  const busy = await Connection.open(proxy.address, database, limits);
  proxy.blackHole();
  const running = catchError(busy.query(whoAmI));
  const started = performance.now();
  await Promise.all([idle.close(), busy.close()]);
  expect(performance.now() - started).toBeLessThan(3_000);
  expect(databaseFailure(await running)).toMatchObject({ status: 503 });
});

test('a connection left inside a transaction is not reused', async () => {
  const connection = await open();
  await connection.script('BEGIN');
  expect(connection.isUsable).toBe(false);
  await connection.script('ROLLBACK');
  expect(connection.isUsable).toBe(true);
  const { db } = openSingle(inject('server'));
  await db.run(sql`CREATE TABLE left_open (id int)`);
  await db.run(sql`BEGIN`);
  await db.run(sql`INSERT INTO left_open VALUES (1)`);
  expect(await db.rows(sql`SELECT id FROM left_open`)).toEqual([{ id: 1 }]);
});

test('pipelined statements return in order, each with its own result or error', async () => {
  const connection = await open();
  const results = await Promise.allSettled([
    connection.query(sql`SELECT ${1}::int AS a`),
    connection.query(sql`SELECT 1 / ${0}::int AS a`),
    connection.query(sql`SELECT nothing FROM nowhere`),
    connection.query(sql`SELECT 1 / ${0}::int AS a`),
    connection.query(sql`SELECT ${2}::int AS a`),
  ]);
  expect(results).toMatchObject([
    { value: { rows: [{ a: 1 }] } },
    { reason: { code: '22012' } },
    { reason: { code: '42P01' } },
    { reason: { code: '22012' } },
    { value: { rows: [{ a: 2 }] } },
  ]);
  expect(connection.isUsable).toBe(true);
});

test('one statement accepts values of every type', async () => {
  const connection = await open();
  const echo = (value: unknown) => connection.query(sql`SELECT ${value}::text AS it`);
  const results = await Promise.all([echo('a'), echo(1), echo(null), echo(true), echo({ a: 1 }), echo(undefined)]);
  expect(results.map(({ rows }) => rows[0])).toEqual(['a', '1', null, 'true', '{"a":1}', null].map((it) => ({ it })));
});

test('a value that cannot be serialized fails its own query and no later one', async () => {
  const { db } = openSingle(inject('server'));
  const echo = (value: unknown) => db.row(sql`SELECT ${value}::jsonb AS echoed`);
  await expect(echo({ big: 1n })).rejects.toThrow(TypeError);
  expect(await echo({ small: 1 })).toEqual({ echoed: { small: 1 } });
});

test('statements prepared before a migration work after it, in a transaction and outside', async () => {
  const address = inject('server');
  const budget = new ConnectionBudget({ ...limits, connections: 12, perDatabase: 10, waitTimeoutMs: 10_000 });
  onTestFinished(() => budget.close());
  const db = openDatabase(budget, { address, database, central: false });
  await db.run(sql`CREATE TABLE grows (id int)`);
  await db.run(sql`INSERT INTO grows VALUES (1)`);
  const selectAll = sql`SELECT * FROM grows`;
  const onAllConnections = (read: () => Promise<unknown>) => Promise.all(Array.from({ length: 10 }, read));
  await onAllConnections(() => db.rows(selectAll));
  await db.run(sql`ALTER TABLE grows ADD COLUMN name text`);
  expect(await onAllConnections(() => db.rows(selectAll))).toEqual(Array(10).fill([{ id: 1, name: null }]));
  await db.run(sql`ALTER TABLE grows ADD COLUMN age int`);
  const inTransaction = () => db.tx((tx) => tx.rows(selectAll));
  expect(await onAllConnections(inTransaction)).toEqual(Array(10).fill([{ id: 1, name: null, age: null }]));
});

test('a statement that the server has deallocated is prepared again', async () => {
  const { db } = openSingle(inject('server'));
  const query = sql`SELECT 'deallocated' AS it`;
  await db.row(query);
  await db.run(sql`DEALLOCATE ALL`);
  expect(await db.row(query)).toEqual({ it: 'deallocated' });
  await db.run(sql`DEALLOCATE ALL`);
  expect(await db.tx((tx) => tx.row(query))).toEqual({ it: 'deallocated' });
});

test('withConnection closes its connection, also after an error', async () => {
  const pids: number[] = [];
  const work = async (connection: Connection) => {
    const { rows } = await connection.query<{ pid: number }>(whoAmI);
    pids.push(rows[0]?.pid ?? 0);
    throw new Error('test failure');
  };
  await expect(withConnection(inject('server'), database, limits, work)).rejects.toThrow('test failure');
  const alive = await onSeparateConnection(database, (connection) =>
    connection.query(sql`SELECT pid FROM pg_stat_activity WHERE pid = ANY(${pids})`),
  );
  expect(alive.rows).toEqual([]);
});
