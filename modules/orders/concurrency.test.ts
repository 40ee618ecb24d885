import { type Ctx, sql } from '@chowk/kit';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Context } from '../../server/src/context/context.ts';
import { startPlatform, type TestTenant } from '../../server/testing/platform.ts';

const platform = await startPlatform();
const all = ['view', 'create', 'edit', 'cancel', 'refund', 'delete'].map((verb) => `orders.${verb}`);
const tea = { name: 'Tea', quantity: 1, price: '4.50' };

/** The invariant: the statistics of each customer match its orders. */
async function expectConserved({ db }: TestTenant): Promise<void> {
  const wrong = await db.rows(sql`
    SELECT c.id, c.total_orders, c.total_spent, o.* FROM customers c
    LEFT JOIN LATERAL (
      SELECT count(*) AS orders, coalesce(sum(total), 0) AS spent, min(placed_at) AS first, max(placed_at) AS last
      FROM orders WHERE customer_id = c.id AND deleted_at IS NULL AND status NOT IN ('cancelled', 'failed')) o ON true
    WHERE (c.total_orders, c.total_spent) <> (o.orders, o.spent)
      OR c.avg_order_value <> coalesce(round(o.spent / nullif(o.orders, 0), 2), 0)
      OR (c.first_order_at, c.last_order_at) IS DISTINCT FROM (o.first, o.last)`);
  expect(wrong).toEqual([]);
  const row = await db.row(sql`
    SELECT (SELECT count(*) FROM orders o WHERE NOT EXISTS (SELECT FROM customers WHERE id = o.customer_id)) AS astray,
      (SELECT count(*) FROM orders WHERE number NOT BETWEEN 1001 AND 1000 + (SELECT count(*) FROM orders)) AS gaps,
      (SELECT count(*) FROM orders o WHERE refunded_total <>
        (SELECT coalesce(sum(refunded), 0) FROM order_history WHERE order_id = o.id)) AS unlogged,
      (SELECT count(*) FROM orders o WHERE status <>
        (SELECT status FROM order_history WHERE order_id = o.id ORDER BY at DESC, id DESC LIMIT 1)) AS unremembered,
      (SELECT coalesce(sum(value), 0)::bigint FROM counters WHERE name ^@ 'orders.') -
        (SELECT count(*) FROM orders WHERE deleted_at IS NULL) AS miscounted`);
  expect(row).toEqual({ astray: 0, gaps: 0, unlogged: 0, unremembered: 0, miscounted: 0 });
}

test('eight concurrent orders with the same phone belong to one customer', async () => {
  const acme = await platform.tenant();
  const writers = Array.from({ length: 8 }, () => acme.caller(...all));
  const answers = await Promise.all(
    writers.map((writer) =>
      writer.post('/api/v1/orders', { customer: { phone: '98765 43210', email: 'a@example.com' }, items: [tea] }),
    ),
  );
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 201));
  expect(new Set(answers.map(({ body }) => body.order.customer_id)).size).toBe(1);
  expect(await acme.db.rows(sql`SELECT phone, total_orders, total_spent FROM customers`)).toEqual([
    { phone: '+919876543210', total_orders: 8, total_spent: '36.00' },
  ]);
  await expectConserved(acme);
});

const command = fc.record({
  kind: fc.constantFrom('create', 'create', 'total', 'items', 'status', 'cancel', 'refund', 'part', 'delete'),
  customer: fc.constantFrom('9876543201', '9876543202', '9876543203'),
  /** The index of the order, modulo their number. */
  pick: fc.nat(100),
  cents: fc.integer({ min: 1, max: 900 }),
  status: fc.constantFrom('confirmed', 'shipped', 'delivered', 'failed', 'pending', 'refunded'),
  day: fc.integer({ min: 10, max: 28 }),
});
type Command = typeof command extends fc.Arbitrary<infer Value> ? Value : never;

test('statistics are correct after concurrent changes of the same orders', async () => {
  const acme = await platform.tenant();
  const writers = Array.from({ length: 8 }, () => acme.caller(...all));
  const ids: string[] = [];
  const perform = async (writer: (typeof writers)[number], one: Command) => {
    const amount = (one.cents / 100).toFixed(2);
    const url = `/api/v1/orders/${ids[one.pick % ids.length]}`;
    if (one.kind === 'create' || ids.length === 0) {
      const placed_at = `2026-01-${one.day}T00:00:00.000Z`;
      const payments = ['failed', 'pending'].includes(one.status) ? [] : [{ method: 'cash' }];
      const fields = { items: [tea], total: amount, status: one.status, placed_at, payments };
      const answer = await writer.post('/api/v1/orders', { ...fields, customer: { phone: one.customer } });
      ids.push(answer.body.order?.id);
      return answer;
    }
    switch (one.kind) {
      case 'total':
        return writer.patch(url, { total: amount, placed_at: `2026-01-${one.day}T00:00:00.000Z` });
      case 'items':
        return writer.patch(url, { items: [{ ...tea, price: amount }], status: one.status });
      case 'status':
        return writer.post(`${url}/status`, { status: one.status });
      case 'cancel':
        return writer.post(`${url}/cancel`);
      case 'refund':
        return writer.post(`${url}/refund`);
      case 'part':
        return writer.post(`${url}/refund`, { amount });
      default:
        return writer.delete(url);
    }
  };
  const lanes = fc.array(fc.array(command, { minLength: 1, maxLength: 5 }), { minLength: 8, maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(lanes, async (work) => {
      const answers = await Promise.all(
        work.map(async (commands, lane) => {
          const statuses: number[] = [];
          for (const one of commands) statuses.push((await perform(writers[lane] as never, one)).status);
          return statuses;
        }),
      );
      for (const status of answers.flat()) expect([200, 201, 404, 409, 422]).toContain(status);
      await expectConserved(acme);
    }),
    { numRuns: 12 },
  );
});

/** The writes to orders of a merge in the customers module. */
async function merge(ctx: Ctx, primary: string, secondary: string): Promise<void> {
  await ctx.tx(async (tx) => {
    await tx.db.rows(sql`SELECT FROM customers WHERE id IN (${primary}, ${secondary}) ORDER BY id FOR UPDATE`);
    await tx.personalData.move(secondary, primary);
    await tx.db.run(sql`INSERT INTO customer_merges VALUES (${secondary}, ${primary}, NULL, now())`);
    await tx.db.run(sql`DELETE FROM customers WHERE id = ${secondary}`);
    const sums = await tx.bus.call('orders.getStatistics', { customer_ids: [primary] });
    await tx.db.run(sql`
      UPDATE customers SET total_orders = ${sums?.total_orders}, total_spent = ${sums?.total_spent},
        avg_order_value = ${sums?.avg_order_value}, first_order_at = ${sums?.first_order_at},
        last_order_at = ${sums?.last_order_at} WHERE id = ${primary}`);
  });
}

test('orders created and changed during a merge belong to the remaining customer', async () => {
  const acme = await platform.tenant();
  const caller = acme.caller(...all);
  const ctx = new Context(platform.kernel, { requestId: 'merge', module: 'customers', tenant: acme, system: true });
  const create = async (customer: object) =>
    (await caller.post('/api/v1/orders', { customer, items: [tea] })).body.order;
  for (let round = 0; round < 5; round += 1) {
    const [primary, secondary] = [await create({}), await create({})];
    const others = await Promise.all(Array.from({ length: 4 }, () => create({ id: secondary.customer_id })));
    const [created] = await Promise.all([
      Promise.all(Array.from({ length: 6 }, () => create({ id: secondary.customer_id }))),
      merge(ctx, primary.customer_id, secondary.customer_id),
      ...others.map(({ id }, n) =>
        n % 2 ? caller.post(`/api/v1/orders/${id}/cancel`) : caller.patch(`/api/v1/orders/${id}`, { total: 7 }),
      ),
      caller.delete(`/api/v1/orders/${secondary.id}`),
    ]);
    expect(created.every((order) => order !== undefined)).toBe(true);
    expect(await acme.db.row(sql`SELECT total_orders FROM customers WHERE id = ${primary.customer_id}`)).toEqual({
      total_orders: 1 + 2 + 6,
    });
    await expectConserved(acme);
  }
});

test.each([
  ['changes', (url: string) => ({ method: 'PATCH' as const, url, payload: { note: 'x' } })],
  ['moves', (url: string) => ({ method: 'POST' as const, url: `${url}/status`, payload: { status: 'shipped' } })],
  ['cancels', (url: string) => ({ method: 'POST' as const, url: `${url}/cancel` })],
  ['refunds', (url: string) => ({ method: 'POST' as const, url: `${url}/refund`, payload: { amount: 1 } })],
  ['pays', (url: string) => ({ method: 'POST' as const, url: `${url}/payments`, payload: { method: 'cash' } })],
  ['deletes', (url: string) => ({ method: 'DELETE' as const, url })],
])('a request that %s an order locks the customer before the order', async (_, request) => {
  const acme = await platform.tenant();
  const caller = acme.caller(...all);
  const fields = { items: [tea], status: 'confirmed', payments: [{ method: 'cash', amount: 2 }] };
  const { order } = (await caller.post('/api/v1/orders', fields)).body;
  const waiting = async () =>
    (
      await acme.db.row<{ count: number }>(sql`
        SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`)
    )?.count;
  const answer = await acme.db.tx(async (tx) => {
    await tx.run(sql`SELECT FROM customers WHERE id = ${order.customer_id} FOR UPDATE`);
    const writing = caller.request(request(`/api/v1/orders/${order.id}`));
    await expect.poll(waiting).toBe(1);
    // The merge has locked the customer and locks the orders now: they must not be locked already.
    await tx.run(sql`SELECT FROM orders WHERE id = ${order.id} FOR UPDATE NOWAIT`);
    return { writing };
  });
  expect((await answer.writing).status).toBeLessThan(300);
});
