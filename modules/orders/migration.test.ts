import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { raw, sql } from '@chowk/kit';
import { expect, test } from 'vitest';
import { startPlatform } from '../../server/testing/platform.ts';

const platform = await startPlatform();
const acme = await platform.tenant();
const folder = join(import.meta.dirname, 'migrations');
const files = (await readdir(folder)).sort();

test('orders of before count as paid if they were shipped or refunded, others as far as they were refunded', async () => {
  const found = await acme.db.tx(async (tx) => {
    const migrate = async (names: readonly string[]) => {
      for (const name of names) {
        const text = await readFile(join(folder, name), 'utf8');
        await tx.run(raw(`DO $do$ BEGIN EXECUTE $migration$ ${text} $migration$; END $do$`));
      }
    };
    await tx.run(sql`CREATE SCHEMA older`);
    await tx.run(sql`SET LOCAL search_path TO older, public`);
    await migrate(files.filter((name) => name < '0005'));
    await tx.run(sql`
      INSERT INTO orders (id, number, order_number, customer_id, status, currency, total, refunded_total, placed_at, created_at,
        updated_at)
      SELECT gen_random_uuid(), number, number::text, gen_random_uuid(), status, 'INR', 10, refunded, now(), now(), now()
      FROM (VALUES (1, 'pending', 0), (2, 'confirmed', 0), (3, 'processing', 4), (4, 'shipped', 0), (5, 'delivered', 3),
        (6, 'cancelled', 0), (7, 'failed', 0), (8, 'refunded', 10)) AS old (number, status, refunded)`);
    await migrate(files.filter((name) => name >= '0005'));
    return tx.rows(sql`SELECT status, paid_total::text AS paid FROM orders ORDER BY number`);
  });
  expect(found).toEqual([
    { status: 'pending', paid: '0' },
    { status: 'confirmed', paid: '0' },
    { status: 'processing', paid: '4' },
    { status: 'shipped', paid: '10' },
    { status: 'delivered', paid: '10' },
    { status: 'cancelled', paid: '0' },
    { status: 'failed', paid: '0' },
    { status: 'refunded', paid: '10' },
  ]);
});
