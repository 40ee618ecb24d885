import { raw, sql } from '@chowk/kit';
import { parsePhoneNumberFromString } from 'libphonenumber-js/min';
import { expect, test } from 'vitest';
import { fillTenant } from '../../server/src/demo/fill-tenant.ts';
import { startPlatform, type TestTenant } from '../../server/testing/platform.ts';

const platform = await startPlatform();
const now = new Date('2026-11-15T13:00:00Z');
const later = new Date('2026-11-15T23:00:00Z');

function fill(tenant: TestTenant, { customers = 300, seed = 7, at = now } = {}) {
  const callbacks = { onRows: () => {}, onStep: () => {} };
  const request = { tenant, database: `tenant${tenant.id}`, size: customers, seed, now: at, ...callbacks };
  return fillTenant(platform.kernel, request);
}

async function filled(options: Parameters<typeof fill>[1] = {}): Promise<TestTenant> {
  const tenant = await platform.tenant();
  await fill(tenant, options);
  return tenant;
}

/** Every row of every table, as text. */
async function everything({ db }: TestTenant): Promise<Record<string, unknown>> {
  const tables = [
    'customers',
    'customer_addresses',
    'orders',
    'order_items',
    'order_history',
    'order_shipments',
    'products',
    'stock_movements',
    'discounts',
    'tax_rates',
    'shipping_zones',
    'shipping_rates',
  ];
  const row = await db.row(sql`
    SELECT ${raw(tables.map((name) => `(SELECT md5(string_agg(t::text, ';' ORDER BY id)) FROM ${name} t) AS ${name}`).join())},
      (SELECT md5(string_agg(c::text || m::text, ';' ORDER BY m.id)) FROM conversations c
        JOIN conversation_messages m ON m.conversation_id = c.id) AS conversations`);
  return row as Record<string, unknown>;
}

test('the same seed generates the same data on the same day, another seed does not', async () => {
  const [one, same, other, nextDay] = await Promise.all([
    filled({ customers: 60 }),
    filled({ customers: 60, at: later }),
    filled({ customers: 60, seed: 8 }),
    filled({ customers: 60, at: new Date('2026-11-16T01:00:00Z') }),
  ]);
  const first = await everything(one);
  expect(await everything(same)).toEqual(first);
  for (const tenant of [other, nextDay]) expect(await everything(tenant)).not.toEqual(first);
});

const acme = await filled();

test('the statistics of all customers match their orders', async () => {
  const wrong = await acme.db.rows(sql`
    SELECT c.id, c.total_orders, c.total_spent, c.avg_order_value, o.*
    FROM customers c LEFT JOIN LATERAL (
      SELECT count(*) AS orders, coalesce(sum(total), 0) AS spent, coalesce(avg(total), 0)::numeric(18, 2) AS average,
        min(placed_at) AS first_at, max(placed_at) AS last_at
      FROM orders WHERE customer_id = c.id AND status NOT IN ('cancelled', 'failed')) o ON true
    WHERE (c.total_orders, c.total_spent, c.avg_order_value) <> (o.orders, o.spent, o.average)
      OR c.first_order_at IS DISTINCT FROM o.first_at OR c.last_order_at IS DISTINCT FROM o.last_at`);
  expect(wrong).toEqual([]);
  const sums = await acme.db.row(sql`
    SELECT sum(total_orders) > 300 AS many, count(*) FILTER (WHERE total_orders = 0) BETWEEN 60 AND 150 AS none,
      max(total_orders) >= 10 AS often, count(*) FILTER (WHERE last_order_at < ${now}::timestamptz - interval '90 days') > 20 AS at_risk
    FROM customers`);
  expect(sums).toEqual({ many: true, none: true, often: true, at_risk: true });
});

test('orders have correct totals, ascending numbers without gaps and a history', async () => {
  const odd = await acme.db.rows(sql`
    SELECT o.id FROM orders o
    WHERE total <> (SELECT sum(coalesce(i.total, quantity * price)) FROM order_items i WHERE order_id = o.id)
        + coalesce((shipping->>'price')::numeric + CASE WHEN prices_include_tax THEN 0 ELSE (shipping->>'tax_total')::numeric END, 0)
      OR status <> (SELECT status FROM order_history WHERE order_id = o.id ORDER BY at DESC, id DESC LIMIT 1)
      OR refunded_total <> CASE WHEN status = 'refunded' THEN total ELSE 0 END
      OR refunded_total <> (SELECT coalesce(sum(amount), 0) FROM order_refunds WHERE order_id = o.id)
      OR paid_total <> (SELECT coalesce(sum(amount), 0) FROM order_payments WHERE order_id = o.id AND paid_at BETWEEN o.placed_at AND ${now})
      OR (paid_total < total AND (status = 'refunded' OR (status = 'delivered' AND payment_method = 'cash_on_delivery')))
      OR placed_at < (SELECT created_at FROM customers WHERE id = o.customer_id)
      OR placed_at > ${now} OR updated_at > ${now}
      OR order_number <> number::text
      OR EXISTS (SELECT FROM order_items i LEFT JOIN product_variants v USING (sku) LEFT JOIN products p ON p.id = v.product_id
        WHERE order_id = o.id AND (p.title || ', ' || v.title, v.price) IS DISTINCT FROM (i.name, i.price))`);
  expect(odd).toEqual([]);
  // The latest orders were priced by the rules of the tenant.
  const latest = await acme.db.row(sql`
    SELECT bool_and(tax_total > 0) AS taxed, bool_or(discount_total > 0) AS discounted, bool_or(shipping_total > 0) AS shipped,
      bool_and((SELECT bool_and(variant_id IS NOT NULL) FROM order_items WHERE order_id = o.id)) AS linked
    FROM (SELECT * FROM orders ORDER BY number DESC LIMIT 100) o`);
  expect(latest).toEqual({ taxed: true, discounted: true, shipped: true, linked: true });
  const numbers = await acme.db.row(sql`
    SELECT min(number) AS first, max(number) - min(number) + 1 - count(*) AS gaps, max(number) - max(last) AS ahead,
      bool_and(placed_at >= before) AS ascend
    FROM (SELECT *, lag(placed_at, 1, placed_at) OVER (ORDER BY number) AS before
      FROM orders) o, order_numbers`);
  expect(numbers).toMatchObject({ first: 1001, gaps: 0, ahead: 0, ascend: true });
});

test('shipped orders have shipments of their items, some in two parcels', async () => {
  const odd = await acme.db.rows(sql`
    SELECT o.id, o.status FROM orders o,
      LATERAL (SELECT sum(quantity) AS ordered, sum(shipped_quantity) AS shipped FROM order_items WHERE order_id = o.id) i,
      LATERAL (SELECT coalesce(sum(quantity), 0) AS sent FROM order_shipments s JOIN order_shipment_items ON shipment_id = s.id
        WHERE order_id = o.id) s
    WHERE sent <> shipped OR o.fulfillment_status <>
      CASE shipped WHEN 0 THEN 'unfulfilled' WHEN ordered THEN 'fulfilled' ELSE 'partly_fulfilled' END
      OR (o.status IN ('shipped', 'delivered', 'refunded')) <> (o.fulfillment_status = 'fulfilled')`);
  expect(odd).toEqual([]);
  const kinds = await acme.db.row(sql`
    SELECT count(*) > (SELECT count(DISTINCT order_id) FROM order_shipments) AS several,
      bool_or(status = 'shipped') AS under_way, bool_and(shipped_at <= coalesce(delivered_at, shipped_at)) AS in_order
    FROM order_shipments`);
  expect(kinds).toEqual({ several: true, under_way: true, in_order: true });
});

test('counters are correct and the API serves the data', async () => {
  const caller = acme.caller('orders.view', 'conversations.view', 'products.view');
  const kept = await acme.db.row(sql`
    SELECT (SELECT sum(value) FROM counters WHERE name = 'customers') = 300 AS customers,
      (SELECT sum(value) FROM counters WHERE name = 'customers.ordered')
        = (SELECT count(*) FROM customers WHERE last_order_at IS NOT NULL) AS ordered,
      (SELECT sum(value) FROM counters WHERE name LIKE 'orders.%') = (SELECT count(*) FROM orders) AS orders,
      (SELECT sum(value) FROM counters WHERE name LIKE 'conversations.%')
        = (SELECT count(*) FROM conversations) AS conversations`);
  expect(kept).toEqual({ customers: true, ordered: true, orders: true, conversations: true });
  const { body } = await caller.get('/api/v1/conversations?per_page=100');
  expect(body.conversations.length).toBeGreaterThan(10);
  for (const { message_count, last_message, customer } of body.conversations) {
    expect(message_count).toBeGreaterThan(0);
    expect(last_message).not.toBeNull();
    expect(customer).not.toBeNull();
  }
  expect((await caller.get('/api/v1/products')).body.pagination.total).toBe(40);
  expect((await caller.get('/api/v1/variants')).body.pagination.total).toBe(200);
  expect((await caller.get('/api/v1/products?collection=tea-and-coffee')).body.pagination.total).toBe(6);
  const odd = await acme.db.rows(sql`
    SELECT id FROM conversations c WHERE (message_count, last_message_at) <> (
      SELECT count(*), max(sent_at) FROM conversation_messages WHERE conversation_id = c.id)`);
  expect(odd).toEqual([]);
  const stock = await acme.db.rows(sql`
    SELECT id FROM products p WHERE stock <> (SELECT sum(change) FROM stock_movements WHERE product_id = p.id)
    UNION ALL
    SELECT id FROM product_variants v WHERE stock <> (SELECT sum(change) FROM stock_movements WHERE variant_id = v.id)`);
  expect(stock).toEqual([]);
});

test('another seed adds customers without duplicate contacts, and order numbers continue', async () => {
  const tenant = await filled();
  const { body } = await tenant.caller('conversations.reply').post('/api/v1/conversations', {
    customer: { phone: '+919000000001' },
    channel: 'phone',
  });
  expect(body.conversation.customer_id).toEqual(expect.any(String));
  const rows = await fill(tenant, { seed: 9 });
  expect(rows.get('products') ?? 0).toBe(0);
  const sums = await tenant.db.row(sql`
    SELECT count(*) AS customers, count(DISTINCT email) = count(email) AND count(DISTINCT phone) = count(phone) AS apart,
      (SELECT max(number) - min(number) + 1 - count(*) FROM orders) AS gaps,
      (SELECT last - max(number) FROM orders, order_numbers GROUP BY last) AS ahead
    FROM customers`);
  expect(sums).toEqual({ customers: 601, apart: true, gaps: 0, ahead: 0 });
});

test('emails and phones of existing customers are not used again', async () => {
  const tenant = await filled({ customers: 20 });
  // The same people are generated again, without the contacts that are taken.
  for (const table of [
    'customer_addresses',
    'order_history',
    'order_shipment_items',
    'order_shipments',
    'order_items',
    'orders',
    'conversation_messages',
    'conversations',
  ]) {
    await tenant.db.run(raw(`DELETE FROM ${table}`));
  }
  await tenant.db.run(sql`UPDATE customers SET id = gen_random_uuid()`);
  await fill(tenant, { customers: 20 });
  const sums = await tenant.db.row(sql`
    SELECT count(*) AS customers, count(email) = count(DISTINCT email) AS emails, count(phone) = count(DISTINCT phone) AS phones
    FROM customers`);
  expect(sums).toEqual({ customers: 40, emails: true, phones: true });
});

test('a failure rolls everything back', async () => {
  const tenant = await filled({ customers: 30 });
  const before = await everything(tenant);
  const last = await tenant.db.row(sql`SELECT last FROM order_numbers`);
  await expect(fill(tenant, { customers: 30 })).rejects.toThrow(/already has data of this seed/);
  expect(await everything(tenant)).toEqual(before);
  expect(await tenant.db.row(sql`SELECT last FROM order_numbers`)).toEqual(last);
});

test('customers have names in many scripts and valid phones and emails', async () => {
  const people = await acme.db.rows<{ phone: string | null; email: string | null; first_name: string }>(
    sql`SELECT phone, email, first_name FROM customers`,
  );
  for (const { phone, email } of people) {
    expect(phone ?? email).not.toBeNull();
    if (phone !== null) expect(parsePhoneNumberFromString(phone)?.number).toBe(phone);
    if (email !== null) expect(email).toMatch(/^[a-z]+\.[a-z]+\d+@[a-z.]+$/);
  }
  const names = people.map(({ first_name }) => first_name).join();
  for (const script of [/\p{Script=Devanagari}/u, /\p{Script=Han}/u, /\p{Script=Arabic}/u, /[éüöłñ]/]) {
    expect(names).toMatch(script);
  }
});

test('large runs drop indexes and create them again', async () => {
  const [small, large] = [acme, await platform.tenant()];
  await fill(large, { customers: 5_000 });
  const shape = ({ db }: TestTenant) =>
    db.rows(sql`
      SELECT indexdef AS definition FROM pg_indexes WHERE schemaname = 'public'
      UNION ALL SELECT conname || ' ' || pg_get_constraintdef(oid) FROM pg_constraint WHERE contype = 'f' ORDER BY 1`);
  expect(await shape(large)).toEqual(await shape(small));
  const sums = await large.db.row(
    sql`SELECT count(*) AS customers, sum(total_orders) / 5000.0 BETWEEN 2 AND 3 AS usual FROM customers`,
  );
  expect(sums).toEqual({ customers: 5_000, usual: true });
});
