import { expect, test } from 'vitest';
import { startPlatform } from '../../server/testing/platform.ts';

const platform = await startPlatform();
const acme = await platform.tenant();
const merchant = acme.caller(
  'products.view',
  'products.create',
  'products.edit',
  'products.delete',
  'reseller.catalogue.manage',
);
const unknownId = '0190a000-0000-7000-8000-000000000000';

let sequence = 0;
const draft = (fields: object = {}) => ({ sku: `P-${++sequence}`, title: 'Assam tea', price: '4.50', ...fields });
const create = async (fields: object = {}) => {
  const { status, body } = await merchant.post('/api/v1/products', draft(fields));
  expect({ status, body }).toMatchObject({ status: 201 });
  return body.product;
};

test('a product gets defaults and is available', async () => {
  const { status, body } = await merchant.post('/api/v1/products', {
    sku: 'TEA-1',
    title: 'Tea',
    price: 4.5,
    stock: 3,
  });
  expect(status).toBe(201);
  expect(body).toEqual({
    message: 'Product created.',
    product: {
      id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7/),
      sku: 'TEA-1',
      title: 'Tea',
      description: '',
      price: '4.50',
      compare_at_price: null,
      status: 'active',
      images: [],
      tags: [],
      categories: [],
      mandatory: false,
      stock: 3,
      reserved: 0,
      available: 3,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      updated_at: expect.stringMatching(/Z$/),
      slug: 'tea',
      price_max: '4.50',
      options: [],
      variant_count: 1,
      metadata: {},
      external_ids: {},
      variants: [expect.objectContaining({ sku: 'TEA-1', price: '4.50', stock: 3, available: 3, options: {} })],
    },
  });
  expect((await merchant.get(`/api/v1/products/${body.product.id}`)).body).toEqual({ product: body.product });
});

test('all fields are stored, trimmed and normalized', async () => {
  const fields = {
    sku: ' Tidy-1 ',
    title: '  Déjà vu चाय 茶 ',
    description: 'Two\nlines, "quoted"',
    price: '10',
    compare_at_price: 12.5,
    status: 'draft',
    images: [{ url: 'https://cdn.example.com/a.png', alt: 'Front' }, { url: '/files/b.png' }],
    tags: ['hot', ' hot ', 'new'],
    categories: ['Drinks', 'Tea, loose'],
    mandatory: true,
  };
  expect(await create(fields)).toMatchObject({
    ...fields,
    sku: 'Tidy-1',
    title: 'Déjà vu चाय 茶',
    price: '10.00',
    compare_at_price: '12.50',
    images: [fields.images[0], { url: '/files/b.png', alt: '' }],
    tags: ['hot', 'new'],
  });
});

test('read-only fields cannot be set, and unknown fields are ignored', async () => {
  const forged = {
    id: unknownId,
    reserved: 9,
    available: 9,
    created_at: '2000-01-01T00:00:00.000Z',
    deleted_at: 'now',
    x: 1,
  };
  const product = await create({ ...forged, stock: 2 });
  expect(product).toMatchObject({ reserved: 0, available: 2 });
  expect(product.id).not.toBe(unknownId);
  expect(product.created_at > '2020').toBe(true);
  const { status, body } = await merchant.patch(`/api/v1/products/${product.id}`, forged);
  expect({ status, product: body.product }).toEqual({ status: 200, product });
});

test.each([
  ['sku', { sku: '' }],
  ['sku', { sku: '   ' }],
  ['sku', { sku: 'x'.repeat(65) }],
  ['sku', { sku: 'a\nb' }],
  ['sku', { sku: 5 }],
  ['title', { title: ' ' }],
  ['title', { title: 'x'.repeat(256) }],
  ['description', { description: 'x'.repeat(20_001) }],
  ['description', { description: 'a\u0000b' }],
  ['price', { price: -1 }],
  ['price', { price: '1.234' }],
  ['price', { price: 0.001 }],
  ['price', { price: 10_000_000_000 }],
  ['price', { price: 'cheap' }],
  ['price', { price: null }],
  ['compare_at_price', { price: 5, compare_at_price: '4.99' }],
  ['compare_at_price', { compare_at_price: '4,99' }],
  ['stock', { stock: -1 }],
  ['stock', { stock: 1.5 }],
  ['stock', { stock: 2_147_483_648 }],
  ['status', { status: 'sold' }],
  ['mandatory', { mandatory: 'yes' }],
  ['tags', { tags: Array.from({ length: 51 }, String) }],
  ['tags.0', { tags: ['x'.repeat(51)] }],
  ['tags.1', { tags: ['fine', 'a,b'] }],
  ['categories.0', { categories: ['a|b'] }],
  ['categories', { categories: Array.from({ length: 21 }, String) }],
  ['images', { images: Array.from({ length: 21 }, () => ({ url: '/a.png' })) }],
])('an invalid %s is reported: %j', async (field, wrong) => {
  const { status, body } = await merchant.post('/api/v1/products', draft(wrong));
  expect({ status, fields: Object.keys(body.errors) }).toEqual({ status: 422, fields: [field] });
  expect(body.errors[field][0]).toMatch(/^(The|An amount in INR) /);
});

test.each([
  'javascript:alert(1)',
  'JavaScript:alert(1)',
  'java\tscript:alert(1)',
  '\u0001javascript:alert(1)',
  'data:text/html,x',
  'http://example.com/a.png',
  '//evil.example/a.png',
  '/\\evil.example',
  'vbscript:x',
  'a b.png',
  '',
])('the image URL %j is rejected', async (url) => {
  const { status, body } = await merchant.post('/api/v1/products', draft({ images: [{ url }] }));
  expect({ status, fields: Object.keys(body.errors) }).toEqual({ status: 422, fields: ['images.0.url'] });
});

test('a SKU is unique regardless of case until its product is deleted', async () => {
  const { id } = await create({ sku: 'Ünïque-1' });
  const again = await merchant.post('/api/v1/products', draft({ sku: 'üNÏQUE-1' }));
  expect({ status: again.status, errors: again.body.errors }).toEqual({
    status: 422,
    errors: { sku: ['The SKU üNÏQUE-1 is taken.'] },
  });
  const other = await create();
  const renamed = await merchant.patch(`/api/v1/products/${other.id}`, { sku: 'ÜNÏQUE-1' });
  expect({ status: renamed.status, fields: Object.keys(renamed.body.errors) }).toEqual({
    status: 422,
    fields: ['sku'],
  });
  expect((await merchant.patch(`/api/v1/products/${id}`, { sku: 'ÜNÏQUE-1' })).body.product.sku).toBe('ÜNÏQUE-1');
  expect((await merchant.delete(`/api/v1/products/${id}`)).status).toBe(200);
  await create({ sku: 'ünïque-1' });
});

test('of concurrent creations with the same SKU one succeeds', async () => {
  const tries = Array.from({ length: 20 }, (_, index) => draft({ sku: index % 2 ? 'RACE' : 'race' }));
  const answers = await Promise.all(tries.map((body) => merchant.post('/api/v1/products', body)));
  expect(answers.map(({ status }) => status).toSorted()).toEqual([201, ...Array(19).fill(422)]);
});

test('of concurrent changes to the same SKU one succeeds', async () => {
  const products = await Promise.all(Array.from({ length: 8 }, () => create()));
  const answers = await Promise.all(
    products.map(({ id }) => merchant.patch(`/api/v1/products/${id}`, { sku: 'RENAMED' })),
  );
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, ...Array(7).fill(422)]);
});

test('an update changes only the fields that are sent', async () => {
  const product = await create({ price: '10.00', compare_at_price: '12.00', tags: ['a'], stock: 4 });
  const { status, body } = await merchant.patch(`/api/v1/products/${product.id}`, { title: 'New', tags: [], stock: 6 });
  expect(status).toBe(200);
  const { updated_at } = body.product;
  const variants = [{ ...product.variants[0], stock: 6, available: 6, updated_at: expect.any(String) }];
  expect(body.product).toEqual({ ...product, title: 'New', tags: [], stock: 6, available: 6, updated_at, variants });
  expect(updated_at >= product.updated_at).toBe(true);
});

test('the price cannot exceed the compare-at price, which can be cleared', async () => {
  const { id } = await create({ price: '10.00', compare_at_price: '12.00' });
  const { status, body } = await merchant.patch(`/api/v1/products/${id}`, { price: '12.01' });
  expect({ status, fields: Object.keys(body.errors) }).toEqual({ status: 422, fields: ['compare_at_price'] });
  const cleared = await merchant.patch(`/api/v1/products/${id}`, { price: '12.01', compare_at_price: null });
  expect(cleared.body.product).toMatchObject({ price: '12.01', compare_at_price: null });
});

test('the stock cannot be less than the reserved units', async () => {
  const { id } = await create({ stock: 5 });
  await merchant.post(`/api/v1/products/${id}/reservations`, { quantity: 3 });
  const { status, body } = await merchant.patch(`/api/v1/products/${id}`, { stock: 2, title: 'Never' });
  expect({ status, code: body.code }).toEqual({ status: 409, code: 'products.insufficient_stock' });
  expect((await merchant.get(`/api/v1/products/${id}`)).body.product).toMatchObject({ stock: 5, title: 'Assam tea' });
});

test('concurrent updates of different fields are both stored', async () => {
  const { id } = await create();
  const edits = Array.from({ length: 10 }, (_, index) => (index % 2 ? { title: 'Both' } : { description: 'Both' }));
  await Promise.all(edits.map((edit) => merchant.patch(`/api/v1/products/${id}`, edit)));
  const { body } = await merchant.get(`/api/v1/products/${id}`);
  expect(body.product).toMatchObject({ title: 'Both', description: 'Both' });
});

test('a product can be deleted unless units are reserved', async () => {
  const { id } = await create({ stock: 1 });
  const reserved = await merchant.post(`/api/v1/products/${id}/reservations`, { quantity: 1 });
  const refused = await merchant.delete(`/api/v1/products/${id}`);
  expect({ status: refused.status, code: refused.body.code }).toEqual({
    status: 409,
    code: 'products.has_reservations',
  });
  await merchant.delete(`/api/v1/products/${id}/reservations/${reserved.body.reservation.id}`);
  expect(await merchant.delete(`/api/v1/products/${id}`)).toMatchObject({
    status: 200,
    body: { message: 'Product deleted.' },
  });
  const answers = await Promise.all([
    merchant.get(`/api/v1/products/${id}`),
    merchant.patch(`/api/v1/products/${id}`, { title: 'Back' }),
    merchant.delete(`/api/v1/products/${id}`),
    merchant.post(`/api/v1/products/${id}/stock`, { change: 1 }),
    merchant.post(`/api/v1/products/${id}/reservations`, { quantity: 1 }),
    merchant.get(`/api/v1/products/${id}/movements`),
  ]);
  for (const { status, body } of answers) {
    expect({ status, code: body.code }).toEqual({ status: 404, code: 'products.not_found' });
  }
});

test('unknown ids and ids of other tenants are 404, invalid ones 422', async () => {
  const elsewhere = await platform.tenant();
  const stranger = elsewhere.caller('products.create');
  const { body } = await stranger.post('/api/v1/products', draft());
  expect((await merchant.get(`/api/v1/products/${unknownId}`)).status).toBe(404);
  expect((await merchant.get(`/api/v1/products/${body.product.id}`)).status).toBe(404);
  expect((await merchant.patch(`/api/v1/products/${body.product.id}`, { title: 'Mine' })).status).toBe(404);
  expect((await merchant.delete(`/api/v1/products/${body.product.id}`)).status).toBe(404);
  const { status, body: answer } = await merchant.get('/api/v1/products/tea');
  expect({ status, fields: Object.keys(answer.errors) }).toEqual({ status: 422, fields: ['id'] });
});

test('categories in use are listed, the largest first', async () => {
  const shop = await platform.tenant();
  const caller = shop.caller('products.view', 'products.create', 'products.delete');
  expect((await caller.get('/api/v1/products/categories')).body).toEqual({ categories: [] });
  const ids = [];
  for (const categories of [['Tea', 'Hot'], ['Tea'], ['Gone']]) {
    ids.push((await caller.post('/api/v1/products', draft({ categories }))).body.product.id);
  }
  await caller.delete(`/api/v1/products/${ids[2]}`);
  expect((await caller.get('/api/v1/products/categories')).body).toEqual({
    categories: [
      { name: 'Tea', count: 2 },
      { name: 'Hot', count: 1 },
    ],
  });
});

test('all problems of a product are reported at once, including a taken SKU', async () => {
  const { sku } = await create({ sku: 'AT-ONCE', title: 'Tea', price: 1 });
  const { status, body } = await merchant.post('/api/v1/products', {
    sku: sku.toLowerCase(),
    title: 7,
    price: 'dear',
    compare_at_price: -1,
    stock: 1.5,
    tags: 'hot',
    images: [{ url: 'javascript:alert(1)' }],
  });
  expect({ status, codes: body.error_codes }).toEqual({
    status: 422,
    codes: {
      title: ['wrong_type'],
      price: ['invalid'],
      compare_at_price: ['invalid'],
      stock: ['wrong_type'],
      tags: ['wrong_type'],
      'images.0.url': ['invalid'],
      sku: ['taken'],
    },
  });
  expect(Object.keys(body.errors).sort()).toEqual(Object.keys(body.error_codes).sort());
});

test('a price above the compare-at price and a taken SKU are reported together', async () => {
  await create({ sku: 'BOTH', title: 'Tea', price: 1 });
  const wrong = { sku: 'BOTH', title: 'Tea', price: '5', compare_at_price: '4' };
  const { body } = await merchant.post('/api/v1/products', wrong);
  expect(body.error_codes).toEqual({ compare_at_price: ['invalid'], sku: ['taken'] });
});

test('a change of an older version is rejected', async () => {
  const { id } = await create({ sku: 'VERSION', title: 'Tea', price: 1 });
  const url = `/api/v1/products/${id}`;
  const { headers } = await merchant.get(url);
  const version = { 'if-match': headers.etag as string };
  const saved = await merchant.patch(url, { price: 2 }, version);
  expect({ status: saved.status, isNew: saved.headers.etag !== headers.etag }).toEqual({ status: 200, isNew: true });
  expect(await merchant.patch(url, { price: 3 }, version)).toMatchObject({
    status: 412,
    body: { code: 'http.precondition_failed' },
  });
  expect((await merchant.delete(url, undefined, version)).status).toBe(412);
  expect((await merchant.get(url)).body.product.price).toBe('2.00');
  expect((await merchant.get(url, { 'if-none-match': saved.headers.etag as string })).status).toBe(304);
});

test('changes and deletions are in the audit log with their values', async () => {
  const { id } = await create({ sku: 'AUDITED', title: 'Tea', price: 1 });
  await merchant.patch(`/api/v1/products/${id}`, { price: 2, title: 'Green tea' });
  await merchant.delete(`/api/v1/products/${id}`);
  const { body } = await acme.caller('audit.view').get(`/api/v1/audit?resource=products&resource_id=${id}`);
  expect(body.audit).toMatchObject([
    { action: 'products.delete', changes: { sku: ['AUDITED', null], price: ['2.00', null] } },
    { action: 'products.update', changes: { price: ['1.00', '2.00'], title: ['Tea', 'Green tea'] } },
    { action: 'products.create', outcome: 'ok', transport: 'rest', user_id: merchant.user.id },
  ]);
});

test('a product is found by its SKU regardless of case', async () => {
  const { id } = await create({ sku: 'Find/Me 1', title: 'Tea', price: 1 });
  const found = await merchant.get(`/api/v1/products/lookup?sku=${encodeURIComponent('find/me 1')}`);
  expect(found).toMatchObject({ status: 200, body: { product: { id } } });
  expect((await merchant.get('/api/v1/products/lookup?sku=nothing')).status).toBe(404);
});
