import { raw, sql } from '@chowk/kit';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { startPlatform, type TestCaller, type TestTenant } from '../../server/testing/platform.ts';

const platform = await startPlatform();
const permissions = [
  ...['view', 'create', 'edit', 'cancel', 'refund', 'delete'].map((verb) => `orders.${verb}`),
  ...['view', 'create', 'edit'].map((verb) => `products.${verb}`),
  'settings.view',
  'settings.edit',
  'customers.view_sensitive',
];

async function shop() {
  const tenant = await platform.tenant();
  const caller = tenant.caller(...permissions);
  const product = async (fields: object = {}) => {
    const { status, body } = await caller.post('/api/v1/products', {
      sku: 'TEA',
      title: 'Tea',
      price: '10.00',
      stock: 10,
      ...fields,
    });
    expect({ status, body }).toMatchObject({ status: 201 });
    return body.product;
  };
  const place = (items: object[], fields: object = {}) => caller.post('/api/v1/orders', { items, ...fields });
  const order = async (items: object[], fields: object = {}) => {
    const { status, body } = await place(items, fields);
    expect({ status, body }).toMatchObject({ status: 201 });
    return body.order;
  };
  const stock = async (sku = 'TEA') => {
    const { body } = await caller.get(`/api/v1/variants?sku=${sku}`);
    const [{ stock, reserved, available }] = body.variants;
    return { stock, reserved, available };
  };
  return { tenant, caller, product, place, order, stock };
}
/** A hash of the rows of each table of the modules. */
async function tableContents({ db }: TestTenant): Promise<Record<string, string>> {
  const tables = await db.rows<{ name: string }>(sql`
    SELECT table_name::text AS name FROM information_schema.tables
    WHERE table_schema = 'public' AND table_type = 'BASE TABLE' AND table_name NOT IN ('module_bus_audit_log', 'request_log')`);
  const hashes = await Promise.all(
    tables.map(async ({ name }) => {
      const row = await db.row<{ hash: string }>(
        sql`SELECT coalesce(md5(string_agg(t::text, '|' ORDER BY t::text)), '') AS hash FROM ${raw(name)} t`,
      );
      return [name, row?.hash ?? ''] as const;
    }),
  );
  return Object.fromEntries(hashes);
}

const setStatus = (caller: TestCaller, id: string, status: string) =>
  caller.post(`/api/v1/orders/${id}/status`, { status });

test('an item takes name and price of its variant and reserves it', async () => {
  const { product, order, stock, caller } = await shop();
  const { id, variants } = await product();
  const placed = await order([{ sku: 'tea', quantity: 3 }]);
  expect(placed).toMatchObject({
    total: '30.00',
    subtotal: '30.00',
    due_total: '30.00',
    payment_status: 'unpaid',
    track_stock: true,
    items: [{ name: 'Tea', sku: 'TEA', price: '10.00', variant_id: variants[0].id, product_id: id, total: '30.00' }],
  });
  expect(await stock()).toEqual({ stock: 10, reserved: 3, available: 7 });
  const { body } = await caller.get(`/api/v1/products/${id}/movements`);
  expect(body.movements[0]).toMatchObject({
    order_id: placed.id,
    reference: placed.order_number,
    reserved_change: 3,
    reason: 'reserved',
  });
});

test.each([
  ['shipped', { stock: 7, reserved: 0, available: 7 }],
  ['delivered', { stock: 7, reserved: 0, available: 7 }],
  ['confirmed', { stock: 10, reserved: 3, available: 7 }],
  ['cancelled', { stock: 10, reserved: 0, available: 10 }],
  ['failed', { stock: 10, reserved: 0, available: 10 }],
])('the stock follows the status %s, also of a new order', async (status, expected) => {
  const { product, order, stock, caller } = await shop();
  await product();
  const placed = await order([{ sku: 'TEA', quantity: 3 }]);
  expect((await setStatus(caller, placed.id, status)).status).toBe(200);
  expect(await stock()).toEqual(expected);
  await caller.delete(`/api/v1/orders/${placed.id}`);
  await product({ sku: 'CUP', title: 'Cup' });
  await order([{ sku: 'CUP', quantity: 3 }], { status });
  expect(await stock('CUP')).toEqual(expected);
});

test('a failed order that is taken up again reserves again, if there is enough', async () => {
  const { product, order, stock, caller } = await shop();
  await product();
  const placed = await order([{ sku: 'TEA', quantity: 6 }]);
  await setStatus(caller, placed.id, 'failed');
  const other = await order([{ sku: 'TEA', quantity: 6 }]);
  const refused = await setStatus(caller, placed.id, 'pending');
  expect(refused).toMatchObject({ status: 409, body: { short: [{ sku: 'TEA', requested: 6, available: 4 }] } });
  await setStatus(caller, other.id, 'cancelled');
  expect((await setStatus(caller, placed.id, 'pending')).status).toBe(200);
  expect(await stock()).toMatchObject({ reserved: 6 });
});

test('deleting an open order releases its stock', async () => {
  const { product, order, stock, caller } = await shop();
  await product();
  const placed = await order([{ sku: 'TEA', quantity: 6 }]);
  await caller.delete(`/api/v1/orders/${placed.id}`);
  expect(await stock()).toMatchObject({ stock: 10, reserved: 0 });
});

test('erasing a customer with all orders releases stock and codes of those that are open, and of no others', async () => {
  const { tenant, caller, product, order, stock } = await shop();
  await product();
  await caller.post('/api/v1/discounts', { code: 'TENTH', kind: 'percent', value: '10', usage_limit: 4 });
  const uses = async () => (await tenant.db.row<{ uses: number }>(sql`SELECT uses FROM discounts`))?.uses;
  const fields = { discount_codes: ['TENTH'], customer: { email: 'asha@example.com' } };
  const pending = await order([{ sku: 'TEA', quantity: 2 }], fields);
  const confirmed = await order([{ sku: 'TEA', quantity: 3 }], { ...fields, status: 'confirmed' });
  await order([{ sku: 'TEA', quantity: 1 }], { ...fields, status: 'shipped' });
  await caller.post(`/api/v1/orders/${confirmed.id}/shipments`, {
    items: [{ item_id: confirmed.items[0].id, quantity: 1 }],
  });
  await order([{ sku: 'TEA', quantity: 1 }], { ...fields, customer: { email: 'ravi@example.com' } });
  expect({ ...(await stock()), uses: await uses() }).toEqual({ stock: 8, reserved: 5, available: 3, uses: 4 });
  const url = `/api/v1/customers/${pending.customer_id}?mode=hard`;
  expect((await tenant.caller('customers.delete').delete(url)).status).toBe(200);
  expect({ ...(await stock()), uses: await uses() }).toEqual({ stock: 8, reserved: 1, available: 7, uses: 2 });
});

test('an order for more than there is names each short item and writes nothing', async () => {
  const { tenant, product, place, stock } = await shop();
  await product();
  await product({ sku: 'CUP', title: 'Cup', stock: 1 });
  const refused = await place([
    { sku: 'TEA', quantity: 300 },
    { sku: 'CUP', quantity: 2 },
  ]);
  expect(refused).toMatchObject({
    status: 409,
    body: {
      short: [
        { sku: 'CUP', requested: 2, available: 1 },
        { sku: 'TEA', requested: 300, available: 10 },
      ],
    },
  });
  expect(await stock()).toMatchObject({ reserved: 0 });
  const counts = await tenant.db.row(sql`
    SELECT (SELECT count(*) FROM orders) AS orders, (SELECT count(*) FROM customers) AS customers,
      (SELECT last FROM order_numbers) AS last`);
  expect(counts).toEqual({ orders: 0, customers: 0, last: 1000 });
});

test('an unknown SKU is refused once there are products, unless the order does not track stock', async () => {
  const { product, place } = await shop();
  const free = { name: 'Gift', sku: 'GIFT', quantity: 1, price: 5 };
  expect((await place([free])).status).toBe(201);
  await product();
  expect(await place([{ sku: 'TEA', quantity: 1 }, free])).toMatchObject({
    status: 422,
    body: { errors: { 'items.1.sku': [expect.stringContaining('GIFT')] } },
  });
  expect((await place([{ ...free, sku: null }])).status).toBe(201);
  expect((await place([free], { track_stock: false })).status).toBe(201);
  const unknown = '0190a000-0000-7000-8000-000000000000';
  expect(await place([{ variant_id: unknown, quantity: 1 }])).toMatchObject({
    status: 422,
    body: { errors: { 'items.0.variant_id': [expect.any(String)] } },
  });
  expect(await place([{ quantity: 1 }], { track_stock: false })).toMatchObject({
    status: 422,
    body: { errors: { 'items.0.name': [expect.any(String)], 'items.0.price': [expect.any(String)] } },
  });
});

test.each([
  ['draft', 'is a draft'],
  ['archived', 'is archived'],
])('a product that is %s cannot be ordered, and stays in the orders that have it', async (status, reason) => {
  const { caller, product, place, order, stock } = await shop();
  const tea = await product();
  await product({ sku: 'CUP', title: 'Cup' });
  const older = await order([{ sku: 'TEA', quantity: 1 }]);
  const other = await order([{ sku: 'CUP', quantity: 1 }]);
  expect((await caller.patch(`/api/v1/products/${tea.id}`, { status })).status).toBe(200);
  const message = `Tea (TEA) ${reason} and cannot be ordered. Only active products can.`;
  const items = [
    { sku: 'CUP', quantity: 1 },
    { sku: 'tea', quantity: 1 },
  ];
  const refusal = {
    status: 422,
    body: { errors: { 'items.1.sku': [message] }, error_codes: { 'items.1.sku': ['not_allowed'] } },
  };
  expect(await place(items)).toMatchObject(refusal);
  expect(await place([{ variant_id: tea.variants[0].id, quantity: 1 }])).toMatchObject({
    body: { errors: { 'items.0.variant_id': [message] } },
  });
  const previewed = await caller.post('/api/v1/orders/preview', { items });
  expect(previewed.body.preview).toMatchObject({
    total: '20.00',
    problems: [{ field: 'items.1.sku', code: 'not_for_sale', message }],
  });
  const draft = (await caller.post('/api/v1/draft-orders', { items })).body.draft_order;
  expect(draft.problems).toMatchObject([{ code: 'not_for_sale' }]);
  expect(await caller.post(`/api/v1/draft-orders/${draft.id}/place`)).toMatchObject(refusal);
  expect(await caller.patch(`/api/v1/orders/${other.id}`, { items })).toMatchObject(refusal);
  const edited = await caller.patch(`/api/v1/orders/${older.id}`, { items: [{ sku: 'TEA', quantity: 3 }] });
  expect(edited.body.order).toMatchObject({ total: '30.00' });
  expect(await stock()).toMatchObject({ reserved: 3 });
  // An order that was taken elsewhere.
  expect((await place(items, { track_stock: false })).status).toBe(201);
});

test('a total must agree with items of the catalog, and is free for free text', async () => {
  const { product, place, order } = await shop();
  await product();
  expect(await place([{ sku: 'TEA', quantity: 4 }], { total: 9_999 })).toMatchObject({
    status: 422,
    body: { errors: { total: [expect.stringContaining('40.00')] } },
  });
  expect((await place([{ sku: 'TEA', quantity: 4 }], { total: '40.00' })).status).toBe(201);
  const free = await order([{ name: 'Hamper', quantity: 1, price: 4 }], { total: 10 });
  expect(free).toMatchObject({ subtotal: '4.00', adjustment_total: '6.00', total: '10.00' });
  const less = await order([{ name: 'Hamper', quantity: 1, price: 4 }], { total: '3.50' });
  expect(less).toMatchObject({ adjustment_total: '-0.50', total: '3.50' });
});

test('discounts, shipping and taxes are calculated by the rules and stored with their breakdown', async () => {
  const { caller, product, order, place } = await shop();
  await product();
  for (const name of ['CGST', 'SGST']) {
    const { status } = await caller.post('/api/v1/tax-rates', { name, country: 'IN', rate: '9' });
    expect(status).toBe(201);
  }
  const code = { code: 'TENTH', kind: 'percent', value: '10', usage_limit: 1 };
  expect((await caller.post('/api/v1/discounts', code)).status).toBe(201);
  const fields = { discount_codes: ['tenth'], shipping: { title: 'Courier', price: 50 } };
  const cart = { items: [{ sku: 'TEA', quantity: 10 }], ...fields };
  const preview = (await caller.post('/api/v1/orders/preview', cart)).body.preview;
  const placed = await order(cart.items, fields);
  const expected = {
    subtotal: '100.00',
    discount_total: '10.00',
    discounts: [{ source: 'code', code: 'TENTH', amount: '10.00' }],
    shipping_total: '50.00',
    shipping: { title: 'Courier', price: '50.00' },
    tax_total: '25.20',
    taxes: [
      { name: 'CGST', rate: '9.00', amount: '12.60' },
      { name: 'SGST', rate: '9.00', amount: '12.60' },
    ],
    total: '165.20',
  };
  expect(preview).toMatchObject({ ...expected, out_of_stock: [], problems: [] });
  expect(placed).toMatchObject({ ...expected, adjustment_total: '0.00', discount_codes: ['tenth'] });
  // The code is used up; cancelling the order gives it back.
  expect(await place(cart.items, { ...fields, track_stock: false })).toMatchObject({
    status: 422,
    body: { errors: { discount_codes: [expect.any(String)] } },
  });
  await setStatus(caller, placed.id, 'cancelled');
  expect((await place(cart.items, fields)).status).toBe(201);
});

test('editing a failed order does not count its code, and taking it up again does', async () => {
  const { tenant, caller, product, order } = await shop();
  await product();
  await caller.post('/api/v1/discounts', { code: 'TENTH', kind: 'percent', value: '10' });
  const { id } = await order([{ sku: 'TEA', quantity: 2 }], { discount_codes: ['TENTH'] });
  const uses = async () => (await tenant.db.row<{ uses: number }>(sql`SELECT uses FROM discounts`))?.uses;
  await setStatus(caller, id, 'failed');
  const edited = await caller.patch(`/api/v1/orders/${id}`, { items: [{ sku: 'TEA', quantity: 3 }] });
  expect({ total: edited.body.order.total, uses: await uses() }).toEqual({ total: '27.00', uses: 0 });
  await setStatus(caller, id, 'pending');
  expect(await uses()).toBe(1);
});

test('a code that has ended stays available to the orders that use it, also to change their items', async () => {
  const { tenant, caller, product, order, place } = await shop();
  await product();
  const { body } = await caller.post('/api/v1/discounts', { code: 'DIWALI', kind: 'percent', value: '10' });
  const path = `/api/v1/discounts/${body.discount.id}`;
  const fields = { discount_codes: ['DIWALI'] };
  const { id } = await order([{ sku: 'TEA', quantity: 2 }], fields);
  const edit = (quantity: number) => caller.patch(`/api/v1/orders/${id}`, { items: [{ sku: 'TEA', quantity }] });
  const [past, future] = ['2020-01-01T00:00:00Z', '2999-01-01T00:00:00Z'];
  let quantity = 2;
  for (const changes of [
    { starts_at: past, ends_at: past.replace('01-01', '02-01') },
    { starts_at: future, ends_at: null },
    { starts_at: null, is_active: false },
    { is_active: true, usage_limit: 1, once_per_customer: true },
  ]) {
    expect((await caller.patch(path, changes)).status).toBe(200);
    quantity += 1;
    expect((await edit(quantity)).body.order).toMatchObject({
      discount_codes: ['DIWALI'],
      subtotal: `${quantity * 10}.00`,
      total: `${quantity * 9}.00`,
    });
    expect((await place([{ sku: 'TEA', quantity: 1 }], fields)).status).toBe(422);
  }
  expect(await tenant.db.rows(sql`SELECT uses FROM discounts`)).toEqual([{ uses: 1 }]);
});

test('a code or a shipping rate that an edit loses is a problem that says how to save without it', async () => {
  const { caller, product, order } = await shop();
  await product();
  const discount = { code: 'BULK', kind: 'percent', value: '10', minimum_subtotal: '20' };
  const added = (await caller.post('/api/v1/discounts', discount)).body.discount;
  const regions = { title: 'Everywhere', name: 'Everywhere', rest_of_world: true };
  const zone = (await caller.post('/api/v1/shipping-zones', regions)).body.shipping_zone;
  const rate = { zone_id: zone.id, name: 'Courier', price: '5' };
  const shipping_rate_id = (await caller.post('/api/v1/shipping-rates', rate)).body.shipping_rate.id;
  const placed = await order([{ sku: 'TEA', quantity: 3 }], { discount_codes: ['BULK'], shipping_rate_id });
  expect(placed.total).toBe('32.00');
  const url = `/api/v1/orders/${placed.id}`;
  const items = [{ sku: 'TEA', quantity: 1 }];
  const refused = await caller.patch(url, { items });
  expect(refused).toMatchObject({
    status: 422,
    body: {
      errors: {
        discount_codes: [
          'The discount code BULK needs a subtotal of at least 20.00. Remove the code to save the order without its discount.',
        ],
      },
    },
  });
  expect((await caller.post(`${url}/preview`, { items })).body.errors).toEqual(refused.body.errors);
  await caller.delete(`/api/v1/discounts/${added.id}`);
  await caller.delete(`/api/v1/shipping-rates/${shipping_rate_id}`);
  expect((await caller.patch(url, { items })).body.errors).toEqual({
    discount_codes: ['There is no discount code BULK. Remove the code to save the order without its discount.'],
    shipping_rate_id: [
      'The shipping rate is not available for this address, weight or total. Choose another rate, or set a price for the shipping.',
    ],
  });
  const choices = { discount_codes: [], shipping_rate_id: null, shipping: { title: 'Courier', price: '5.00' } };
  const saved = (await caller.patch(url, { items, ...choices })).body.order;
  expect(saved).toMatchObject({ discount_codes: [], discounts: [], shipping_total: '5.00', total: '15.00' });
});

test('a discount of collections reduces the items that are in them, chosen or by a rule', async () => {
  const { caller, product, order, place } = await shop();
  const tea = await product();
  await product({ sku: 'CUP', title: 'Cup', price: 20, tags: ['Clay'] });
  await product({ sku: 'TRAY', title: 'Tray', price: 30 });
  const discount = async (code: string, collection: object) => {
    const { body } = await caller.post('/api/v1/collections', { title: code, ...collection });
    const target_ids = [body.collection.id];
    const fields = { code, kind: 'percent', value: 10, applies_to: 'collections', target_ids, combines: true };
    expect((await caller.post('/api/v1/discounts', fields)).status).toBe(201);
  };
  await discount('CHOSEN', { products: [tea.id] });
  await discount('CLAY', { rule: { conditions: [{ field: 'tag', operator: 'is', value: 'Clay' }] } });
  await discount('EMPTY', {});
  const items = ['TEA', 'CUP', 'TRAY'].map((sku) => ({ sku, quantity: 1 }));
  const codes = { discount_codes: ['CHOSEN', 'CLAY'] };
  const expected = {
    discount_total: '3.00',
    total: '57.00',
    items: [{ discount_total: '1.00' }, { discount_total: '2.00' }, { discount_total: '0.00' }],
  };
  const preview = await caller.post('/api/v1/orders/preview', { items, ...codes });
  expect(preview.body.preview).toMatchObject({ ...expected, problems: [] });
  const placed = await order(items, codes);
  expect(placed).toMatchObject(expected);
  // An edit is priced with the collections of the time.
  const edited = await caller.patch(`/api/v1/orders/${placed.id}`, { items: [...items, { sku: 'CUP', quantity: 2 }] });
  expect(edited.body.order).toMatchObject({ discount_total: '7.00', total: '93.00' });
  expect(await place(items, { discount_codes: ['EMPTY'] })).toMatchObject({
    status: 422,
    body: { errors: { discount_codes: [expect.any(String)] } },
  });
});

test('an order that was priced elsewhere keeps its amounts', async () => {
  const { order, place } = await shop();
  const items = [{ name: 'Hamper', quantity: 2, price: 50 }];
  const amounts = { discount_total: 10, shipping_total: 5, tax_total: '9.50' };
  expect(await order(items, amounts)).toMatchObject({
    discount_total: '10.00',
    shipping_total: '5.00',
    tax_total: '9.50',
    total: '104.50',
    adjustment_total: '0.00',
    taxes: [{ name: 'Tax', rate: null, amount: '9.50' }],
  });
  expect(await place(items, { discount_total: 500 })).toMatchObject({
    status: 422,
    body: { errors: { discount_total: [expect.any(String)] } },
  });
  expect(await place(items, { tax_total: '9.505' })).toMatchObject({
    status: 422,
    body: { errors: { tax_total: [expect.any(String)] } },
  });
});

test('discounts and shipping of the order have default titles', async () => {
  const { order } = await shop();
  const fields = { discounts: [{ kind: 'percent', value: '10' }], shipping: { price: '50' } };
  expect(await order([{ name: 'Hamper', quantity: 1, price: 100 }], fields)).toMatchObject({
    total: '140.00',
    discounts: [{ source: 'manual', title: 'Discount', amount: '10.00' }],
    shipping: { title: 'Shipping', price: '50.00' },
  });
});

test('a preview writes no row, and says what is out of stock', async () => {
  const { tenant, caller, product } = await shop();
  await product();
  await caller.post('/api/v1/discounts', { code: 'TENTH', kind: 'percent', value: '10', usage_limit: 1 });
  const customer = { first_name: 'Asha', email: 'new@example.com' };
  const before = await tableContents(tenant);
  const priced = await caller.post('/api/v1/orders/preview', {
    items: [{ sku: 'TEA', quantity: 2 }],
    discount_codes: ['TENTH'],
    payments: [{ method: 'cash' }],
    external_ids: { shopify: '5001' },
    customer,
  });
  expect(priced.body.preview).toMatchObject({ total: '18.00', problems: [] });
  const items = [
    { sku: 'TEA', quantity: 8 },
    { sku: 'TEA', quantity: 3 },
  ];
  const { status, body } = await caller.post('/api/v1/orders/preview', { items, discount_codes: ['NONE'] });
  expect(status).toBe(200);
  expect(body.preview).toMatchObject({
    total: '110.00',
    out_of_stock: [{ sku: 'TEA', requested: 11, available: 10 }],
    problems: [{ field: 'discount_codes', code: 'unknown' }],
  });
  expect(await tableContents(tenant)).toEqual(before);
  // What is compared includes what an order writes.
  await caller.post('/api/v1/orders', { items: [{ sku: 'TEA', quantity: 2 }], discount_codes: ['TENTH'], customer });
  const after = await tableContents(tenant);
  const changed = Object.keys(after).filter((table) => after[table] !== before[table]);
  expect(changed).toEqual(
    expect.arrayContaining(['customers', 'discounts', 'discount_redemptions', 'order_numbers', 'orders', 'products']),
  );
});

test('edited items keep their ids and what they reserve follows', async () => {
  const { caller, product, order, stock } = await shop();
  await product();
  await product({ sku: 'CUP', title: 'Cup', price: 5 });
  const placed = await order([
    { sku: 'TEA', quantity: 2 },
    { sku: 'CUP', quantity: 1 },
  ]);
  const [tea] = placed.items;
  const patch = (changes: object) => caller.patch(`/api/v1/orders/${placed.id}`, changes);
  const { body } = await patch({
    items: [
      { id: tea.id, quantity: 4 },
      { name: 'Card', quantity: 1, price: 1 },
    ],
  });
  expect(body.order).toMatchObject({
    total: '41.00',
    items: [
      { id: tea.id, sku: 'TEA', quantity: 4, price: '10.00' },
      { name: 'Card', variant_id: null },
    ],
  });
  expect(await stock()).toMatchObject({ reserved: 4 });
  expect(await stock('CUP')).toMatchObject({ reserved: 0 });
  expect(await patch({ items: [{ sku: 'TEA', quantity: 11 }] })).toMatchObject({ status: 409 });
  expect(await stock()).toMatchObject({ reserved: 4 });
  expect(await patch({ total: 5 })).toMatchObject({ status: 422, body: { errors: { total: [expect.any(String)] } } });
});

test('external ids are unique, metadata is replaced, contact and billing address are kept', async () => {
  const { order, place, caller } = await shop();
  const items = [{ name: 'Hamper', quantity: 1, price: 5 }];
  const placed = await order(items, {
    external_ids: { shopify: '5001' },
    metadata: { source: 'instagram' },
    billing_address: { city: 'Pune' },
    customer: { first_name: 'Asha', phone: '98765 43210' },
  });
  expect(placed).toMatchObject({
    external_ids: { shopify: '5001' },
    metadata: { source: 'instagram' },
    billing_address: { city: 'Pune' },
    contact: { first_name: 'Asha', phone: '+919876543210', email: null },
  });
  expect(await place(items, { external_ids: { shopify: '5001' } })).toMatchObject({
    status: 422,
    body: { errors: { external_ids: [expect.any(String)] } },
  });
  const { body } = await caller.get('/api/v1/orders?external_id=shopify:5001');
  expect(body.orders.map(({ id }: { id: string }) => id)).toEqual([placed.id]);
  await caller.delete(`/api/v1/orders/${placed.id}`);
  expect((await place(items, { external_ids: { shopify: '5001' } })).status).toBe(201);
});

test('32 buyers of the last item: one order', { timeout: 60_000 }, async () => {
  const { product, place, stock } = await shop();
  await product({ stock: 1 });
  const answers = await Promise.all(Array.from({ length: 32 }, () => place([{ sku: 'TEA', quantity: 1 }])));
  expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array.from({ length: 31 }, () => 409)]);
  expect(await stock()).toEqual({ stock: 1, reserved: 1, available: 0 });
});

test('amounts have the decimals of their currency', async () => {
  const { order, place, caller } = await shop();
  const items = [{ name: 'Oud', quantity: 3, price: '1.235' }];
  expect(await order(items, { currency: 'KWD' })).toMatchObject({ total: '3.705', items: [{ price: '1.235' }] });
  const whole = [{ name: 'Oud', quantity: 3, price: '1.23' }];
  expect(await order(whole, { currency: 'EUR' })).toMatchObject({ total: '3.69' });
  expect(await place(items, { currency: 'EUR' })).toMatchObject({
    status: 422,
    body: { errors: { 'items.0.price': ['An amount in EUR has at most 2 decimals.'] } },
  });
  const yen = { price: '400.00', quantity: 1, name: 'Oud' };
  const discount = { kind: 'fixed', value: '0.5' };
  const wrong = ['An amount in JPY has no decimals.'];
  const choices = {
    currency: 'JPY',
    discounts: [discount],
    shipping: { price: '10.5' },
    payments: [{ method: 'cash', amount: '1.5' }],
  };
  expect(await place([{ ...yen, price: '1.2', discount }], choices)).toMatchObject({
    status: 422,
    body: {
      errors: {
        'items.0.price': wrong,
        'items.0.discount.value': wrong,
        'discounts.0.value': wrong,
        'shipping.price': wrong,
      },
    },
  });
  expect(await place([yen], { currency: 'JPY', payments: [{ method: 'cash', amount: '1.5' }] })).toMatchObject({
    status: 422,
    body: { errors: { 'payments.0.amount': wrong } },
  });
  // Responses have two decimals: they can be sent back.
  const { id } = await order([yen], { currency: 'JPY', payments: [{ method: 'cash', amount: '400.00' }] });
  expect(await caller.post(`/api/v1/orders/${id}/refund`, { amount: '100.25' })).toMatchObject({
    status: 422,
    body: { errors: { amount: wrong } },
  });
  expect((await caller.post(`/api/v1/orders/${id}/refund`, { amount: '100.00' })).status).toBe(200);
});

test('stock equals its movements, and amounts add up, after any history of orders', { timeout: 120_000 }, async () => {
  const { tenant, caller, product, place, stock } = await shop();
  await product({ stock: 30, price: '9.99' });
  for (const name of ['CGST', 'SGST']) await caller.post('/api/v1/tax-rates', { name, country: 'IN', rate: '9' });
  const choices = { discounts: [{ kind: 'percent', value: '12.5' }], shipping: { price: '3.33' } };
  const Step = fc.oneof(
    fc.record({ kind: fc.constant('place' as const), quantity: fc.integer({ min: 1, max: 12 }) }),
    fc.record({ kind: fc.constant('edit' as const), at: fc.nat(9), quantity: fc.integer({ min: 1, max: 12 }) }),
    fc.record({
      kind: fc.constant('status' as const),
      at: fc.nat(9),
      status: fc.constantFrom('confirmed', 'shipped', 'cancelled', 'failed', 'pending', 'delivered'),
    }),
    fc.record({ kind: fc.constant('pay' as const), at: fc.nat(9), amount: fc.integer({ min: 1, max: 40 }) }),
    fc.record({ kind: fc.constant('refund' as const), at: fc.nat(9), amount: fc.integer({ min: 1, max: 40 }) }),
    fc.record({ kind: fc.constant('delete' as const), at: fc.nat(9) }),
  );
  const orders: string[] = [];
  await fc.assert(
    fc.asyncProperty(fc.array(Step, { maxLength: 12 }), async (steps) => {
      for (const step of steps) {
        if (step.kind === 'place') {
          const { status, body } = await place([{ sku: 'TEA', quantity: step.quantity }], choices);
          expect([201, 409]).toContain(status);
          if (status === 201) orders.push(body.order.id);
          continue;
        }
        const id = orders.at(-1 - step.at);
        if (id === undefined) continue;
        const url = `/api/v1/orders/${id}`;
        const answer = await (step.kind === 'edit'
          ? caller.patch(url, { items: [{ sku: 'TEA', quantity: step.quantity }] })
          : step.kind === 'status'
            ? setStatus(caller, id, step.status)
            : step.kind === 'pay'
              ? caller.post(`${url}/payments`, { method: 'cash', amount: step.amount })
              : step.kind === 'refund'
                ? caller.post(`${url}/refund`, { amount: step.amount })
                : caller.delete(url));
        expect([200, 201, 404, 409, 422]).toContain(answer.status);
      }
      const { held, moved, open } = (await tenant.db.row(sql`
        SELECT (SELECT sum(quantity - committed) FROM order_stock)::integer AS held,
          (SELECT json_build_object('stock', sum(change), 'reserved', sum(reserved_change)) FROM stock_movements) AS moved,
          (SELECT coalesce(sum(i.quantity), 0) FROM orders o JOIN order_items i ON i.order_id = o.id
            WHERE o.deleted_at IS NULL AND o.status IN ('pending', 'confirmed', 'processing'))::integer AS open`)) as {
        held: number | null;
        moved: { stock: number; reserved: number };
        open: number;
      };
      const now = await stock();
      expect(moved).toEqual({ stock: now.stock, reserved: now.reserved });
      expect({ held: held ?? 0, open }).toEqual({ held: now.reserved, open: now.reserved });
      expect(now.available).toBeGreaterThanOrEqual(0);
      expect(await listWrongAmounts(tenant)).toEqual([]);
      for (const { total, paid_total, due_total } of (await caller.get('/api/v1/orders?per_page=100')).body.orders) {
        expect(Number(due_total)).toBeCloseTo(Math.max(Number(total) - Number(paid_total), 0), 2);
      }
    }),
    { numRuns: 15 },
  );
});

/** Stored orders whose amounts differ from the sums of their items, shipping, payments and refunds. */
function listWrongAmounts({ db }: TestTenant) {
  return db.rows(sql`
    SELECT o.*, i.*, p.*, r.* FROM orders o,
      LATERAL (SELECT (o.shipping->>'price')::numeric AS price, (o.shipping->>'tax_total')::numeric AS tax) s,
      LATERAL (SELECT sum(subtotal) AS subtotals, sum(discount_total) AS discounts, sum(tax_total) AS taxes,
        sum(total) AS totals FROM order_items WHERE order_id = o.id) i,
      LATERAL (SELECT coalesce(sum(amount - excess), 0) AS paid FROM order_payments
        WHERE order_id = o.id AND status = 'succeeded') p,
      LATERAL (SELECT coalesce(sum(amount - excess), 0) AS refunded FROM order_refunds
        WHERE order_id = o.id AND status <> 'failed') r
    WHERE o.total <> o.subtotal - o.discount_total + o.shipping_total + o.tax_total
      OR (o.subtotal, o.discount_total, o.shipping_total, o.tax_total, o.total)
        <> (i.subtotals, i.discounts, s.price, i.taxes + s.tax, i.totals + s.price + s.tax)
      OR (o.paid_total, o.refunded_total) <> (p.paid, r.refunded)
      OR o.paid_total > o.total OR o.refunded_total > o.paid_total`);
}
