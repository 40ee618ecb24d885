import { raw, sql } from '@chowk/kit/kernel';
import fc from 'fast-check';
import { afterAll, expect, inject, test } from 'vitest';
import { limits, onSeparateConnection, scratchDatabase } from '../../testing/scratch-database.ts';
import { Connection } from './connection.ts';

const database = await scratchDatabase();
// Parsing must not depend on the settings of the database.
await onSeparateConnection('postgres', async (connection) => {
  await connection.script(`ALTER DATABASE ${database} SET DateStyle = 'German'`);
  await connection.script(`ALTER DATABASE ${database} SET TimeZone = 'America/New_York'`);
});
const connection = await Connection.open(inject('server'), database, limits);
afterAll(() => connection.close());

async function read(expression: string): Promise<unknown> {
  const { rows } = await connection.query<{ it: unknown }>(sql`SELECT ${raw(expression)} AS it`);
  return rows[0]?.it;
}

test.each([
  ["'2026-11-15 09:30:00+00'::timestamptz", '2026-11-15T09:30:00.000Z'],
  ["'2026-11-15 09:30:00.1+00'::timestamptz", '2026-11-15T09:30:00.100Z'],
  ["'2026-11-15 09:30:00.012+00'::timestamptz", '2026-11-15T09:30:00.012Z'],
  ["'2026-11-15 09:30:00.123999+00'::timestamptz", '2026-11-15T09:30:00.123Z'],
  ["'2026-11-15 15:00:00+05:30'::timestamptz", '2026-11-15T09:30:00.000Z'],
  ["'10000-01-01 00:00:00.5+00'::timestamptz", '+010000-01-01T00:00:00.500Z'],
  ["'0001-01-01 00:00:00+00 BC'::timestamptz", '0000-01-01T00:00:00.000Z'],
  ["'0044-03-15 12:00:00+00 BC'::timestamptz", '-000043-03-15T12:00:00.000Z'],
  ["'infinity'::timestamptz", 'infinity'],
  ["'-infinity'::timestamptz", '-infinity'],
  ["'2026-11-15 09:30:00.5'::timestamp", '2026-11-15 09:30:00.5'],
  ["'2026-11-15'::date", '2026-11-15'],
  ['1234567890123456789.10::numeric', '1234567890123456789.10'],
  ['9007199254740991::bigint', 9007199254740991],
  ['-1::bigint', -1],
  ['7::int', 7],
  ['0.1::float8', 0.1],
  ['true', true],
  ["'text'", 'text'],
  [`'{"a": [1, null, "x"]}'::jsonb`, { a: [1, null, 'x'] }],
  ["'null'::json", null],
  ["'0192aaaa-0000-7000-8000-000000000000'::uuid", '0192aaaa-0000-7000-8000-000000000000'],
  ['ARRAY[1, NULL, 3]', [1, null, 3]],
  [`ARRAY['a', NULL, 'b"c,{}']`, ['a', null, 'b"c,{}']],
  ['ARRAY[1, NULL]::bigint[]', [1, null]],
  ['ARRAY[[1, 2], [3, NULL]]::bigint[]', [[1, 2], [3, null]]], // biome-ignore format: one case a line
  ['ARRAY[1.10, NULL]::numeric[]', ['1.10', null]],
  ["ARRAY['2026-11-15'::date]", ['2026-11-15']],
  ["ARRAY['2026-11-15 09:30'::timestamp]", ['2026-11-15 09:30:00']],
  ["ARRAY['2026-11-15 09:30:00.25+00'::timestamptz, NULL]", ['2026-11-15T09:30:00.250Z', null]],
  ["ARRAY[]::bigint[]", []], // biome-ignore format: one case a line
])('%s is read as %j', async (expression, expected) => {
  expect(await read(expression)).toEqual(expected);
});

test.each([
  'text',
  'timestamptz',
  'timestamp',
  'date',
  'numeric',
  'bigint',
  'int',
  'jsonb',
  'bigint[]',
  'timestamptz[]',
])('NULL of type %s is null', async (type) => {
  expect(await read(`NULL::${type}`)).toBeNull();
});

// Before 1906 the clocks in Kolkata were 5 hours, 53 minutes and 28 seconds ahead.
test.each(['UTC', 'Asia/Kolkata', 'America/St_Johns'])(
  'every date is read as it was sent, in the time zone %s',
  async (zone) => {
    const before = process.env.TZ;
    process.env.TZ = zone;
    // PostgreSQL's time begins in 4714 BC; JavaScript's ends in 275760.
    const date = fc.date({ min: new Date('-004712-01-01T00:00:00.000Z'), max: new Date(8.64e15), noInvalidDate: true });
    try {
      await fc.assert(
        fc.asyncProperty(fc.array(date, { minLength: 1, maxLength: 50 }), async (dates) => {
          const { rows } = await connection.query<{ each: string }>(
            sql`SELECT unnest(${dates}::timestamptz[]) AS each UNION ALL SELECT ${dates[0]}::timestamptz`,
          );
          const expected = [...dates, dates[0]].map((date) => date?.toISOString());
          expect(rows.map(({ each }) => each)).toEqual(expected);
          expect(rows.map(({ each }) => new Date(each).toISOString())).toEqual(expected);
        }),
        { numRuns: 30 },
      );
    } finally {
      if (before === undefined) delete process.env.TZ;
      else process.env.TZ = before;
    }
  },
);
