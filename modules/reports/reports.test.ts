import { sql } from '@chowk/kit';
import { expect, test } from 'vitest';
import { startPlatform } from '../../server/testing/platform.ts';

const now = new Date('2026-03-10T10:00:00Z');
const platform = await startPlatform({ now: () => now });
const permissions = [
  ...['view', 'create', 'edit', 'cancel', 'refund', 'delete'].map((verb) => `orders.${verb}`),
  ...['view', 'create', 'edit'].map((verb) => `products.${verb}`),
  'settings.edit',
  'reports.view',
];

/** With a tax of two parts, a shipping rate, two codes and a product in two sizes. */
async function shop(settings: object = {}) {
  const tenant = await platform.tenant();
  const caller = tenant.caller(...permissions);
  const send = async (path: string, body: object) => {
    const answer = await caller.post(`/api/v1${path}`, body);
    expect(answer).toMatchObject({ status: 201 });
    return answer.body;
  };
  await caller.patch('/api/v1/settings', {
    'general.timezone': 'Asia/Kolkata',
    'general.currency': 'INR',
    ...settings,
  });
  const { product } = await send('/products', {
    sku: 'TEA',
    title: 'Tea',
    price: '100',
    options: [{ name: 'Size', values: ['S', 'L'] }],
    variants: [
      { sku: 'TEA-S', price: '100', stock: 50, options: { Size: 'S' } },
      { sku: 'TEA-L', price: '200', stock: 3, options: { Size: 'L' } },
    ],
  });
  for (const name of ['CGST', 'SGST']) await send('/tax-rates', { name, country: 'IN', rate: 9 });
  const { discount } = await send('/discounts', { code: 'TEN', title: 'Ten percent', kind: 'percent', value: 10 });
  const order = async (items: object[], fields: object = {}) =>
    (await send('/orders', { items, status: 'confirmed', shipping_address: { country: 'IN' }, ...fields })).order;
  const read = async (path: string) => {
    const answer = await caller.get(`/api/v1/reports/${path}`);
    expect(answer).toMatchObject({ status: 200 });
    return answer.body;
  };
  return { tenant, caller, product, discount, order, read, send };
}

const shipping = { shipping: { title: 'Post', price: '50' } };

test('sales by day, product, variant and discount, with the taxes of the same orders', async () => {
  const { order, read, product, discount } = await shop();
  // 200 - 20 = 180 and 18 % of it, 50 for shipping and 18 % of it: 271.40.
  await order([{ sku: 'TEA-S', quantity: 2 }], { discount_codes: ['TEN'], ...shipping });
  // 100 + 200 and 18 %: 354.00.
  await order([
    { sku: 'TEA-S', quantity: 1 },
    { sku: 'TEA-L', quantity: 1 },
  ]);
  await order([{ sku: 'TEA-L', quantity: 1 }], { status: 'pending' });
  const totals = {
    orders: 2,
    units: 4,
    revenue: '625.40',
    discounts: '20.00',
    refunded: '0.00',
    taxes: '95.40',
    shipping: '50.00',
    net_revenue: '480.00',
  };
  const byDay = await read('sales?from=2026-03-09&to=2026-03-10');
  expect(byDay).toEqual({
    group_by: 'day',
    from: '2026-03-09',
    to: '2026-03-10',
    timezone: 'Asia/Kolkata',
    currency: 'INR',
    other_currencies: [],
    totals,
    rows: [
      {
        key: '2026-03-09',
        name: '',
        code: null,
        orders: 0,
        units: 0,
        revenue: '0.00',
        discounts: '0.00',
        refunded: '0.00',
        taxes: '0.00',
        shipping: '0.00',
        net_revenue: '0.00',
      },
      { key: '2026-03-10', name: '', code: null, ...totals },
    ],
    pagination: { current_page: 1, last_page: 1, per_page: 2, total: 2 },
  });
  const byProduct = await read('sales?group_by=product');
  expect(byProduct).toMatchObject({
    totals,
    rows: [
      {
        key: product.id,
        name: 'Tea',
        code: null,
        orders: 2,
        units: 4,
        revenue: '566.40',
        discounts: '20.00',
        taxes: '86.40',
        shipping: '0.00',
        net_revenue: '480.00',
      },
    ],
    pagination: { total: 1 },
  });
  const byVariant = await read('sales?group_by=variant&sort_by=units');
  expect(byVariant.rows).toMatchObject([
    { key: product.variants[0].id, name: 'Tea, S', code: 'TEA-S', orders: 2, units: 3, revenue: '330.40' },
    { key: product.variants[1].id, name: 'Tea, L', code: 'TEA-L', orders: 1, units: 1, revenue: '236.00' },
  ]);
  expect((await read('sales?group_by=discount')).rows).toMatchObject([
    { key: discount.id, name: 'Ten percent', code: 'TEN', orders: 1, units: 2, revenue: '271.40', discounts: '20.00' },
  ]);
  const tax = { rate: '9.00', orders: 2, taxable: '530.00', tax: '47.70', refunded_tax: '0.00', net_tax: '47.70' };
  expect(await read('taxes')).toMatchObject({
    totals: { tax: '95.40', refunded_tax: '0.00', net_tax: '95.40' },
    taxes: [
      { name: 'CGST', ...tax },
      { name: 'SGST', ...tax },
    ],
  });
});

test('prices that include taxes have the same net revenue as those that do not', async () => {
  const { order, read } = await shop({ 'pricing.prices_include_tax': true });
  await order([{ name: 'Cup', quantity: 1, price: '118' }], { shipping: { title: 'Post', price: '59' } });
  const { totals } = await read('sales');
  expect(totals).toMatchObject({ revenue: '177.00', taxes: '27.00', shipping: '50.00', net_revenue: '100.00' });
  expect((await read('taxes')).taxes).toMatchObject([{ taxable: '150.00' }, { taxable: '150.00' }]);
});

test('a refund reduces net revenue and taxes in proportion, on the day of the order', async () => {
  const { tenant, order, read } = await shop();
  const { id } = await order([{ sku: 'TEA-L', quantity: 1 }], { placed_at: '2026-03-02T10:00:00Z' });
  await read('sales');
  await tenant.db.run(sql`UPDATE orders SET paid_total = total, refunded_total = 59 WHERE id = ${id}`);
  const report = await read('sales?from=2026-03-02&to=2026-03-02');
  expect(report.rows).toMatchObject([{ revenue: '236.00', refunded: '59.00', net_revenue: '150.00' }]);
  expect((await read('sales?group_by=variant')).rows).toMatchObject([{ refunded: '59.00', net_revenue: '150.00' }]);
  expect((await read('taxes')).totals).toEqual({ tax: '36.00', refunded_tax: '9.00', net_tax: '27.00' });
});

test('weeks begin on Monday, and months have only the days of the report', async () => {
  const { order, read } = await shop();
  const items = [{ sku: 'TEA-S', quantity: 1 }];
  // The last hour of Sunday, the first of Monday, and a day before the report.
  await order(items, { placed_at: '2026-03-08T18:29:59Z' });
  await order(items, { placed_at: '2026-03-08T18:30:00Z' });
  await order(items, { placed_at: '2026-02-10T00:00:00Z' });
  const period = 'from=2026-02-20&to=2026-03-10';
  const counts = async (group: string) =>
    (await read(`sales?group_by=${group}&${period}`)).rows.map((row: { key: string; orders: number }) => [
      row.key,
      row.orders,
    ]);
  expect(await counts('week')).toEqual([
    ['2026-02-16', 0],
    ['2026-02-23', 0],
    ['2026-03-02', 1],
    ['2026-03-09', 1],
  ]);
  expect(await counts('month')).toEqual([
    ['2026-02-01', 0],
    ['2026-03-01', 2],
  ]);
});

test('other currencies have reports of their own', async () => {
  const { order, read } = await shop();
  // 18 % of 0.015 in two parts of 0.001.
  await order([{ name: 'Cup', quantity: 3, price: '0.005' }], { currency: 'KWD' });
  expect(await read('sales')).toMatchObject({ currency: 'INR', other_currencies: ['KWD'], totals: { orders: 0 } });
  const { totals, rows, other_currencies } = await read('sales?currency=KWD&group_by=product');
  expect({ totals, rows, other_currencies }).toMatchObject({
    totals: { orders: 1, revenue: '0.017' },
    rows: [{ key: 'name:Cup', name: 'Cup', revenue: '0.017' }],
    other_currencies: [],
  });
});

test('segments are those that the customers are in now', async () => {
  const { caller, order, read } = await shop({ 'customers.vip_order_threshold': 2 });
  const asha = { customer: { email: 'asha@example.com' } };
  await order([{ sku: 'TEA-S', quantity: 1 }], asha);
  const rows = async () => {
    const { rows: all } = await read('sales?group_by=segment');
    return Object.fromEntries(
      all.map((row: { key: string; orders: number; revenue: string }) => [row.key, [row.orders, row.revenue]]),
    );
  };
  const before = { new: [0, '0.00'], loyal: [0, '0.00'], at_risk: [0, '0.00'], marketing: [0, '0.00'] };
  expect(await rows()).toEqual({ ...before, returning: [1, '118.00'], vip: [0, '0.00'] });
  await order([{ sku: 'TEA-S', quantity: 1 }], asha);
  await order([{ sku: 'TEA-S', quantity: 1 }], { customer: { email: 'ravi@example.com' } });
  expect(await rows()).toEqual({ ...before, returning: [3, '354.00'], vip: [2, '236.00'] });
  expect((await caller.get('/api/v1/reports/sales/export?group_by=segment')).body).toContain('vip,VIP,,2,2,236.00');
});

test('products are in pages, sorted', async () => {
  const { order, read } = await shop();
  const items = Array.from({ length: 5 }, (_, index) => ({ name: `Item ${index}`, quantity: index + 1, price: '1' }));
  await order(items, { shipping_address: null });
  const page = await read('sales?group_by=product&sort_by=units&per_page=2&page=2');
  expect(page.rows.map(({ name }: { name: string }) => name)).toEqual(['Item 2', 'Item 1']);
  expect(page.pagination).toEqual({ current_page: 2, last_page: 3, per_page: 2, total: 5 });
  const byName = await read('sales?group_by=product&sort_by=name&sort_order=asc&per_page=1');
  expect(byName.rows).toMatchObject([{ name: 'Item 0' }]);
});

test('the value of the stock, and what is low', async () => {
  const { order, read, caller, product } = await shop();
  await order([{ sku: 'TEA-S', quantity: 2 }]);
  const report = await read('stock');
  expect(report).toMatchObject({
    currency: 'INR',
    totals: { variants: 2, units: 53, value: '5600.00', low: 1, out_of_stock: 0 },
    variants: [
      {
        variant_id: product.variants[0].id,
        title: 'Tea',
        variant_title: 'S',
        sku: 'TEA-S',
        stock: 50,
        reserved: 2,
        value: '5000.00',
      },
      { sku: 'TEA-L', available: 3, value: '600.00', is_low: true },
    ],
    pagination: { total: 2 },
  });
  const low = await read('stock?low_stock=true&sort_by=available&sort_order=asc');
  expect(low).toMatchObject({ totals: { variants: 2 }, variants: [{ sku: 'TEA-L' }], pagination: { total: 1 } });
  const { body: text } = await caller.get('/api/v1/reports/stock/export?low_stock=true');
  expect(text.split('\r\n')).toEqual([
    '\ufeffvariant_id,product_id,title,variant_title,sku,stock,reserved,available,price,value,is_low',
    `${product.variants[1].id},${product.id},Tea,L,TEA-L,3,0,3,200.00,600.00,true`,
    '',
  ]);
});

test('reports are exported as CSV and JSON', async () => {
  const { caller, order } = await shop();
  await order([{ name: '=1+1', quantity: 1, price: '10' }]);
  const { status, body: text, headers } = await caller.get('/api/v1/reports/sales/export?from=2026-03-10');
  expect({ status, disposition: headers['content-disposition'], text }).toEqual({
    status: 200,
    disposition: 'attachment; filename="sales-by-day-2026-03-10.csv"',
    text:
      '\ufeffkey,orders,units,revenue,discounts,refunded,taxes,shipping,net_revenue\r\n' +
      '2026-03-10,1,1,11.80,0.00,0.00,1.80,0.00,10.00\r\n',
  });
  expect((await caller.get('/api/v1/reports/sales/export?group_by=product')).body).toContain(
    `name:=1+1,"'=1+1",,1,1,11.80`,
  );
  const json = await caller.get('/api/v1/reports/taxes/export?format=json');
  expect(json.body).toMatchObject({ taxes: [{ name: 'CGST', tax: '0.90' }, { name: 'SGST' }] });
});

test('wrong periods are refused', async () => {
  const { caller } = await shop();
  const codes = async (query: string) => {
    const { status, body } = await caller.get(`/api/v1/reports/sales?${query}`);
    return [status, body.error_codes];
  };
  expect(await codes('from=2026-03-11')).toEqual([422, { from: ['too_large'] }]);
  expect(await codes('from=2016-03-01')).toEqual([422, { from: ['too_small'] }]);
  expect(await codes('from=2026-02-30')).toEqual([422, { from: ['invalid'] }]);
  expect(await codes('group_by=hour')).toEqual([422, { group_by: ['not_allowed'] }]);
  expect(await codes('to=0001-01-05')).toEqual([200, undefined]);
});

test('without orders and products the reports are empty', async () => {
  const tenant = await platform.tenant();
  for (const module of ['orders', 'products', 'customers']) {
    await platform.kernel.installations.set(tenant.id, module, 'disabled');
  }
  const caller = tenant.caller('reports.view');
  const sales = await caller.get('/api/v1/reports/sales?group_by=product');
  expect(sales).toMatchObject({ status: 200, body: { rows: [], totals: { orders: 0, revenue: '0.00' } } });
  expect((await caller.get('/api/v1/reports/sales?group_by=segment')).body.rows).toEqual([]);
  expect((await caller.get('/api/v1/reports/stock')).body).toMatchObject({ variants: [], totals: { value: '0.00' } });
});

test('a product has its latest name', async () => {
  const { tenant, order, read, product } = await shop();
  await order([{ sku: 'TEA-S', quantity: 1 }], { placed_at: '2026-03-01T10:00:00Z' });
  await read('sales');
  await tenant.db.run(sql`UPDATE products SET title = 'Chai' WHERE id = ${product.id}`);
  await order([{ sku: 'TEA-S', quantity: 1 }]);
  expect((await read('sales?group_by=product')).rows).toMatchObject([{ name: 'Chai', orders: 2 }]);
});
