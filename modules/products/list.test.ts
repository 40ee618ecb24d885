import { type Db, sql } from '@chowk/kit';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { startPlatform } from '../../server/testing/platform.ts';
import type { Product } from './schemas.ts';

const platform = await startPlatform();

async function shop() {
  const tenant = await platform.tenant();
  const caller = tenant.caller(
    ...['view', 'create', 'edit', 'delete'].map((verb) => `products.${verb}`),
    'reseller.catalogue.manage',
  );
  const list = async (query = '') => {
    const answer = await caller.get(`/api/v1/products${query}`);
    expect(answer).toMatchObject({ status: 200 });
    return answer.body as { products: Product[]; pagination: Record<string, number> };
  };
  const create = async (fields: object) => (await caller.post('/api/v1/products', fields)).body.product as Product;
  return { tenant, caller, list, create };
}

test('without products there is one empty page', async () => {
  const { list } = await shop();
  expect(await list()).toEqual({
    products: [],
    pagination: { current_page: 1, last_page: 1, per_page: 20, total: 0 },
  });
});

test('listed products equal single ones, newest first, by page', async () => {
  const { list, create, caller } = await shop();
  const created: Product[] = [];
  const fields = { images: [{ url: '/a.png', alt: '"x"' }], tags: ['t'], categories: ['c'], compare_at_price: '9.00' };
  for (let n = 0; n < 5; n += 1)
    created.push(await create({ sku: `S${n}`, title: 'Tea "é" 茶', price: 5, stock: n, ...fields }));
  const answer = await caller.get('/api/v1/products?per_page=2&page=2');
  expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
  expect(answer.body).toEqual({
    products: [created[2], created[1]],
    pagination: { current_page: 2, last_page: 3, per_page: 2, total: 5 },
  });
  expect((await list('?page=9')).products).toEqual([]);
});

test.each([
  ['per_page', 'per_page=101'],
  ['per_page', 'per_page=0'],
  ['page', 'page=0'],
  ['page', 'page=x'],
  ['sort_by', 'sort_by=description'],
  ['sort_by', 'sort_by=price;DROP TABLE products'],
  ['sort_order', 'sort_order=sideways'],
  ['status', 'status=sold'],
  ['min_price', 'min_price=cheap'],
  ['max_price', 'max_price=1.2345'],
  ['in_stock', 'in_stock=perhaps'],
  ['created_from', 'created_from=yesterday'],
  ['created_to', 'created_to=2026-02-30'],
])('an invalid %s is rejected: %s', async (field, query) => {
  const { caller } = await refusing;
  const { status, body } = await caller.get(`/api/v1/products?${query}`);
  expect({ status, fields: Object.keys(body.errors) }).toEqual({ status: 422, fields: [field] });
});
const refusing = shop();

const vocabulary = ['tea', 'Thé', 'Assam', '100%', 'a_b', 'чай', 'चाय', 'O\\K'];
const tagNames = ['hot', 'new', 'sale'];
const categoryNames = ['Drinks', 'Food, dry'];
const statuses = ['draft', 'active', 'archived'];

const arbitraryProduct = fc.record({
  title: fc.array(fc.constantFrom(...vocabulary), { minLength: 1, maxLength: 3 }).map((words) => words.join(' ')),
  price: fc.integer({ min: 0, max: 500 }).map((cents) => (cents / 100).toFixed(2)),
  stock: fc.integer({ min: 0, max: 8 }),
  status: fc.constantFrom(...statuses),
  tags: fc.subarray(tagNames),
  categories: fc.subarray(categoryNames),
  mandatory: fc.boolean(),
});
const optional = <Value>(values: fc.Arbitrary<Value>) => fc.option(values, { nil: undefined });
const arbitraryQuery = fc.record({
  search: optional(
    fc.constantFrom('TEA', 'the', 'assam tea', '%', '_', 'ЧАЙ', 'चाय', 'o\\k', 's-1', 'hot', 'zzz', ' '),
  ),
  status: optional(fc.constantFrom(...statuses)),
  tags: optional(fc.subarray(tagNames, { minLength: 1 }).map((tags) => tags.join(','))),
  category: optional(fc.constantFrom(...categoryNames, 'None')),
  min_price: optional(fc.constantFrom('0', '1.50', '3')),
  max_price: optional(fc.constantFrom('1', '2.5', '5.00')),
  in_stock: optional(fc.boolean()),
  low_stock: optional(fc.boolean()),
  mandatory: optional(fc.boolean()),
  sort_by: optional(fc.constantFrom('created_at', 'title', 'price', 'stock', 'sku')),
  sort_order: optional(fc.constantFrom('asc', 'desc')),
});
type Query = typeof arbitraryQuery extends fc.Arbitrary<infer Value> ? Value : never;

const fold = (text: string) =>
  text
    .normalize('NFD')
    .replace(/[\u0300-\u036f]/g, '')
    .toLowerCase();

function matches(product: Product, query: Query): boolean {
  const text = fold([product.title, product.sku, ...product.tags, ...product.categories].join('\n'));
  const { search = '', status, tags, category, min_price, max_price, in_stock, low_stock, mandatory } = query;
  return (
    search.split(' ').every((word) => text.includes(fold(word))) &&
    (status === undefined || product.status === status) &&
    (tags === undefined || tags.split(',').every((tag) => product.tags.includes(tag))) &&
    (category === undefined || product.categories.includes(category)) &&
    (min_price === undefined || Number(product.price) >= Number(min_price)) &&
    (max_price === undefined || Number(product.price) <= Number(max_price)) &&
    (in_stock === undefined || product.available > 0 === in_stock) &&
    (low_stock === undefined || product.available <= 5 === low_stock) &&
    (mandatory === undefined || product.mandatory === mandatory)
  );
}

function sorted(products: readonly Product[], { sort_by = 'created_at', sort_order = 'desc' }: Query): Product[] {
  const keys = {
    created_at: (product: Product) => product.created_at,
    title: (product: Product) => fold(product.title),
    price: (product: Product) => Number(product.price),
    stock: (product: Product) => product.stock,
    sku: (product: Product) => product.sku.toLowerCase(),
  };
  const key = keys[sort_by as keyof typeof keys];
  const compare = (a: string | number, b: string | number) =>
    typeof a === 'number' ? a - Number(b) : Buffer.compare(Buffer.from(a), Buffer.from(String(b)));
  const ascending = products.toSorted((a, b) => compare(key(a), key(b)) || compare(a.id, b.id));
  return sort_order === 'asc' ? ascending : ascending.reverse();
}

test('any combination of filters and sorts lists the same products as a naive query', async () => {
  const { list, create, caller } = await shop();
  const drafts = fc.sample(arbitraryProduct, { numRuns: 40, seed: 7 });
  const products: Product[] = [];
  for (const [index, draft] of drafts.entries()) {
    const product = await create({ ...draft, sku: `s-${index}` });
    const reserve = { quantity: Math.max(1, Math.floor(product.stock / 2)) };
    const { body } = await caller.post(`/api/v1/products/${product.id}/reservations`, reserve);
    products.push(body.product ?? product);
  }
  await caller.delete(`/api/v1/products/${(await create({ sku: 'gone', title: 'tea', price: 1 })).id}`);
  await fc.assert(
    fc.asyncProperty(arbitraryQuery, async (query) => {
      const entries = Object.entries(query).filter(([, value]) => value !== undefined);
      const parameters = new URLSearchParams({ per_page: '100' });
      for (const [name, value] of entries) parameters.set(name, String(value));
      const { products: found, pagination } = await list(`?${parameters}`);
      const expected = sorted(
        products.filter((product) => matches(product, query)),
        query,
      );
      expect(found.map(({ sku }) => sku)).toEqual(expected.map(({ sku }) => sku));
      expect(pagination.total).toBe(expected.length);
    }),
    { numRuns: 120 },
  );
});

test('tags may be repeated or separated by commas, and all must match', async () => {
  const { list, create } = await shop();
  await create({ sku: 'both', title: 'T', price: 1, tags: ['a', 'b'] });
  await create({ sku: 'one', title: 'T', price: 1, tags: ['a'] });
  for (const query of ['?tags=a,b', '?tags=a&tags=b', '?tags=b,%20a']) {
    expect((await list(query)).products.map(({ sku }) => sku)).toEqual(['both']);
  }
  expect((await list('?tags=a')).pagination.total).toBe(2);
});

test("days are in the tenant's time zone, and the last one is included", async () => {
  const { list, create, tenant } = await shop();
  const { id } = await create({ sku: 'night', title: 'T', price: 1 });
  // In Asia/Kolkata it is half past midnight on the 15th.
  await tenant.db.run(sql`UPDATE products SET created_at = '2026-11-14T19:00:00Z' WHERE id = ${id}`);
  const count = async (query: string) => (await list(query)).pagination.total;
  expect(await count('?created_from=2026-11-15&created_to=2026-11-15')).toBe(1);
  expect(await count('?created_to=2026-11-14')).toBe(0);
  expect(await count('?created_from=2026-11-16')).toBe(0);
  expect(await count('?created_from=2026-11-14T19:00:00Z&created_to=2026-11-14T19:00:00Z')).toBe(1);
  expect(await count('?created_from=2026-11-14T19:00:00.001Z')).toBe(0);
});

async function expectTrueTotal({ db }: { db: Db }): Promise<void> {
  const row = await db.row<{ kept: number; counted: number }>(sql`
    SELECT (SELECT coalesce(sum(value), 0)::bigint FROM counters WHERE name = 'products') AS kept,
      (SELECT count(*) FROM products WHERE deleted_at IS NULL) AS counted`);
  expect(row?.kept).toBe(row?.counted);
}

test('the counter is correct under concurrent writes', async () => {
  const { tenant, create, caller, list } = await shop();
  await Promise.all(
    Array.from({ length: 40 }, async (_, index) => {
      const { id } = await create({ sku: `c-${index}`, title: 'T', price: 1 });
      if (index % 3 === 0) await caller.delete(`/api/v1/products/${id}`);
    }),
  );
  await expectTrueTotal(tenant);
  expect((await list()).pagination.total).toBe(26);
});

test('the counter is correct after any history, including rollbacks', async () => {
  const { tenant } = await shop();
  const step = fc.record({
    kind: fc.constantFrom('insert', 'hide', 'show', 'remove', 'edit'),
    count: fc.integer({ min: 1, max: 4 }),
    undone: fc.boolean(),
    inTwo: fc.boolean(),
  });
  const statements = {
    insert: (count: number) => sql`
      INSERT INTO products (id, sku, title, price, status, created_at, updated_at)
      SELECT id, id::text, 'T', 1, 'active', now(), now() FROM (SELECT gen_random_uuid() AS id FROM generate_series(1, ${count}::integer)) s`,
    hide: (count: number) => sql`
      UPDATE products SET deleted_at = now() WHERE id IN (SELECT id FROM products ORDER BY id LIMIT ${count})`,
    show: (count: number) => sql`
      UPDATE products SET deleted_at = NULL WHERE id IN (SELECT id FROM products ORDER BY id LIMIT ${count})`,
    remove: (count: number) => sql`
      DELETE FROM products WHERE id IN (SELECT id FROM products ORDER BY id DESC LIMIT ${count})`,
    edit: (count: number) => sql`UPDATE products SET stock = ${count}`,
  };
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 8 }), async (steps) => {
      for (const { kind, count, undone, inTwo } of steps) {
        const work = tenant.db.tx(async (tx) => {
          await tx.run(statements[kind](count));
          if (inTwo) await tx.run(statements[kind](count));
          if (undone) throw new Error('undone');
        });
        await work.catch((error: Error) => expect(error.message).toBe('undone'));
      }
      await expectTrueTotal(tenant);
    }),
    { numRuns: 30 },
  );
});

test('a cursor visits every product once while products are created', async () => {
  const { create, caller } = await shop();
  const names = Array.from({ length: 23 }, (_, n) => `Tea ${n % 5}`);
  for (const [n, title] of names.entries()) await create({ sku: `k-${n}`, title, price: n % 3 });
  for (const order of ['sort_by=title', 'sort_by=price&sort_order=asc', 'sort_by=updated_at']) {
    const seen: string[] = [];
    let cursor = '';
    for (let page = 0; cursor !== undefined && page < 20; page += 1) {
      const { body } = await caller.get(
        `/api/v1/products?${order}&limit=4&search=tea&cursor=${cursor}`.replace(/&cursor=$/, ''),
      );
      seen.push(...body.products.map(({ sku }: Product) => sku));
      await create({ sku: `${order}-${page}`, title: 'Coffee', price: 1 });
      expect(body.pagination.has_more).toBe(body.pagination.next_cursor !== null);
      cursor = body.pagination.next_cursor ?? undefined;
    }
    expect(seen.sort()).toEqual(names.map((_, n) => `k-${n}`).sort());
  }
});

test('updated_from lists changed records, the latest change last', async () => {
  const { create, caller } = await shop();
  const [old, other] = [
    await create({ sku: 'old', title: 'T', price: 1 }),
    await create({ sku: 'other', title: 'T', price: 1 }),
  ];
  const since = (await caller.patch(`/api/v1/products/${old.id}`, { price: 2 })).body.product.updated_at;
  await caller.post(`/api/v1/products/${other.id}/stock`, { change: 1 });
  const { body } = await caller.get(`/api/v1/products?updated_from=${since}&sort_by=updated_at&sort_order=asc`);
  expect(body.products.map(({ sku }: Product) => sku)).toEqual(['old', 'other']);
  expect((await caller.get('/api/v1/products?updated_from=2999-01-01')).body.pagination.total).toBe(0);
});

test('an unknown parameter is rejected by name', async () => {
  const { caller } = await shop();
  const { status, body } = await caller.get('/api/v1/products?colour=red&page=0&in_stock=maybe&_trace=1');
  expect({ status, codes: body.error_codes }).toEqual({
    status: 422,
    codes: { colour: ['unknown'], page: ['too_small'], in_stock: ['wrong_type'] },
  });
  expect((await caller.get('/api/v1/products?in_stock=1&mandatory=0&_trace=1')).status).toBe(200);
});

test('products and variants are found by SKUs and metadata', async () => {
  const caller = (await platform.tenant()).caller('products.view', 'products.create');
  const create = (fields: object) => caller.post('/api/v1/products', { title: 'T', price: 1, ...fields });
  await create({ sku: 'A,1', metadata: { supplier: 'Nilgiri', grade: 'A' } });
  await create({ sku: 'B', metadata: { supplier: 'Nilgiri' } });
  const variants = [
    { sku: 'C', options: { Size: 'S' }, metadata: { shelf: '7' } },
    { sku: 'C2', options: { Size: 'L' } },
  ];
  await create({ sku: 'C', options: [{ name: 'Size' }], variants });
  const find = async (path: string, query: string) => {
    const { status, body } = await caller.get(`/api/v1/${path}?sort_by=sku&sort_order=asc&${query}`);
    expect({ status, body }).toMatchObject({ status: 200 });
    return body[path].map(({ sku }: { sku: string }) => sku);
  };
  expect(await find('products', 'skus=b,c2,none')).toEqual(['B', 'C']);
  expect(await find('products', 'skus=A,1&skus=B')).toEqual(['A,1', 'B']);
  expect(await find('variants', 'skus=b,c2')).toEqual(['B', 'C2']);
  expect(await find('products', 'metadata[supplier]=Nilgiri')).toEqual(['A,1', 'B']);
  expect(await find('products', 'metadata[supplier]=Nilgiri&metadata[grade]=A')).toEqual(['A,1']);
  expect(await find('variants', 'metadata[shelf]=7')).toEqual(['C']);
});
