import { setImmediate as later, setTimeout as pause } from 'node:timers/promises';
import { type Db, sql } from '@chowk/kit/kernel';
import fc from 'fast-check';
import { afterAll, beforeEach, expect, inject, onTestFinished, test } from 'vitest';
import { eventually } from '../../testing/eventually.ts';
import {
  limits,
  onSeparateConnection,
  scratchDatabase,
  scratchDatabases,
  terminate,
} from '../../testing/scratch-database.ts';
import { startProxy } from '../../testing/tcp-proxy.ts';
import { type BudgetOptions, ConnectionBudget } from './budget.ts';
import { openDatabase } from './database.ts';
import { databaseFailure } from './failures.ts';

const database = await scratchDatabase();
const options = { ...limits, connections: 4, perDatabase: 1, waitTimeoutMs: 10_000 };

/** A single connection, so that every query uses the connection of the previous one. */
function open(changes: Partial<BudgetOptions> = {}, address = inject('server')) {
  const budget = new ConnectionBudget({ ...options, ...changes });
  return { budget, db: openDatabase(budget, { address, database, central: false }) };
}

const { budget, db } = open();
afterAll(() => budget.close());
await db.run(sql`CREATE TABLE notes (id int PRIMARY KEY, text text)`);
beforeEach(() => db.run(sql`TRUNCATE notes`));

const columns = ['id', 'text'];
const whoAmI = sql`SELECT pg_backend_pid() AS pid`;

function* numbered(count: number, text: unknown = 'x') {
  for (let id = 1; id <= count; id += 1) yield [id, text];
}

async function* failing(after: number) {
  yield* numbered(after, 'x'.repeat(100));
  throw new Error('test failure');
}

async function count(from: Db = db): Promise<number> {
  return (await from.row<{ count: number }>(sql`SELECT count(*) FROM notes`))?.count ?? -1;
}

test.each([0, 1, 10_000])('%i rows are copied', async (rowCount) => {
  expect(await db.copy('notes', columns, numbered(rowCount))).toBe(rowCount);
  expect(await count()).toBe(rowCount);
});

test('rows of an asynchronous source are copied', async () => {
  async function* slowly() {
    for (const row of numbered(5)) {
      await later();
      yield row;
    }
  }
  expect(await db.copy('notes', columns, slowly())).toBe(5);
});

test('every text is stored unchanged', async () => {
  const special = fc.constantFrom(
    '\\',
    '\t',
    '\n',
    '\r',
    '\\N',
    '\\.',
    '\b',
    '\v',
    "'",
    '"',
    ',',
    'é',
    'चा',
    '茶',
    '😀',
  );
  const text = fc.oneof(
    fc.array(special, { maxLength: 6 }).map((parts) => parts.join('')),
    fc.string({ unit: 'binary', maxLength: 20 }).map((some) => some.replaceAll('\0', '')),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(fc.option(text), { minLength: 1, maxLength: 50 }), async (texts) => {
      await db.run(sql`TRUNCATE notes`);
      await db.copy('notes', columns, texts.entries());
      const rows = await db.rows<{ text: string | null }>(sql`SELECT text FROM notes ORDER BY id`);
      expect(rows.map((row) => row.text)).toEqual(texts);
    }),
    { numRuns: 50 },
  );
});

test('values of all types are stored, and omitted columns get their default', async () => {
  await db.run(sql`
    CREATE TABLE "Odd ""name" ("order" int, at timestamptz, yes boolean, list text[], doc jsonb, big bigint,
      nothing text, rest text DEFAULT 'default')`);
  const row = [1, new Date('2026-11-14T01:02:03.456Z'), true, '{"a\\\\b","c"}', '{"a":"\\n"}', 2n ** 40n, undefined];
  await db.copy('Odd "name', ['order', 'at', 'yes', 'list', 'doc', 'big', 'nothing'], [row]);
  expect(await db.row(sql`SELECT * FROM "Odd ""name"`)).toEqual({
    order: 1,
    at: '2026-11-14T01:02:03.456Z',
    yes: true,
    list: ['a\\b', 'c'],
    doc: { a: '\n' },
    big: 2 ** 40,
    nothing: null,
    rest: 'default',
  });
});

test.each([
  ['a duplicate row', [...numbered(3), [3, 'again']], { code: '23505' }],
  ['a value of the wrong type', [['one', 'x']], { code: '22P02' }],
  ['a missing cell', [[1]], { code: '22P04' }],
  ['an extra cell', [[1, 'x', 'y']], { code: '22P04' }],
  ['a NUL character', [[1, 'a\0b']], { code: '22021' }],
  ['an array that is not text', [[1, ['a']]], { name: 'TypeError' }],
])('%s fails the copy, and the connection stays usable', async (_, rows, failure) => {
  const before = await db.row(whoAmI);
  await expect(db.copy('notes', columns, rows)).rejects.toMatchObject(failure);
  expect(await count()).toBe(0);
  expect(await db.row(whoAmI)).toEqual(before);
});

test('a missing table or column fails the copy before a row is read', async () => {
  let reads = 0;
  function* rows() {
    reads += 1;
    yield [1, 'x'];
  }
  const before = await db.row(whoAmI);
  await expect(db.copy('nowhere', columns, rows())).rejects.toMatchObject({ code: '42P01' });
  await expect(db.copy('notes', ['id', 'id); DROP TABLE notes; --'], rows())).rejects.toMatchObject({ code: '42703' });
  expect(reads).toBe(0);
  expect(await db.row(whoAmI)).toEqual(before);
});

test('an invalid row stops and closes an endless source', async () => {
  let closed = false;
  async function* endless() {
    try {
      for (;;) yield [1, 'x'.repeat(1_000)];
    } finally {
      closed = true;
    }
  }
  const before = await db.row(whoAmI);
  await expect(db.copy('notes', columns, endless())).rejects.toMatchObject({ code: '23505' });
  await eventually(() => expect(closed).toBe(true));
  expect(await db.row(whoAmI)).toEqual(before);
});

test.each([0, 1, 50_000])(
  'a source that fails after %i rows leaves no row, and the connection stays usable',
  async (after) => {
    const before = await db.row(whoAmI);
    await expect(db.copy('notes', columns, failing(after))).rejects.toThrow('test failure');
    expect(await count()).toBe(0);
    expect(await db.row(whoAmI)).toEqual(before);
  },
);

test('inside a transaction the rows belong to it', async () => {
  const rolledBack = db.tx(async (tx) => {
    expect(await tx.copy('notes', columns, numbered(3))).toBe(3);
    expect(await count(tx)).toBe(3);
    throw new Error('test failure');
  });
  await expect(rolledBack).rejects.toThrow('test failure');
  expect(await count()).toBe(0);
  await db.tx((tx) => tx.copy('notes', columns, numbered(3)));
  expect(await count()).toBe(3);
});

test('inside a transaction only the failed copy is rolled back', async () => {
  await db.tx(async (tx) => {
    await tx.run(sql`INSERT INTO notes VALUES (9, 'before')`);
    await expect(tx.copy('notes', columns, failing(2))).rejects.toThrow('test failure');
    await expect(tx.copy('notes', columns, [[9, 'again']])).rejects.toMatchObject({ code: '23505' });
    await tx.copy('notes', columns, numbered(2));
  });
  expect(await count()).toBe(3);
});

test('during a copy other statements of its transaction are refused', async () => {
  await db.tx(async (tx) => {
    async function* fromItself() {
      yield* numbered(1);
      await tx.run(sql`SELECT 1`);
    }
    await expect(tx.copy('notes', columns, fromItself())).rejects.toThrow('use only the savepoint');
    const [copied, other] = await Promise.allSettled([tx.copy('notes', columns, numbered(5)), tx.run(sql`SELECT 1`)]);
    expect([copied.status, other.status]).toEqual(['fulfilled', 'rejected']);
  });
  expect(await count()).toBe(5);
});

test('a copy may take longer than the statement timeout, which applies again to later statements', async () => {
  const limited = open({ queryTimeoutMs: 100 });
  onTestFinished(() => limited.budget.close());
  async function* slowly() {
    for (const row of numbered(30, 'x'.repeat(30_000))) {
      await pause(100);
      yield row;
    }
  }
  await limited.db.tx(async (tx) => {
    // Longer than the statement timeout and the grace period of two seconds.
    expect(await tx.copy('notes', columns, slowly())).toBe(30);
    expect(await tx.row(sql`SHOW statement_timeout`)).toEqual({ statement_timeout: '100ms' });
    expect(await tx.row(sql`SHOW lock_timeout`)).toEqual({ lock_timeout: '0' });
  });
  expect(await count()).toBe(30);
});

test('a copy waits for a lock no longer than the statement timeout', async () => {
  const limited = open({ queryTimeoutMs: 100 });
  onTestFinished(() => limited.budget.close());
  await db.tx(async (tx) => {
    await tx.run(sql`LOCK TABLE notes`);
    const error = await limited.db.copy('notes', columns, numbered(1)).catch((reason: unknown) => reason);
    expect(databaseFailure(error)).toMatchObject({ code: 'db.too_slow', status: 503 });
  });
});

test('a copy over a dead network connection fails', async () => {
  const proxy = await startProxy(inject('server'));
  const { budget, db } = open({ queryTimeoutMs: 100 }, proxy.address);
  onTestFinished(() => budget.close());
  await db.run(whoAmI);
  function* endless() {
    for (let id = 1; ; id += 1) {
      if (id === 1_000) proxy.blackHole();
      yield [id, 'x'.repeat(1_000)];
    }
  }
  const error = await db.copy('notes', columns, endless()).catch((reason: unknown) => reason);
  expect(databaseFailure(error)).toMatchObject({ code: 'db.unavailable', status: 503 });
});

test('terminating the session fails the copy at once, and the next query gets another connection', async () => {
  const { pid } = (await db.row<{ pid: number }>(whoAmI)) ?? { pid: 0 };
  async function* waiting() {
    yield* numbered(10);
    await terminate(pid);
    await new Promise(() => {});
  }
  const error = await db.copy('notes', columns, waiting()).catch((reason: unknown) => reason);
  expect(databaseFailure(error)).toMatchObject({ code: 'db.unavailable', status: 503 });
  expect(await count()).toBe(0);
});

test('a large copy of rows in memory does not block the event loop', async () => {
  let [sinceTurn, max, isDone] = [0, 0, false];
  function* counted() {
    for (const row of numbered(300_000)) {
      sinceTurn += 1;
      max = Math.max(max, sinceTurn);
      yield row;
    }
  }
  const takeTurns = async () => {
    for (; !isDone; sinceTurn = 0) await later();
  };
  const others = takeTurns();
  await db.copy('notes', columns, counted());
  isDone = true;
  await others;
  // A chunk of 64 KiB holds about 8,000 of these rows.
  expect(max).toBeLessThan(25_000);
});

test('a source is read only as fast as PostgreSQL accepts its rows', async () => {
  await db.run(sql`
    CREATE FUNCTION nap() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(10); RETURN NEW; END $$`);
  await db.run(sql`CREATE TABLE slow (id int, text text)`);
  await db.run(sql`CREATE TRIGGER nap BEFORE INSERT ON slow FOR EACH ROW EXECUTE FUNCTION nap()`);
  let read = 0;
  function* endless() {
    for (;;) yield [++read, 'x'.repeat(10_000)];
  }
  const copying = db.copy('slow', columns, endless()).catch((reason: unknown) => reason);
  const sleeping = sql`SELECT pid FROM pg_stat_activity WHERE datname = ${database} AND wait_event = 'PgSleep'`;
  const pid = await eventually(async () => {
    const { rows } = await onSeparateConnection(database, (connection) => connection.query<{ pid: number }>(sleeping));
    expect(rows).toHaveLength(1);
    return rows[0]?.pid ?? 0;
  });
  // Socket buffers hold a few megabytes at most.
  expect(read).toBeLessThan(2_000);
  await terminate(pid);
  expect(databaseFailure(await copying)).toMatchObject({ status: 503 });
});

test('rows are copied from one database to another without loss, however slowly they are read', async () => {
  const [from, to] = await scratchDatabases(2);
  await onSeparateConnection(from as string, (source) =>
    onSeparateConnection(to as string, async (target) => {
      await source.script(`
        CREATE TABLE words (id int, text text);
        INSERT INTO words SELECT n, CASE n % 3 WHEN 0 THEN NULL WHEN 1 THEN 'ñ—日本\t\\' || n ELSE repeat('x', 200) END
        FROM generate_series(1, 30000) n`);
      await target.script('CREATE TABLE words (id int, text text)');
      const slowly = async function* (chunks: AsyncIterable<Uint8Array>) {
        for await (const chunk of chunks) {
          await later();
          yield chunk;
        }
      };
      const rows = source.copyOut('COPY words TO STDOUT');
      expect(await target.copy('COPY words FROM STDIN', slowly(rows))).toBe(30_000);
      const digest = sql`SELECT md5(string_agg(id || coalesce(text, '-'), ',' ORDER BY id)) AS digest FROM words`;
      expect((await target.query(digest)).rows).toEqual((await source.query(digest)).rows);
      const failed = target.copy('COPY words FROM STDIN', source.copyOut('COPY nowhere TO STDOUT'));
      await expect(failed).rejects.toThrow('relation "nowhere" does not exist');
      expect([source.isUsable, target.isUsable]).toEqual([true, true]);
    }),
  );
});
