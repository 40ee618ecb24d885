import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { raw, sql } from '@chowk/kit';
import { expect, test } from 'vitest';
import { startPlatform } from '../../server/testing/platform.ts';

const platform = await startPlatform();
const acme = await platform.tenant();
const folder = join(import.meta.dirname, 'migrations');
const files = (await readdir(folder)).sort();

test('products, movements and reservations of before have variants, and products slugs', async () => {
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
      INSERT INTO products (id, sku, title, price, compare_at_price, status, stock, reserved, created_at, updated_at, deleted_at)
      SELECT md5(sku)::uuid, sku, title, 4.5, 5, 'active', 7, 2, now() - interval '1 day', now() - interval '1 day', deleted_at
      FROM (VALUES ('A', 'Green Tea!', NULL), ('B', 'green tea', NULL), ('C', '茶', NULL), ('D', 'Green tea', now()))
        AS old (sku, title, deleted_at)`);
    await tx.run(sql`
      INSERT INTO stock_movements (id, product_id, change, reserved_change, reason, at)
      SELECT gen_random_uuid(), id, 7, 2, 'initial', now() FROM products`);
    await tx.run(sql`
      INSERT INTO stock_reservations (id, product_id, quantity, created_at, expires_at)
      SELECT gen_random_uuid(), id, 2, now(), now() FROM products`);
    await migrate(files.filter((name) => name >= '0005'));
    return {
      variants: await tx.rows(sql`
        SELECT p.sku, p.slug, v.sku = p.sku AND v.id = p.id AS own, v.price::text AS price, p.price::text AS product_price,
          v.stock, v.reserved, v.deleted_at IS NOT NULL AS deleted
        FROM products p JOIN product_variants v ON v.product_id = p.id ORDER BY p.sku`),
      unnamed: await tx.rows(sql`
        SELECT id FROM stock_movements WHERE variant_id IS DISTINCT FROM product_id
        UNION ALL SELECT id FROM stock_reservations WHERE variant_id IS DISTINCT FROM product_id`),
      locations: await tx.rows(sql`SELECT name, is_default FROM stock_locations`),
    };
  });
  const common = { own: true, price: '4.50', product_price: '4.50', stock: 7, reserved: 2, deleted: false };
  const [first, second] = found.variants as { slug: string }[];
  expect([first?.slug, second?.slug].map((slug) => slug?.replace(/-[0-9a-f]{12}$/, ''))).toEqual([
    'green-tea',
    'green-tea',
  ]);
  expect(first?.slug).not.toBe(second?.slug);
  expect(found).toEqual({
    variants: [
      { ...common, sku: 'A', slug: expect.any(String) },
      { ...common, sku: 'B', slug: expect.any(String) },
      { ...common, sku: 'C', slug: null },
      { ...common, sku: 'D', slug: null, deleted: true },
    ],
    unnamed: [],
    locations: [{ name: 'Main', is_default: true }],
  });
});
