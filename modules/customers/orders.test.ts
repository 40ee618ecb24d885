import { expect, test } from 'vitest';
import { startPlatform } from '../../server/testing/platform.ts';
import { readByCursor } from '../../server/testing/read-by-cursor.ts';
import { buildOrder } from '../../server/testing/shop-module.ts';

const platform = await startPlatform();
const acme = await platform.tenant();
const verbs = ['customers.view', 'customers.create', 'customers.delete', 'orders.create', 'orders.delete'];
const merchant = acme.caller(...verbs);
const { body: created } = await merchant.post('/api/v1/customers', { first_name: 'Asha' });
const { id } = created.customer;
const days = Array.from({ length: 23 }, (_, day) => `2026-01-${String(day + 1).padStart(2, '0')}T00:00:00.000Z`);
for (const placed_at of days) await merchant.post('/api/v1/orders', buildOrder({ id }, '1.00', { placed_at }));
const newestFirst = days.toReversed();

const times = (list: { placed_at: string }[]) => list.map(({ placed_at }) => placed_at);

test('the detail has the ten most recent orders, with their items', async () => {
  const { body } = await merchant.get(`/api/v1/customers/${id}`);
  expect(times(body.customer.recent_orders)).toEqual(newestFirst.slice(0, 10));
  expect(body.customer.recent_orders[0]).toMatchObject({ customer_id: id, items: [{ name: 'Tea', price: '1.00' }] });
});

test('the orders of a customer are listed by page, most recent first', async () => {
  const { body } = await merchant.get(`/api/v1/customers/${id}/orders?page=3&per_page=10`);
  expect({ ...body, orders: times(body.orders) }).toEqual({
    orders: newestFirst.slice(20),
    pagination: { current_page: 3, last_page: 3, per_page: 10, total: 23 },
  });
  const { status, body: refused } = await merchant.get(`/api/v1/customers/${id}/orders?per_page=101`);
  expect({ status, fields: Object.keys(refused.errors) }).toEqual({ status: 422, fields: ['per_page'] });
});

test('a cursor visits every order of a customer once', async () => {
  const found = await readByCursor<{ placed_at: string }>(merchant, `/api/v1/customers/${id}/orders`);
  expect(times(found)).toEqual(newestFirst);
});

test('deleted orders are neither listed nor counted', async () => {
  const { body } = await merchant.post('/api/v1/orders', buildOrder({ phone: '+919800000002' }, '1.00'));
  const { id: orderId, customer_id } = body.order;
  await merchant.post('/api/v1/orders', buildOrder({ id: customer_id }, '2.00'));
  await merchant.delete(`/api/v1/orders/${orderId}`);
  const page = (await merchant.get(`/api/v1/customers/${customer_id}/orders`)).body;
  expect({ totals: page.orders.map(({ total }: { total: string }) => total), counted: page.pagination.total }).toEqual({
    totals: ['2.00'],
    counted: 1,
  });
});

test('the orders of a deleted customer are not shown', async () => {
  const { body } = await merchant.post('/api/v1/customers', { first_name: 'Gone' });
  await merchant.delete(`/api/v1/customers/${body.customer.id}`);
  expect((await merchant.get(`/api/v1/customers/${body.customer.id}/orders`)).status).toBe(404);
});
