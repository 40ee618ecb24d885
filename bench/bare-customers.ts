import type { AddressInfo } from 'node:net';
import Fastify from 'fastify';
import pg from 'pg';

/*
 * The baseline of the customers module: handwritten queries on the same tables behind plain Fastify.
 * `/api/v1/customers` reads the total from the counters; `/naive/…` counts the rows on each request.
 */

const pool = new pg.Pool({
  ...JSON.parse(process.env.DATABASE ?? '{}'),
  max: Number(process.env.CONNECTIONS),
  options: '-c TimeZone=UTC',
});

const columns = `c.id, c.external_ids, c.email, c.phone, c.first_name, c.last_name, c.accepts_marketing, c.total_orders,
  c.total_spent::text AS total_spent, c.avg_order_value::text AS avg_order_value, iso(c.first_order_at) AS first_order_at,
  iso(c.last_order_at) AS last_order_at, c.tags, iso(c.created_at) AS created_at, iso(c.updated_at) AS updated_at`;

const page = (total: string) => `
  WITH page AS (
    SELECT ${columns} FROM (
      SELECT * FROM customers c WHERE c.deleted_at IS NULL
      ORDER BY c.total_spent DESC, c.id DESC LIMIT $1::integer OFFSET $2::bigint) c
    ORDER BY c.total_spent DESC, c.id DESC)
  SELECT json_build_object(
    'customers', coalesce((SELECT json_agg(page) FROM page), '[]'),
    'pagination', json_build_object('current_page', $3::integer,
      'last_page', greatest(1, (total + $1::integer - 1) / $1::integer), 'per_page', $1::integer, 'total', total))::text AS body
  FROM (${total}) counted`;

const withCounters = {
  name: 'with_counters',
  text: page("SELECT sum(value)::bigint AS total FROM counters WHERE name = 'customers'"),
};
const withCount = {
  name: 'with_count',
  text: page('SELECT count(*) AS total FROM customers WHERE deleted_at IS NULL'),
};

const segments = {
  name: 'segments',
  text: `
    SELECT json_build_object('new', count(*) FILTER (WHERE total_orders = 0),
      'returning', count(*) FILTER (WHERE total_orders > 0 AND total_orders < 5),
      'loyal', count(*) FILTER (WHERE total_orders >= 5),
      'vip', count(*) FILTER (WHERE total_orders >= 10 OR total_spent >= 50000),
      'at_risk', count(*) FILTER (WHERE last_order_at < now() - interval '90 days'),
      'marketing', count(*) FILTER (WHERE accepts_marketing))::text AS body
    FROM customers WHERE deleted_at IS NULL`,
};

const search = {
  name: 'search',
  text: `
    SELECT coalesce(json_agg(matches), '[]')::text AS body FROM (
      SELECT ${columns} FROM (
        SELECT * FROM customers c WHERE c.deleted_at IS NULL AND c.search_text LIKE fold_pattern($1) LIMIT 500) c
      ORDER BY word_similarity(fold($1), c.search_text) DESC, c.id LIMIT 20) matches`,
};

const app = Fastify();
const runQuery = async (query: pg.QueryConfig) => (await pool.query<{ body: string }>(query)).rows[0]?.body;
interface Page {
  Querystring: { page: string; per_page: string };
}
for (const [path, statement] of [
  ['/api/v1/customers', withCounters] as const,
  ['/naive/customers', withCount] as const,
]) {
  app.get<Page>(path, async ({ query }, reply) => {
    const [number, size] = [Number(query.page), Number(query.per_page)];
    const body = await runQuery({ ...statement, values: [size, (number - 1) * size, number] });
    return reply.type('application/json; charset=utf-8').send(body);
  });
}
app.get('/naive/segments', async (_, reply) => reply.type('application/json').send(await runQuery(segments)));
app.get<{ Querystring: { q: string } }>('/bare/search', async ({ query }, reply) =>
  reply.type('application/json').send(await runQuery({ ...search, values: [query.q] })),
);
await app.listen({ host: '127.0.0.1', port: 0 });
const [address] = app.addresses() as AddressInfo[];
process.stdout.write(`${JSON.stringify({ pid: process.pid, port: address?.port })}\n`);
process.stdin.resume().once('end', () => process.exit());
