import { expect, test } from 'vitest';
import { startPlatform } from '../../server/testing/platform.ts';

const platform = await startPlatform();

async function shop() {
  const caller = (await platform.tenant()).caller('products.view', 'products.import', 'products.create');
  const send = (payload: string, query = '', path = 'import') =>
    caller.request({
      method: 'POST',
      url: `/api/v1/products/${path}${query}`,
      payload,
      headers: { 'content-type': 'text/csv' },
    });
  return { send, all: async () => (await caller.get('/api/v1/products?sort_by=sku&sort_order=asc')).body.products };
}

const header =
  'Handle,Title,Body (HTML),Vendor,Product Category,Type,Tags,Published,Option1 Name,Option1 Value,Option2 Name,Option2 Value,' +
  'Option3 Name,Option3 Value,Variant SKU,Variant Grams,Variant Inventory Tracker,Variant Inventory Qty,' +
  'Variant Inventory Policy,Variant Fulfillment Service,Variant Price,Variant Compare At Price,Variant Requires Shipping,' +
  'Variant Taxable,Variant Barcode,Image Src,Image Position,Image Alt Text,Gift Card,SEO Title,SEO Description,' +
  'Google Shopping / MPN,Variant Image,Variant Weight Unit,Variant Tax Code,Cost per item,Status';
const shopify = [
  header,
  'green-tea,Green tea,"<p>From <b>Assam</b> &amp; Nilgiri.</p><p>Fresh, 2026</p>",Chai Co,Food > Tea,Tea,"organic, loose leaf",' +
    "true,Size,250 g,,,,,'0012,250,shopify,12,deny,manual,199.65,249.00,true,true,8901030865237," +
    'https://cdn.shopify.com/tea.jpg,1,A bag of tea,false,,,MPN-1,,g,,,active',
  'green-tea,,,,,,,,,500 g,,,,,TEA-500,500,shopify,-3,continue,manual,349.00,0,true,false,,https://cdn.shopify.com/tea-2.jpg,2,,,,,,,g,,,',
  'green-tea,,,,,,,,,,,,,,,,,,,,,,,,,https://cdn.shopify.com/tea-3.jpg,3,,,,,,,,,,',
  'cup,Cup,,Chai Co,,Kitchen,,false,Title,Default Title,,,,,,,,,deny,manual,49.00,,true,true,,,,,false,,,,,kg,,,',
  '',
].join('\n');

test('a product export of Shopify is imported as it is', async () => {
  const { send, all } = await shop();
  const preview = await send(shopify, '', 'import/preview');
  expect(preview.body).toEqual({ changes: [], created: 2, updated: 0, unchanged: 0, failed: 0, errors: [] });
  const { body } = await send(shopify);
  expect(body).toMatchObject({ created: 2, failed: 0 });
  const [tea, cup] = await all();
  expect(tea).toMatchObject({
    sku: '0012',
    slug: 'green-tea',
    title: 'Green tea',
    description: 'From Assam & Nilgiri.\nFresh, 2026',
    status: 'active',
    tags: ['organic', 'loose leaf'],
    categories: ['Tea'],
    options: [{ name: 'Size', values: ['250 g', '500 g'] }],
    images: [
      { url: 'https://cdn.shopify.com/tea.jpg', alt: 'A bag of tea' },
      { url: 'https://cdn.shopify.com/tea-2.jpg', alt: '' },
      { url: 'https://cdn.shopify.com/tea-3.jpg', alt: '' },
    ],
    variants: [
      {
        sku: '0012',
        options: { Size: '250 g' },
        price: '199.65',
        compare_at_price: '249.00',
        stock: 12,
        weight_grams: 250,
        barcode: '8901030865237',
        continue_selling: false,
        taxable: true,
      },
      {
        sku: 'TEA-500',
        options: { Size: '500 g' },
        price: '349.00',
        compare_at_price: null,
        stock: 0,
        weight_grams: 500,
        continue_selling: true,
        taxable: false,
      },
    ],
  });
  expect(cup).toMatchObject({
    sku: 'cup',
    slug: 'cup',
    price: '49.00',
    status: 'draft',
    variant_count: 1,
    options: [],
  });
  expect((await send(shopify)).body).toMatchObject({ created: 0, updated: 0, unchanged: 2, failed: 0 });
});

test('a wrong row of a Shopify export is reported by its line', async () => {
  const { send, all } = await shop();
  const wrong = shopify.replace('349.00', 'free').replace('cup,Cup,', 'cup,,');
  const { body } = await send(wrong);
  expect(body).toMatchObject({ created: 0, failed: 3 });
  expect(body.errors).toEqual([
    { line: 2, errors: { row: ['Line 3 of the same product has errors.'] } },
    { line: 3, errors: { price: [expect.any(String)] } },
    { line: 5, errors: { title: ['The title is required.'] } },
  ]);
  expect(await all()).toEqual([]);
});

test('columns are mapped, ignored or refused by choice', async () => {
  const { send, all } = await shop();
  const file = 'Item,Name,Cost,Colour\nA,Tea,2,red\n';
  const mapping = 'mapping[Item]=sku&mapping[name]=title&mapping[Cost]=price';
  expect((await send(file)).body.errors).toEqual({ header: [expect.stringContaining("no column 'item'")] });
  expect((await send(file, `?${mapping}`)).body.errors).toEqual({
    header: [expect.stringContaining("no column 'colour'")],
  });
  const refused: [string, string][] = [
    [`${mapping}&mapping[Size]=stock`, 'mapping'],
    [`${mapping}&mapping[Colour]=paint`, 'mapping.Colour'],
    [`${mapping}&mapping[Colour]=title`, 'header'],
    ['mapping[Item]=&unknown_columns=ignore', 'header'],
    ['unknown_columns=drop', 'unknown_columns'],
    ['colour=red', 'colour'],
    ['mapping=sku', 'mapping'],
  ];
  for (const [query, field] of refused) {
    const { status, body } = await send(file, `?${query}`);
    expect({ query, status, fields: Object.keys(body.errors) }).toEqual({ query, status: 422, fields: [field] });
  }
  expect(await all()).toEqual([]);
  expect((await send(file, `?${mapping}&mapping[Colour]=`)).body).toMatchObject({ created: 1 });
  expect((await send(file, `?${mapping}&unknown_columns=ignore`)).body).toMatchObject({ unchanged: 1 });
  expect(await all()).toMatchObject([{ sku: 'A', title: 'Tea', price: '2.00' }]);
});

test('a mapping takes another column of a Shopify export', async () => {
  const { send, all } = await shop();
  await send(shopify, '?mapping[Google Shopping / MPN]=barcode'.replaceAll(' ', '%20'));
  const [tea] = await all();
  expect(tea.variants.map(({ barcode }: { barcode: string }) => barcode)).toEqual(['MPN-1', null]);
});
