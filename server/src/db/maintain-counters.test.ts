import { type Db, sql } from '@chowk/kit/kernel';
import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { startPlatform } from '../../testing/platform.ts';

const platform = await startPlatform({ modules: [] });
const { db } = await platform.tenant();

/** Tables that are counted row by row, in several counters, and statement by statement. */
const tables = { plain: sql`plain`, several: sql`several`, whole: sql`whole` };
type Table = keyof typeof tables;

beforeAll(async () => {
  for (const table of Object.values(tables)) {
    await db.run(sql`CREATE TABLE ${table} (id integer PRIMARY KEY, kind text NOT NULL, hidden boolean NOT NULL)`);
  }
  const changed = '(old.kind, old.hidden) IS DISTINCT FROM (new.kind, new.hidden)';
  const byKind = `SELECT 'test.' || r.kind WHERE NOT r.hidden`;
  const both = `SELECT name FROM (VALUES ('test.' || r.kind), ('test.all')) AS counted (name) WHERE NOT r.hidden`;
  await db.run(sql`SELECT maintain_counters('plain', ${byKind}, changed => ${changed})`);
  await db.run(sql`SELECT maintain_counters('several', ${both}, changed => ${changed}, several => true)`);
  await db.run(sql`SELECT maintain_counters('whole', ${byKind})`);
});

const kinds = ['a', 'b', 'c'] as const;
const id = fc.integer({ min: 0, max: 30 });
const kind = fc.constantFrom(...kinds);

type Step = (db: Db, table: Table) => Promise<unknown>;

const steps: fc.Arbitrary<Step> = fc.oneof(
  fc.tuple(id, fc.integer({ min: 0, max: 10 }), kind, fc.boolean()).map(
    ([from, count, kind, hidden]): Step =>
      (db, table) =>
        db.run(sql`
          INSERT INTO ${tables[table]} SELECT n, ${kind}, ${hidden}::boolean FROM generate_series(${from}::integer, ${from + count}::integer) n
          ON CONFLICT (id) DO UPDATE SET kind = excluded.kind`),
  ),
  fc.tuple(id, kind, fc.boolean()).map(
    ([from, kind, hidden]): Step =>
      (db, table) =>
        db.run(sql`UPDATE ${tables[table]} SET kind = ${kind}, hidden = ${hidden} WHERE id >= ${from}`),
  ),
  fc.tuple(id, id).map(
    ([from, to]): Step =>
      (db, table) =>
        db.run(sql`DELETE FROM ${tables[table]} WHERE id BETWEEN ${from} AND ${to}`),
  ),
  fc.constant<Step>((db) => db.run(sql`SELECT compact_counters()`)),
);

async function readCounters(): Promise<Record<string, number>> {
  const rows = await db.rows<{ name: string; value: number }>(sql`
    SELECT name, sum(value)::bigint AS value FROM counters WHERE name LIKE 'test.%' GROUP BY name HAVING sum(value) <> 0
    ORDER BY name`);
  return Object.fromEntries(rows.map(({ name, value }) => [name, value]));
}

async function counted(table: Table): Promise<Record<string, number>> {
  const all = table === 'several' ? sql`UNION ALL SELECT 'test.all' FROM ${tables[table]} WHERE NOT hidden` : sql``;
  const rows = await db.rows<{ name: string; value: number }>(sql`
    SELECT name, count(*) AS value FROM (
      SELECT 'test.' || kind AS name FROM ${tables[table]} WHERE NOT hidden ${all}) names
    GROUP BY name ORDER BY name`);
  return Object.fromEntries(rows.map(({ name, value }) => [name, value]));
}

test.each(Object.keys(tables) as Table[])('the counters of the table %s equal a count of its rows', async (table) => {
  await fc.assert(
    fc.asyncProperty(fc.array(steps, { maxLength: 12 }), async (list) => {
      await db.run(sql`DELETE FROM ${tables[table]}`);
      for (const step of list) {
        await step(db, table);
        expect(await readCounters()).toEqual(await counted(table));
      }
    }),
    { numRuns: 40 },
  );
  await db.run(sql`DELETE FROM ${tables[table]}`);
  expect(await readCounters()).toEqual({});
});

test('writers do not wait for each other', async () => {
  await db.tx(async (open) => {
    await open.run(sql`INSERT INTO plain VALUES (1, 'a', false)`);
    await db.tx(async (other) => {
      await other.run(sql`SET LOCAL lock_timeout = '1s'`);
      await other.run(sql`INSERT INTO plain VALUES (2, 'a', false)`);
      await other.run(sql`UPDATE plain SET kind = 'b' WHERE id = 2`);
    });
  });
  expect(await readCounters()).toEqual({ 'test.a': 1, 'test.b': 1 });
});
