import { expect, test } from 'vitest';
import { migrationProblems } from './migration-problems.ts';

async function lint(text: string, checksum = 'new') {
  const migrations = [{ name: '0002_change.sql', text, checksum }];
  return migrationProblems([{ owner: 'orders', migrations }]);
}

/* `orders` exists before the migration. */

const refused: [statement: string, problem: RegExp][] = [
  ['DROP TABLE orders', /table orders is dropped, .*; leave it/],
  ['DROP TABLE IF EXISTS public.orders CASCADE', /table orders is dropped/],
  ['ALTER TABLE orders DROP COLUMN total', /orders\.total is dropped, .*; leave it/],
  ['DROP VIEW open_orders', /view open_orders is dropped/],
  ['DROP FUNCTION total(int)', /function total is dropped, .* CREATE OR REPLACE/],
  ['DROP TYPE order_status', /type order_status is dropped/],
  ['DROP INDEX orders_by_date', /index orders_by_date is dropped/],
  ['DROP TRIGGER count_orders ON orders', /trigger count_orders is dropped, .* again in the same file/],
  ['DROP SEQUENCE order_numbers', /sequence order_numbers is dropped/],
  ['DROP SCHEMA shop', /schema shop is dropped/],
  ['DROP OWNED BY someone', /drops everything/],
  ['TRUNCATE orders', /all rows of orders are deleted/],
  ['DELETE FROM orders', /all rows of orders are deleted/],
  ['ALTER TABLE orders RENAME TO sales', /table orders is renamed to sales, .* add a new one, write both/],
  ['ALTER TABLE orders RENAME COLUMN total TO amount', /column orders\.total is renamed/],
  ['ALTER FUNCTION total(int) RENAME TO sum_total', /function total is renamed/],
  ["ALTER TYPE order_status RENAME VALUE 'open' TO 'pending'", /value open of order_status is renamed/],
  ['ALTER TABLE orders SET SCHEMA shop', /orders moves to the schema shop/],
  ['ALTER TABLE orders ALTER COLUMN total TYPE numeric', /type of orders\.total changes; add a new column/],
  ['ALTER TABLE orders ALTER total SET NOT NULL', /orders\.total becomes NOT NULL/],
  ['ALTER TABLE orders ALTER total DROP DEFAULT', /default of orders\.total is dropped/],
  ['ALTER TABLE orders ALTER total DROP EXPRESSION', /no longer generated/],
  ['ALTER TABLE orders DROP CONSTRAINT orders_check', /constraint orders_check of orders is dropped/],
  ['ALTER TABLE orders ADD COLUMN note text NOT NULL', /note is NOT NULL without a default/],
  ['ALTER TABLE orders ADD COLUMN key uuid DEFAULT gen_random_uuid()', /may be volatile/],
  ['ALTER TABLE orders ADD COLUMN at timestamptz NOT NULL DEFAULT clock_timestamp()', /may be volatile/],
  ['ALTER TABLE orders ADD COLUMN n int DEFAULT coalesce(my_function(), 1)', /may be volatile/],
  ['ALTER TABLE orders ADD COLUMN number bigserial', /numbers all rows/],
  ['ALTER TABLE orders ADD COLUMN number int GENERATED ALWAYS AS IDENTITY', /numbers all rows/],
  ['ALTER TABLE orders ADD COLUMN double int GENERATED ALWAYS AS (total * 2) STORED', /rewrites the table/],
  ["ALTER TABLE orders ADD COLUMN kind text CHECK (kind <> '')", /CHECK of the new column orders\.kind .* NOT VALID/],
  ['ALTER TABLE orders ADD COLUMN shop int DEFAULT 1 REFERENCES shops', /default and a foreign key/],
  ['ALTER TABLE orders ADD COLUMN code text UNIQUE', /orders\.code is unique/],
  ['ALTER TABLE orders ADD CHECK (total > 0)', /a CHECK is added to orders.*add NOT VALID/],
  ['ALTER TABLE orders ADD FOREIGN KEY (shop) REFERENCES shops', /a foreign key is added/],
  ['ALTER TABLE orders ADD UNIQUE (number)', /unique constraint is added/],
  ['ALTER TABLE orders ADD CHECK (total > 0) NOT VALID, ADD CHECK (total < 9)', /add NOT VALID/],
  [
    'ALTER TABLE orders ADD CONSTRAINT c CHECK (total > 0) NOT VALID; ALTER TABLE orders VALIDATE CONSTRAINT c',
    /validated under the lock .* another migration/,
  ],
  ['ALTER TABLE orders SET UNLOGGED', /rewrites orders/],
  ['ALTER TABLE orders DISABLE TRIGGER ALL', /changes what older versions/],
  ['ALTER DOMAIN amount ADD CHECK (value > 0)', /domain amount gets a rule/],
  ['CREATE UNIQUE INDEX orders_number ON orders (number)', /older versions may write equal values/],
  ['CREATE INDEX CONCURRENTLY orders_by_date ON orders (at)', /cannot be built CONCURRENTLY/],
  ['-- Outside a transaction.\nCREATE INDEX orders_by_date ON orders (at)', /one CREATE INDEX CONCURRENTLY/],
  ['-- Outside a transaction.\nCREATE INDEX CONCURRENTLY a ON orders (at); SELECT 1', /one CREATE INDEX CONCURRENTLY/],
  ['-- Outside a transaction.\nCREATE UNIQUE INDEX CONCURRENTLY a ON orders (at)', /older versions may write equal/],
  ['CREATE INDEX orders_by_date ON orders (at)', /blocks the writers of orders; use CREATE INDEX CONCURRENTLY/],
  ['LOCK TABLE orders IN EXCLUSIVE MODE', /orders is locked to the end/],
  ['UPDATE orders SET total = 2', /all rows of orders are updated.*in batches/],
  ['CLUSTER orders', /leave it to the operator/],
  ["DO $$ BEGIN EXECUTE 'DROP TABLE orders'; END $$", /DO block cannot be checked/],
  ['CREATE TABLE IF NOT EXISTS orders (id int); DROP TABLE orders', /table orders is dropped/],
  ['ALTER TABLE orders ADD COLUM total int', /PostgreSQL cannot parse it: syntax error/],
];

test.each(refused)('refused: %s', async (statement, problem) => {
  const problems = await lint(statement);
  expect(problems).toHaveLength(1);
  expect(problems[0]).toMatchObject({ owner: 'orders', migration: '0002_change.sql', line: 1 });
  expect(problems[0]?.message).toMatch(problem);
});

const additive = [
  'CREATE TABLE notes (id int PRIMARY KEY, text text NOT NULL CHECK (length(text) > 0), shop int REFERENCES shops)',
  'ALTER TABLE orders ADD COLUMN note text',
  "ALTER TABLE orders ADD COLUMN note text NOT NULL DEFAULT ''",
  'ALTER TABLE orders ADD COLUMN at timestamptz NOT NULL DEFAULT now()',
  'ALTER TABLE orders ADD COLUMN day date DEFAULT CURRENT_DATE',
  "ALTER TABLE orders ADD COLUMN tags text[] NOT NULL DEFAULT '{}'::text[]",
  'ALTER TABLE orders ADD COLUMN shop int REFERENCES shops ON DELETE SET NULL',
  'ALTER TABLE orders ADD COLUMN key uuid; ALTER TABLE orders ALTER key SET DEFAULT gen_random_uuid()',
  'ALTER TABLE orders ADD CONSTRAINT positive CHECK (total > 0) NOT VALID',
  'ALTER TABLE orders ADD FOREIGN KEY (shop) REFERENCES shops NOT VALID',
  'ALTER TABLE orders VALIDATE CONSTRAINT positive',
  'ALTER TABLE orders DROP CONSTRAINT kind, ADD CONSTRAINT kind CHECK (total > -1) NOT VALID',
  'ALTER TABLE orders ALTER total DROP NOT NULL',
  'ALTER TABLE orders ALTER total SET DEFAULT 0',
  'ALTER TABLE orders ADD COLUMN day date; CREATE INDEX orders_by_day ON orders (day)',
  'CREATE TABLE notes (id int); CREATE INDEX notes_id ON notes (id); LOCK TABLE notes; UPDATE notes SET id = 2',
  'ALTER TABLE orders ADD COLUMN source uuid; CREATE UNIQUE INDEX by_source ON orders (source) WHERE source IS NOT NULL',
  'CREATE TABLE notes (id int, old text); ALTER TABLE notes DROP COLUMN old, ADD UNIQUE (id); DROP TABLE notes',
  'CREATE TABLE notes (id int); CREATE UNIQUE INDEX notes_id ON notes (id); TRUNCATE notes',
  'CREATE FUNCTION one() RETURNS int LANGUAGE sql AS $$ SELECT 1 $$; DROP FUNCTION one()',
  'CREATE OR REPLACE FUNCTION one() RETURNS int LANGUAGE sql AS $$ SELECT 1 $$',
  'DROP TRIGGER t ON orders; CREATE TRIGGER t AFTER INSERT ON orders FOR EACH ROW EXECUTE FUNCTION f()',
  "ALTER TYPE order_status ADD VALUE 'returned'",
  'CREATE VIEW open_orders AS SELECT 1',
  'INSERT INTO orders (total) VALUES (1); UPDATE orders SET total = 2 WHERE total = 1; DELETE FROM orders WHERE total = 1',
];

test.each(additive)('additive: %s', async (statement) => {
  expect(await lint(statement)).toEqual([]);
});

test('a problem names the line of its statement, after comments and text of several bytes', async () => {
  const text = "-- Größe;\nCREATE TABLE a (b text DEFAULT 'ü');\n\n/* two\nlines */\n-- and one\nDROP TABLE orders;\n";
  expect(await lint(text)).toMatchObject([{ line: 7 }]);
});

test('every problem of a file is reported', async () => {
  const problems = await lint('DROP TABLE orders;\nALTER TABLE shops DROP a, DROP b;');
  expect(problems.map(({ line }) => line)).toEqual([1, 2, 2]);
});

test('an accepted file that has changed is checked again', async () => {
  const migrations = [{ name: '0002_counters.sql', text: 'DROP TABLE orders', checksum: 'other' }];
  expect(await migrationProblems([{ owner: 'orders', migrations }])).toHaveLength(1);
});
