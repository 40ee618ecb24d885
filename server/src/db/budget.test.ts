import { sql } from '@chowk/kit';
import { expect, inject, onTestFinished, test } from 'vitest';
import { eventually } from '../../testing/eventually.ts';
import { aside, limits, scratchDatabases, terminate } from '../../testing/scratch-database.ts';
import { startProxy } from '../../testing/tcp-proxy.ts';
import { type BudgetOptions, ConnectionBudget, type Lease, type Target } from './budget.ts';
import { openDatabase } from './database.ts';
import type { ServerAddress } from './server-address.ts';

const names = await scratchDatabases(12);
const [one = '', two = '', three = '', central = ''] = names;

/** Two of the connections are the central database's, so tenants share `forTenants`. */
function makeBudget(forTenants: number, wanted: Partial<BudgetOptions> = {}): ConnectionBudget {
  const options = { ...limits, perDatabase: forTenants, waitTimeoutMs: 20_000, connections: forTenants + 2, ...wanted };
  const budget = new ConnectionBudget(options);
  onTestFinished(() => budget.close());
  return budget;
}

function target(database: string, address: ServerAddress = inject('server')): Target {
  return { address, database, central: database === central };
}

async function take(budget: ConnectionBudget, database: string, count: number): Promise<Lease[]> {
  return Promise.all(Array.from({ length: count }, () => budget.acquire(target(database))));
}

async function pidOf({ connection }: Lease): Promise<number> {
  const { rows } = await connection.query<{ pid: number }>(sql`SELECT pg_backend_pid() AS pid`);
  return rows[0]?.pid ?? 0;
}

async function sessions(databases = names): Promise<number> {
  const { rows } = await aside('postgres', (connection) =>
    connection.query<{ count: number }>(
      sql`SELECT count(*) FROM pg_stat_activity WHERE datname = ANY(${databases}) AND backend_type = 'client backend'`,
    ),
  );
  return rows[0]?.count ?? 0;
}

test('a crowd of requests over many databases is served within the budget', async () => {
  const budget = makeBudget(6, { perDatabase: 3 });
  const most = { all: 0, each: 0 };
  let done = false;
  const watching = aside('postgres', async (connection) => {
    while (!done) {
      const { rows } = await connection.query<{ count: number }>(
        sql`SELECT count(*) FROM pg_stat_activity WHERE datname = ANY(${names}) GROUP BY datname`,
      );
      const counts = rows.map(({ count }) => count);
      most.all = Math.max(
        most.all,
        counts.reduce((sum, count) => sum + count, 0),
      );
      most.each = Math.max(most.each, ...counts);
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
  // The central database takes part too, with at most its two.
  expect(most.all).toBeLessThanOrEqual(8);
  expect(most.all).toBeGreaterThanOrEqual(6);
  expect(most.each).toBeLessThanOrEqual(3);
});

test('one request does not wait behind the hundreds of another database', async () => {
  const budget = makeBudget(1);
  const greedy = openDatabase(budget, target(one));
  let served = 0;
  const crowd = Array.from({ length: 200 }, async () => {
    await greedy.run(sql`SELECT pg_sleep(0.004)`);
    served += 1;
  });
  await eventually(() => expect(served).toBeGreaterThan(0));
  await openDatabase(budget, target(two)).run(sql`SELECT 1`);
  expect(served).toBeLessThan(100);
  await Promise.all(crowd);
});

test('databases that all have hundreds waiting take turns', async () => {
  const budget = makeBudget(1);
  const order: string[] = [];
  const greedy = names.slice(4, 8);
  const crowds = greedy.flatMap((name) => {
    const db = openDatabase(budget, target(name));
    return Array.from({ length: 100 }, async () => {
      await db.run(sql`SELECT pg_sleep(0.001)`);
      order.push(name);
    });
  });
  await Promise.all(crowds);
  const turns = order.filter((name, index) => name !== order[index - 1]);
  expect(new Set(order.slice(0, 250)).size).toBe(greedy.length);
  // Every turn costs a connect: a change after each query would make all of them slow.
  expect(turns.length).toBeLessThan(order.length / 4);
});

test('a database without a connection comes before a third for one that asked earlier', async () => {
  const budget = makeBudget(2, { perDatabase: 3 });
  const [first, second] = (await take(budget, one, 2)) as [Lease, Lease];
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

test('a database that asks one thing at a time keeps its connection beside a greedy one', async () => {
  const budget = makeBudget(3);
  const calm = openDatabase(budget, target(one));
  await calm.run(sql`SELECT 1`);
  const greedy = openDatabase(budget, target(two));
  const crowd = Array.from({ length: 200 }, () => greedy.run(sql`SELECT pg_sleep(0.002)`));
  const pids = new Set<number | undefined>();
  for (let asked = 0; asked < 40; asked += 1) {
    pids.add((await calm.row<{ pid: number }>(sql`SELECT pg_backend_pid() AS pid`))?.pid);
  }
  expect(pids.size).toBe(1);
  await Promise.all(crowd);
});

test('idle connections of a quiet database are closed for a busy one, though nobody gives anything back', async () => {
  const budget = makeBudget(3);
  for (const lease of await take(budget, one, 3)) budget.release(lease);
  const leases = await take(budget, two, 3);
  expect(budget.counts()).toEqual({ open: 3, idle: 0, waiting: 0, databases: 1 });
  for (const lease of leases) budget.release(lease);
});

test('what a newcomer needs is taken from the database that has most, not from the only connection of another', async () => {
  const budget = makeBudget(4);
  const [calm] = (await take(budget, one, 1)) as [Lease];
  const pid = await pidOf(calm);
  budget.release(calm);
  for (const lease of await take(budget, two, 3)) budget.release(lease);
  const [newcomer] = (await take(budget, three, 1)) as [Lease];
  const [again] = (await take(budget, one, 1)) as [Lease];
  expect(await pidOf(again)).toBe(pid);
  budget.release(newcomer);
  budget.release(again);
});

test('a database is not given more connections than it has callers waiting', async () => {
  const budget = makeBudget(5);
  const held = await take(budget, one, 5);
  const asking = take(budget, two, 1);
  for (const lease of held.splice(0, 3)) budget.release(lease);
  held.push(...(await asking));
  // The other two are still there, and at once.
  for (let index = 0; index < 2; index += 1) {
    const lease = budget.acquire(target(one));
    expect(lease).not.toBeInstanceOf(Promise);
    held.push(await lease);
  }
  for (const lease of held) budget.release(lease);
});

test('more databases than connections are all served, in turn and at once', async () => {
  const budget = makeBudget(2);
  const ask = (name: string) => openDatabase(budget, target(name)).row(sql`SELECT current_database() AS name`);
  for (const name of names) expect(await ask(name)).toEqual({ name });
  expect(await Promise.all(names.map(ask))).toEqual(names.map((name) => ({ name })));
});

test('tenants in a rush never lock the central database out', async () => {
  const budget = makeBudget(3);
  const held = [...(await take(budget, one, 2)), ...(await take(budget, two, 1))];
  const crowd = take(budget, three, 20);
  const leases = await take(budget, central, 2);
  expect(budget.counts()).toMatchObject({ open: 5, waiting: 20 });
  for (const lease of [...leases, ...held]) budget.release(lease);
  await expect(Promise.all([crowd, budget.close()])).rejects.toMatchObject({ code: 'db.unavailable' });
});

test('who waits too long is told to come back, and what is given back later is not lost', async () => {
  const budget = makeBudget(1, { waitTimeoutMs: 100 });
  const [lease] = (await take(budget, one, 1)) as [Lease];
  const impatient = [budget.acquire(target(one)), budget.acquire(target(two)), budget.acquire(target(two))];
  for (const turn of impatient) await expect(turn).rejects.toMatchObject({ code: 'db.busy', status: 503 });
  expect(budget.counts()).toEqual({ open: 1, idle: 0, waiting: 0, databases: 1 });
  budget.release(lease);
  expect(budget.counts()).toEqual({ open: 1, idle: 1, waiting: 0, databases: 1 });
  expect(budget.acquire(target(one))).toBe(lease);
  budget.release(lease);
});

test('a connection that opens after its waiter has left serves the next one', async () => {
  const proxy = await startProxy(inject('server'));
  const budget = makeBudget(1, { waitTimeoutMs: 50 });
  const late = target(one, proxy.address);
  proxy.blackHole();
  await expect(budget.acquire(late)).rejects.toMatchObject({ code: 'db.busy' });
  expect(budget.counts()).toEqual({ open: 1, idle: 0, waiting: 0, databases: 1 });
  proxy.heal();
  await eventually(() => expect(budget.counts()).toEqual({ open: 1, idle: 1, waiting: 0, databases: 1 }));
  budget.release(await budget.acquire(late));
});

test('a connection that cannot be opened fails one caller and leaves its slot to the next', async () => {
  const budget = makeBudget(1);
  const [lease] = (await take(budget, one, 1)) as [Lease];
  const nowhere = Promise.resolve(budget.acquire(target('scratch_nowhere')));
  nowhere.catch(() => {});
  const next = budget.acquire(target(two));
  budget.release(lease);
  await expect(nowhere).rejects.toMatchObject({ code: '3D000' });
  budget.release(await next);
  expect(budget.counts()).toEqual({ open: 1, idle: 1, waiting: 0, databases: 1 });
});

test('a connection that the server ends is replaced, whether it was idle or in use', async () => {
  const budget = makeBudget(1);
  const [lease] = (await take(budget, one, 1)) as [Lease];
  const pid = await pidOf(lease);
  await terminate(pid);
  await eventually(() => expect(lease.connection.usable).toBe(false));
  const waiting = take(budget, one, 1);
  budget.release(lease);
  const [second] = (await waiting) as [Lease];
  expect(await pidOf(second)).not.toBe(pid);
  budget.release(second);
  await terminate(await pidOf(second));
  await eventually(() => expect(budget.counts()).toEqual({ open: 0, idle: 0, waiting: 0, databases: 0 }));
  const [third] = (await take(budget, one, 1)) as [Lease];
  budget.release(third);
});

test('an idle connection that answers nothing keeps its slot from nobody for long', async () => {
  const proxy = await startProxy(inject('server'));
  const budget = makeBudget(1, { waitTimeoutMs: 3_000 });
  budget.release(await budget.acquire(target(one, proxy.address)));
  proxy.blackHole();
  const [lease] = (await take(budget, two, 1)) as [Lease];
  budget.release(lease);
  expect(budget.counts()).toMatchObject({ open: 1, databases: 1 });
});

test('closing turns away who waits and leaves no session behind', async () => {
  const databases = names.slice(8);
  const [first = '', second = '', third = ''] = databases;
  const budget = makeBudget(3);
  const [held] = (await take(budget, first, 1)) as [Lease];
  for (const lease of await take(budget, second, 1)) budget.release(lease);
  const opening = budget.acquire(target(third));
  const crowd = Array.from({ length: 10 }, () => budget.acquire(target(first)));
  const closing = budget.close();
  for (const turn of [opening, ...crowd]) await expect(turn).rejects.toMatchObject({ code: 'db.unavailable' });
  await closing;
  expect(() => budget.acquire(target(first))).toThrow();
  budget.release(held);
  await eventually(async () => {
    expect(budget.counts()).toEqual({ open: 0, idle: 0, waiting: 0, databases: 0 });
    expect(await sessions(databases)).toBe(0);
  });
});

test('closing does not wait for a connection that answers nothing', async () => {
  const proxy = await startProxy(inject('server'));
  const budget = makeBudget(2);
  budget.release(await budget.acquire(target(one, proxy.address)));
  proxy.blackHole();
  const started = performance.now();
  await budget.close();
  expect(performance.now() - started).toBeLessThan(3_000);
  expect(budget.counts()).toEqual({ open: 0, idle: 0, waiting: 0, databases: 0 });
});
