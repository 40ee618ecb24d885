import { sql } from '@chowk/kit';
import { expect, test } from 'vitest';
import { startPlatform } from '../../server/testing/platform.ts';

const platform = await startPlatform();
const all = ['view', 'create', 'edit', 'cancel', 'refund', 'delete', 'export'].map((verb) => `orders.${verb}`);
const unknownId = '0190a000-0000-7000-8000-000000000000';

async function shop() {
  const tenant = await platform.tenant();
  const caller = tenant.caller(...all, 'customers.view_sensitive');
  const create = async (fields: object = {}) => {
    const { status, body } = await caller.post('/api/v1/orders', { items: [tea], ...fields });
    expect({ status, body }).toMatchObject({ status: 201 });
    return body.order;
  };
  const customers = () =>
    tenant.db.rows<Record<string, unknown>>(sql`
      SELECT id, phone, email, first_name, last_name, total_orders, total_spent, avg_order_value, first_order_at,
        last_order_at FROM customers ORDER BY id`);
  return { tenant, caller, create, customers };
}
const tea = { name: 'Tea', sku: 'T-1', quantity: 2, price: '4.50' };
const freeText = {
  id: expect.any(String),
  product_id: null,
  variant_id: null,
  image_url: null,
  taxable: true,
  tax_class: 'standard',
  tax_code: null,
  shipped_quantity: 0,
  weight_grams: null,
  discount: null,
  discount_total: '0.00',
  tax_total: '0.00',
  taxes: [],
};
const acme = shop();

test('an order gets defaults and a new customer', async () => {
  const { caller, customers } = await shop();
  const { status, body } = await caller.post('/api/v1/orders', {
    customer: { phone: '98765 43210', email: 'Asha@Example.com', first_name: 'Asha', last_name: 'Rao' },
    items: [tea, { name: ' Cup ', quantity: 1, price: 3 }],
  });
  expect(status).toBe(201);
  const [asha] = await customers();
  const moment = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  expect(body).toEqual({
    message: 'Order created.',
    order: {
      id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7/),
      order_number: '1001',
      customer_id: asha?.id,
      status: 'pending',
      currency: 'INR',
      items: [
        { ...freeText, ...tea, subtotal: '9.00', total: '9.00' },
        { ...freeText, name: 'Cup', sku: null, quantity: 1, price: '3.00', subtotal: '3.00', total: '3.00' },
      ],
      subtotal: '12.00',
      discount_total: '0.00',
      discounts: [],
      discount_codes: [],
      shipping_total: '0.00',
      shipping: null,
      tax_total: '0.00',
      taxes: [],
      prices_include_tax: false,
      adjustment_total: '0.00',
      total: '12.00',
      paid_total: '0.00',
      payment_method: null,
      refunded_total: '0.00',
      due_total: '12.00',
      payment_status: 'unpaid',
      contact: { first_name: 'Asha', last_name: 'Rao', email: 'asha@example.com', phone: '+919876543210' },
      metadata: {},
      external_ids: {},
      track_stock: true,
      billing_address: null,
      shipping_address: null,
      note: null,
      placed_at: moment,
      created_at: body.order.placed_at,
      updated_at: moment,
      fulfillment_status: 'unfulfilled',
    },
  });
  expect(asha).toMatchObject({
    phone: '+919876543210',
    email: 'asha@example.com',
    first_name: 'Asha',
    last_name: 'Rao',
    total_orders: 1,
    total_spent: '12.00',
    avg_order_value: '12.00',
    first_order_at: body.order.placed_at,
    last_order_at: body.order.placed_at,
  });
  const { id, first_name, last_name, email, phone } = asha as Record<string, unknown>;
  expect((await caller.get(`/api/v1/orders/${body.order.id}`)).body).toEqual({
    order: {
      ...body.order,
      payments: [],
      refunds: [],
      customer: { id, first_name, last_name, email, phone },
      next_statuses: ['confirmed', 'processing', 'shipped', 'delivered', 'cancelled', 'failed'],
      history: [
        {
          id: expect.any(String),
          status: 'pending',
          previous_status: null,
          refunded: null,
          reason: null,
          changes: null,
          user_id: caller.user.id,
          at: body.order.created_at,
        },
      ],
      shipments: [],
    },
  });
});

test('all fields are stored, trimmed and normalized', async () => {
  const { create } = await acme;
  const fields = {
    status: 'shipped',
    total: 100,
    currency: 'EUR',
    placed_at: '2026-01-02T03:04:05.678912+05:30',
    note: 'Ring twice\n"please"',
    shipping_address: { first_name: ' Asha ', address1: '1 High St', city: '', phone: null, unknown: 'x' },
  };
  expect(await create(fields)).toMatchObject({
    status: 'shipped',
    total: '100.00',
    currency: 'EUR',
    placed_at: '2026-01-01T21:34:05.678Z',
    note: fields.note,
    shipping_address: { first_name: 'Asha', address1: '1 High St' },
  });
  expect((await create({ shipping_address: { city: ' ' }, note: ' ' })).shipping_address).toBeNull();
});

test('the customer is found by id, then by phone, then by email, and is not changed', async () => {
  const { create, customers } = await shop();
  const first = await create({ customer: { phone: '+919876543210', first_name: 'Asha' } });
  const second = await create({ customer: { email: 'ravi@example.com', first_name: 'Ravi' } });
  const [asha, ravi] = [first.customer_id, second.customer_id];
  const found = async (customer: object) => (await create({ customer })).customer_id;
  expect(await found({ id: asha, phone: 'whatever', email: 'ravi@example.com' })).toBe(asha);
  expect(await found({ phone: '098765-43210', email: 'ravi@example.com', first_name: 'Other' })).toBe(asha);
  expect(await found({ phone: null, email: 'RAVI@example.com', last_name: 'Other' })).toBe(ravi);
  const guests = [await create(), await create({ customer: {} }), await create({ customer: { phone: '' } })];
  const all = await customers();
  expect(new Set(guests.map(({ customer_id }) => customer_id)).size).toBe(3);
  expect(all).toHaveLength(5);
  expect(all).toMatchObject([
    { first_name: 'Asha', last_name: '', email: null, total_orders: 3, total_spent: '27.00' },
    { first_name: 'Ravi', last_name: '', phone: null, total_orders: 2 },
    ...[1, 2, 3].map(() => ({ first_name: 'Guest', last_name: '', phone: null, email: null, total_orders: 1 })),
  ]);
});

test('an order of a merged customer goes to the remaining one; a deleted customer is rejected', async () => {
  const { tenant, create, caller } = await shop();
  const { customer_id: kept } = await create({ customer: { email: 'kept@example.com' } });
  await tenant.db.run(
    sql`INSERT INTO customer_merges (id, merged_into, merged_at) VALUES (${unknownId}, ${kept}, now())`,
  );
  expect((await create({ customer: { id: unknownId } })).customer_id).toBe(kept);
  await tenant.db.run(sql`UPDATE customers SET deleted_at = now() WHERE id = ${kept}`);
  const refused = await caller.post('/api/v1/orders', { customer: { id: kept }, items: [tea] });
  expect({ status: refused.status, errors: refused.body.errors }).toEqual({
    status: 422,
    errors: { 'customer.id': [`There is no customer ${kept}.`] },
  });
  expect((await create({ customer: { email: 'kept@example.com' } })).customer_id).not.toBe(kept);
});

test.each([
  ['items', { items: undefined }],
  ['items', { items: [] }],
  ['items', { items: Array.from({ length: 501 }, () => tea) }],
  ['items.0.quantity', { items: [{ ...tea, quantity: 0 }] }],
  ['items.1.quantity', { items: [tea, { ...tea, quantity: 1.5 }] }],
  ['items.0.quantity', { items: [{ ...tea, quantity: '1' }] }],
  ['items.0.quantity', { items: [{ name: 'Tea', price: 1 }] }],
  ['items.0.price', { items: [{ ...tea, price: '1.234' }] }],
  ['items.0.price', { items: [{ ...tea, price: -1 }] }],
  ['items.0.price', { items: [{ ...tea, price: null }] }],
  ['items.0.name', { items: [{ ...tea, name: '' }] }],
  ['items.0.name', { items: [{ ...tea, name: '  ' }] }],
  ['items.0.name', { items: [{ ...tea, name: 'a\u0000b' }] }],
  ['items.0.name', { items: [{ ...tea, name: '\ud800' }] }],
  ['shipping_address.city', { shipping_address: { city: '\ud800' } }],
  ['note', { note: '\ud800' }],
  ['items.0.sku', { items: [{ ...tea, sku: 5 }] }],
  ['total', { total: '10000000000' }],
  ['total', { total: -1 }],
  ['total', { total: 'cheap' }],
  ['total', { items: [{ ...tea, quantity: 2, price: '9999999999.99' }] }],
  ['total', { items: Array.from({ length: 500 }, () => ({ ...tea, quantity: 1_000_000, price: '9999999999.99' })) }],
  ['status', { status: 'lost' }],
  ['currency', { currency: 'rupees' }],
  ['currency', { currency: 'XYZ' }],
  ['currency', { currency: 'inr' }],
  ['placed_at', { placed_at: 'yesterday' }],
  ['placed_at', { placed_at: '2026-02-30T00:00:00Z' }],
  ['placed_at', { placed_at: '0000-01-01T00:00:00Z' }],
  ['placed_at', { placed_at: '9999-12-31T23:59:59-05:00' }],
  ['placed_at', { placed_at: '2016-12-31T23:59:60Z' }],
  ['note', { note: 'a\u0000b' }],
  ['note', { note: 'x'.repeat(20_001) }],
  ['shipping_address', { shipping_address: 'here' }],
  ['shipping_address.city', { shipping_address: { city: 5 } }],
  ['shipping_address.city', { shipping_address: { city: 'a\nb' } }],
  ['customer', { customer: 'Asha' }],
  ['customer.id', { customer: { id: 'x' } }],
  ['customer.id', { customer: { id: unknownId } }],
  ['customer.phone', { customer: { phone: 'call me' } }],
  ['customer.phone', { customer: { phone: '\u0000' } }],
  ['customer.email', { customer: { email: 'nowhere' } }],
  ['customer.first_name', { customer: { first_name: '\u0000' } }],
])('an invalid %s is rejected and nothing is written (%#)', async (field, fields) => {
  const { caller, customers, tenant } = await refusing;
  const { status, body } = await caller.post('/api/v1/orders', { items: [tea], ...fields });
  expect({ status, fields: Object.keys(body.errors ?? {}) }).toEqual({ status: 422, fields: [field] });
  expect(await customers()).toEqual([]);
  expect(await tenant.db.row(sql`SELECT last FROM order_numbers`)).toEqual({ last: 1000 });
});
const refusing = shop();

test('the maximum total is accepted', async () => {
  const { create } = await acme;
  const most = { items: [{ ...tea, quantity: 1, price: '9999999999.99' }] };
  expect(await create(most)).toMatchObject({ total: '9999999999.99' });
  expect(await create({ items: [{ ...tea, quantity: 3, price: 9999999999.99 }], total: 1 })).toMatchObject({
    total: '1.00',
    items: [{ total: '29999999999.97' }],
  });
});

test('order numbers have no gaps when concurrent orders fail', async () => {
  const { caller, create, tenant } = await shop();
  // Fails after the number is taken: the statistics of the customer cannot be written.
  await tenant.db.run(sql`ALTER TABLE customers ADD CHECK (total_spent < 1000)`);
  const attempts = Array.from({ length: 48 }, async (_, n) => {
    const customer = { phone: `98765432${String(n % 7).padStart(2, '0')}` };
    if (n % 3 > 0) return create({ customer });
    const { status } = await caller.post('/api/v1/orders', { customer, items: [tea], total: 1000 });
    expect(status).toBe(500);
  });
  await Promise.all(attempts);
  const rows = await tenant.db.rows<{ number: number }>(sql`SELECT number FROM orders ORDER BY number`);
  expect(rows.map(({ number }) => number)).toEqual(Array.from({ length: 32 }, (_, n) => 1001 + n));
  expect((await create()).order_number).toBe('1033');
});

test('an order keeps its prefix when the setting changes, and numbers continue', async () => {
  const { caller, create, tenant } = await shop();
  const owner = tenant.caller('settings.edit', 'settings.view');
  const old = await create();
  const set = (prefix: string) => owner.patch('/api/v1/settings', { 'orders.number_prefix': prefix });
  expect((await set('TEA-')).status).toBe(200);
  expect((await create()).order_number).toBe('TEA-1002');
  expect((await caller.get(`/api/v1/orders/${old.id}`)).body.order.order_number).toBe('1001');
  // Otherwise order 1003 with the prefix 2 would look like order 21003.
  expect((await set('TEA-2')).status).toBe(422);
});

test('an Idempotency-Key creates one order', async () => {
  const { caller } = await acme;
  const send = () => caller.post('/api/v1/orders', { items: [tea] }, { 'idempotency-key': 'k1' });
  const first = await send();
  expect(first.status).toBe(201);
  expect((await send()).body).toEqual(first.body);
});

test('customer_id is short for customer.id', async () => {
  const { create, caller } = await acme;
  const { customer_id } = await create({ customer: { email: 'short@example.com' } });
  expect((await create({ customer_id })).customer_id).toBe(customer_id);
  expect((await create({ customer_id, customer: { phone: '+919812345678' } })).customer_id).toBe(customer_id);
  const { status, body } = await caller.post('/api/v1/orders', { items: [tea], customer_id: unknownId });
  expect({ status, fields: Object.keys(body.errors) }).toEqual({ status: 422, fields: ['customer.id'] });
});

test('read-only fields cannot be set', async () => {
  const { create } = await acme;
  const forged = {
    id: unknownId,
    order_number: '1',
    number: 1,
    refunded_total: '5',
    deleted_at: 'x',
  };
  const order = await create(forged);
  expect(order).toMatchObject({ refunded_total: '0.00' });
  for (const field of ['id', 'order_number'] as const) expect(order[field]).not.toBe(forged[field]);
});

test('creating an order as cancelled or refunded needs the permission for that', async () => {
  const { tenant, caller } = await shop();
  const clerk = tenant.caller('orders.create', 'orders.edit');
  for (const [status, permission] of [
    ['cancelled', 'orders.cancel'],
    ['refunded', 'orders.refund'],
  ]) {
    expect(await clerk.post('/api/v1/orders', { items: [tea], status })).toMatchObject({
      status: 403,
      body: { message: `This needs the permission ${permission}.` },
    });
    expect((await caller.post('/api/v1/orders', { items: [tea], status })).status).toBe(201);
  }
});

test('orders need the customers module', async () => {
  const { caller, tenant } = await shop();
  await platform.kernel.installations.set(tenant.id, 'customers', 'disabled');
  const { status, body } = await caller.post('/api/v1/orders', { items: [tea] });
  expect({ status, code: body.code }).toEqual({ status: 409, code: 'orders.no_customers' });
});

test('all problems of an order are reported at once, with those of customer and items', async () => {
  const { caller, customers } = await refusing;
  const { status, body } = await caller.post('/api/v1/orders', {
    status: 7,
    currency: 7,
    placed_at: 7,
    note: 7,
    total: true,
    items: [
      { name: 7, quantity: 'two', price: '4.50' },
      { name: 'Cup', quantity: 1, price: false },
      { name: 'Pot', quantity: 1, price: '1.234' },
    ],
    customer: { email: 7, phone: 'call me' },
  });
  expect({ status, codes: body.error_codes }).toEqual({
    status: 422,
    codes: {
      status: ['not_allowed'],
      currency: ['wrong_type'],
      placed_at: ['wrong_type'],
      note: ['wrong_type'],
      total: ['wrong_type'],
      'items.0.name': ['wrong_type'],
      'items.0.quantity': ['wrong_type'],
      'items.1.price': ['wrong_type'],
      'items.2.price': ['invalid'],
      'customer.email': ['wrong_type'],
      'customer.phone': ['invalid'],
    },
  });
  expect(Object.keys(body.errors).sort()).toEqual(Object.keys(body.error_codes).sort());
  expect(await customers()).toEqual([]);
});

test('items that cost too much and an unknown customer are reported together', async () => {
  const { caller } = await refusing;
  const items = [{ ...tea, quantity: 2, price: '9999999999.99' }];
  const { body } = await caller.post('/api/v1/orders', { items, customer_id: unknownId, note: 7 });
  expect(body.error_codes).toEqual({ total: ['too_large'], 'customer.id': ['unknown'], note: ['wrong_type'] });
  const unknown = await caller.post('/api/v1/orders', { items, customer_id: unknownId });
  expect(unknown.body.error_codes).toEqual({ total: ['too_large'], 'customer.id': ['unknown'] });
});

test('an order is found by its number', async () => {
  const { caller, create } = await acme;
  const { id, order_number } = await create();
  const found = await caller.get(`/api/v1/orders/lookup?order_number=${order_number}`);
  expect(found.body).toEqual((await caller.get(`/api/v1/orders/${id}`)).body);
  expect(await caller.get('/api/v1/orders/lookup?order_number=999999')).toMatchObject({
    status: 404,
    body: { code: 'orders.not_found', message: 'There is no order 999999.' },
  });
});
