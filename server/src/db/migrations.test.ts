import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { sql } from '@chowk/kit/kernel';
import { beforeEach, describe, expect, inject, onTestFinished, test, vi } from 'vitest';
import { onSeparateConnection, scratchDatabase } from '../../testing/scratch-database.ts';
import { fingerprint, type MigrationSource, migrate, readMigrations, requireMigrated } from './migrations.ts';

let created: Promise<string> | undefined;
beforeEach(() => {
  created = undefined;
});

/** The database of the test, created on first use. */
function database(): Promise<string> {
  created ??= scratchDatabase();
  return created;
}

async function folderWith(files: Record<string, string>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'chowk-migrations-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  return folder;
}

async function source(files: Record<string, string>, owner = 'shop'): Promise<MigrationSource> {
  return readMigrations(owner, await folderWith(files));
}

const run = async (...sources: MigrationSource[]) => migrate(inject('server'), await database(), sources);

async function tables(): Promise<string[]> {
  const { rows } = await onSeparateConnection(await database(), (connection) =>
    connection.query<{ name: string }>(
      sql`SELECT tablename::text AS name FROM pg_tables WHERE schemaname = 'public' ORDER BY 1`,
    ),
  );
  return rows.map(({ name }) => name);
}

async function recorded(): Promise<string[]> {
  const { rows } = await onSeparateConnection(await database(), (connection) =>
    connection.query<{ id: string }>(
      sql`SELECT owner || '/' || name AS id FROM schema_migrations ORDER BY applied_at, 1`,
    ),
  );
  return rows.map(({ id }) => id);
}

const goods = `
  -- A comment; with a semicolon.
  CREATE TABLE goods (id int PRIMARY KEY, name text DEFAULT 'a;b');
  CREATE FUNCTION twice(n int) RETURNS int LANGUAGE plpgsql AS $$ BEGIN RETURN 2 * n; END; $$;
  INSERT INTO goods VALUES (twice(21));
`;
const prices = 'CREATE TABLE prices (id int REFERENCES goods); ALTER TABLE goods ADD COLUMN weight int;';

test('migrations are applied once and in order, with any number of statements', async () => {
  const shop = await source({ '0001_goods.sql': goods, '0002_prices.sql': prices });
  const other = await source({ '0001_notes.sql': 'CREATE TABLE notes (id int)' }, 'notes');
  expect(await run(shop, other)).toEqual({
    applied: ['shop/0001_goods.sql', 'shop/0002_prices.sql', 'notes/0001_notes.sql'],
    skipped: 0,
  });
  expect(await tables()).toEqual(['goods', 'notes', 'prices', 'schema_migrations']);
  const { rows } = await onSeparateConnection(await database(), (connection) =>
    connection.query(sql`SELECT id, name FROM goods`),
  );
  expect(rows).toEqual([{ id: 42, name: 'a;b' }]);
  expect(await run(shop, other)).toEqual({ applied: [], skipped: 3 });
});

test('a new migration is applied after the old ones', async () => {
  await run(await source({ '0001_goods.sql': goods }));
  const grown = await source({ '0001_goods.sql': goods, '0002_prices.sql': prices });
  expect(await run(grown)).toEqual({ applied: ['shop/0002_prices.sql'], skipped: 1 });
});

test('a failed migration is rolled back, earlier ones are kept, and it can be corrected', async () => {
  const files = {
    '0001_goods.sql': goods,
    '0002_prices.sql': `${prices} INSERT INTO prices VALUES (1); SELECT 1 / 0;`,
    '0003_more.sql': 'CREATE TABLE more (id int)',
  };
  await expect(run(await source(files))).rejects.toThrow(/^migration shop\/0002_prices.sql failed: .*foreign key/);
  expect(await tables()).toEqual(['goods', 'schema_migrations']);
  expect(await recorded()).toEqual(['shop/0001_goods.sql']);
  const corrected = await run(await source({ ...files, '0002_prices.sql': prices }));
  expect(corrected.applied).toEqual(['shop/0002_prices.sql', 'shop/0003_more.sql']);
});

test('an error in the last statement rolls back the first', async () => {
  await expect(run(await source({ '0001_goods.sql': `${goods} SELEC 1;` }))).rejects.toThrow('syntax error');
  await expect(run(await source({ '0001_goods.sql': `${goods} SELECT nothing;` }))).rejects.toThrow('nothing');
  expect(await tables()).toEqual(['schema_migrations']);
});

test('a migration that ends its own transaction is refused', async () => {
  await expect(run(await source({ '0001_goods.sql': `${goods} COMMIT;` }))).rejects.toThrow('ends its own transaction');
  expect(await recorded()).toEqual([]);
});

test('a migration that was changed after it was applied is refused, and no other is applied', async () => {
  await run(await source({ '0001_goods.sql': goods }));
  const notes = await source({ '0001_notes.sql': 'CREATE TABLE notes (id int)' }, 'notes');
  const changed = await source({ '0001_goods.sql': `${goods} `, '0002_prices.sql': prices });
  await expect(run(notes, changed)).rejects.toThrow('shop/0001_goods.sql was changed after it was applied');
  expect(await tables()).toEqual(['goods', 'schema_migrations']);
});

test('a database with newer migrations is left unchanged', async () => {
  await run(await source({ '0001_goods.sql': goods, '0002_prices.sql': prices }));
  expect(await run(await source({ '0001_goods.sql': goods }))).toEqual({ applied: [], skipped: 1 });
});

test('of several processes that migrate at once, one applies each migration', async () => {
  // Slow enough that the other processes wait for the lock.
  const shop = await source({ '0001_goods.sql': `SELECT pg_sleep(0.1); ${goods}`, '0002_prices.sql': prices });
  const results = await Promise.all(Array.from({ length: 6 }, () => run(shop)));
  expect(results.map(({ applied }) => applied.length).sort()).toEqual([0, 0, 0, 0, 0, 2]);
  expect(await recorded()).toEqual(['shop/0001_goods.sql', 'shop/0002_prices.sql']);
});

test('a process that waits for a failing migration applies it itself', async () => {
  const broken = await source({ '0001_goods.sql': 'SELECT pg_advisory_xact_lock(4242); SELECT 1 / 0' });
  const whole = await source({ '0001_goods.sql': goods });
  await onSeparateConnection(await database(), async (gate) => {
    await gate.query(sql`SELECT pg_advisory_lock(4242)`);
    const first = expect(run(broken)).rejects.toThrow('division by zero');
    const atGate = sql`SELECT FROM pg_locks WHERE objid = 4242 AND NOT granted
      AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;
    await vi.waitFor(async () => expect((await gate.query(atGate)).rowCount).toBe(1), { interval: 5, timeout: 20_000 });
    const second = run(whole);
    await gate.query(sql`SELECT pg_advisory_unlock(4242)`);
    await first;
    expect(await second).toEqual({ applied: ['shop/0001_goods.sql'], skipped: 0 });
  });
});

test('migrating leaves no lock and no session', async () => {
  await run(await source({ '0001_goods.sql': goods }));
  await run(await source({ '0001_goods.sql': `${goods} ` })).catch(() => {});
  const name = await database();
  const { rows } = await onSeparateConnection('postgres', (connection) =>
    connection.query(sql`SELECT pid FROM pg_stat_activity WHERE datname = ${name}`),
  );
  expect(rows).toEqual([]);
});

test.each([
  ['a gap', ['0001_goods.sql', '0003_prices.sql'], '0003_prices.sql'],
  ['a number used twice', ['0001_goods.sql', '0001_prices.sql'], '0001_prices.sql'],
  ['no number', ['goods.sql'], 'goods.sql'],
  ['a number of three digits', ['001_goods.sql'], '001_goods.sql'],
  ['a first number other than one', ['0002_goods.sql'], '0002_goods.sql'],
])('%s is refused', async (_, names, culprit) => {
  const files = Object.fromEntries(names.map((name) => [name, '']));
  await expect(source(files)).rejects.toThrow(`${culprit}: migrations are named`);
});

test('other files are ignored', async () => {
  const { migrations } = await source({ '0001_goods.sql': goods, 'README.md': 'goods' });
  expect(migrations.map(({ name }) => name)).toEqual(['0001_goods.sql']);
});

test('the fingerprint depends on the texts, names and owners of all migrations, not on their order', async () => {
  const files = { '0001_goods.sql': goods, '0002_prices.sql': prices };
  const base = [await source(files), await source(files, 'other')];
  const same = fingerprint([...base].reverse());
  expect(fingerprint(base)).toBe(same);
  const others = [
    [await source(files)],
    [await source(files), await source(files, 'third')],
    [await source(files), await source({ ...files, '0002_prices.sql': `${prices} ` }, 'other')],
    [await source(files), await source({ '0001_goods.sql': goods, '0002_rates.sql': prices }, 'other')],
    [await source(files), await source({ ...files, '0003_more.sql': '' }, 'other')],
  ];
  expect(new Set([same, ...others.map(fingerprint)]).size).toBe(others.length + 1);
});

test('migrations of a newer ring do not keep an older one from starting', async () => {
  const older = await source({ '0001_goods.sql': goods });
  const newer = await source({ '0001_goods.sql': goods, '0002_prices.sql': prices });
  const extra = await source({ '0001_extra.sql': 'CREATE TABLE extra (n int)' }, 'extra');
  await run(newer, extra);
  await expect(requireMigrated(inject('server'), await database(), [older])).resolves.toBeUndefined();
  expect(await run(older)).toEqual({ applied: [], skipped: 1 });
  await expect(requireMigrated(inject('server'), await database(), [newer, extra])).resolves.toBeUndefined();
});

test('others read a table while a migration waits for its lock', async () => {
  const shop = await source({ '0001_goods.sql': goods });
  await run(shop);
  const name = await database();
  const next = await source({ '0001_goods.sql': goods, '0002_weight.sql': 'ALTER TABLE goods ADD COLUMN weight int' });
  await onSeparateConnection(name, async (holder) => {
    await holder.script('BEGIN; SELECT FROM goods');
    const migrated = run(next);
    // Without a limit to the wait of the migration, these would wait for the end of the transaction, which never comes.
    for (let turn = 0; turn < 10; turn += 1) {
      await onSeparateConnection(name, (reader) => reader.query(sql`SELECT FROM goods`));
      await delay(100);
    }
    await holder.script('COMMIT');
    expect(await migrated).toEqual({ applied: ['shop/0002_weight.sql'], skipped: 1 });
  });
});

describe('an index that is built concurrently', () => {
  const index = '-- Outside a transaction.\nCREATE INDEX CONCURRENTLY goods_by_name ON goods (name);\n';
  const withIndex = () => source({ '0001_goods.sql': goods, '0002_index.sql': index });
  const isValid = async () => {
    const { rows } = await onSeparateConnection(await database(), (connection) =>
      connection.query<{ valid: boolean }>(
        sql`SELECT indisvalid AS valid FROM pg_index WHERE indexrelid = 'goods_by_name'::regclass`,
      ),
    );
    return rows[0]?.valid;
  };

  test('is built once, also by several processes at once', async () => {
    const shop = await withIndex();
    const results = await Promise.all([run(shop), run(shop), run(shop)]);
    expect(results.flatMap(({ applied }) => applied)).toEqual(['shop/0001_goods.sql', 'shop/0002_index.sql']);
    expect(await isValid()).toBe(true);
  });

  test('is built again after an interruption', async () => {
    await run(await source({ '0001_goods.sql': goods }));
    await onSeparateConnection(await database(), async (connection) => {
      await connection.script('CREATE INDEX goods_by_name ON goods (name)');
      await connection.script("UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'goods_by_name'::regclass");
    });
    expect(await run(await withIndex())).toEqual({ applied: ['shop/0002_index.sql'], skipped: 1 });
    expect(await isValid()).toBe(true);
  });
});
