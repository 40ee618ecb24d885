import { randomUUID } from 'node:crypto';
import { afterCommit, type Ctx, sql } from '@chowk/kit';
import sharp from 'sharp';
import { expect, test } from 'vitest';
import { eventually } from '../../server/testing/eventually.ts';
import { filePart, formRequest, textPart } from '../../server/testing/form-body.ts';
import { startPlatform } from '../../server/testing/platform.ts';
import { repositoryModules } from '../../server/testing/repository-modules.ts';
import { storedFiles } from '../../server/testing/stored-files.ts';
import { testModule } from '../../server/testing/test-module.ts';
import { imageJobs } from './images.ts';
import type { Product } from './schemas.ts';

const events: { name: string; title: string; changed?: string[] }[] = [];
const watcher = testModule({
  alias: 'watcher',
  listeners: [
    afterCommit('collection.created', 'created', async (_: Ctx, { collection }) => {
      events.push({ name: 'created', title: collection.title });
    }),
    afterCommit('collection.updated', 'updated', async (_: Ctx, { collection, changed }) => {
      events.push({ name: 'updated', title: collection.title, changed });
    }),
    afterCommit('collection.deleted', 'deleted', async (_: Ctx, { collection }) => {
      events.push({ name: 'deleted', title: collection.title });
    }),
  ],
});
const platform = await startPlatform({ modules: [...(await repositoryModules()), watcher] });
await platform.kernel.work(['events']);
const acme = await platform.tenant();
const merchant = acme.caller('products.view', 'products.create', 'products.edit', 'products.delete');
const collections = '/api/v1/collections';

let sequence = 0;
async function create(fields: object = {}): Promise<Product> {
  sequence += 1;
  const { status, body } = await merchant.post('/api/v1/products', {
    sku: `C-${sequence}`,
    title: `Item ${sequence}`,
    price: '5.00',
    ...fields,
  });
  expect({ status, body }).toMatchObject({ status: 201 });
  return body.product;
}
const titles = async (url: string): Promise<string[]> => {
  const { status, body } = await merchant.get(url);
  expect({ status, body }).toMatchObject({ status: 200 });
  return body.products.map(({ title }: Product) => title);
};

test('a collection has the products that were chosen, in their order', async () => {
  const [a, b, c] = [await create(), await create(), await create()];
  const { status, body } = await merchant.post(collections, { title: 'Été à Paris', products: [c.id, a.id] });
  expect({ status, collection: body.collection }).toMatchObject({
    status: 201,
    collection: { slug: 'ete-a-paris', rule: null },
  });
  const { id } = body.collection;
  expect(await titles(`${collections}/${id}/products`)).toEqual([c.title, a.title]);
  expect((await titles('/api/v1/products?collection=ete-a-paris')).sort()).toEqual([a.title, c.title].sort());
  expect((await merchant.get(`${collections}?product=${a.id}`)).body.collections).toMatchObject([{ id }]);
  await merchant.patch(`${collections}/${id}`, { products: [a.id, b.id, c.id] });
  expect(await titles(`${collections}/${id}/products`)).toEqual([a.title, b.title, c.title]);
  expect(await titles(`${collections}/${id}/products?limit=2`)).toEqual([a.title, b.title]);
  await merchant.delete(`/api/v1/products/${b.id}`);
  expect(await titles(`${collections}/${id}/products`)).toEqual([a.title, c.title]);
  const unknown = await merchant.patch(`${collections}/${id}`, { products: [a.id, randomUUID()] });
  expect({ status: unknown.status, codes: unknown.body.error_codes }).toEqual({
    status: 422,
    codes: { 'products.1': ['unknown'] },
  });
  expect((await merchant.get(`${collections}?slug=ete-a-paris`)).body.collections).toMatchObject([{ id }]);
  expect((await merchant.delete(`${collections}/${id}`)).status).toBe(200);
  expect((await merchant.get(`${collections}/${id}`)).body.code).toBe('products.collection_not_found');
  expect((await merchant.get('/api/v1/products?collection=ete-a-paris')).status).toBe(422);
  expect((await merchant.get(`${collections}/${id}/products`)).status).toBe(404);
});

test('a collection by rule always has the products that match', async () => {
  const organic = { tags: ['rule'], categories: ['Pantry'] };
  const [cheap, dear, other] = [
    await create({ ...organic, title: 'Rule rice', price: '3.00', stock: 2 }),
    await create({ ...organic, title: 'Rule oil', price: '9.00' }),
    await create({ title: 'Rule lamp', tags: ['rule'], price: '4.00', stock: 1 }),
  ];
  const tagged = { field: 'tag', operator: 'is', value: 'rule' };
  const rule = (conditions: object[], match = 'all') => ({ match, conditions: [tagged, ...conditions] });
  const { body } = await merchant.post(collections, { title: 'By rule', rule: { conditions: [tagged] } });
  const { id } = body.collection;
  const found = async (next: object) => {
    expect((await merchant.patch(`${collections}/${id}`, { rule: next })).status).toBe(200);
    return titles(`${collections}/${id}/products`);
  };
  expect(await titles(`${collections}/${id}/products`)).toEqual([other.title, dear.title, cheap.title]);
  expect(await found(rule([{ field: 'price', operator: 'below', value: '4' }]))).toEqual([cheap.title]);
  expect(await found(rule([{ field: 'stock', operator: 'above', value: '0' }]))).toEqual([other.title, cheap.title]);
  expect(await found(rule([{ field: 'category', operator: 'is_not', value: 'Pantry' }]))).toEqual([other.title]);
  expect(await found(rule([{ field: 'title', operator: 'contains', value: 'OIL' }]))).toEqual([dear.title]);
  const any = {
    match: 'any',
    conditions: [
      { field: 'title', operator: 'is', value: 'rule oil' },
      { ...tagged, value: 'x' },
    ],
  };
  expect(await found(any)).toEqual([dear.title]);
  await merchant.patch(`/api/v1/products/${cheap.id}`, { tags: ['x'] });
  expect(await titles(`${collections}/${id}/products`)).toEqual([dear.title, cheap.title]);
});

test.each([
  [{ rule: { conditions: [] } }, 'rule.conditions'],
  [{ rule: { conditions: [{ field: 'price', operator: 'contains', value: '1' }] } }, 'rule.conditions.0.operator'],
  [{ rule: { conditions: [{ field: 'price', operator: 'above', value: 'much' }] } }, 'rule.conditions.0.value'],
  [{ rule: { conditions: [{ field: 'colour', operator: 'is', value: 'red' }] } }, 'rule.conditions.0.field'],
  [{ rule: { conditions: [{ field: 'tag', operator: 'is', value: 'a' }] }, products: [randomUUID()] }, 'products'],
  [{ slug: 'Not a slug' }, 'slug'],
])('an invalid collection is refused: %j', async (fields, field) => {
  const { status, body } = await merchant.post(collections, { title: 'Wrong', ...fields });
  expect({ status, fields: Object.keys(body.errors ?? {}) }).toEqual({ status: 422, fields: [field] });
});

test('the slug of a collection is unique', async () => {
  const first = (await merchant.post(collections, { title: 'Twice' })).body.collection;
  const second = (await merchant.post(collections, { title: 'Twice' })).body.collection;
  expect(second.slug).toMatch(/^twice-[0-9a-f]{8}$/);
  const taken = await merchant.patch(`${collections}/${second.id}`, { slug: first.slug });
  expect({ status: taken.status, codes: taken.body.error_codes }).toEqual({ status: 422, codes: { slug: ['taken'] } });
});

const picture = await sharp({ create: { width: 60, height: 40, channels: 3, background: 'navy' } })
  .png()
  .toBuffer();
const upload = async () => {
  const { status, body } = await merchant.request(
    formRequest('/api/v1/product-images', filePart(picture), textPart('alt', 'Front')),
  );
  expect({ status, body }).toMatchObject({ status: 201 });
  return body.image as Product['images'][number];
};
const media = async () => (await storedFiles(platform.kernel)).filter((path) => path.includes(acme.id)).length;
const removeUploads = () => imageJobs['products.remove_uploads'].run(acme.context('products'), {});

test('an image that was uploaded before becomes one of the product that names it', async () => {
  const [one, other] = [await upload(), await upload()];
  const product = await create({
    images: [{ url: '/a.png' }, { id: one.id }],
    options: [{ name: 'Size' }],
    variants: [{ options: { Size: 'S' }, image_id: one.id }],
  });
  expect(product.images).toMatchObject([{ url: '/a.png' }, one]);
  expect(product.variants).toMatchObject([{ image_id: one.id }]);
  const again = await merchant.post('/api/v1/products', {
    sku: 'AGAIN',
    title: 'T',
    price: 1,
    images: [{ id: one.id }],
  });
  expect({ status: again.status, codes: again.body.error_codes }).toEqual({
    status: 422,
    codes: { 'images.0.id': ['unknown'] },
  });
  const refused = await merchant.patch(`/api/v1/products/${product.id}`, { images: [{ id: other.id }], price: -1 });
  expect(refused.status).toBe(422);
  const { body } = await merchant.patch(`/api/v1/products/${product.id}`, { images: [{ id: other.id, alt: 'Back' }] });
  expect(body.product.images).toEqual([{ ...other, alt: 'Back' }]);
  expect(body.product.variants).toMatchObject([{ image_id: null }]);
});

test('uploads that no product has taken are removed after a day', async () => {
  const before = await media();
  const { id } = await upload();
  await removeUploads();
  expect(await media()).toBe(before + 1);
  await acme.db.run(sql`UPDATE product_uploads SET created_at = now() - interval '25 hours' WHERE id = ${id}`);
  await removeUploads();
  await expect.poll(media, { timeout: 15_000 }).toBe(before);
});

test('a rule is previewed without a collection, and collections are found by their title', async () => {
  for (const price of ['40.00', '50.00', '60.00'])
    await create({ price, title: `Previewed ${price}`, tags: ['previewed'] });
  const rule = {
    conditions: [
      { field: 'tag', operator: 'is', value: 'previewed' },
      { field: 'price', operator: 'above', value: '45' },
    ],
  };
  const { status, body } = await acme.caller('products.view').post(`${collections}/preview`, { rule });
  expect({ status, total: body.total, prices: body.products.map(({ price }: Product) => price) }).toEqual({
    status: 200,
    total: 2,
    prices: ['50.00', '60.00'],
  });
  const [first] = rule.conditions;
  const wrong = await merchant.post(`${collections}/preview`, {
    rule: { conditions: [{ ...first, operator: 'above' }] },
  });
  expect({ status: wrong.status, codes: Object.keys(wrong.body.errors) }).toEqual({
    status: 422,
    codes: ['rule.conditions.0.operator'],
  });
  expect((await merchant.get(`${collections}?search=previewed`)).body.collections).toEqual([]);
  await merchant.post(collections, { title: 'Often previewed', rule });
  expect((await merchant.get(`${collections}?search=PREVIEWED`)).body.collections).toMatchObject([
    { title: 'Often previewed' },
  ]);
});

test('changes of collections are events, and what changes nothing is none', async () => {
  const [a, b] = [await create(), await create()];
  const title = 'Watched';
  const { id } = (await merchant.post(collections, { title, products: [a.id, b.id] })).body.collection;
  const patch = (changes: object) => merchant.patch(`${collections}/${id}`, changes);
  await patch({ title, products: [a.id, b.id] });
  await patch({ products: [b.id, a.id] });
  await patch({ description: 'New', products: [b.id, a.id] });
  await patch({ rule: { conditions: [{ field: 'tag', operator: 'is', value: 'x' }] } });
  await merchant.delete(`${collections}/${id}`);
  await eventually(() =>
    // Each listener gets its events in order; the three of this test do not wait for each other.
    expect(
      events
        .filter((event) => event.title === title)
        .toSorted((one, other) => (one.name < other.name ? -1 : one.name > other.name ? 1 : 0)),
    ).toEqual([
      { name: 'created', title },
      { name: 'deleted', title },
      { name: 'updated', title, changed: ['products'] },
      { name: 'updated', title, changed: ['description'] },
      { name: 'updated', title, changed: ['rule', 'products'] },
    ]),
  );
});
