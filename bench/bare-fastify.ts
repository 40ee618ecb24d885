import type { AddressInfo } from 'node:net';
import Fastify from 'fastify';
import pg from 'pg';

/*
 * The baseline of the pipeline: the same queries behind plain Fastify, without tenants, authentication, limits or
 * validation. Queries and responses equal those of `bench/server/actions.ts`.
 */

/** As the platform does: the responses must be equal, and a Date object costs more than the rest of the row. */
function timestampToIso(text: string): string {
  const fraction = text.charAt(19) === '.' ? text.slice(20, -3).slice(0, 3).padEnd(3, '0') : '000';
  return `${text.slice(0, 10)}T${text.slice(11, 19)}.${fraction}Z`;
}
pg.types.setTypeParser(pg.types.builtins.TIMESTAMPTZ, timestampToIso);
pg.types.setTypeParser(pg.types.builtins.INT8, Number);

const pool = new pg.Pool({
  ...JSON.parse(process.env.DATABASE ?? '{}'),
  max: Number(process.env.CONNECTIONS),
  options: '-c TimeZone=UTC',
});

const columns = 'id, name, email, phone, city, orders, spent, created_at, updated_at';
const getItem = { name: 'get_item', text: `SELECT ${columns} FROM bench_items WHERE id = $1` };
const listItems = {
  name: 'list_items',
  text: `SELECT ${columns} FROM bench_items ORDER BY created_at DESC, id DESC LIMIT $1`,
};

/** The statement of the products module: page and total in one. */
const products = {
  name: 'products',
  text: `
    WITH page AS (
      SELECT p.id, p.sku, p.title, p.description, p.price::text AS price, p.compare_at_price::text AS compare_at_price,
        p.status, p.images, p.tags, p.categories, p.mandatory, p.stock, p.reserved, p.stock - p.reserved AS available,
        iso(p.created_at) AS created_at, iso(p.updated_at) AS updated_at, coalesce(p.slug, p.id::text) AS slug,
        coalesce(p.price_max, p.price)::text AS price_max, p.options, p.variant_count, p.metadata, p.external_ids,
        (SELECT coalesce(json_agg(v), '[]') FROM (
          SELECT v.id, v.product_id, v.position, v.title, v.sku, v.price::text AS price, v.options,
            v.compare_at_price::text AS compare_at_price, v.barcode, v.weight_grams, v.image_id, v.continue_selling,
            v.taxable, v.metadata, v.external_ids, v.stock, v.reserved, v.stock - v.reserved AS available,
            iso(v.created_at) AS created_at, iso(v.updated_at) AS updated_at
          FROM product_variants v WHERE v.product_id = p.id AND v.deleted_at IS NULL ORDER BY v.position, v.id) v) AS variants
      FROM (
        SELECT * FROM products p WHERE p.deleted_at IS NULL
        ORDER BY p.created_at DESC, p.id DESC LIMIT $1::integer OFFSET $2::bigint) p
      ORDER BY p.created_at DESC, p.id DESC)
    SELECT json_build_object(
      'products', coalesce((SELECT json_agg(page) FROM page), '[]'),
      'pagination', json_build_object('current_page', $3::integer,
        'last_page', greatest(1, (total + $1::integer - 1) / $1::integer),
        'per_page', $1::integer, 'total', total))::text AS body
    FROM (SELECT coalesce(sum(value), 0)::bigint AS total FROM counters WHERE name = 'products') counted`,
};

const text = { type: 'string' };
const integer = { type: 'integer' };
const item = {
  type: 'object',
  properties: {
    id: integer,
    name: text,
    email: text,
    phone: text,
    city: text,
    orders: integer,
    spent: text,
    created_at: text,
    updated_at: text,
  },
};
const dataSchema = (data: object) => ({
  schema: { response: { 200: { type: 'object', properties: { data } } } },
});
const okSchema = { schema: { response: { 200: { type: 'object', properties: { ok: { type: 'boolean' } } } } } };

const app = Fastify();
app.get('/api/v1/bench/nothing', okSchema, async () => ({ ok: true }));
app.get<{ Params: { id: string } }>('/api/v1/bench/items/:id', dataSchema(item), async ({ params }) => {
  const { rows } = await pool.query({ ...getItem, values: [params.id] });
  return { data: rows[0] };
});
app.get<{ Querystring: { per_page: string } }>(
  '/api/v1/bench/items',
  dataSchema({ type: 'array', items: item }),
  async ({ query }) => {
    const { rows } = await pool.query({ ...listItems, values: [query.per_page] });
    return { data: rows };
  },
);
app.get<{ Querystring: { page: string; per_page: string } }>('/api/v1/products', async ({ query }, reply) => {
  const [page, perPage] = [Number(query.page), Number(query.per_page)];
  const { rows } = await pool.query({ ...products, values: [perPage, (page - 1) * perPage, page] });
  return reply.type('application/json; charset=utf-8').send(rows[0].body);
});
await app.listen({ host: '127.0.0.1', port: 0 });
const [address] = app.addresses() as AddressInfo[];
process.stdout.write(`${JSON.stringify({ pid: process.pid, port: address?.port })}\n`);
process.stdin.resume().once('end', () => process.exit());
