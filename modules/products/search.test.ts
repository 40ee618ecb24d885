import { expect, test } from 'vitest';
import { startPlatform, type TestCaller } from '../../server/testing/platform.ts';

const platform = await startPlatform();
const acme = await platform.tenant();
const caller = acme.caller('products.view', 'products.create', 'products.delete');
const catalogue = [
  { sku: 'TEA', title: 'Something else' },
  { sku: 'TEA-9', title: 'Kettle' },
  { sku: 'A1', title: 'Tea from Assam' },
  { sku: 'A2', title: 'Green tea', tags: ['organic'] },
  { sku: 'A3', title: 'Crème brûlée', categories: ['Desserts'] },
  { sku: 'A4', title: 'Чай чёрный' },
  { sku: 'A5', title: 'मसाला चाय' },
  { sku: 'A6', title: '100% cotton shirt, red' },
  { sku: 'A7', title: 'Cappuccino machine' },
];
for (const product of catalogue) await caller.post('/api/v1/products', { price: 1, ...product });

const search = async (q: string, more = '') => {
  const { status, body } = await caller.get(`/api/v1/products/search?q=${encodeURIComponent(q)}${more}`);
  expect(status).toBe(200);
  return body.products.map(({ sku }: { sku: string }) => sku);
};

test('equal SKUs come first, then prefixes, then other matches', async () => {
  expect(await search('tea')).toEqual(['TEA', 'TEA-9', 'A1', 'A2']);
  expect(await search(' TEA ', '&limit=2')).toEqual(['TEA', 'TEA-9']);
});

test.each([
  ['creme BRULEE', 'A3'],
  ['CRÈME', 'A3'],
  ['ЧАЙ', 'A4'],
  ['चाय', 'A5'],
  ['red shirt', 'A6'],
  ['100%', 'A6'],
  ['organic', 'A2'],
  ['dessert', 'A3'],
  ['capuccino', 'A7'],
  ['cappucino machine', 'A7'],
])('%s finds %s', async (q, sku) => {
  expect(await search(q)).toEqual([sku]);
});

test('wildcards have no meaning, and nonsense finds nothing', async () => {
  for (const q of ['__', '%%', 'x%', '\\\\', "' OR 1=1", 'qqqqq']) expect(await search(q)).toEqual([]);
});

test('deleted products are not found', async () => {
  const { body } = await caller.post('/api/v1/products', { sku: 'GONE', title: 'Vanished', price: 1 });
  expect(await search('vanished')).toEqual(['GONE']);
  await caller.delete(`/api/v1/products/${body.product.id}`);
  expect(await search('vanished')).toEqual([]);
});

test.each([
  ['q', ''],
  ['q', 'q=x'],
  ['q', 'q=%20x%20'],
  ['limit', 'q=tea&limit=51'],
  ['limit', 'q=tea&limit=0'],
])('an invalid %s is rejected: %s', async (field, query) => {
  const { status, body } = await caller.get(`/api/v1/products/search?${query}`);
  expect({ status, fields: Object.keys(body.errors) }).toEqual({ status: 422, fields: [field] });
});

test('a search right after an import is not computed for each product', { timeout: 60_000 }, async () => {
  const caller = await importThings(400);
  const { body } = await caller.get('/api/v1/products?search=nothing');
  expect(body.pagination.total).toBe(0);
  const all = await caller.get('/api/v1/products?search=thing');
  expect(all.body.pagination.total).toBe(400);
});

async function importThings(count: number): Promise<TestCaller> {
  const caller = (await platform.tenant()).caller('products.view', 'products.import');
  const rows = Array.from({ length: count }, (_, index) => `B-${index},Thing ${index},10`);
  const payload = ['sku,title,price', ...rows].join('\n');
  const headers = { 'content-type': 'text/csv' };
  const { body } = await caller.request({ method: 'POST', url: '/api/v1/products/import', payload, headers });
  expect(body.created).toBe(count);
  return caller;
}
