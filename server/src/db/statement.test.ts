import fc from 'fast-check';
import pg from 'pg';
import { expect, inject, onTestFinished, test } from 'vitest';
import { limits, scratchDatabase } from '../../testing/scratch-database.ts';
import { endClient, makeClient } from './connection.ts';
import { Statement } from './statement.ts';

const database = await scratchDatabase();

/** A connection that counts how often PostgreSQL describes columns on it. */
async function connect() {
  const client = makeClient(inject('server'), database, limits);
  await client.connect();
  onTestFinished(() => endClient(client));
  const told = { descriptions: 0 };
  client.connection.on('rowDescription', () => {
    told.descriptions += 1;
  });
  const ask = (text: string, values: unknown[] = [], name?: string) =>
    new Promise<pg.QueryResult>((resolve, reject) => {
      const done = (error: Error | undefined, result: pg.QueryResult) => (error ? reject(error) : resolve(result));
      client.query(new Statement(text, values, name, done) as unknown as pg.Submittable);
    });
  return { client, told, ask };
}

test('the columns of a named statement are told once, and its rows stay right', async () => {
  const { told, ask } = await connect();
  const text = `SELECT n::int AS id, 'item ' || n AS name, NULL::text AS nothing FROM generate_series(1, $1::int) n`;
  for (const count of [2, 0, 1, 3]) {
    const { rows, rowCount, command } = await ask(text, [count], 'items');
    const expected = Array.from({ length: count }, (_, index) => ({
      id: index + 1,
      name: `item ${index + 1}`,
      nothing: null,
    }));
    expect({ rows, rowCount, command }).toEqual({ rows: expected, rowCount: count, command: 'SELECT' });
  }
  expect(told.descriptions).toBe(1);
});

test('a statement without rows says how many it changed, each time', async () => {
  const { ask } = await connect();
  await ask('CREATE TEMPORARY TABLE things (id int PRIMARY KEY)');
  for (const from of [1, 11]) {
    const { rowCount, rows } = await ask(
      'INSERT INTO things SELECT generate_series($1::int, $1 + 4)',
      [from],
      'make_things',
    );
    expect({ rowCount, rows }).toEqual({ rowCount: 5, rows: [] });
  }
});

test('one that failed works again, and one that waits behind it too', async () => {
  const { ask } = await connect();
  const divide = (by: number) => ask('SELECT 10 / $1::int AS result', [by], 'divide');
  expect((await divide(2)).rows).toEqual([{ result: 5 }]);
  const answers = await Promise.allSettled([divide(0), divide(5)]);
  expect(answers).toMatchObject([
    { status: 'rejected', reason: { code: '22012' } },
    { status: 'fulfilled', value: { rows: [{ result: 2 }] } },
  ]);
});

test('a value that cannot be sent is an error and sends nothing', async () => {
  const { ask } = await connect();
  const echo = (value: unknown) => ask('SELECT $1::jsonb AS value', [value], 'echo');
  expect((await echo({ a: 1 })).rows).toEqual([{ value: { a: 1 } }]);
  const circle: { self?: object } = {};
  circle.self = circle;
  await expect(echo(circle)).rejects.toThrow(/circular/i);
  expect((await echo({ b: 2 })).rows).toEqual([{ value: { b: 2 } }]);
});

test('what a cursor yields is told each time: the next one may yield something else', async () => {
  const { ask } = await connect();
  await ask('BEGIN');
  for (const columns of ['1 AS one', "'x' AS letter, true AS yes"]) {
    await ask(`DECLARE answers CURSOR FOR SELECT ${columns}`);
    const { rows } = await ask('FETCH 5 FROM answers', [], 'fetch');
    expect(rows).toEqual([columns.startsWith('1') ? { one: 1 } : { letter: 'x', yes: true }]);
    await ask('CLOSE answers');
  }
});

test('rows are what pg itself makes of them, whatever their columns are called and hold', async () => {
  const { ask, client } = await connect();
  const plain = makeClient(inject('server'), database, limits);
  await plain.connect();
  onTestFinished(() => endClient(plain));
  const names = fc.oneof(
    fc.constantFrom('id', '__proto__', 'constructor', `it's "quoted"`, 'a\nb\\', 'a}`b'),
    fc.string(),
  );
  const name = names.map((text) => text.replaceAll('\0', '').slice(0, 10)).filter((text) => text !== '');
  const value = fc.constantFrom(
    '1::int',
    '2::bigint',
    'NULL::text',
    `'x'`,
    '1.50::numeric',
    `'{"a":1}'::jsonb`,
    `now()::date`,
  );
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(name, value), { minLength: 1, maxLength: 6 }), async (columns) => {
      const text = `SELECT ${columns.map(([as, what]) => `${what} AS ${pg.escapeIdentifier(as)}`).join(', ')}`;
      const expected = (await plain.query({ text })).rows.map((row) => Object.entries(row).sort());
      const { rows } = await ask(text);
      expect(rows.map((row) => Object.entries(row).sort())).toEqual(expected);
      expect(Object.getPrototypeOf(rows[0])).toBe(Object.prototype);
    }),
    { numRuns: 200 },
  );
  expect(client.getTransactionStatus()).toBe('I');
});
