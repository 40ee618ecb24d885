import { type Db, type Sql, sql } from '@chowk/kit';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Context } from '../../server/src/context/context.ts';
import { startPlatform, type TestTenant } from '../../server/testing/platform.ts';
import type { Customer } from './schemas.ts';
import { matchSegments } from './segments.ts';

const day = 24 * 3_600_000;
let now = new Date('2026-06-01T12:00:00Z');
const platform = await startPlatform({ now: () => now });

interface Rule {
  readonly orders: number;
  readonly spend: number;
}
const usual: Rule = { orders: 10, spend: 50_000 };

async function shop() {
  const tenant = await platform.tenant();
  const caller = tenant.caller('customers.view', 'settings.edit');
  const segments = async () => {
    const { status, body } = await caller.get('/api/v1/customers/segments');
    expect(status).toBe(200);
    return body.segments as { key: string; label: string; count: number }[];
  };
  const counts = async () => Object.fromEntries((await segments()).map(({ key, count }) => [key, count]));
  const setRule = async ({ orders, spend }: Rule) => {
    const values = { 'customers.vip_order_threshold': orders, 'customers.vip_spend_threshold': spend };
    expect((await caller.patch('/api/v1/settings', values)).status).toBe(200);
  };
  const list = async (query: string) => {
    const { status, body } = await caller.get(`/api/v1/customers?per_page=100&${query}`);
    expect(status).toBe(200);
    return body as { customers: Customer[]; pagination: { total: number } };
  };
  return { tenant, db: tenant.db, segments, counts, list, setRule };
}

/** The expected counters, from a scan of all customers. */
function naive({ db }: TestTenant, { orders, spend }: Rule) {
  return db.row<Record<string, number>>(sql`
    SELECT count(*) FILTER (WHERE total_orders = 0) AS new,
      count(*) FILTER (WHERE total_orders > 0 AND total_orders < 5) AS returning,
      count(*) FILTER (WHERE total_orders >= 5) AS loyal,
      count(*) FILTER (WHERE total_orders >= ${orders} OR total_spent >= ${spend}) AS vip,
      count(*) FILTER (WHERE last_order_at < ${new Date(now.getTime() - 90 * day)}) AS at_risk,
      count(*) FILTER (WHERE accepts_marketing) AS marketing
    FROM customers WHERE deleted_at IS NULL`);
}

/** Compares every counter with a scan of all customers. */
async function expectTrueCounters({ db }: TestTenant): Promise<void> {
  const wrong = await db.rows(sql`
    WITH stored AS (
      SELECT name, sum(value) AS value FROM counters WHERE name ^@ 'customers' GROUP BY name HAVING sum(value) <> 0),
    counted AS (
      SELECT name COLLATE "C" AS name, sum(value) AS value FROM customers, customer_vip_rule, LATERAL (VALUES
        ('customers', 1),
        ('customers.new', (total_orders = 0)::integer),
        ('customers.returning', (total_orders BETWEEN 1 AND 4)::integer),
        ('customers.loyal', (total_orders > 4)::integer),
        ('customers.vip', (total_orders >= order_threshold OR total_spent >= spend_threshold)::integer),
        ('customers.marketing', accepts_marketing::integer),
        ('customers.ordered', (last_order_at IS NOT NULL)::integer),
        ('customers.last_order.' || (last_order_at AT TIME ZONE 'UTC')::date, 1)) AS counter (name, value)
      WHERE deleted_at IS NULL AND name IS NOT NULL GROUP BY name HAVING sum(value) <> 0)
    (SELECT 'stored' AS which, * FROM stored EXCEPT ALL SELECT 'stored', * FROM counted)
    UNION ALL (SELECT 'counted', * FROM counted EXCEPT ALL SELECT 'counted', * FROM stored)`);
  expect(wrong).toEqual([]);
}

const insert = (count: number) => sql`
  INSERT INTO customers (id, first_name, accepts_marketing, total_orders, total_spent, last_order_at, created_at,
    updated_at, deleted_at)
  SELECT gen_random_uuid(), (ARRAY[NULL, 'Asha', 'Ravi'])[1 + floor(random() * 3)], random() < 0.5, orders,
    orders * (ARRAY[0, 10, 6000])[1 + floor(random() * 3)],
    CASE WHEN orders > 0 THEN ${now}::timestamptz - floor(random() * 12 + 84) * interval '1 day' END,
    ${now}::timestamptz - random() * interval '9 days', now(), CASE WHEN random() < 0.1 THEN now() END
  FROM (SELECT floor(random() * 14)::integer AS orders FROM generate_series(1, ${count}::integer)) AS drawn`;

const randomCustomers = (count: number) => sql`id IN (SELECT id FROM customers ORDER BY random() LIMIT ${count})`;
const statements = {
  insert,
  order: (count: number) => sql`
    UPDATE customers SET total_orders = total_orders + ${count}, total_spent = total_spent + 4000.01,
      last_order_at = ${now} WHERE ${randomCustomers(count)}`,
  cancel: (count: number) => sql`
    UPDATE customers SET total_orders = 0, total_spent = 0, last_order_at = NULL WHERE ${randomCustomers(count)}`,
  age: (count: number) => sql`
    UPDATE customers SET last_order_at = last_order_at - ${count} * interval '7 hours' WHERE ${randomCustomers(count)}`,
  rename: (count: number) => sql`UPDATE customers SET first_name = 'Zoë' WHERE ${randomCustomers(count)}`,
  ask: (count: number) =>
    sql`UPDATE customers SET accepts_marketing = NOT accepts_marketing WHERE ${randomCustomers(count)}`,
  note: (count: number) => sql`UPDATE customers SET notes = 'seen', tags = '{seen}' WHERE ${randomCustomers(count)}`,
  hide: (count: number) => sql`UPDATE customers SET deleted_at = now() WHERE ${randomCustomers(count)}`,
  show: (count: number) => sql`UPDATE customers SET deleted_at = NULL WHERE ${randomCustomers(count)}`,
  remove: (count: number) => sql`DELETE FROM customers WHERE ${randomCustomers(count)}`,
  compact: (_: number) => sql`SELECT compact_counters()`,
};

/** One transaction of two statements, committed or rolled back. */
async function perform(db: Db, [first, second]: readonly [Sql, Sql], undone: boolean): Promise<void> {
  const work = db.tx(async (tx) => {
    await tx.run(first);
    await tx.run(second);
    if (undone) throw new Error('undone');
  });
  await work.catch((error: Error) => expect(error.message).toBe('undone'));
}

test('segments are listed in order, with labels', async () => {
  const { segments } = await shop();
  expect(await segments()).toEqual([
    { key: 'new', label: 'New', count: 0 },
    { key: 'returning', label: 'Returning', count: 0 },
    { key: 'loyal', label: 'Loyal', count: 0 },
    { key: 'vip', label: 'VIP', count: 0 },
    { key: 'at_risk', label: 'At risk', count: 0 },
    { key: 'marketing', label: 'Accepts marketing', count: 0 },
  ]);
});

test('at_risk means more than 90 days ago', async () => {
  const { db, counts } = await shop();
  const limit = now.getTime() - 90 * day;
  for (const at of [limit - 1, limit, limit + 1]) {
    await db.run(sql`
      INSERT INTO customers (id, total_orders, last_order_at, created_at, updated_at)
      VALUES (gen_random_uuid(), 1, ${new Date(at)}, now(), now())`);
  }
  expect(await counts()).toMatchObject({ returning: 3, at_risk: 1 });
});

const kinds = Object.keys(statements) as (keyof typeof statements)[];
const arbitraryStep = fc.record({
  first: fc.constantFrom(...kinds),
  second: fc.constantFrom(...kinds),
  count: fc.integer({ min: 1, max: 6 }),
  undone: fc.boolean(),
  rule: fc.option(fc.constantFrom(usual, { orders: 1, spend: 0 }, { orders: 7, spend: 20_000.005 }), { freq: 4 }),
  hours: fc.constantFrom(0, 0, 1, 24, 24 * 40),
});

test('segment counts are correct after any history', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(arbitraryStep, { minLength: 1, maxLength: 12 }), async (steps) => {
      const { tenant, db, counts, setRule } = await reused;
      let rule = usual;
      await setRule(rule);
      await db.run(insert(5));
      for (const { first, second, count, undone, rule: other, hours } of steps) {
        await perform(db, [statements[first](count), statements[second](count)], undone);
        now = new Date(now.getTime() + (hours * day) / 24);
        if (other) {
          rule = other;
          await setRule(rule);
        }
        expect(await counts()).toEqual(await naive(tenant, rule));
      }
      await expectTrueCounters(tenant);
      await db.run(statements.compact(0));
      await expectTrueCounters(tenant);
      expect(await counts()).toEqual(await naive(tenant, rule));
    }),
    { numRuns: 25 },
  );
});
const reused = shop();

test('segment counts are correct under concurrent writes, folding and changes of the rule', async () => {
  const { tenant, db, counts, setRule } = await shop();
  await db.run(insert(100));
  const rules = [usual, { orders: 3, spend: 10_000 }, { orders: 5, spend: 0.01 }];
  const writer = async (seed: number) => {
    // One customer per transaction: transactions that lock several in random order could deadlock.
    for (const { first, count, undone } of fc.sample(arbitraryStep, { numRuns: 25, seed })) {
      await perform(db, [statements[first](1), insert(count)], undone);
    }
  };
  const reader = async () => {
    for (const rule of rules) {
      await setRule(rule);
      await Promise.all([counts(), counts(), counts(), db.run(statements.compact(0))]);
    }
  };
  await Promise.all([reader(), ...Array.from({ length: 8 }, (_, seed) => writer(seed))]);
  const rule = rules[2] as Rule;
  expect(await counts()).toEqual(await naive(tenant, rule));
  expect(await counts()).toEqual(await naive(tenant, rule));
  await expectTrueCounters(tenant);
  await db.run(statements.compact(0));
  await expectTrueCounters(tenant);
});

test('concurrent readers of a changed rule recount once and all use it', async () => {
  const { tenant, db, counts, setRule } = await shop();
  await db.run(insert(50));
  await db.run(statements.compact(0));
  await setRule({ orders: 2, spend: 1 });
  const expected = await naive(tenant, { orders: 2, spend: 1 });
  expect(await Promise.all(Array.from({ length: 8 }, counts))).toEqual(Array(8).fill(expected));
  expect(await counts()).toEqual(expected);
  const vip = sql`SELECT sum(value)::integer AS vip, count(*) AS rows FROM counters WHERE name = 'customers.vip'`;
  // The sum of the earlier rows, and one row for the difference.
  expect(await db.row(vip)).toEqual({ vip: expected?.vip, rows: 2 });
});

test('an open transaction blocks no other writer, folding or reader', async () => {
  const { tenant, db, counts, setRule } = await shop();
  await db.run(insert(20));
  await db.run(sql`UPDATE customers SET deleted_at = NULL`);
  const [one, other] = await db.rows<{ id: string }>(sql`SELECT id FROM customers ORDER BY id LIMIT 2`);
  const order = (who: { id: string } | undefined) => sql`
    UPDATE customers SET total_orders = total_orders + 20, last_order_at = now() WHERE id = ${who?.id}`;
  const rule = { orders: 20, spend: 90_000 };
  await setRule(rule);
  await db.tx(async (tx) => {
    await tx.run(order(one));
    await tx.run(statements.compact(0));
    await db.tx(async (beside) => {
      await beside.run(order(other));
      await beside.run(statements.compact(0));
    });
    await db.run(insert(1));
    await db.run(sql`DELETE FROM customers WHERE id = ${other?.id}`);
    // Counted by the new thresholds, though they cannot be stored during a concurrent write.
    expect(await counts()).toEqual(await naive(tenant, rule));
  });
  expect(await counts()).toEqual(await naive(tenant, rule));
  await expectTrueCounters(tenant);
});

test('the segments of a customer match the segment counts', async () => {
  const { tenant, db, counts, setRule } = await shop();
  await db.run(insert(60));
  await setRule({ orders: 6, spend: 30_000 });
  const ctx = new Context(platform.kernel, { requestId: 'test', module: 'customers', tenant, system: true });
  const customers = await db.rows<Customer>(sql`SELECT * FROM customers WHERE deleted_at IS NULL`);
  const keys = (await Promise.all(customers.map((customer) => matchSegments(ctx, customer)))).flat();
  const found = await counts();
  for (const key of Object.keys(found))
    expect([key, keys.filter((one) => one === key).length]).toEqual([key, found[key]]);
});

test('the list of a segment has as many customers as its count', async () => {
  const { db, counts, list, setRule } = await shop();
  await db.run(insert(300));
  await setRule({ orders: 6, spend: 30_000 });
  for (const [key, count] of Object.entries(await counts())) {
    expect(count).toBeGreaterThan(0);
    expect([key, (await list(`segment=${key}`)).pagination.total]).toEqual([key, count]);
    // With a second filter the rows are counted.
    const { customers, pagination } = await list(`segment=${key}&created_to=2999-01-01`);
    expect([key, pagination.total]).toEqual([key, count]);
    expect(customers.length).toBe(Math.min(count, 100));
  }
});

test('the list of a segment has only its customers, and combines with other filters', async () => {
  const { db, list } = await shop();
  await db.run(insert(200));
  const { customers } = await list('segment=loyal&sort_by=total_orders&sort_order=asc');
  expect(Math.min(...customers.map(({ total_orders }) => total_orders))).toBe(5);
  expect((await list('segment=new&min_orders=1')).pagination.total).toBe(0);
  const risky = await list('segment=at_risk&sort_by=last_order_at');
  const limit = now.getTime() - 90 * day;
  for (const { last_order_at } of risky.customers) expect(Date.parse(String(last_order_at))).toBeLessThan(limit);
});
