import pg from 'pg';
import { compareWithFastify } from './compare-with-fastify.ts';

/* What does the list of a module, products with three variants each, cost, compared with the same statement behind plain Fastify? */

await compareWithFastify(
  'The list of products and plain Fastify',
  [
    { name: '20 of 10,000, newest first', path: '/api/v1/products?page=1&per_page=20', target: '≥ 0.8' },
    { name: 'page 100', path: '/api/v1/products?page=100&per_page=20', target: '≥ 0.8' },
  ],
  async (platform, _headers, database) => {
    const client = new pg.Client({ ...platform.database, database });
    await client.connect();
    await client.query(`
      INSERT INTO products (id, sku, title, description, price, status, tags, categories, stock, created_at, updated_at)
      SELECT gen_random_uuid(), 'SKU-' || n, 'Product ' || n, repeat('Soft and strong. ', 6), n * 0.25, 'active',
        ARRAY['new', 'cotton'], ARRAY['Shirts'], n % 50, now() - n * interval '1 minute', now()
      FROM generate_series(1, 10000) n`);
    await client.query(`
      INSERT INTO product_variants (id, product_id, position, title, options, sku, price, stock, created_at, updated_at)
      SELECT gen_random_uuid(), p.id, n, 'Size ' || n, jsonb_build_object('Size', 'Size ' || n), p.sku || '-' || n,
        p.price + n, n, p.created_at, p.updated_at
      FROM products p, generate_series(2, 3) n`);
    await client.query('VACUUM ANALYZE');
    await client.end();
  },
);
