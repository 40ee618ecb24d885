import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { cell, readCell, sql } from '@chowk/kit/kernel';
import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { startPlatform } from '../../server/testing/platform.ts';
import { getPort } from '../../server/testing/raw-http.ts';
import { csvCells, csvFields, csvFormat } from './csv-columns.ts';
import type { Product } from './schemas.ts';

const platform = await startPlatform();

async function shop() {
  const tenant = await platform.tenant();
  const permissions = ['view', 'create', 'edit', 'import', 'export'].map((verb) => `products.${verb}`);
  const caller = tenant.caller(...permissions, 'reseller.catalogue.manage');
  return {
    caller,
    create: async (fields: object) => (await caller.post('/api/v1/products', { price: 1, ...fields })).body.product,
    send: (payload: string, type = 'text/csv') =>
      caller.request({ method: 'POST', url: '/api/v1/products/import', payload, headers: { 'content-type': type } }),
    exported: async (query = '') => (await caller.get(`/api/v1/products/export${query}`)).body,
    all: async (): Promise<Product[]> =>
      (await caller.get('/api/v1/products/export?format=json&sort_by=sku')).body.products,
  };
}

test('an import creates and updates products and reports invalid rows', async () => {
  const { create, send, all } = await shop();
  await create({ sku: 'Old', title: 'Before', price: '2.00', stock: 5, tags: ['kept'] });
  const { status, body } = await send(
    [
      'sku,title,description,price,stock,mandatory,status',
      'NEW,New,"Two',
      'lines",3.5,4,yes,draft',
      'old,After,,,7,,',
      '',
      ',Nameless,,1,1,,',
      'BAD,Bad,,1.234,-1,perhaps,sold',
      'SHORT,Short',
      'new,Again,,1,1,,',
      'NOPRICE,No price,,,1,,',
    ].join('\n'),
  );
  expect(status).toBe(200);
  expect(body).toEqual({
    message: '1 created, 1 updated, 0 unchanged, 5 failed.',
    created: 1,
    updated: 1,
    unchanged: 0,
    failed: 5,
    errors: [
      { line: 6, errors: { sku: ['The SKU is required.'] } },
      {
        line: 7,
        errors: {
          stock: ['The stock must be at least 0.'],
          price: ['An amount in INR has at most 2 decimals.'],
          mandatory: ['The mandatory must be a boolean.'],
          status: ['The status must be one of draft, active, archived.'],
        },
      },
      { line: 8, errors: { row: ['The row has 2 cells and the header 7.'] } },
      { line: 9, errors: { sku: ['The SKU new is already on line 2.'] } },
      { line: 10, errors: { price: ['The price is required.'] } },
    ],
  });
  expect(await all()).toMatchObject([
    { sku: 'old', title: 'After', price: '2.00', stock: 7, tags: ['kept'], status: 'active', mandatory: false },
    { sku: 'NEW', title: 'New', description: 'Two\nlines', price: '3.50', stock: 4, status: 'draft', mandatory: true },
  ]);
});

test('a preview has the report of the import and changes nothing', async () => {
  const { caller, create, send, all } = await shop();
  await create({ sku: 'OLD', title: 'Before', price: '2.00', stock: 5 });
  const before = await all();
  const payload = 'sku,title,price\nold,After,3\nNEW,New,4\nBAD,Bad,-1\nnew,Again,1\n';
  const headers = { 'content-type': 'text/csv' };
  const preview = await caller.request({ method: 'POST', url: '/api/v1/products/import/preview', payload, headers });
  expect(preview).toMatchObject({ status: 200, body: { created: 1, updated: 1, failed: 2 } });
  expect(preview.body.errors.map(({ line }: { line: number }) => line)).toEqual([4, 5]);
  expect(await all()).toEqual(before);
  const { message: _, ...report } = (await send(payload)).body;
  const { changes, ...previewed } = preview.body;
  expect(report).toEqual(previewed);
  expect(changes).toEqual([
    {
      sku: 'OLD',
      title: 'Before',
      fields: [
        { field: 'sku', before: 'OLD', after: 'old' },
        { field: 'title', before: 'Before', after: 'After' },
        { field: 'price', before: '2.00', after: '3.00' },
      ],
    },
  ]);
});

test('a preview names the variants that would change, and those that would be new', async () => {
  const { caller, send } = await shop();
  const header = 'sku,slug,title,option1_name,option1_value,price';
  const known = await send(`${header}\nKURTA-S,kurta,Kurta,Size,S,10.00\nKURTA-M,kurta,Kurta,Size,M,10.00\n`);
  expect(known.body.created).toBe(1);
  const payload = `${header}\nKURTA-S,kurta,Kurta,Size,S,12.00\nKURTA-L,kurta,Kurta,Size,L,10.00\n`;
  const headers = { 'content-type': 'text/csv' };
  const { body } = await caller.request({ method: 'POST', url: '/api/v1/products/import/preview', payload, headers });
  expect({ updated: body.updated, failed: body.failed }).toEqual({ updated: 1, failed: 0 });
  expect(body.changes[0].fields).toEqual(
    expect.arrayContaining([
      { field: 'KURTA-S: price', before: '10.00', after: '12.00' },
      { field: 'KURTA-L', before: '', after: 'new variant' },
    ]),
  );
});

test('an import also rejects rows for rules beyond the schema', async () => {
  const { caller, create, send, all } = await shop();
  const { id } = await create({ sku: 'HELD', title: 'T', stock: 5, compare_at_price: 2 });
  await caller.post(`/api/v1/products/${id}/reservations`, { quantity: 3 });
  const { body } = await send('sku,price,compare_at_price,stock\nHELD,1,2,2\nheld2,1,2,2\n');
  expect(body.errors).toEqual([
    { line: 2, errors: { stock: ['3 units are reserved; the stock must be at least that.'] } },
    { line: 3, errors: { title: ['The title is required.'] } },
  ]);
  const dear = await send('sku,price\nHELD,2.01\n');
  expect(dear.body.errors).toEqual([
    { line: 2, errors: { compare_at_price: ['The compare at price must be at least the price.'] } },
  ]);
  const odd = await send('sku,price\nHELD,1.234\n');
  expect(Object.keys(odd.body.errors[0].errors)).toEqual(['price']);
  expect(await all()).toMatchObject([{ sku: 'HELD', price: '1.00', stock: 5, reserved: 3 }]);
});

test.each([
  ['an unknown column', 'sku,colour\nA,red\n', { header: [expect.stringContaining("no column 'colour'")] }],
  ['no SKU', 'title,price\nTea,1\n', { header: ["The column 'sku' is missing."] }],
  ['a column twice', 'sku,price,Price\nA,1,2\n', { header: ["The column 'price' occurs twice."] }],
  ['an open quote', 'sku,title,price\nA,"Tea,1\n', { file: [expect.stringMatching(/Quote/i)] }],
  ['a stray quote', 'sku,title,price\nA,Te"a,1\nB,"x"y,1', { file: [expect.stringMatching(/Quote/i)] }],
  ['nothing but empty lines', '\n\n', { file: ['The file is empty.'] }],
  ['nothing', '', { file: ['The file is empty.'] }],
])('a file with %s changes nothing', async (_, text, errors) => {
  const { send, all } = await refusing;
  const { status, body } = await send(text);
  expect({ status, errors: body.errors }).toEqual({ status: 422, errors });
  expect(await all()).toEqual([]);
});
const refusing = shop();

test('an import must be CSV of at most 10 MB', async () => {
  const { send } = await refusing;
  for (const type of ['application/json', 'text/plain']) {
    const { status, body } = await send('sku\n', type);
    expect({ status, message: body.message }).toEqual({ status: 415, message: 'Send the body as text/csv.' });
  }
  expect((await send(`sku\n${'x'.repeat(10 * 1024 * 1024)}`)).status).toBe(413);
});

test('an import accepts byte order mark, carriage returns and a loosely written header', async () => {
  const { send, all } = await shop();
  const { body } = await send('\ufeffSKU, Title ,PRICE,tags,categories\r\nA,Tea,"1","hot, new",Drinks|Tea\r\n');
  expect(body).toMatchObject({ created: 1, failed: 0 });
  expect(await all()).toMatchObject([{ title: 'Tea', tags: ['hot', 'new'], categories: ['Drinks', 'Tea'] }]);
});

test('a large file is imported in batches, also twice concurrently', async () => {
  const { send, caller } = await shop();
  const rows = Array.from({ length: 1_300 }, (_, n) => `L-${n},Product ${n},${n}.50,${n % 7}`);
  const file = `sku,title,price,stock\n${rows.join('\n')}`;
  const answers = await Promise.all([send(file), send(file)]);
  const sum = (name: string) => answers.reduce((total, { body }) => total + body[name], 0);
  expect(sum('created')).toBe(1_300);
  expect(sum('created') + sum('unchanged') + sum('failed')).toBe(2_600);
  expect((await caller.get('/api/v1/products')).body.pagination.total).toBe(1_300);
  const { body } = await send(file);
  expect(body).toMatchObject({ created: 0, updated: 0, unchanged: 1_300, failed: 0 });
  const changed = file.replace('Product 7,', 'Product seven,');
  expect((await send(changed)).body).toMatchObject({ created: 0, updated: 1, unchanged: 1_299, failed: 0 });
});

test('an export has a header, a file name and the filtered rows', async () => {
  const { caller, create, exported } = await shop();
  await create({ sku: 'A', title: 'Tea, "hot"', stock: 2, tags: ['x', 'y'] });
  await create({ sku: 'B', title: 'Other', status: 'draft' });
  const { status, headers, body } = await caller.get('/api/v1/products/export?status=active');
  expect(status).toBe(200);
  expect(headers['content-type']).toMatch(/^text\/csv; charset=utf-8/);
  expect(headers['content-disposition']).toMatch(/^attachment; filename="products-\d{4}-\d\d-\d\d\.csv"$/);
  const [header, ...lines] = body.split('\r\n');
  expect(header).toBe(`\ufeff${csvFields.join(',')}`);
  expect(lines).toHaveLength(2);
  expect(lines[0]).toMatch(/^[0-9a-f-]{36},A,"Tea, ""hot""",,1\.00,,active,,"x,y",,false,2,0,2,/);
  expect((await exported('?format=json&sort_by=sku&sort_order=asc')).products).toMatchObject([
    { sku: 'A' },
    { sku: 'B' },
  ]);
  expect(await exported('?format=json&status=archived')).toEqual({ products: [] });
  expect((await caller.get('/api/v1/products/export?format=xml')).status).toBe(422);
});

test.each(['=1+1', '+1', '-1', '@SUM(A1)', '\t1', '\r1', '＝1', "'=1"])(
  'a cell that begins with %j is not run by a spreadsheet',
  async (text) => {
    const product = { title: text, sku: text, description: text, tags: [text], categories: [text] };
    for (const name of ['title', 'sku', 'description', 'tags', 'categories']) {
      const write = name === 'categories' ? csvCells.categories : (row: Product) => row[name as keyof Product];
      const written = cell(write(product as unknown as Product));
      expect(written).toBe(`'${text}`);
      expect([readCell(csvFormat, name, written)].flat()).toEqual([
        text.trim() === text || name === 'description' ? text : text.trim(),
      ]);
    }
  },
);

test.each(['चाय', '红茶', 'Thé "noir", sucré', 'Two\nlines, "three"\r\nfour', ' ,x '])(
  '%j is in the file what it is in the shop',
  async (text) => {
    const { create, exported } = await shop();
    // A title is one line.
    const [title, description] = [text.replace(/\s+/g, ' ').trim(), text];
    await create({ sku: 'A', title, description, tags: [title.replaceAll(',', '')] });
    const [row, ...more] = parse(await exported(), { bom: true, columns: true });
    expect(row).toMatchObject({ sku: 'A', title, description, tags: title.replaceAll(',', '') });
    expect(more).toEqual([]);
  },
);

test('an import accepts files with and without byte order mark', async () => {
  const { create, send, exported } = await shop();
  await create({ sku: 'A', title: 'चाय' });
  const file: string = await exported();
  expect(file.startsWith('\ufeff')).toBe(true);
  for (const text of [file, file.slice(1)]) {
    expect((await send(text)).body).toMatchObject({ created: 0, updated: 0, unchanged: 1, failed: 0 });
  }
});

test('numbers are not escaped', () => {
  expect(cell(-5)).toBe('-5');
});

test('a reader who disconnects releases the database connection', async () => {
  const narrow = await startPlatform({ environment: { DATABASE_CONNECTIONS_PER_TENANT: '1' } });
  const tenant = await narrow.tenant();
  const caller = tenant.caller('products.view', 'products.export');
  await tenant.db.run(sql`
    INSERT INTO products (id, sku, title, description, price, status, created_at, updated_at)
    SELECT gen_random_uuid(), n, 'T', repeat('x', 20000), 1, 'active', now(), now() FROM generate_series(1, 2000) n`);
  await narrow.app.listen({ host: '127.0.0.1', port: 0 });
  const request = get({
    port: getPort(narrow.app),
    path: '/api/v1/products/export',
    headers: { authorization: `Bearer ${caller.token}`, 'x-tenant': tenant.id },
  });
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  await once(response, 'readable');
  request.destroy();
  expect((await caller.get('/api/v1/products')).body.pagination.total).toBe(2_000);
});

const harmless = (text: string) => !/\p{Cc}/u.test(text) && text.trim() !== '';
const anyText = fc.oneof(
  fc.string({ unit: 'binary', minLength: 1, maxLength: 20 }),
  fc.string({
    unit: fc.constantFrom('"', ',', "'", '=', '-', ' ', '|', '\\', 'é', '茶', 'चा', 'م', '😀'),
    minLength: 1,
  }),
  fc
    .tuple(fc.constantFrom('=', '+', '-', '@', "'", "'=", '＝', 'x;=', '+9198765;@'), fc.string({ maxLength: 8 }))
    .map(([a, b]) => a + b),
);
const line = anyText.filter(harmless);
const arbitraryProduct = fc.record({
  sku: line.map((text) => Array.from(text).slice(0, 40).join('')),
  title: line,
  description: fc
    .array(fc.oneof(anyText, fc.constantFrom('\n', '\r\n', '\r', '\t', '"', ';', '=', ';=', "\t'-", '+919876543210')), {
      maxLength: 4,
    })
    .map((parts) => parts.join('').replaceAll('\0', '')),
  price: fc.integer({ min: 0, max: 99_999 }).map((cents) => cents / 100),
  compare_at_price: fc.option(fc.integer({ min: 1_000, max: 9_999 })),
  status: fc.constantFrom('draft', 'active', 'archived'),
  stock: fc.nat(100),
  mandatory: fc.boolean(),
  tags: fc.array(
    line.filter((text) => !text.includes(',')),
    { maxLength: 3 },
  ),
  categories: fc.array(
    line.filter((text) => !text.includes('|')),
    { maxLength: 3 },
  ),
  images: fc.array(
    fc.record({
      url: fc.constantFrom('https://x.example/a.png?b=c,d', '/b.png', '-c.png', '=d'),
      alt: fc.oneof(line, fc.constant('')),
    }),
    { maxLength: 3 },
  ),
});

test('an export can be imported into another tenant without loss', async () => {
  const [source, target] = [await shop(), await shop()];
  const withoutKeys = ({ id: _, created_at: __, updated_at: ___, ...fields }: Product) => fields;
  const own = (product: Product) => ({
    ...withoutKeys(product),
    images: product.images.map(({ id: _, ...image }) => image),
    variants: product.variants.map(
      ({ id: _, product_id: __, created_at: ___, updated_at: ____, ...variant }) => variant,
    ),
  });
  let created = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(arbitraryProduct, { minLength: 20, maxLength: 20 }), async (products) => {
      for (const product of products) {
        const sku = `${created++} ${product.sku}`;
        const { status, body } = await source.caller.post('/api/v1/products', { ...product, sku });
        expect({ status, body }).toMatchObject({ status: 201 });
      }
      const { body } = await target.send(await source.exported());
      expect(body.errors).toEqual([]);
      const [sent, received] = [await source.all(), await target.all()];
      expect(received.map(own)).toEqual(sent.map(own));
    }),
    { numRuns: 6 },
  );
});
