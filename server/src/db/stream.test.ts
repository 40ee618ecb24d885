import { sql } from '@chowk/kit';
import { expect, test } from 'vitest';
import { startPlatform } from '../../testing/platform.ts';

const platform = await startPlatform({ environment: { DATABASE_CONNECTIONS: '4' } });
const { db } = await platform.tenant();
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
