import { sql } from '@chowk/kit';
import { expect, test } from 'vitest';
import { startPlatform } from '../../server/testing/platform.ts';
import type { Product } from './schemas.ts';
import type { Variant } from './variant-schemas.ts';

const platform = await startPlatform();
const acme = await platform.tenant();
const merchant = acme.caller(
  'products.view',
  'products.create',
  'products.edit',
  'products.delete',
  'products.import',
  'products.export',
);
const products = '/api/v1/products';

let sequence = 0;
const shirt = (fields: object = {}) => {
  sequence += 1;
  const sku = `SHIRT-${sequence}`;
  return {
    sku,
    title: `Shirt ${sequence}`,
    price: '20.00',
    options: [{ name: 'Size', values: ['S', 'M', 'L'] }, { name: 'Color' }],
    variants: [
      { options: { Size: 'S', Color: 'Red' }, stock: 3 },
      { sku: `${sku}-MR`, options: { Size: 'M', Color: 'Red' }, price: '22.50', stock: 4, barcode: `890${sequence}` },
      { options: { Size: 'M', Color: 'Blue' }, price: 25, compare_at_price: '30', weight_grams: 200 },
    ],
    ...fields,
  };
};
const post = async (body: object): Promise<Product> => {
  const answer = await merchant.post(products, body);
  expect(answer).toMatchObject({ status: 201 });
  return answer.body.product;
};
const read = async ({ id }: { id: string }): Promise<Product> => (await merchant.get(`${products}/${id}`)).body.product;
const variantAt = ({ variants }: Product, index: number) => variants[index] as Variant;
const codes = ({ status, body }: { status: number; body: { error_codes?: object } }) => ({
  status,
  ...body.error_codes,
});

test('a product with options has variants, and shows their lowest price and the sums of their stock', async () => {
  const product = await post(shirt());
  expect(product).toMatchObject({
    sku: `SHIRT-${sequence}`,
    price: '20.00',
    price_max: '25.00',
    compare_at_price: null,
    stock: 7,
    reserved: 0,
    available: 7,
    variant_count: 3,
    options: [
      { name: 'Size', values: ['S', 'M', 'L'] },
      { name: 'Color', values: ['Red', 'Blue'] },
    ],
    variants: [
      { position: 1, sku: `SHIRT-${sequence}`, title: 'S / Red', options: { Size: 'S', Color: 'Red' }, price: '20.00' },
      { position: 2, sku: `SHIRT-${sequence}-MR`, title: 'M / Red', price: '22.50', stock: 4, taxable: true },
      { position: 3, sku: `SHIRT-${sequence}-3`, price: '25.00', compare_at_price: '30.00', weight_grams: 200 },
    ],
  });
  expect(await read(product)).toEqual(product);
  const { body } = await merchant.get(`${products}?search=${product.title}`);
  expect(body.products).toEqual([product]);
});

test('all problems of variants are reported by variant', async () => {
  const other = await post(shirt());
  const { sku } = other;
  const answer = await merchant.post(
    products,
    shirt({
      stock: 1,
      variants: [
        { options: { Size: 'S' }, sku },
        { options: { Size: 'S', Color: 'Red', Fit: 'Slim' }, sku: 'TWICE' },
        { options: { Size: 'S', Color: 'Red' }, sku: 'twice', price: 5, compare_at_price: 4 },
      ],
    }),
  );
  expect(codes(answer)).toEqual({
    status: 422,
    stock: ['not_allowed'],
    'variants.0.options.Color': ['required'],
    'variants.0.sku': ['taken'],
    'variants.1.options.Fit': ['unknown'],
    'variants.2.options': ['taken'],
    'variants.2.sku': ['taken'],
    'variants.2.compare_at_price': ['invalid'],
  });
});

test.each([
  ['several variants without options', { options: [], variants: [{ sku: 'NO-1' }, { sku: 'NO-2' }] }, 'variants'],
  ['no variants', { variants: [] }, 'variants'],
  ['options without variants', { variants: undefined }, 'variants'],
  ['the same option twice', { options: [{ name: 'Size' }, { name: 'size' }], variants: [] }, 'options'],
])('a product with %s is refused', async (_, fields, field) => {
  const { status, body } = await merchant.post(products, shirt(fields));
  expect({ status, fields: Object.keys(body.errors) }).toMatchObject({ status: 422 });
  expect(Object.keys(body.errors)).toContain(field);
});

test('a SKU is unique among the variants of all products', async () => {
  const product = await post(shirt());
  const { sku } = variantAt(product, 1);
  const again = await merchant.post(products, { sku: sku.toLowerCase(), title: 'Other', price: 1 });
  expect(codes(again)).toEqual({ status: 422, sku: ['taken'] });
  expect((await merchant.get(`${products}/lookup?sku=${sku}`)).body.product.id).toBe(product.id);
  await merchant.delete(`${products}/${product.id}`);
  expect((await merchant.post(products, { sku, title: 'Other', price: 1 })).status).toBe(201);
});

test('of concurrent products with the same SKU of a variant one is created', async () => {
  const variants = (n: number) => [
    { sku: `RACE-${n}`, options: { Size: 'S', Color: 'Red' } },
    { sku: 'RACE', options: { Size: 'M', Color: 'Red' } },
  ];
  const answers = await Promise.all(
    Array.from({ length: 8 }, (_, n) => merchant.post(products, shirt({ variants: variants(n) }))),
  );
  expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(7).fill(422)]);
});

test('the variants of a product are replaced, ordered and removed as a list', async () => {
  const product = await post(shirt());
  const [small, medium] = [variantAt(product, 0), variantAt(product, 1)];
  const { status, body } = await merchant.patch(`${products}/${product.id}`, {
    variants: [
      { sku: medium.sku, price: '21.00' },
      { id: small.id, stock: 10 },
      { options: { Size: 'XL', Color: 'Green' }, price: '40.00', stock: 2 },
    ],
  });
  expect({ status, product: body.product }).toMatchObject({
    status: 200,
    product: {
      sku: medium.sku,
      price: '20.00',
      price_max: '40.00',
      stock: 16,
      options: [
        { name: 'Size', values: ['S', 'M', 'L', 'XL'] },
        { name: 'Color', values: ['Red', 'Blue', 'Green'] },
      ],
      variants: [
        { id: medium.id, price: '21.00', stock: 4, barcode: medium.barcode },
        { id: small.id, stock: 10 },
        { title: 'XL / Green', stock: 2 },
      ],
    },
  });
  const { movements } = (await merchant.get(`${products}/${product.id}/movements`)).body;
  expect(
    movements.map(({ change, reason }: { change: number; reason: string }) => `${reason} ${change}`).sort(),
  ).toEqual(['edited 7', 'initial 2', 'initial 3', 'initial 4']);
});

test('a variant can be added, changed and deleted', async () => {
  const product = await post(shirt());
  const url = `${products}/${product.id}/variants`;
  const added = await merchant.post(url, { options: { Size: 'L', Color: 'Red' }, stock: 5 });
  expect(added).toMatchObject({ status: 201, body: { variant: { position: 4, price: '20.00', stock: 5 } } });
  const { id } = added.body.variant;
  const changed = await merchant.patch(`${url}/${id}`, { price: '9.00', taxable: false, continue_selling: true });
  expect(changed).toMatchObject({ status: 200, body: { variant: { id, price: '9.00', taxable: false, stock: 5 } } });
  expect(await read(product)).toMatchObject({ price: '9.00', stock: 12, variant_count: 4 });
  expect(codes(await merchant.post(url, { options: { Size: 'L', Color: 'Red' } }))).toEqual({
    status: 422,
    options: ['taken'],
  });
  expect(codes(await merchant.patch(`${url}/${id}`, { sku: product.sku }))).toEqual({ status: 422, sku: ['taken'] });
  expect((await merchant.delete(`${url}/${id}`)).status).toBe(200);
  expect(await read(product)).toMatchObject({ price: '20.00', stock: 7, variant_count: 3 });
  expect((await merchant.delete(`${url}/${id}`)).body.code).toBe('products.variant_not_found');
  const single = await post({ sku: `ONE-${sequence}`, title: 'One', price: 1 });
  const last = await merchant.delete(`${products}/${single.id}/variants/${variantAt(single, 0).id}`);
  expect(last).toMatchObject({ status: 409, body: { code: 'products.last_variant' } });
});

test('prices, SKU and stock of several variants cannot be set through the product', async () => {
  const product = await post(shirt());
  const url = `${products}/${product.id}`;
  expect(codes(await merchant.patch(url, { price: 5, stock: 9, sku: 'NEW' }))).toEqual({
    status: 422,
    price: ['not_allowed'],
    stock: ['not_allowed'],
    sku: ['not_allowed'],
  });
  expect((await merchant.patch(url, { price: '20.00', stock: 7, title: 'Renamed' })).status).toBe(200);
  const named = product.variants.map(({ id, sku, title }) => ({ id, sku, title }));
  for (const answer of [
    await merchant.post(`${url}/stock`, { change: 1 }),
    await merchant.post(`${url}/reservations`, { quantity: 1 }),
  ]) {
    expect(answer).toMatchObject({ status: 409, body: { code: 'products.has_variants', variants: named } });
  }
  const { id } = variantAt(product, 1);
  expect(await merchant.post(`/api/v1/variants/${id}/stock`, { change: -1 })).toMatchObject({
    status: 200,
    body: { variant: { id, stock: 3 } },
  });
  const reserved = await merchant.post(`${url}/reservations`, { quantity: 2, variant_id: id });
  expect(reserved).toMatchObject({ status: 201, body: { product: { reserved: 2, available: 4 } } });
  expect((await merchant.delete(`${url}/variants/${id}`)).body.code).toBe('products.has_reservations');
});

test('an option can be renamed without sending the variants', async () => {
  const product = await post(shirt());
  const { body } = await merchant.patch(`${products}/${product.id}`, {
    options: [{ name: 'Length' }, { name: 'Color' }],
  });
  expect(variantAt(body.product, 0)).toMatchObject({ title: 'S / Red', options: { Length: 'S', Color: 'Red' } });
  const fewer = await merchant.patch(`${products}/${product.id}`, { options: [{ name: 'Length' }] });
  expect(fewer.status).toBe(422);
});

test('variants are listed and filtered', async () => {
  const product = await post(shirt());
  const list = async (query: string) =>
    (await merchant.get(`/api/v1/variants?${query}`)).body.variants.map(({ id }: Variant) => id);
  const ids = product.variants.map(({ id }) => id);
  expect(await list(`product=${product.id}&sort_by=sku&sort_order=asc`)).toEqual([ids[0], ids[2], ids[1]]);
  expect(await list(`sku=${variantAt(product, 1).sku.toLowerCase()}`)).toEqual([ids[1]]);
  expect(await list(`barcode=${variantAt(product, 1).barcode}`)).toEqual([ids[1]]);
  expect((await list(`ids=${ids[0]},${ids[2]}`)).sort()).toEqual([ids[0], ids[2]].sort());
  expect((await merchant.get('/api/v1/variants?ids=tea')).status).toBe(422);
  expect(await list(`product=${product.id}&in_stock=false`)).toEqual([ids[2]]);
  expect(await merchant.get(`/api/v1/variants/${ids[1]}`)).toMatchObject({ body: { variant: variantAt(product, 1) } });
  expect((await merchant.get(`${products}/search?q=${variantAt(product, 1).barcode}`)).body.products).toHaveLength(1);
});

test('ids on other platforms are unique for each kind of record, and find it', async () => {
  const first = await post(shirt({ external_ids: { shopify: '77' }, metadata: { supplier: 'Nilgiri' } }));
  expect(first).toMatchObject({ external_ids: { shopify: '77' }, metadata: { supplier: 'Nilgiri' } });
  expect(codes(await merchant.post(products, shirt({ external_ids: { shopify: '77' } })))).toEqual({
    status: 422,
    external_ids: ['taken'],
  });
  const { id } = variantAt(first, 0);
  await merchant.patch(`${products}/${first.id}/variants/${id}`, { external_ids: { shopify: '77' } });
  expect((await merchant.get('/api/v1/variants?external_id=shopify:77')).body.variants).toMatchObject([{ id }]);
  expect((await merchant.get(`${products}?external_id=shopify:77`)).body.products).toMatchObject([{ id: first.id }]);
  expect((await merchant.get(`${products}?external_id=shopify`)).status).toBe(422);
  await merchant.delete(`${products}/${first.id}`);
  await post(shirt({ external_ids: { shopify: '77' } }));
  const tooMany = Object.fromEntries(Array.from({ length: 51 }, (_, n) => [`key${n}`, 'x']));
  expect((await merchant.post(products, shirt({ metadata: tooMany }))).status).toBe(422);
});

test('a slug is derived from the title, can be set, and is unique', async () => {
  const [first, second] = [await post(shirt({ title: 'Crème brûlée!' })), await post(shirt({ title: 'Creme Brulee' }))];
  expect(first.slug).toBe('creme-brulee');
  expect(second.slug).toMatch(/^creme-brulee-[0-9a-f]{8}$/);
  expect((await merchant.get(`${products}?slug=creme-brulee`)).body.products).toMatchObject([{ id: first.id }]);
  expect(codes(await merchant.post(products, shirt({ slug: 'creme-brulee' })))).toEqual({
    status: 422,
    slug: ['taken'],
  });
  expect(codes(await merchant.patch(`${products}/${second.id}`, { slug: 'creme-brulee' }))).toEqual({
    status: 422,
    slug: ['taken'],
  });
  expect((await merchant.patch(`${products}/${second.id}`, { slug: 'custard' })).body.product.slug).toBe('custard');
  expect((await merchant.post(products, shirt({ slug: 'Not a slug' }))).status).toBe(422);
});

test('variants are in CSV files, and rows with the same slug are one product', async () => {
  const [source, target] = [await platform.tenant(), await platform.tenant()];
  const as = (tenant: typeof acme) =>
    tenant.caller('products.view', 'products.create', 'products.edit', 'products.import', 'products.export');
  await as(source).post(products, shirt({ tags: ['new'], categories: ['Clothing'] }));
  await as(source).post(products, { sku: 'SINGLE', title: 'Single', price: '1.00', stock: 2 });
  const csv = (await as(source).get(`${products}/export?sort_by=created_at&sort_order=asc`)).body as string;
  expect(csv.trim().split('\r\n')).toHaveLength(5);
  const send = (payload: string) =>
    as(target).request({
      method: 'POST',
      url: `${products}/import`,
      payload,
      headers: { 'content-type': 'text/csv' },
    });
  expect((await send(csv)).body).toMatchObject({ created: 2, updated: 0, failed: 0 });
  const list = async (tenant: typeof acme) =>
    (await as(tenant).get(`${products}?sort_by=sku`)).body.products.map(
      ({ title, price, price_max, stock, ...rest }: Product) => {
        const variants = rest.variants.map((one) => `${one.sku} ${one.title} ${one.price} ${one.stock} ${one.barcode}`);
        return {
          title,
          price,
          price_max,
          stock,
          slug: rest.slug,
          options: rest.options.map(({ name }) => name),
          variants,
        };
      },
    );
  expect(await list(target)).toEqual(await list(source));
  expect((await send(csv)).body).toMatchObject({ created: 0, updated: 0, unchanged: 2, failed: 0 });
  const sku = `SHIRT-${sequence}`;
  const changed = await send(`sku,price,stock\n${sku}-MR,19.00,8\nSINGLE,2.00,\n`);
  expect(changed.body).toMatchObject({ updated: 2, failed: 0 });
  expect((await as(target).get(`${products}/lookup?sku=${sku}`)).body.product).toMatchObject({
    price: '19.00',
    stock: 11,
    variant_count: 3,
  });
  const header = 'sku,title,slug,price,option1_name,option1_value';
  const bad = await send(`${header}\nC-1,Cap,cap,5.00,Size,S\nC-2,Cap,cap,-1,Size,M\nC-3,Hat,cap,5.00,Size,S\n`);
  expect(bad.body).toMatchObject({
    created: 0,
    failed: 3,
    errors: [
      { line: 2, errors: { row: ['Line 3 of the same product has errors.'] } },
      { line: 3, errors: { price: [expect.any(String)] } },
      {
        line: 4,
        errors: { title: ['Line 2 of the same product has another value.'], option1_value: [expect.any(String)] },
      },
    ],
  });
  const good = await send(`${header}\nC-1,Cap,cap,5.00,Size,S\nC-2,,cap,6.00,Size,M\n`);
  expect(good.body).toMatchObject({ created: 1, failed: 0 });
});

test('variants can be selected in GraphQL, for all products of a list at once', async () => {
  const product = await post(shirt());
  const query = `query ($id: ID!, $search: String) {
    product(id: $id) { sku variants { sku title price options available } }
    products(search: $search) { nodes { slug variants { id } } }
  }`;
  const variables = { id: product.id, search: product.title };
  const { body } = await merchant.post('/api/v1/graphql', { query, variables });
  expect(body.errors).toBeUndefined();
  expect(body.data.product.variants[1]).toEqual({
    sku: variantAt(product, 1).sku,
    title: 'M / Red',
    price: '22.50',
    options: { Size: 'M', Color: 'Red' },
    available: 4,
  });
  expect(body.data.products.nodes).toEqual([
    { slug: product.slug, variants: product.variants.map(({ id }) => ({ id })) },
  ]);
});

test('the sums of a product follow all changes of its variants, up to their limit', async () => {
  const product = await post(shirt());
  const write = async (changes: ReturnType<typeof sql>) => {
    await acme.db.run(sql`UPDATE product_variants SET ${changes}, updated_at = now() WHERE product_id = ${product.id}`);
    const { stock, reserved, price, price_max } = await read(product);
    return { stock, reserved, price, price_max };
  };
  const prices = { price: '20.00', price_max: '25.00' };
  expect(await write(sql`stock = stock + 10, reserved = reserved + position`)).toEqual({
    stock: 37,
    reserved: 6,
    ...prices,
  });
  expect(await write(sql`stock = stock - 1, price = price + 1`)).toEqual({
    stock: 34,
    reserved: 6,
    price: '21.00',
    price_max: '26.00',
  });
  expect(await write(sql`stock = 2147483647`)).toMatchObject({ stock: 2_147_483_647, reserved: 6 });
  expect(await write(sql`stock = 5`)).toMatchObject({ stock: 15, reserved: 6 });
  expect(await write(sql`deleted_at = CASE WHEN position = 3 THEN now() END`)).toMatchObject({
    stock: 10,
    reserved: 3,
  });
});

test('what an older server writes to products reaches their variants', async () => {
  const id = crypto.randomUUID();
  await acme.db.run(sql`
    INSERT INTO products (id, sku, title, price, status, stock, created_at, updated_at)
    VALUES (${id}, 'OLDER', 'Older', '5.00', 'active', 3, now(), now())`);
  expect(await read({ id })).toMatchObject({ slug: id, variants: [{ id, sku: 'OLDER', price: '5.00', stock: 3 }] });
  await acme.db.run(sql`
    UPDATE products SET sku = 'OLDER-2', price = '6.00', stock = stock + 2, reserved = reserved + 1 WHERE id = ${id}`);
  await acme.db.run(sql`
    INSERT INTO stock_movements (id, product_id, change, reserved_change, reason, at)
    VALUES (gen_random_uuid(), ${id}, 2, 1, 'older', now())`);
  expect(await read({ id })).toMatchObject({
    sku: 'OLDER-2',
    price: '6.00',
    stock: 5,
    reserved: 1,
    variants: [{ sku: 'OLDER-2', price: '6.00', stock: 5, reserved: 1, available: 4 }],
  });
  await acme.db.run(sql`UPDATE products SET stock = stock + 1 WHERE id = ${id}`);
  expect(await read({ id })).toMatchObject({ stock: 6, variants: [{ stock: 6 }] });
  expect((await merchant.get(`${products}/${id}/movements`)).body.movements).toMatchObject([{ variant_id: id }]);
  await acme.db.run(sql`UPDATE products SET deleted_at = now() WHERE id = ${id}`);
  expect((await merchant.get('/api/v1/variants?sku=OLDER-2')).body.variants).toEqual([]);
  const next = await merchant.post(products, { sku: 'OLDER-2', title: 'Next', price: 1 });
  expect(next.status).toBe(201);
});

test('prices have the decimals of the currency of the shop', async () => {
  const shop = await platform.tenant();
  const caller = shop.caller('products.view', 'products.create', 'products.edit', 'settings.edit');
  const body = { sku: 'OUD', title: 'Oud', price: '1.235', compare_at_price: '2.005' };
  const refused = (currency: string) => ({
    status: 422,
    body: {
      errors: {
        price: [`An amount in ${currency} has at most 2 decimals.`],
        compare_at_price: [`An amount in ${currency} has at most 2 decimals.`],
      },
    },
  });
  expect(await caller.post(products, body)).toMatchObject(refused('INR'));
  await caller.patch('/api/v1/settings', { 'general.currency': 'KWD' });
  const { status, body: answer } = await caller.post(products, body);
  expect({ status, product: answer.product }).toMatchObject({
    status: 201,
    product: { price: '1.235', compare_at_price: '2.005', variants: [{ price: '1.235' }] },
  });
  await caller.patch('/api/v1/settings', { 'general.currency': 'JPY' });
  const url = `${products}/${answer.product.id}`;
  // What was saved before can stay.
  expect((await caller.patch(url, { title: 'Oud oil' })).status).toBe(200);
  const wrong = ['An amount in JPY has no decimals.'];
  expect(await caller.patch(url, { price: '1.5' })).toMatchObject({ status: 422, body: { errors: { price: wrong } } });
  const [{ id }] = answer.product.variants;
  expect(await caller.patch(`${url}/variants/${id}`, { price: '1.5' })).toMatchObject({
    status: 422,
    body: { errors: { price: wrong } },
  });
  expect(await caller.patch(url, { variants: [{ id, compare_at_price: '9.5' }] })).toMatchObject({
    status: 422,
    body: { errors: { 'variants.0.compare_at_price': wrong } },
  });
});
