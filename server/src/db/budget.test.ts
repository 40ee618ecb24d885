import { sql } from '@chowk/kit/kernel';
import { expect, inject, onTestFinished, test, vi } from 'vitest';
import { eventually } from '../../testing/eventually.ts';
import { limits, onSeparateConnection, scratchDatabases, terminate } from '../../testing/scratch-database.ts';
import { startProxy } from '../../testing/tcp-proxy.ts';
import { type BudgetOptions, ConnectionBudget, type Lease, type Target } from './budget.ts';
import { openDatabase } from './database.ts';
import type { ServerAddress } from './server-address.ts';

const names = await scratchDatabases(12);
const [one = '', two = '', three = '', central = ''] = names;

/** Two more connections are reserved for the central database. */
function createBudget(forTenants: number, overrides: Partial<BudgetOptions> = {}): ConnectionBudget {
  const defaults = { ...limits, perDatabase: forTenants, waitTimeoutMs: 20_000, connections: forTenants + 2 };
  const budget = new ConnectionBudget({ ...defaults, ...overrides });
  onTestFinished(() => budget.close());
  return budget;
}

function target(database: string, address: ServerAddress = inject('server')): Target {
  return { address, database, central: database === central };
}

async function acquire(budget: ConnectionBudget, database: string, count: number): Promise<Lease[]> {
  return Promise.all(Array.from({ length: count }, () => budget.acquire(target(database))));
}

async function readPid({ connection }: Lease): Promise<number> {
  const { rows } = await connection.query<{ pid: number }>(sql`SELECT pg_backend_pid() AS pid`);
  return rows[0]?.pid ?? 0;
}

async function sessions(databases = names): Promise<number> {
  const { rows } = await onSeparateConnection('postgres', (connection) =>
    connection.query<{ count: number }>(
      sql`SELECT count(*) FROM pg_stat_activity WHERE datname = ANY(${databases}) AND backend_type = 'client backend'`,
    ),
  );
  return rows[0]?.count ?? 0;
}

test('many requests over many databases are served within the budget', async () => {
  const budget = createBudget(6, { perDatabase: 3 });
  const max = { total: 0, perDatabase: 0 };
  let done = false;
  const watching = onSeparateConnection('postgres', async (connection) => {
    while (!done) {
      const { rows } = await connection.query<{ count: number }>(
        sql`SELECT count(*) FROM pg_stat_activity WHERE datname = ANY(${names}) GROUP BY datname`,
      );
      const counts = rows.map(({ count }) => count);
      max.total = Math.max(
        max.total,
        counts.reduce((sum, count) => sum + count, 0),
      );
      max.perDatabase = Math.max(max.perDatabase, ...counts);
    }
  });
  const requests = Array.from({ length: 600 }, (_, index) => {
    const database = names[index % names.length] as string;
    return openDatabase(budget, target(database)).row<{ name: string }>(
      sql`SELECT current_database() AS name FROM pg_sleep(0.002)`,
    );
  });
  const answers = await Promise.all(requests);
  done = true;
  await watching;
  expect(answers.map((answer) => answer?.name)).toEqual(answers.map((_, index) => names[index % names.length]));
  // Six for tenants and two for the central database.
  expect(max.total).toBeLessThanOrEqual(8);
  expect(max.total).toBeGreaterThanOrEqual(6);
  expect(max.perDatabase).toBeLessThanOrEqual(3);
});

test('one request does not wait behind hundreds of requests to another database', async () => {
  const budget = createBudget(1);
  const busy = openDatabase(budget, target(one));
  let served = 0;
  const requests = Array.from({ length: 200 }, async () => {
    await busy.run(sql`SELECT pg_sleep(0.004)`);
    served += 1;
  });
  await eventually(() => expect(served).toBeGreaterThan(0));
  await openDatabase(budget, target(two)).run(sql`SELECT 1`);
  expect(served).toBeLessThan(100);
  await Promise.all(requests);
});

test('databases with hundreds of waiters each take turns', async () => {
  const budget = createBudget(1);
  const order: string[] = [];
  const busy = names.slice(4, 8);
  const requests = busy.flatMap((name) => {
    const db = openDatabase(budget, target(name));
    return Array.from({ length: 100 }, async () => {
      await db.run(sql`SELECT pg_sleep(0.001)`);
      order.push(name);
    });
  });
  await Promise.all(requests);
  const turns = order.filter((name, index) => name !== order[index - 1]);
  expect(new Set(order.slice(0, 250)).size).toBe(busy.length);
  // Every turn costs a connect, so the connection must not change after each query.
  expect(turns.length).toBeLessThan(order.length / 4);
});

test('databases that wait for the only connection are served in turn', async () => {
  const budget = createBudget(1);
  const served: string[] = [];
  let now = performance.now();
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => now);
  onTestFinished(() => clock.mockRestore());
  const client = async (name: string) => {
    while (served.length < 18) {
      const lease = await budget.acquire(target(name));
      served.push(name);
      // A turn is over.
      now += 60;
      budget.release(lease);
    }
  };
  // With two clients each, a database has a waiter whenever its connection is released.
  await Promise.all([one, two, three].flatMap((name) => [client(name), client(name)]));
  for (const name of [one, two, three]) {
    expect(served.slice(0, 18).filter((other) => other === name).length).toBeGreaterThanOrEqual(5);
  }
});

test('a database gets at most its limit of connections, even if others are free', async () => {
  const budget = createBudget(4, { perDatabase: 2 });
  const held = await acquire(budget, one, 2);
  const third = acquire(budget, one, 1);
  held.push(...(await acquire(budget, two, 1)));
  expect(budget.counts()).toMatchObject({ open: 3, waiting: 1 });
  for (const lease of held) budget.release(lease);
  for (const lease of await third) budget.release(lease);
});

test('each waiter has its own timeout, counted from its own call', async () => {
  const budget = createBudget(1, { waitTimeoutMs: 1_000 });
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const [lease] = (await acquire(budget, one, 1)) as [Lease];
  const rejected: string[] = [];
  const wait = (name: string) =>
    Promise.resolve(budget.acquire(target(one))).catch((error: { code: string }) =>
      rejected.push(`${name} ${error.code}`),
    );
  void wait('first');
  await vi.advanceTimersByTimeAsync(600);
  void wait('second');
  await vi.advanceTimersByTimeAsync(410);
  expect(rejected).toEqual(['first db.busy']);
  await vi.advanceTimersByTimeAsync(580);
  expect(rejected).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(20);
  expect(rejected).toEqual(['first db.busy', 'second db.busy']);
  vi.useRealTimers();
  budget.release(lease);
});

test('a database without a connection is served before a third connection for an earlier waiter', async () => {
  const budget = createBudget(2, { perDatabase: 3 });
  const [first, second] = (await acquire(budget, one, 2)) as [Lease, Lease];
  const order: string[] = [];
  const third = Promise.resolve(budget.acquire(target(one))).then((lease) => {
    order.push(one);
    return lease;
  });
  const other = Promise.resolve(budget.acquire(target(two))).then((lease) => {
    order.push(two);
    return lease;
  });
  budget.release(first);
  budget.release(await other);
  budget.release(second);
  budget.release(await third);
  expect(order).toEqual([two, one]);
});

test('a database with sequential queries keeps its connection beside a busy one', async () => {
  const budget = createBudget(3);
  const sequential = openDatabase(budget, target(one));
  await sequential.run(sql`SELECT 1`);
  const busy = openDatabase(budget, target(two));
  const requests = Array.from({ length: 200 }, () => busy.run(sql`SELECT pg_sleep(0.002)`));
  const pids = new Set<number | undefined>();
  for (let count = 0; count < 40; count += 1) {
    pids.add((await sequential.row<{ pid: number }>(sql`SELECT pg_backend_pid() AS pid`))?.pid);
  }
  expect(pids.size).toBe(1);
  await Promise.all(requests);
});

test('idle connections of a quiet database are closed for a busy one, even if nothing is released', async () => {
  const budget = createBudget(3);
  for (const lease of await acquire(budget, one, 3)) budget.release(lease);
  const leases = await acquire(budget, two, 3);
  expect(budget.counts()).toEqual({ open: 3, idle: 0, waiting: 0, databases: 1 });
  for (const lease of leases) budget.release(lease);
});

test('a new database gets the slot of the database with the most connections', async () => {
  const budget = createBudget(4);
  const [single] = (await acquire(budget, one, 1)) as [Lease];
  const pid = await readPid(single);
  budget.release(single);
  for (const lease of await acquire(budget, two, 3)) budget.release(lease);
  const [newLease] = (await acquire(budget, three, 1)) as [Lease];
  const [again] = (await acquire(budget, one, 1)) as [Lease];
  expect(await readPid(again)).toBe(pid);
  budget.release(newLease);
  budget.release(again);
});

test('a database does not get more connections than it has waiters', async () => {
  const budget = createBudget(5);
  const held = await acquire(budget, one, 5);
  const acquiring = acquire(budget, two, 1);
  for (const lease of held.splice(0, 3)) budget.release(lease);
  held.push(...(await acquiring));
  // The other two are still idle and available at once.
  for (let index = 0; index < 2; index += 1) {
    const lease = budget.acquire(target(one));
    expect(lease).not.toBeInstanceOf(Promise);
    held.push(await lease);
  }
  for (const lease of held) budget.release(lease);
});

test('more databases than connections are all served, one after the other and concurrently', async () => {
  const budget = createBudget(2);
  const query = (name: string) => openDatabase(budget, target(name)).row(sql`SELECT current_database() AS name`);
  for (const name of names) expect(await query(name)).toEqual({ name });
  expect(await Promise.all(names.map(query))).toEqual(names.map((name) => ({ name })));
});

test('beside an active tenant a busy one has fewer connections, and all of them when the other one is quiet', async () => {
  const now = performance.now.bind(performance);
  let passed = 0;
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => now() + passed);
  onTestFinished(() => void clock.mockRestore());
  const budget = createBudget(6, { perDatabase: 4, perDatabaseWhenShared: 2 });
  const first = await acquire(budget, one, 4);
  const [other] = (await acquire(budget, two, 1)) as [Lease];
  for (const lease of first) budget.release(lease);
  await eventually(() => expect(budget.counts()).toMatchObject({ open: 3, idle: 2 }));
  const second = await acquire(budget, one, 2);
  const more = acquire(budget, one, 2);
  const third = acquire(budget, two, 1);
  expect(await third).toHaveLength(1);
  expect(budget.counts()).toMatchObject({ waiting: 2 });
  passed = 6_000;
  for (const lease of [...second, ...(await more), ...(await third), other]) budget.release(lease);
});

test('a lower maximum of a target holds for the connections that are open', async () => {
  const budget = createBudget(4);
  for (const lease of await acquire(budget, one, 4)) budget.release(lease);
  const lease = await budget.acquire({ ...target(one), maxConnections: 1 });
  budget.release(lease);
  await eventually(() => expect(budget.counts()).toMatchObject({ open: 3 }));
});

test('busy tenants cannot block the central database', async () => {
  const budget = createBudget(3);
  const held = [...(await acquire(budget, one, 2)), ...(await acquire(budget, two, 1))];
  const requests = acquire(budget, three, 20);
  const leases = await acquire(budget, central, 2);
  expect(budget.counts()).toMatchObject({ open: 5, waiting: 20 });
  for (const lease of [...leases, ...held]) budget.release(lease);
  await expect(Promise.all([requests, budget.close()])).rejects.toMatchObject({ code: 'db.unavailable' });
});

test('a waiter is rejected after its timeout, and the connection released later is not lost', async () => {
  const budget = createBudget(1, { waitTimeoutMs: 100 });
  const [lease] = (await acquire(budget, one, 1)) as [Lease];
  const waiters = [budget.acquire(target(one)), budget.acquire(target(two)), budget.acquire(target(two))];
  const outcomes = await Promise.allSettled(waiters);
  for (const outcome of outcomes) {
    expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'db.busy', status: 503 } });
  }
  expect(budget.counts()).toEqual({ open: 1, idle: 0, waiting: 0, databases: 1 });
  budget.release(lease);
  expect(budget.counts()).toEqual({ open: 1, idle: 1, waiting: 0, databases: 1 });
  expect(budget.acquire(target(one))).toBe(lease);
  budget.release(lease);
});

test('a connection that opens after its waiter timed out serves the next one', async () => {
  const proxy = await startProxy(inject('server'));
  const budget = createBudget(1, { waitTimeoutMs: 50 });
  const late = target(one, proxy.address);
  proxy.blackHole();
  await expect(budget.acquire(late)).rejects.toMatchObject({ code: 'db.busy' });
  expect(budget.counts()).toEqual({ open: 1, idle: 0, waiting: 0, databases: 1 });
  proxy.heal();
  await eventually(() => expect(budget.counts()).toEqual({ open: 1, idle: 1, waiting: 0, databases: 1 }));
  budget.release(await budget.acquire(late));
});

test('a connection that cannot be opened fails one caller and frees its slot', async () => {
  const budget = createBudget(1);
  const [lease] = (await acquire(budget, one, 1)) as [Lease];
  const nowhere = Promise.resolve(budget.acquire(target('scratch_nowhere')));
  nowhere.catch(() => {});
  const next = budget.acquire(target(two));
  budget.release(lease);
  await expect(nowhere).rejects.toMatchObject({ code: '3D000' });
  budget.release(await next);
  expect(budget.counts()).toEqual({ open: 1, idle: 1, waiting: 0, databases: 1 });
});

test('a connection that the server terminates is replaced, idle or in use', async () => {
  const budget = createBudget(1);
  const [lease] = (await acquire(budget, one, 1)) as [Lease];
  const pid = await readPid(lease);
  await terminate(pid);
  await eventually(() => expect(lease.connection.isUsable).toBe(false));
  const waiting = acquire(budget, one, 1);
  budget.release(lease);
  const [second] = (await waiting) as [Lease];
  expect(await readPid(second)).not.toBe(pid);
  budget.release(second);
  await terminate(await readPid(second));
  await eventually(() => expect(budget.counts()).toEqual({ open: 0, idle: 0, waiting: 0, databases: 0 }));
  const [third] = (await acquire(budget, one, 1)) as [Lease];
  budget.release(third);
});

test('an idle connection that does not respond frees its slot for another database', async () => {
  const proxy = await startProxy(inject('server'));
  const budget = createBudget(1, { waitTimeoutMs: 3_000 });
  budget.release(await budget.acquire(target(one, proxy.address)));
  proxy.blackHole();
  const [lease] = (await acquire(budget, two, 1)) as [Lease];
  budget.release(lease);
  expect(budget.counts()).toMatchObject({ open: 1, databases: 1 });
});

test('closing rejects the waiters and leaves no session', async () => {
  const databases = names.slice(8);
  const [first = '', second = '', third = ''] = databases;
  const budget = createBudget(3);
  const [held] = (await acquire(budget, first, 1)) as [Lease];
  for (const lease of await acquire(budget, second, 1)) budget.release(lease);
  const opening = budget.acquire(target(third));
  const requests = Array.from({ length: 10 }, () => budget.acquire(target(first)));
  const closing = budget.close();
  for (const waiter of [opening, ...requests]) await expect(waiter).rejects.toMatchObject({ code: 'db.unavailable' });
  await closing;
  expect(() => budget.acquire(target(first))).toThrow();
  budget.release(held);
  await eventually(async () => {
    expect(budget.counts()).toEqual({ open: 0, idle: 0, waiting: 0, databases: 0 });
    expect(await sessions(databases)).toBe(0);
  });
});

test('closing does not wait for a connection that does not respond', async () => {
  const proxy = await startProxy(inject('server'));
  const budget = createBudget(2);
  budget.release(await budget.acquire(target(one, proxy.address)));
  proxy.blackHole();
  const started = performance.now();
  await budget.close();
  expect(performance.now() - started).toBeLessThan(3_000);
  expect(budget.counts()).toEqual({ open: 0, idle: 0, waiting: 0, databases: 0 });
});

test('a server that does not respond leaves connections to the databases of others, and callers do not wait in turn', async () => {
  const budget = createBudget(6, { perServer: 4, connectTimeoutMs: 1_000 });
  const wire = await startProxy(inject('server'));
  wire.blackHole();
  const query = (name: string, address?: ServerAddress) =>
    openDatabase(budget, target(name, address)).row(sql`SELECT current_database() AS name`);
  let failed = 0;
  const attempt = (name: string) =>
    query(name, wire.address).catch(() => {
      failed += 1;
    });
  const attempts = [one, two, three].flatMap((name) => [1, 2, 3, 4].map(() => attempt(name)));
  // While connections to the silent server are being opened, the databases of the other one are served.
  expect(await Promise.all([query(one), query(two)])).toEqual([{ name: one }, { name: two }]);
  expect(failed).toBe(0);
  await Promise.all(attempts);
  expect(failed).toBe(12);
  // From now on one caller at a time tries, and the others fail at once.
  const before = wire.connections;
  const probe = attempt(one);
  await eventually(() => expect(wire.connections).toBe(before + 1));
  await expect(query(two, wire.address)).rejects.toThrow();
  expect(wire.connections).toBe(before + 1);
  await probe;
  wire.heal();
  await eventually(async () => expect(await query(one, wire.address)).toEqual({ name: one }));
});
