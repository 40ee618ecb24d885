import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { foreignTables } from './foreign-tables.ts';

/** What is found in these files, beside two modules that own a table each and one both. */
async function check(files: Readonly<Record<string, string>>): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'chowk-modules-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const all = {
    'orders/migrations/0001_orders.sql': 'CREATE TABLE orders (id uuid);\nCREATE TABLE both (id uuid);',
    'people/migrations/0001_people.sql': 'CREATE TABLE IF NOT EXISTS people (id uuid);\nCREATE TABLE both (id uuid);',
    ...files,
  };
  for (const [path, text] of Object.entries(all)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    // Written so in these tests, because biome takes a dollar sign for a mistake.
    await writeFile(join(folder, path), text.replaceAll('§', '$'));
  }
  return foreignTables(folder);
}

const problem = (place: string) => `${place} uses the table orders of orders; call one of its operations`;

test.each([
  ['SELECT id FROM orders'],
  ['SELECT p.id FROM people p JOIN orders o ON true'],
  ['SELECT 1 FROM people, orders'],
  ['SELECT 1 FROM people AS p, orders o'],
  ['INSERT INTO orders DEFAULT VALUES'],
  ['UPDATE orders SET id = §{id}'],
  ['DELETE FROM people USING "orders"'],
  ['SELECT §{deep(`a §{"}"} b`)} FROM orders'],
  ['orders o'],
])('a query of another module is found: %s', async (query) => {
  const code = `const before = 1;\n\nconst found = db.rows(sql\`${query}\`);\n`;
  expect(await check({ 'people/read.ts': code })).toEqual([problem('people/read.ts:3')]);
});

test('a template inside another one is checked, with its own line', async () => {
  const code = 'db.rows(sql`SELECT id FROM people\n  WHERE §{where(\n    sql`id IN (SELECT id FROM orders)`)}`)';
  expect(await check({ 'people/deep/read.ts': code })).toEqual([problem('people/deep/read.ts:3')]);
});

test.each([
  ['people/migrations/0002_more.sql', 'ALTER TABLE people ADD COLUMN order_id uuid\n  REFERENCES orders;', 2],
  ['people/migrations/0002_more.sql', 'CREATE INDEX by_id ON orders (id);', 1],
])('a migration of another module is found: %s', async (path, text, line) => {
  expect(await check({ [path]: text })).toEqual([problem(`${path}:${line}`)]);
});

test.each([
  ['a table of its own', 'sql`SELECT id FROM people`'],
  ['a table that both modules have', 'sql`SELECT id FROM both`'],
  ['a column, an alias and a text', "sql`SELECT p.orders AS orders, 'FROM orders' FROM people p -- FROM orders`"],
  ['a column after a comma', 'sql`SELECT id, orders FROM people WHERE id IN (SELECT id, orders FROM people)`'],
  ['text that is not SQL', '"from orders"; log(`FROM orders`)'],
])('nothing is found for %s', async (_, code) => {
  expect(await check({ 'people/read.ts': code })).toEqual([]);
});

test('tests may read all tables', async () => {
  expect(await check({ 'people/read.test.ts': 'sql`SELECT id FROM orders`' })).toEqual([]);
});
