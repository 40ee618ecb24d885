import { randomUUID } from 'node:crypto';
import { sql } from '@chowk/kit';
import { expect, test } from 'vitest';
import { startPlatform } from '../../server/testing/platform.ts';

const platform = await startPlatform();
const permissions = [
  ...['orders.view', 'orders.create', 'products.view', 'products.create', 'products.edit', 'products.delete'],
  ...['customers.view', 'customers.edit', 'customers.delete', 'customers.merge', 'customers.view_sensitive'],
  'settings.edit',
];
const path = '/api/v1/draft-orders';
const asha = { first_name: 'Asha', last_name: 'Rao', phone: '+919876543210', email: 'asha@example.com' };
const address = { address1: '5 Hill Road', city: 'Pune', country: 'IN' };

async function shop() {
  const tenant = await platform.tenant();
  const caller = tenant.caller(...permissions);
  const product = async (fields: object = {}) => {
    const body = { sku: 'TEA', title: 'Tea', price: '10.00', stock: 10, ...fields };
    return (await caller.post('/api/v1/products', body)).body.product;
  };
  const draft = async (fields: object = {}) => {
    const answer = await caller.post(path, { items: [{ sku: 'TEA', quantity: 2 }], customer: asha, ...fields });
    expect(answer).toMatchObject({ status: 201 });
    return answer.body.draft_order;
  };
  const read = async (id: string) => (await caller.get(`${path}/${id}`)).body.draft_order;
  const place = (id: string) => caller.post(`${path}/${id}/place`, {});
  const count = async (table: 'orders' | 'draft_orders' | 'customers') => {
    const counted = { orders: sql`orders`, draft_orders: sql`draft_orders`, customers: sql`customers` }[table];
    return (await tenant.db.row<{ count: number }>(sql`SELECT count(*)::integer AS count FROM ${counted}`))?.count;
  };
  return { tenant, caller, product, draft, read, place, count };
}

test('a draft reserves nothing, is changed, and becomes an order', async () => {
  const { caller, product, draft, read, place } = await shop();
  const { id: productId } = await product();
  const created = await draft({ shipping_address: address, note: 'By phone' });
  expect(created).toMatchObject({
    customer: { first_name: 'Asha', phone: asha.phone },
    input: { items: [{ sku: 'TEA', quantity: 2 }], shipping_address: address, note: 'By phone' },
    total: '20.00',
    currency: 'INR',
    order_id: null,
    preview: { total: '20.00', out_of_stock: [] },
    problems: [],
  });
  const url = `${path}/${created.id}`;
  const saved = await caller.patch(url, {
    items: [{ sku: 'TEA', quantity: 11 }],
    shipping: { title: 'Courier', price: 5 },
  });
  expect(saved.body.draft_order).toMatchObject({
    total: '115.00',
    input: { note: 'By phone' },
    preview: { out_of_stock: [{ sku: 'TEA', requested: 11, available: 10 }] },
  });
  const reserved = async () => (await caller.get(`/api/v1/products/${productId}`)).body.product.reserved;
  expect(await reserved()).toBe(0);
  expect(await place(created.id)).toMatchObject({ status: 409, body: { short: [{ sku: 'TEA' }] } });
  await caller.patch(url, { items: [{ sku: 'TEA', quantity: 3 }] });
  const placed = await place(created.id);
  expect(placed).toMatchObject({
    status: 201,
    body: {
      order: {
        order_number: '1001',
        customer_id: created.customer_id,
        total: '35.00',
        shipping_address: address,
        contact: { first_name: 'Asha', phone: asha.phone },
        note: 'By phone',
      },
    },
  });
  expect(await reserved()).toBe(3);
  expect(await read(created.id)).toMatchObject({ order_id: placed.body.order.id });
  expect(await caller.patch(url, { note: null })).toMatchObject({
    status: 409,
    body: { code: 'orders.draft_placed' },
  });
  expect((await caller.delete(url)).status).toBe(200);
  expect(await caller.get(url)).toMatchObject({ status: 404, body: { code: 'orders.draft_not_found' } });
  expect((await caller.get(`/api/v1/orders/${placed.body.order.id}`)).status).toBe(200);
});

test('16 who place a draft at once get the same order', { timeout: 60_000 }, async () => {
  const { product, draft, place, count } = await shop();
  await product();
  for (const customer of [asha, {}]) {
    const before = (await count('orders')) ?? 0;
    const { id } = await draft({ customer });
    const answers = await Promise.all(Array.from({ length: 16 }, () => place(id)));
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 16 }, () => 201));
    expect(new Set(answers.map(({ body }) => body.order.id)).size).toBe(1);
    expect(await count('orders')).toBe(before + 1);
  }
  expect(await count('customers')).toBe(2);
});

test('what is wrong with a new draft is reported, and what becomes wrong later is shown', async () => {
  const { caller, product, draft, read, place, count } = await shop();
  const { id: productId } = await product();
  await product({ sku: 'CUP', title: 'Cup' });
  const bad: [object, string][] = [
    [{ items: [] }, 'items'],
    [{ items: [{ sku: 'NONE', quantity: 1 }] }, 'items.0.sku'],
    [{ items: [{ sku: 'TEA', quantity: 1 }], customer: { phone: '12' } }, 'customer.phone'],
    [{ items: [{ sku: 'TEA', quantity: 1 }], customer_id: randomUUID() }, 'customer.id'],
  ];
  for (const [body, field] of bad) {
    const refused = await caller.post(path, body);
    expect(refused).toMatchObject({ status: 422, body: { errors: { [field]: [expect.any(String)] } } });
  }
  expect([await count('draft_orders'), await count('customers')]).toEqual([0, 0]);

  const created = await draft({ discount_codes: ['GONE'] });
  expect(created.problems).toMatchObject([{ field: 'discount_codes', code: 'unknown' }]);
  await caller.delete(`/api/v1/products/${productId}`);
  expect(await read(created.id)).toMatchObject({
    total: '20.00',
    preview: null,
    problems: [{ field: 'items.0.sku', message: expect.stringContaining('TEA') }],
  });
  expect(await place(created.id)).toMatchObject({
    status: 422,
    body: { errors: { 'items.0.sku': expect.any(Array) } },
  });
  expect(await count('orders')).toBe(0);
});

test('drafts are listed, open or placed, and of a customer', async () => {
  const { caller, product, draft, place } = await shop();
  await product();
  const [first, second] = [await draft(), await draft({ customer: {} })];
  await place(first.id);
  const listed = async (query: string) => {
    const { draft_orders } = (await caller.get(`${path}?${query}`)).body;
    return draft_orders.map(({ id }: { id: string }) => id);
  };
  expect(await listed('')).toEqual([second.id, first.id]);
  expect(await listed('is_placed=false')).toEqual([second.id]);
  expect(await listed(`customer_id=${first.customer_id}`)).toEqual([first.id]);
  expect(second).toMatchObject({ customer: null, customer_id: null });
});

test('drafts are found by words in items, note and customer', async () => {
  const { caller, draft } = await shop();
  const items = [{ name: 'Brass lamp “Diya”', quantity: 1, price: 5 }];
  const lamp = await draft({ items, note: 'Before Diwali' });
  const tea = await draft({ items: [{ name: 'चाय', sku: 'TEA-250', quantity: 1, price: 5 }], customer: {} });
  const found = async (text: string) => {
    const { status, body } = await caller.get(`${path}?search=${encodeURIComponent(text)}`);
    expect(status).toBe(200);
    return body.draft_orders.map(({ id }: { id: string }) => id);
  };
  for (const text of ['lamp', 'DIWALI', 'brass diwali', 'rao', 'asha@example.com']) {
    expect([text, await found(text)]).toEqual([text, [lamp.id]]);
  }
  for (const text of ['tea-250', 'चाय']) expect([text, await found(text)]).toEqual([text, [tea.id]]);
  for (const text of ['lamp tea', 'quantity', '%', "'; --"]) expect([text, await found(text)]).toEqual([text, []]);
  expect(await found(' ')).toEqual([tea.id, lamp.id]);
});

test('phones and street lines are hidden without customers.view_sensitive, and kept', async () => {
  const { tenant, product, draft, read } = await shop();
  await product();
  const { id } = await draft({ shipping_address: address });
  const agent = tenant.caller('orders.view', 'orders.create');
  const seen = (await agent.get(`${path}/${id}`)).body.draft_order;
  expect(seen).toMatchObject({
    customer: { phone: '+**********10' },
    input: { shipping_address: { address1: null, city: 'Pune' } },
  });
  expect(JSON.stringify((await agent.get(path)).body)).not.toContain('Hill Road');
  const changed = { shipping_address: { ...seen.input.shipping_address, city: 'Mumbai' } };
  expect((await agent.patch(`${path}/${id}`, changed)).status).toBe(200);
  expect(await read(id)).toMatchObject({ input: { shipping_address: { address1: '5 Hill Road', city: 'Mumbai' } } });
});

test('merging moves drafts, changing the customer moves one, and erasing deletes them', async () => {
  const { caller, product, draft, read, place, count } = await shop();
  await product();
  const first = await draft();
  const second = await draft({ customer: { first_name: 'Asha', email: 'other@example.com' } });
  const merged = await caller.post('/api/v1/customers/merge', {
    primary_id: first.customer_id,
    secondary_id: second.customer_id,
  });
  expect(merged).toMatchObject({ status: 200 });
  expect(await read(second.id)).toMatchObject({ customer_id: first.customer_id });
  expect((await place(second.id)).body.order).toMatchObject({ customer_id: first.customer_id });
  const third = await draft();
  const moved = await caller.patch(`${path}/${third.id}`, { customer: { email: 'meera@example.com' } });
  expect(moved.body.draft_order).toMatchObject({ customer: { email: 'meera@example.com' } });
  await caller.delete(`/api/v1/customers/${first.customer_id}?mode=anonymize`);
  expect(await count('draft_orders')).toBe(1);
  expect(await read(third.id)).toMatchObject({ customer: { email: 'meera@example.com' } });
});
