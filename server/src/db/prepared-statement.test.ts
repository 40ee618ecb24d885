import fc from 'fast-check';
import pg from 'pg';
import { expect, inject, onTestFinished, test } from 'vitest';
import { limits, scratchDatabase } from '../../testing/scratch-database.ts';
import { createClient, endClient } from './connection.ts';
import { PreparedStatement } from './prepared-statement.ts';

const database = await scratchDatabase();

/** A connection that counts the row descriptions that PostgreSQL sends. */
async function connect() {
  const client = createClient(inject('server'), database, limits);
  await client.connect();
  onTestFinished(() => endClient(client));
  const received = { descriptions: 0 };
  client.connection.on('rowDescription', () => {
    received.descriptions += 1;
  });
  const query = (text: string, values: unknown[] = [], name?: string) =>
    new Promise<pg.QueryResult>((resolve, reject) => {
      const done = (error: Error | undefined, result: pg.QueryResult) => (error ? reject(error) : resolve(result));
      client.query(new PreparedStatement(text, values, name, done) as unknown as pg.Submittable);
    });
  return { client, received, query };
}

test('the columns of a named statement are described once per connection', async () => {
  const { received, query } = await connect();
  const text = `SELECT n::int AS id, 'item ' || n AS name, NULL::text AS nothing FROM generate_series(1, $1::int) n`;
  for (const count of [2, 0, 1, 3]) {
    const { rows, rowCount, command } = await query(text, [count], 'items');
    const expected = Array.from({ length: count }, (_, index) => ({
      id: index + 1,
      name: `item ${index + 1}`,
      nothing: null,
    }));
    expect({ rows, rowCount, command }).toEqual({ rows: expected, rowCount: count, command: 'SELECT' });
  }
  expect(received.descriptions).toBe(1);
});

test('a statement without result rows returns the number of changed rows every time', async () => {
  const { query } = await connect();
  await query('CREATE TEMPORARY TABLE things (id int PRIMARY KEY)');
  for (const from of [1, 11]) {
    const { rowCount, rows } = await query(
      'INSERT INTO things SELECT generate_series($1::int, $1 + 4)',
      [from],
      'insert_things',
    );
    expect({ rowCount, rows }).toEqual({ rowCount: 5, rows: [] });
  }
});

test('a statement works again after an error, and so does the one pipelined behind it', async () => {
  const { query } = await connect();
  const divide = (by: number) => query('SELECT 10 / $1::int AS result', [by], 'divide');
  expect((await divide(2)).rows).toEqual([{ result: 5 }]);
  const results = await Promise.allSettled([divide(0), divide(5)]);
  expect(results).toMatchObject([
    { status: 'rejected', reason: { code: '22012' } },
    { status: 'fulfilled', value: { rows: [{ result: 2 }] } },
  ]);
});

test('a value that cannot be serialized is an error, and nothing is sent', async () => {
  const { query } = await connect();
  const echo = (value: unknown) => query('SELECT $1::jsonb AS value', [value], 'echo');
  expect((await echo({ a: 1 })).rows).toEqual([{ value: { a: 1 } }]);
  const circle: { self?: object } = {};
  circle.self = circle;
  await expect(echo(circle)).rejects.toThrow(/circular/i);
  expect((await echo({ b: 2 })).rows).toEqual([{ value: { b: 2 } }]);
});

test('the columns of a FETCH are described every time, because the next cursor may have others', async () => {
  const { query } = await connect();
  await query('BEGIN');
  for (const columns of ['1 AS one', "'x' AS letter, true AS yes"]) {
    await query(`DECLARE answers CURSOR FOR SELECT ${columns}`);
    const { rows } = await query('FETCH 5 FROM answers', [], 'fetch');
    expect(rows).toEqual([columns.startsWith('1') ? { one: 1 } : { letter: 'x', yes: true }]);
    await query('CLOSE answers');
  }
});

test('rows are parsed as pg parses them, for any column name and type', async () => {
  const { query, client } = await connect();
  const plain = createClient(inject('server'), database, limits);
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
      const { rows } = await query(text);
      expect(rows.map((row) => Object.entries(row).sort())).toEqual(expected);
      expect(Object.getPrototypeOf(rows[0])).toBe(Object.prototype);
    }),
    { numRuns: 200 },
  );
  expect(client.getTransactionStatus()).toBe('I');
});
