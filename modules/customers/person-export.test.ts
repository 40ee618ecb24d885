import { expect, test } from 'vitest';
import { startPlatform } from '../../server/testing/platform.ts';
import { buildOrder, withShop } from '../../server/testing/shop-module.ts';

const platform = await startPlatform({ modules: await withShop() });
const acme = await platform.tenant();
const rights = ['view', 'create', 'edit', 'delete', 'export', 'merge'].map((verb) => `customers.${verb}`);
const merchant = acme.caller(...rights, 'shop.use', 'orders.create', 'customers.view_sensitive');
const clerk = acme.caller(...rights);

const { body: created } = await merchant.post('/api/v1/customers', {
  first_name: 'Asha',
  email: 'asha@example.com',
  phone: '+919876543210',
  notes: 'Likes tea',
  tags: ['gold'],
});
const { id } = created.customer;
const place = { address1: '12 MG Road', address2: 'Flat 3', city: 'Pune', phone: '+919876543299' };
await merchant.post(`/api/v1/customers/${id}/addresses`, place);
await merchant.post('/api/v1/shop/ask/setMetadata', { customer_id: id, key: 'size', value: 'L' });
const placed_at = '2026-01-02T03:04:05.678Z';
const payments = [{ method: 'upi', amount: 2, reference: 'UTR 42' }];
const order = buildOrder({ id }, '12.50', { shipping_address: place, placed_at, payments });
const { body: taken } = await merchant.post('/api/v1/orders', order);
const { body: twin } = await merchant.post('/api/v1/customers', { first_name: 'Twin' });
await merchant.post('/api/v1/customers/merge', { primary_id: id, secondary_id: twin.customer.id });

const url = `/api/v1/customers/${id}/export`;

test('the export of a customer has all rows of all modules', async () => {
  const { status, headers, body } = await merchant.get(url);
  expect(status).toBe(200);
  expect(headers['content-disposition']).toBe(`attachment; filename="customer-${id}.json"`);
  expect(headers['content-type']).toMatch(/^application\/json/);
  const {
    addresses: _,
    recent_orders: __,
    segments: ___,
    metadata: ____,
    consents: _____,
    ...record
  } = (await merchant.get(`/api/v1/customers/${id}`)).body.customer;
  expect(body).toEqual({
    exported_at: expect.stringMatching(/Z$/),
    customer: record,
    data: expect.objectContaining({ customers: expect.anything(), orders: expect.anything() }),
  });
  expect(body.data.customers).toMatchObject({
    customers: [{ id, phone: '+919876543210', notes: 'Likes tea', tags: ['gold'], total_spent: '12.50' }],
    customer_addresses: [{ customer_id: id, ...place }],
    customer_metadata: [{ key: 'size', value: 'L', module_source: 'shop' }],
    customer_merges: [{ id: twin.customer.id, merged_into: id, user_id: merchant.user.id }],
  });
  expect(body.data.orders).toMatchObject({
    orders: [{ id: taken.order.id, total: '12.50', placed_at, shipping_address: place }],
    order_items: [{ order_id: taken.order.id, name: 'Tea' }],
    order_history: [{ order_id: taken.order.id, status: 'pending' }],
    order_payments: [{ order_id: taken.order.id, method: 'upi', amount: '2.00', reference: 'UTR 42' }],
  });
  expect(Object.keys(body.data.customers.customers[0])).not.toContain('phone_digits');
});

test('the export of a customer is masked in all modules without the permission', async () => {
  const { status, body } = await clerk.get(url);
  expect(status).toBe(200);
  expect(body.customer.phone).toBe('+**********10');
  expect(body.data.customers.customers[0].phone).toBe('+**********10');
  const hidden = { address1: null, address2: null, city: 'Pune', phone: null };
  expect(body.data.customers.customer_addresses).toMatchObject([hidden]);
  expect(body.data.orders.orders[0].shipping_address).toEqual(hidden);
  const text = JSON.stringify(body);
  for (const secret of ['98765432', 'MG Road', 'Flat 3']) expect(text).not.toContain(secret);
});

test('a deleted customer can be exported, a merged or unknown one cannot', async () => {
  const { body } = await merchant.post('/api/v1/customers', { first_name: 'Late' });
  await merchant.delete(`/api/v1/customers/${body.customer.id}`);
  const late = await merchant.get(`/api/v1/customers/${body.customer.id}/export`);
  expect(late).toMatchObject({ status: 200, body: { customer: { first_name: 'Late' } } });
  const merged = await merchant.get(`/api/v1/customers/${twin.customer.id}/export`);
  expect(merged).toMatchObject({ status: 404, body: { merged_into: id } });
  const unknownId = '0190a000-0000-7000-8000-000000000000';
  expect((await merchant.get(`/api/v1/customers/${unknownId}/export`)).body.code).toBe('customers.not_found');
});
