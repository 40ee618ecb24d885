import { setImmediate as later, setTimeout as pause } from 'node:timers/promises';
import { type Db, sql } from '@chowk/kit';
import fc from 'fast-check';
import { afterAll, beforeEach, expect, inject, onTestFinished, test } from 'vitest';
import { eventually } from '../../testing/eventually.ts';
import { aside, limits, scratchDatabase, terminate } from '../../testing/scratch-database.ts';
import { startProxy } from '../../testing/tcp-proxy.ts';
import { type BudgetOptions, ConnectionBudget } from './budget.ts';
import { openDatabase } from './database.ts';
import { databaseFailure } from './failures.ts';

const database = await scratchDatabase();
const options = { ...limits, connections: 4, perDatabase: 1, waitTimeoutMs: 10_000 };

/** A single connection, so that the next query gets what the last one left. */
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
  throw new Error('no luck');
}

async function count(from: Db = db): Promise<number> {
  return (await from.row<{ count: number }>(sql`SELECT count(*) FROM notes`))?.count ?? -1;
}

test.each([0, 1, 10_000])('%i rows are all there afterwards', async (wanted) => {
  expect(await db.copy('notes', columns, numbered(wanted))).toBe(wanted);
  expect(await count()).toBe(wanted);
});

test('rows may come later, one after the other', async () => {
  async function* slowly() {
    for (const row of numbered(5)) {
      await later();
      yield row;
    }
  }
  expect(await db.copy('notes', columns, slowly())).toBe(5);
});

test('every text arrives as it is', async () => {
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

test('values of many kinds arrive, and what is left out has its default', async () => {
  await db.run(sql`
    CREATE TABLE "Odd ""name" ("order" int, at timestamptz, yes boolean, list text[], doc jsonb, big bigint,
      nothing text, rest text DEFAULT 'usual')`);
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
    rest: 'usual',
  });
});

test.each([
  ['a row that is there already', [...numbered(3), [3, 'again']], { code: '23505' }],
  ['a value of the wrong type', [['one', 'x']], { code: '22P02' }],
  ['a cell too few', [[1]], { code: '22P04' }],
  ['a cell too many', [[1, 'x', 'y']], { code: '22P04' }],
  ['the character NUL', [[1, 'a\0b']], { code: '22021' }],
  ['an array that is not text', [[1, ['a']]], { name: 'TypeError' }],
])('%s fails the copy, and the connection goes on', async (_, rows, failure) => {
  const before = await db.row(whoAmI);
  await expect(db.copy('notes', columns, rows)).rejects.toMatchObject(failure);
  expect(await count()).toBe(0);
  expect(await db.row(whoAmI)).toEqual(before);
});

test('a table or a column that is not there fails the copy before a row is asked for', async () => {
  let asked = 0;
  function* rows() {
    asked += 1;
    yield [1, 'x'];
  }
  const before = await db.row(whoAmI);
  await expect(db.copy('nowhere', columns, rows())).rejects.toMatchObject({ code: '42P01' });
  await expect(db.copy('notes', ['id', 'id); DROP TABLE notes; --'], rows())).rejects.toMatchObject({ code: '42703' });
  expect(asked).toBe(0);
  expect(await db.row(whoAmI)).toEqual(before);
});

test('a row that is refused early ends the reading of an endless source, which is told', async () => {
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
  'a source that fails after %i rows leaves nothing, and the connection goes on',
  async (after) => {
    const before = await db.row(whoAmI);
    await expect(db.copy('notes', columns, failing(after))).rejects.toThrow('no luck');
    expect(await count()).toBe(0);
    expect(await db.row(whoAmI)).toEqual(before);
  },
);

test('inside a transaction the rows belong to it', async () => {
  const undone = db.tx(async (tx) => {
    expect(await tx.copy('notes', columns, numbered(3))).toBe(3);
    expect(await count(tx)).toBe(3);
    throw new Error('no luck');
  });
  await expect(undone).rejects.toThrow('no luck');
  expect(await count()).toBe(0);
  await db.tx((tx) => tx.copy('notes', columns, numbered(3)));
  expect(await count()).toBe(3);
});

test('inside a transaction a copy that fails is undone alone', async () => {
  await db.tx(async (tx) => {
    await tx.run(sql`INSERT INTO notes VALUES (9, 'before')`);
    await expect(tx.copy('notes', columns, failing(2))).rejects.toThrow('no luck');
    await expect(tx.copy('notes', columns, [[9, 'again']])).rejects.toMatchObject({ code: '23505' });
    await tx.copy('notes', columns, numbered(2));
  });
  expect(await count()).toBe(3);
});

test('while a copy is under way its transaction is refused instead of spoiling it', async () => {
  await db.tx(async (tx) => {
    async function* fromItself() {
      yield* numbered(1);
      await tx.run(sql`SELECT 1`);
    }
    await expect(tx.copy('notes', columns, fromItself())).rejects.toThrow('use nothing else');
    const [copied, other] = await Promise.allSettled([tx.copy('notes', columns, numbered(5)), tx.run(sql`SELECT 1`)]);
    expect([copied.status, other.status]).toEqual(['fulfilled', 'rejected']);
  });
  expect(await count()).toBe(5);
});

test('a copy that goes on may take longer than a statement, and later statements have their limit again', async () => {
  const hasty = open({ queryTimeoutMs: 100 });
  onTestFinished(() => hasty.budget.close());
  async function* slowly() {
    for (const row of numbered(30, 'x'.repeat(30_000))) {
      await pause(100);
      yield row;
    }
  }
  await hasty.db.tx(async (tx) => {
    // Longer than the statement's limit and the two seconds that the answer may take.
    expect(await tx.copy('notes', columns, slowly())).toBe(30);
    expect(await tx.row(sql`SHOW statement_timeout`)).toEqual({ statement_timeout: '100ms' });
    expect(await tx.row(sql`SHOW lock_timeout`)).toEqual({ lock_timeout: '0' });
  });
  expect(await count()).toBe(30);
});

test('a copy waits for a lock as long as a statement would', async () => {
  const hasty = open({ queryTimeoutMs: 100 });
  onTestFinished(() => hasty.budget.close());
  await db.tx(async (tx) => {
    await tx.run(sql`LOCK TABLE notes`);
    const error = await hasty.db.copy('notes', columns, numbered(1)).catch((reason: unknown) => reason);
    expect(databaseFailure(error)).toMatchObject({ code: 'db.too_slow', status: 503 });
  });
});

test('a copy over a dead wire gives up', async () => {
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

test('a session that is ended half way fails the copy at once, and the next query gets another', async () => {
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

test('a large copy of rows that are at hand leaves others their turn', async () => {
  let [sinceTurn, most, over] = [0, 0, false];
  function* counted() {
    for (const row of numbered(300_000)) {
      sinceTurn += 1;
      most = Math.max(most, sinceTurn);
      yield row;
    }
  }
  const takeTurns = async () => {
    for (; !over; sinceTurn = 0) await later();
  };
  const others = takeTurns();
  await db.copy('notes', columns, counted());
  over = true;
  await others;
  // A piece of 64 KiB holds some 8,000 of these rows.
  expect(most).toBeLessThan(25_000);
});

test('a source is read only as fast as PostgreSQL takes its rows', async () => {
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
    const { rows } = await aside(database, (connection) => connection.query<{ pid: number }>(sleeping));
    expect(rows).toHaveLength(1);
    return rows[0]?.pid ?? 0;
  });
  // What the two ends of a socket hold is a few megabytes at most.
  expect(read).toBeLessThan(2_000);
  await terminate(pid);
  expect(databaseFailure(await copying)).toMatchObject({ status: 503 });
});
