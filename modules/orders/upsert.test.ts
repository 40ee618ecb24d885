import { sql } from '@chowk/kit';
import { expect, test } from 'vitest';
import { startPlatform } from '../../server/testing/platform.ts';

const platform = await startPlatform();
const tea = { name: 'Tea', quantity: 2, price: '4.50' };

async function shop() {
  const tenant = await platform.tenant();
  const caller = tenant.caller('orders.view', 'orders.create', 'orders.edit', 'customers.view_sensitive');
  return {
    tenant,
    caller,
    all: async () => (await caller.get('/api/v1/orders?sort_by=order_number&sort_order=asc')).body.orders,
  };
}

test('an order is created by its external id, then updated', async () => {
  const { caller, all } = await shop();
  const url = '/api/v1/orders/by-external-id/shopify/5001';
  expect((await caller.put(url, {})).body.errors).toEqual({ items: ['The items is required.'] });
  const customer = { email: 'asha@example.com' };
  const created = await caller.put(url, { items: [tea], customer, payments: [{ method: 'upi', amount: '9.00' }] });
  expect(created).toMatchObject({
    status: 201,
    body: {
      message: 'Order created.',
      created: true,
      order: { external_ids: { shopify: '5001' }, paid_total: '9.00' },
    },
  });
  const saved = await caller.put(url, { items: [tea], customer, status: 'confirmed', note: 'Gift' });
  expect(saved).toMatchObject({
    status: 200,
    body: { created: false, order: { status: 'confirmed', note: 'Gift', paid_total: '9.00', order_number: '1001' } },
  });
  const again = await caller.put(url, { items: [tea], customer, status: 'confirmed', note: 'Gift' });
  expect(again.body.order).toEqual(saved.body.order);
  expect(await all()).toHaveLength(1);
  expect((await caller.put(url, { status: 'pending' })).status).toBe(422);
});

test('concurrent requests with the same external id end with one order, without a gap in the numbers', async () => {
  const { caller, all, tenant } = await shop();
  const answers = await Promise.all(
    Array.from({ length: 10 }, (_, index) =>
      caller.put('/api/v1/orders/by-external-id/erp/1', {
        items: [tea],
        note: `N${index}`,
        customer: { email: `c${index % 3}@example.com` },
      }),
    ),
  );
  expect(answers.map(({ status }) => status).sort()).toEqual([...Array(9).fill(200), 201]);
  await caller.post('/api/v1/orders', { items: [tea] });
  expect((await all()).map(({ order_number }: { order_number: string }) => order_number)).toEqual(['1001', '1002']);
  const statistics = await tenant.db.row(sql`SELECT sum(total_orders)::integer AS orders FROM customers`);
  expect(statistics).toEqual({ orders: 2 });
});

test('many orders are created and updated, and a failed one leaves neither a number nor a customer', async () => {
  const { caller, all, tenant } = await shop();
  const item = (erp: string, fields: object = {}) => ({ items: [tea], external_ids: { erp }, ...fields });
  const items = [
    item('1', { customer: { email: 'a@example.com' } }),
    item('2', {
      customer: { email: 'b@example.com' },
      total: '1.00',
      items: [{ ...tea, sku: 'NONE' }],
      status: 'refunded',
    }),
    item('3', { customer: { email: 'c@example.com' } }),
    item('1', { note: 'Second' }),
  ];
  const { body } = await caller.post('/api/v1/orders/bulk', { match: 'external_ids.erp', items });
  expect(body.results.map(({ status }: { status: number }) => status)).toEqual([201, 403, 201, 200]);
  expect(await all()).toMatchObject([
    { order_number: '1001', note: 'Second', external_ids: { erp: '1' } },
    { order_number: '1002', external_ids: { erp: '3' } },
  ]);
  expect(await tenant.db.rows(sql`SELECT email FROM customers ORDER BY email`)).toEqual([
    { email: 'a@example.com' },
    { email: 'c@example.com' },
  ]);
  const refused = await caller.post('/api/v1/orders/bulk', { mode: 'all_or_nothing', items: [item('9'), item('9')] });
  expect(refused).toMatchObject({ status: 422, body: { code: 'http.bulk_failed' } });
  expect(await all()).toHaveLength(2);
});

test('200 orders are created at once', async () => {
  const { caller, tenant } = await shop();
  const items = Array.from({ length: 200 }, (_, index) => ({
    items: [tea],
    customer: { email: `c${index % 50}@example.com` },
    external_ids: { erp: String(index) },
  }));
  const { body } = await caller.post('/api/v1/orders/bulk', { match: 'external_ids.erp', items });
  expect(body).toMatchObject({ succeeded: 200, failed: 0 });
  const row = await tenant.db.row(sql`
    SELECT count(*)::integer AS orders, max(number)::integer - min(number)::integer AS span,
      (SELECT sum(total_orders)::integer FROM customers) AS counted FROM orders`);
  expect(row).toEqual({ orders: 200, span: 199, counted: 200 });
});
