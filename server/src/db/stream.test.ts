import { Answer, action, type Db, signedIn, sql, Type } from '@chowk/kit/kernel';
import { expect, test } from 'vitest';
import { inBatches } from '../../../kit/src/download.ts';
import { startPlatform } from '../../testing/platform.ts';

const platform = await startPlatform({
  environment: { DATABASE_CONNECTIONS: '4' },
  modules: [],
  actions: {
    'numbers.export': action({
      summary: 'Test',
      http: 'GET /numbers',
      needs: signedIn,
      input: Type.Object({ fail: Type.Optional(Type.Integer()), in_batches: Type.Optional(Type.Boolean()) }),
      run: async (ctx, { fail = 0, in_batches = false }) => {
        const query = sql`SELECT n, 1 / (n - ${fail}::int) AS x, repeat('x', 100) AS filler FROM generate_series(1, 200000) n`;
        const rows = in_batches ? inBatches(ctx, query, async (_, batch) => [...batch]) : ctx.db.stream(query);
        return Answer.download(ctx, { name: 'numbers', format: 'json', rows });
      },
    }),
  },
});
const acme = await platform.tenant();
const { db } = acme;
const url = await platform.app.listen({ port: 0, host: '127.0.0.1' });
const numbers = (to: number) => sql`SELECT n FROM generate_series(1, ${to}::int) AS n ORDER BY n`;

test.each([0, 1, 499, 500, 501, 1_234])('%i rows are streamed in order', async (count) => {
  const received: number[] = [];
  for await (const { n } of db.stream<{ n: number }>(numbers(count))) received.push(n);
  expect(received).toEqual(Array.from({ length: count }, (_, index) => index + 1));
});

test('a reader that stops early releases its connection', async () => {
  for (let round = 0; round < 20; round += 1) {
    for await (const { n } of db.stream<{ n: number }>(numbers(5_000))) if (n === 600) break;
  }
  expect(await db.row(sql`SELECT 1 AS one`)).toEqual({ one: 1 });
});

test('all rows are of one snapshot, even if rows are written meanwhile', async () => {
  await db.run(sql`CREATE TABLE growing (n int)`);
  await db.run(sql`INSERT INTO growing SELECT generate_series(1, 600)`);
  let count = 0;
  for await (const _ of db.stream(sql`SELECT n FROM growing`)) {
    if (count === 0) await db.run(sql`INSERT INTO growing SELECT generate_series(601, 2000)`);
    count += 1;
  }
  expect(count).toBe(600);
});

test('inside a transaction its own rows are streamed', async () => {
  await db.tx(async (tx) => {
    await tx.run(sql`CREATE TABLE mine AS SELECT generate_series(1, 700) AS n`);
    let count = 0;
    for await (const _ of tx.stream(sql`SELECT n FROM mine`)) count += 1;
    expect(count).toBe(700);
  });
});

test('a failing query fails the reader, and the connection stays usable', async () => {
  const reading = async () => {
    for await (const _ of db.stream(sql`SELECT 1 / (3 - n) AS x FROM generate_series(1, 5) AS n`));
  };
  await expect(reading()).rejects.toThrow('division by zero');
  expect(await db.row(sql`SELECT 1 AS one`)).toEqual({ one: 1 });
});

function openCursors(tx: Db): Promise<object[]> {
  return tx.rows(sql`SELECT name FROM pg_cursors WHERE name LIKE 'stream%'`);
}

/** The connections to the tenant's database that are in a transaction, besides the one that asks. */
function openTransactions(): Promise<object[]> {
  return db.rows(sql`
    SELECT query FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid() AND xact_start IS NOT NULL`);
}

function leasedConnections(): number {
  const { open, idle } = platform.kernel.budget.counts();
  return open - idle;
}

test('in a transaction, the cursor of a reader that is done, stops early or fails is closed', async () => {
  await db.tx(async (tx) => {
    for await (const _ of tx.stream(numbers(700)));
    for await (const { n } of tx.stream<{ n: number }>(numbers(700))) if (n === 600) break;
    const failing = async () => {
      for await (const _ of tx.stream(numbers(700))) throw new Error('the reader fails');
    };
    await expect(failing()).rejects.toThrow('the reader fails');
    expect(await openCursors(tx)).toEqual([]);
  });
});

test('in a transaction, several streams can be read at once', async () => {
  await db.tx(async (tx) => {
    const pairs: number[][] = [];
    for await (const outer of tx.stream<{ n: number }>(numbers(2))) {
      for await (const inner of tx.stream<{ n: number }>(numbers(3))) pairs.push([outer.n, inner.n]);
    }
    expect(pairs).toEqual([1, 2].flatMap((outer) => [1, 2, 3].map((inner) => [outer, inner])));
    expect(await openCursors(tx)).toEqual([]);
  });
});

test('a stream whose savepoint is rolled back does not disturb the transaction', async () => {
  await db.tx(async (tx) => {
    const iterator = await tx
      .tx(async (savepoint) => {
        const started = savepoint.stream(numbers(700))[Symbol.asyncIterator]();
        await started.next();
        throw Object.assign(new Error('rolled back'), { started });
      })
      .catch(({ started }: { started: AsyncIterator<object> }) => started);
    await iterator.return?.();
    for await (const { n } of tx.stream<{ n: number }>(numbers(1))) expect(n).toBe(1);
    expect(await openCursors(tx)).toEqual([]);
  });
});

test.each([
  ['a client that disconnects', '?'],
  ['a client that disconnects, with rows that are completed in batches,', '?in_batches=true'],
  ['a query that fails in the middle', '?fail=150000'],
  ['a query that fails in the middle of batches', '?fail=150000&in_batches=true'],
])('%s leaves no transaction open', async (_, query) => {
  const { token } = acme.caller();
  const headers = { authorization: `Bearer ${token}`, 'x-tenant': acme.id };
  const abort = new AbortController();
  const response = await fetch(`${url}/api/v1/numbers${query}`, { headers, signal: abort.signal });
  const reader = response.body?.getReader();
  await reader?.read();
  if (query.includes('fail')) {
    const readAll = async () => {
      while (!(await reader?.read())?.done);
    };
    await expect(readAll()).rejects.toThrow();
  } else {
    expect(await openTransactions()).toHaveLength(1);
    abort.abort();
  }
  await expect.poll(openTransactions).toEqual([]);
  await expect.poll(leasedConnections).toBe(0);
});
