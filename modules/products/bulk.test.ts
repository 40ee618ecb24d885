import { sql } from '@chowk/kit';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { startPlatform } from '../../server/testing/platform.ts';

const platform = await startPlatform();

async function shop() {
  const tenant = await platform.tenant();
  const caller = tenant.caller('products.view', 'products.create', 'products.edit');
  return {
    tenant,
    caller,
    create: async (fields: object) =>
      (await caller.post('/api/v1/products', { title: 'T', price: 5, ...fields })).body.product,
    all: async () => (await caller.get('/api/v1/products?per_page=100&sort_by=sku&sort_order=asc')).body.products,
    movements: () =>
      tenant.db.rows(
        sql`SELECT change, reason, reference FROM stock_movements WHERE reason <> 'initial' ORDER BY at, id`,
      ),
    stock: (items: object[], mode = 'each') => caller.post('/api/v1/products/stock/bulk', { items, mode }),
    prices: (items: object[], mode = 'each') => caller.post('/api/v1/products/prices/bulk', { items, mode }),
  };
}

test('a product is created by its external id, then updated', async () => {
  const { caller, all } = await shop();
  const url = '/api/v1/products/by-external-id/shopify/7712';
  expect((await caller.put(url, { title: 'Tea' })).body.errors).toEqual({
    price: ['The price is required.'],
    sku: ['The SKU is required.'],
  });
  const created = await caller.put(url, { sku: 'TEA', title: 'Tea', price: 2, external_ids: { erp: '9' } });
  expect(created).toMatchObject({
    status: 201,
    body: { message: 'Product created.', created: true, product: { external_ids: { shopify: '7712', erp: '9' } } },
  });
  const saved = await caller.put(url, { price: '3.00', stock: 4, external_ids: { amazon: '1' } });
  expect(saved).toMatchObject({
    status: 200,
    body: { product: { title: 'Tea', price: '3.00', stock: 4, external_ids: { shopify: '7712', amazon: '1' } } },
  });
  const again = await caller.put(url, { price: 3, stock: 4 });
  expect(again.body.product).toEqual(saved.body.product);
  expect(await all()).toHaveLength(1);
});

test('a product is created by a SKU and updated by that of any variant', async () => {
  const { caller, all } = await shop();
  const url = '/api/v1/products/by-sku/TEA%2F250';
  const variants = [
    { sku: 'TEA/250', options: { Size: '250 g' } },
    { sku: 'TEA-500', options: { Size: '500 g' } },
  ];
  const created = await caller.put(url, { title: 'Tea', price: 2, options: [{ name: 'Size' }], variants });
  expect(created).toMatchObject({ status: 201, body: { product: { sku: 'TEA/250', variant_count: 2 } } });
  const saved = await caller.put('/api/v1/products/by-sku/tea-500', { title: 'Green tea' });
  expect(saved).toMatchObject({ status: 200, body: { product: { id: created.body.product.id, title: 'Green tea' } } });
  expect(await all()).toHaveLength(1);
});

test('concurrent requests with the same key end with one product', async () => {
  const { caller, all } = await shop();
  const titles = Array.from({ length: 10 }, (_, index) => `T${index}`);
  const bySku = await Promise.all(
    titles.map((title) => caller.put('/api/v1/products/by-sku/RACE', { title, price: 1 })),
  );
  expect(bySku.map(({ status }) => status).sort()).toEqual([...Array(9).fill(200), 201]);
  const byId = await Promise.all(
    titles.map((title, index) =>
      caller.put('/api/v1/products/by-external-id/erp/1', { sku: `E-${index}`, title, price: 1 }),
    ),
  );
  expect(byId.map(({ status }) => status).sort()).toEqual([...Array(9).fill(200), 201]);
  expect(await all()).toHaveLength(2);
});

test('many products are created and updated by SKU, each on its own', async () => {
  const { caller, create, all } = await shop();
  const { id } = await create({ sku: 'OLD', stock: 3 });
  const items = [
    { sku: 'old', title: 'Newer' },
    { sku: 'NEW', title: 'New', price: 1 },
    { sku: 'BAD', title: 'Bad' },
    { title: 'None' },
    { sku: 'new', price: 2 },
  ];
  const { body } = await caller.post('/api/v1/products/bulk', { match: 'sku', items });
  const [added, old] = await all();
  expect(body).toMatchObject({
    succeeded: 3,
    failed: 2,
    results: [
      { index: 0, status: 200, id },
      { index: 1, status: 201, id: added.id },
      { index: 2, status: 422, error: { errors: { price: ['The price is required.'] } } },
      { index: 3, status: 422, error: { error_codes: { sku: ['required'] } } },
      { index: 4, status: 200, id: added.id },
    ],
  });
  expect([added, old]).toMatchObject([
    { sku: 'NEW', price: '2.00' },
    { sku: 'OLD', title: 'Newer', stock: 3 },
  ]);
});

test('stock is changed or set by SKU, with movements, and unknown SKUs are reported', async () => {
  const { create, all, movements, stock } = await shop();
  await create({ sku: 'A', stock: 5 });
  await create({ sku: 'B', stock: 5 });
  const { status, body } = await stock([
    { sku: 'a', change: 3, reason: 'Delivery', reference: 'D-1' },
    { sku: 'B', stock: 2 },
    { sku: 'NONE', stock: 2 },
    { sku: 'A', change: -100 },
    { sku: 'A', stock: 8 },
    { sku: 'A' },
    { sku: 'A', change: 1, stock: 1 },
    { sku: 'A', stock: -1 },
  ]);
  expect(status).toBe(200);
  expect(
    body.results.map((result: { status: number; error?: { code: string } }) => [result.status, result.error?.code]),
  ).toEqual([
    [200, undefined],
    [200, undefined],
    [404, 'products.variant_not_found'],
    [409, 'products.insufficient_stock'],
    [200, undefined],
    [422, 'http.validation_failed'],
    [422, 'http.validation_failed'],
    [422, 'http.validation_failed'],
  ]);
  expect(body.results[2].error.message).toBe('There is no variant NONE.');
  expect(await all()).toMatchObject([
    { sku: 'A', stock: 8 },
    { sku: 'B', stock: 2 },
  ]);
  expect(await movements()).toEqual([
    { change: 3, reason: 'Delivery', reference: 'D-1' },
    { change: -3, reason: 'adjusted', reference: null },
  ]);
  const refused = await stock(
    [
      { sku: 'A', stock: 9 },
      { sku: 'NONE', stock: 1 },
    ],
    'all_or_nothing',
  );
  expect(refused).toMatchObject({
    status: 422,
    body: { code: 'http.bulk_failed', results: [{ status: 424 }, { status: 404 }] },
  });
  expect(await all()).toMatchObject([
    { sku: 'A', stock: 8 },
    { sku: 'B', stock: 2 },
  ]);
});

test('stock is set at one location and leaves the others', async () => {
  const { caller, create, stock, all } = await shop();
  const [variant] = (await create({ sku: 'A', stock: 5 })).variants;
  const { body } = await caller.post('/api/v1/stock-locations', { name: 'Pune' });
  const location_id = body.location.id;
  await stock([{ sku: 'A', stock: 4, location_id }]);
  await stock([{ sku: 'A', stock: 1 }]);
  const levels = (await caller.get(`/api/v1/variants/${variant.id}/levels`)).body.levels;
  expect(levels.map(({ stock: units }: { stock: number }) => units)).toEqual([1, 4]);
  expect(await all()).toMatchObject([{ stock: 5 }]);
});

test('concurrent changes of the same stock add up', async () => {
  const { create, stock, all } = await shop();
  await create({ sku: 'A', stock: 0 });
  await create({ sku: 'B', stock: 0 });
  const orders = [
    ['A', 'B'],
    ['B', 'A'],
  ];
  await Promise.all(
    Array.from({ length: 8 }, (_, index) =>
      stock(
        (orders[index % 2] as string[]).map((sku) => ({ sku, change: 1 })),
        index < 4 ? 'all_or_nothing' : 'each',
      ),
    ),
  );
  expect(await all()).toMatchObject([{ stock: 8 }, { stock: 8 }]);
});

test('prices are changed by the SKU of a variant', async () => {
  const { caller, prices } = await shop();
  const variants = [
    { sku: 'S', options: { Size: 'S' } },
    { sku: 'L', options: { Size: 'L' } },
  ];
  await caller.post('/api/v1/products', { sku: 'S', title: 'Shirt', price: 5, options: [{ name: 'Size' }], variants });
  const { body } = await prices([
    { sku: 's', price: '7.50', compare_at_price: 9 },
    { sku: 'L', price: 1.234 },
    { sku: 'NONE', price: 1 },
    { sku: 'L', compare_at_price: 1 },
  ]);
  expect(body.results.map(({ status }: { status: number }) => status)).toEqual([200, 422, 404, 422]);
  const { body: list } = await caller.get('/api/v1/variants?sort_by=sku&sort_order=asc');
  expect(list.variants).toMatchObject([
    { sku: 'L', price: '5.00', compare_at_price: null },
    { sku: 'S', price: '7.50', compare_at_price: '9.00' },
  ]);
});

test('changing stock and prices needs products.edit', async () => {
  const { tenant, create } = await shop();
  await create({ sku: 'A' });
  const creator = tenant.caller('products.create');
  for (const path of ['stock', 'prices']) {
    const answer = await creator.post(`/api/v1/products/${path}/bulk`, { items: [{ sku: 'A', price: 1, change: 1 }] });
    expect(answer.status).toBe(403);
  }
});

test('200 stocks are set at once', async () => {
  const { caller, stock, tenant } = await shop();
  const skus = Array.from({ length: 200 }, (_, index) => `S-${index}`);
  const items = skus.map((sku) => ({ sku, title: sku, price: 1 }));
  expect((await caller.post('/api/v1/products/bulk', { mode: 'all_or_nothing', items })).body.succeeded).toBe(200);
  expect((await stock(skus.map((sku, index) => ({ sku, stock: index })))).body.succeeded).toBe(200);
  const sum = await tenant.db.row(sql`SELECT sum(stock)::integer AS stock FROM products`);
  expect(sum).toEqual({ stock: 19_900 });
});

test('any sequence of upserts by SKU leaves one product for each SKU with the last values', async () => {
  const { caller, all } = await shop();
  const step = fc.record({
    sku: fc.constantFrom('X', 'x', 'Y'),
    title: fc.constantFrom('A', 'B'),
    price: fc.constantFrom('1.00', '2.00'),
  });
  let run = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 5 }), async (steps) => {
      run += 1;
      for (const { sku, ...fields } of steps) await caller.put(`/api/v1/products/by-sku/${run}-${sku}`, fields);
      const stored = (await all()).filter(({ sku }: { sku: string }) => sku.startsWith(`${run}-`));
      const last = new Map(steps.map(({ sku, title, price }) => [`${run}-${sku.toLowerCase()}`, { title, price }]));
      expect(stored).toHaveLength(last.size);
      for (const { sku, title, price } of stored) expect({ title, price }).toEqual(last.get(sku.toLowerCase()));
    }),
    { numRuns: 12 },
  );
});
