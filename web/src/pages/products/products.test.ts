import { readFile } from 'node:fs/promises';
import type { Product } from '@chowk/client';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Person } from '../../../../server/testing/accounts.ts';
import { eventually } from '../../../../server/testing/eventually.ts';
import type { TestTenant } from '../../../../server/testing/platform.ts';
import { type Console, chromiumPath, heading, inspect, startConsole } from '../../../testing/console.ts';
import { describeList } from '../../../testing/describe-list.ts';

const url = '/api/v1/products';
const catalog = [
  { sku: 'TEA-DJ-250', title: 'Darjeeling first flush, 250 g', price: '649.00', stock: 120, categories: ['Tea'] },
  {
    sku: 'TEA-AS-500',
    title: 'Assam CTC, 500 g',
    price: '320.00',
    stock: 3,
    categories: ['Tea'],
    tags: ['bestseller'],
  },
  { sku: 'SP-HALDI', title: 'हल्दी पाउडर, २०० ग्राम', price: '85.50', stock: 0, categories: ['Spices', 'Kitchen'] },
  {
    sku: 'BRASS-KADAI-HANDMADE-34CM-HEAVY',
    title: 'Hand-hammered brass kadai with two riveted handles and tinned lining, 34 cm wide',
    price: '12450.00',
    compare_at_price: '14999.00',
    stock: 8,
    categories: ['Kitchen', 'Handmade cookware and utensils of Moradabad'],
    tags: ['handmade', 'gift'],
  },
  { sku: 'SARI-KANJI', title: 'Kanjivaram silk sari', price: '18500.00', stock: 2, status: 'draft' },
];

async function addCatalog(owner: Person): Promise<void> {
  for (const product of catalog) expect((await owner.post(url, product)).status).toBe(201);
}

describeList({
  names: ['product', 'products'],
  fill: addCatalog,
  total: 5,
  search: { text: 'हल्दी', row: 'हल्दी' },
  column: 'Categories',
  sort: { column: 'Price', by: 'price' },
  filter: { search: '?category=Kitchen', total: 2 },
});

describe.skipIf(!chromiumPath)('products', () => {
  let platform: Console;
  let acme: TestTenant;
  let asha: Person;
  beforeAll(async () => {
    platform = await startConsole();
    acme = await platform.tenant({ name: 'Lakshmi Stores' });
    asha = await platform.person({ tenant: acme });
    await addCatalog(asha);
    return () => platform.close();
  });

  const find = async (sku: string): Promise<Product> => (await asha.get(`${url}/lookup?sku=${sku}`)).body.product;
  const searchParams = (page: Page) => new URL(page.url()).searchParams;
  const rows = (page: Page) => page.getByRole('table', { name: 'Products' }).locator('tbody tr[data-row]');

  test('little stock is amber and none is red, the status of selected products is changed, and views and filters are in the address', async () => {
    const page = await platform.openAs(asha, acme, '/products');
    await page.getByRole('link', { name: 'Assam CTC' }).waitFor();
    expect(await rows(page).count()).toBe(5);
    await inspect(page, 'products');
    const stock = (name: RegExp) => page.getByRole('button', { name });
    await eventually(async () => expect(await stock(/^Stock of Assam CTC/).getAttribute('class')).toContain('warning'));
    expect(await stock(/^Stock of हल्दी/).getAttribute('class')).toContain('error');
    expect(await stock(/^Stock of Darjeeling/).getAttribute('class')).not.toMatch(/warning|error/);
    for (const name of ['Kanjivaram silk sari', 'Assam CTC, 500 g']) {
      await page.getByRole('checkbox', { name: `Select ${name}` }).check();
    }
    await inspect(page, 'products-selected');
    for (const status of ['Archived', 'Active']) {
      if (status === 'Active') await page.getByRole('checkbox', { name: 'Select Assam CTC, 500 g' }).check();
      await page.getByRole('button', { name: 'Change status' }).click();
      await page.getByRole('menuitem', { name: status }).click();
      await page.getByText(status === 'Active' ? '1 product is now active.' : '2 products are now archived.').waitFor();
    }
    expect((await find('SARI-KANJI')).status).toBe('archived');
    expect((await find('TEA-AS-500')).status).toBe('active');
    await asha.patch(`${url}/${(await find('SARI-KANJI')).id}`, { status: 'draft' });

    await page.getByRole('button', { name: /^Running out/ }).click();
    await eventually(async () => expect(await rows(page).count()).toBe(2));
    expect(searchParams(page).get('low_stock')).toBe('true');
    await page.getByRole('button', { name: 'All' }).click();
    await page.getByRole('button', { name: 'Filter' }).click();
    await page.getByLabel('Category').selectOption('Kitchen');
    await page.getByRole('button', { name: 'Apply', exact: true }).click();
    await eventually(async () => expect(await rows(page).count()).toBe(2));
    expect(searchParams(page).get('category')).toBe('Kitchen');
    await page.keyboard.press('/');
    await page.keyboard.type('हल्दी');
    await eventually(async () => expect(await rows(page).count()).toBe(1));
  });

  test('changes of others appear without a reload, and stock is changed in the list, and taken back if it is refused', async () => {
    const page = await platform.openAs(asha, acme, '/products');
    await page.getByRole('link', { name: 'Darjeeling' }).waitFor();
    const { id } = await find('TEA-DJ-250');
    await page.getByRole('button', { name: 'Stock of Darjeeling' }).click();
    await page.getByText('120 on hand.').waitFor();
    await asha.post(`${url}/${id}/stock`, { change: -20, reason: 'sold' });
    await page.getByRole('button', { name: 'Stock of Darjeeling first flush, 250 g: 100' }).waitFor();
    // Saving would otherwise add what was sold.
    await page.getByText('100 on hand.').waitFor();
    expect(await page.getByRole('textbox', { name: 'Units on hand' }).inputValue()).toBe('100');
    await page.keyboard.press('Escape');
    await asha.post(url, { sku: 'NEW-1', title: 'Filter coffee, 200 g', price: '210.00' });
    await page.getByRole('link', { name: 'Filter coffee' }).waitFor();

    const stock = (title: string) => page.getByRole('button', { name: `Stock of ${title}` });
    await stock('Assam').click();
    await page.getByRole('textbox', { name: 'Units on hand' }).fill('10');
    await page.getByText('3 → 10 (+7)').waitFor();
    await page.getByLabel('Reason').selectOption('Delivery');
    await inspect(page, 'product-stock');
    await page.getByRole('textbox', { name: 'Units on hand' }).press('Enter');
    await eventually(async () => expect(await stock('Assam').textContent()).toBe('10'));
    await page.getByText('Stock of Assam CTC, 500 g: 10.').waitFor();
    const { id: assam } = await find('TEA-AS-500');
    const { movements } = (await asha.get(`${url}/${assam}/movements`)).body;
    expect(movements[0]).toMatchObject({ change: 7, reason: 'Delivery' });

    await stock('Assam').click();
    await page.getByText('Change by').click();
    await page.getByRole('textbox', { name: 'Units to add' }).fill('-11');
    await page.getByText('Only 10 are on hand.').waitFor();
    await page.keyboard.press('Escape');
    await eventually(async () => expect(await page.getByText('Change by').count()).toBe(0));

    // Sold by somebody else, which this page has not heard of yet.
    await page.route(`**/api/v1/variants/*/stock`, async (route) => {
      await asha.post(`${url}/${assam}/stock`, { change: -9, reason: 'sold' });
      await route.continue();
    });
    await stock('Assam').click();
    await page.getByText('Change by').click();
    await page.getByRole('textbox', { name: 'Units to add' }).fill('-5');
    await page.keyboard.press('Enter');
    await page.getByText('Insufficient stock for TEA-AS-500: requested 5, available 1.').waitFor();
    await eventually(async () => expect(await stock('Assam').textContent()).toBe('1'));
  });

  test('a product is edited in place, with a draft that survives a reload, and one is created and deleted after a precise question', async () => {
    const { id } = await find('BRASS-KADAI-HANDMADE-34CM-HEAVY');
    const page = await platform.openAs(asha, acme, `/products/${id}`);
    await heading(page, 'Hand-hammered brass kadai').waitFor();
    await page.getByLabel('Price', { exact: true }).fill('15000');
    await page.getByLabel('SKU', { exact: true }).fill('tea-dj-250');
    await asha.patch(`${url}/${id}`, { description: 'Tinned by hand.' });
    await page.reload();
    await page.getByText('Your unsaved changes were restored.').waitFor();
    expect(await page.getByLabel('Price', { exact: true }).inputValue()).toBe('15000');
    expect(await page.getByLabel('Description', { exact: true }).inputValue()).toBe('Tinned by hand.');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('The SKU tea-dj-250 is taken.').waitFor();
    await page.getByText('The compare at price must be at least the price.').waitFor();
    await inspect(page, 'product-errors');
    await page.getByLabel('SKU', { exact: true }).fill('KADAI-34');
    await page.getByLabel('Compare-at price').fill('');
    await page.getByLabel('Tags', { exact: true }).fill('handmade, gift, diwali');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('34 cm wide saved.').waitFor();
    await page.getByText('Not saved yet').waitFor({ state: 'detached' });
    expect(await find('KADAI-34')).toMatchObject({
      price: '15000.00',
      compare_at_price: null,
      tags: ['handmade', 'gift', 'diwali'],
    });
    await inspect(page, 'product');
    await page.getByLabel('Title', { exact: true }).fill('Something else');
    await page.getByRole('button', { name: 'Discard' }).click();
    expect(await page.getByLabel('Title', { exact: true }).inputValue()).toContain('Hand-hammered');

    await page.getByRole('link', { name: 'Products', exact: true }).click();
    await page.getByRole('link', { name: 'Assam' }).waitFor();
    await page.keyboard.press('n');
    await heading(page, 'New product').waitFor();
    await page.getByRole('button', { name: 'Create product' }).click();
    await page.getByText('The title is required.').or(page.getByText('The title must')).first().waitFor();
    expect(await page.evaluate('document.activeElement.name')).toBe('title');
    await inspect(page, 'product-new-errors');
    await page.getByLabel('Title', { exact: true }).fill('Filter coffee, 500 g');
    await page.getByLabel('Price', { exact: true }).fill('480');
    await page.getByLabel('SKU', { exact: true }).fill('COF-500');
    await page.getByLabel('Units on hand').fill('25');
    await page.locator('summary').click();
    await page.getByLabel('Weight in grams').fill('500');
    await page.reload();
    await page.getByText('Your unsaved changes were restored.').waitFor();
    await page.getByRole('button', { name: 'Create product' }).click();
    await heading(page, 'Filter coffee, 500 g').waitFor();
    const { id: created, variants } = await find('COF-500');
    expect(variants).toMatchObject([{ price: '480.00', stock: 25, weight_grams: 500, taxable: true }]);
    expect(new URL(page.url()).pathname).toBe(`/products/${created}`);
    await page.getByRole('button', { name: 'Delete product' }).click();
    await page.getByText('(SKU COF-500) is deleted, with its stock of 25.').waitFor();
    await inspect(page, 'product-delete');
    await page.getByRole('dialog').getByRole('button', { name: 'Delete product' }).click();
    await eventually(() => expect(new URL(page.url()).pathname).toBe('/products'));
    expect((await asha.get(`${url}/${created}`)).status).toBe(404);
  });

  test('slug, metadata, external ids, barcode and weight are folded until they are wanted', async () => {
    const { id } = await find('TEA-DJ-250');
    const page = await platform.openAs(asha, acme, `/products/${id}`);
    await page.locator('summary').click();
    await page.getByLabel('Slug', { exact: true }).fill('assam-ctc-500-g');
    await page.getByLabel('Weight in grams').fill('heavy');
    await page.getByLabel('Barcode').fill('8901030865237');
    await page.getByLabel('Charge tax').uncheck();
    await page.getByLabel('Tax class').fill('Reduced rate');
    await page.getByLabel('Tax code').fill('0902');
    await page.getByLabel('Price', { exact: true }).fill('660');
    await page.getByRole('group', { name: 'Metadata' }).getByRole('button', { name: 'Add' }).click();
    await page.getByLabel('Metadata: Name 1').fill('supplier');
    await page.getByLabel('Metadata: Text 1').fill('Makaibari');
    await page.getByRole('group', { name: 'Ids on other platforms' }).getByRole('button', { name: 'Add' }).click();
    await page.getByLabel('Ids on other platforms: Platform 1').fill('shopify');
    await page.getByLabel('Ids on other platforms: Id 1').fill('7712');
    await page.reload();
    await page.getByText('Your unsaved changes were restored.').waitFor();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('The slug assam-ctc-500-g is taken.').waitFor();
    await page.getByText('The weight grams must be an integer').waitFor();
    await eventually(async () =>
      expect(await page.evaluate('document.activeElement.name')).toBe('variants.0.weight_grams'),
    );
    await inspect(page, 'product-more-errors');
    await page.getByLabel('Slug', { exact: true }).fill('first-flush');
    await page.getByLabel('Weight in grams').fill('250');
    await page.getByText('The tax class must have this format: lowercase letters').waitFor();
    await page.getByLabel('Tax class').fill('reduced');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('250 g saved.').waitFor();
    expect(await find('TEA-DJ-250')).toMatchObject({
      slug: 'first-flush',
      price: '660.00',
      metadata: { supplier: 'Makaibari' },
      external_ids: { shopify: '7712' },
      variants: [
        {
          barcode: '8901030865237',
          weight_grams: 250,
          taxable: false,
          tax_class: 'reduced',
          tax_code: '0902',
          stock: 100,
        },
      ],
    });
  });

  test('images are uploaded with a button or dropped, described, moved and deleted', async () => {
    const { id } = await find('SARI-KANJI');
    const page = await platform.openAs(asha, acme, `/products/${id}`);
    await heading(page, 'Kanjivaram').waitFor();
    await page.getByText('Drop JPEG, PNG or WebP files here').waitFor();
    await inspect(page, 'product-without-images');
    const picture = await page.screenshot({ clip: { x: 0, y: 0, width: 300, height: 300 } });
    const other = await page.screenshot({ clip: { x: 900, y: 200, width: 300, height: 300 } });
    await page.getByLabel('Images', { exact: true }).setInputFiles([
      { name: 'front.png', mimeType: 'image/png', buffer: picture },
      { name: 'back.png', mimeType: 'image/png', buffer: other },
      { name: 'price list.pdf', mimeType: 'application/pdf', buffer: Buffer.from('%PDF') },
      { name: 'broken.png', mimeType: 'image/png', buffer: Buffer.from('not a picture') },
    ]);
    await page.getByText('Not an image of the types JPEG, PNG or WebP.').waitFor();
    const images = page.getByRole('textbox', { name: 'Description of image' });
    await eventually(async () => expect(await images.count()).toBe(2));
    await eventually(async () => expect(await page.getByRole('alert').count()).toBe(2));
    await page.getByLabel('Description of image 1').fill('The border');
    await page.keyboard.press('Enter');
    await eventually(async () => expect((await find('SARI-KANJI')).images[0]?.alt).toBe('The border'));
    await page.getByRole('img', { name: 'The border' }).waitFor();
    await inspect(page, 'product-images');
    await page.getByRole('button', { name: 'Dismiss broken.png' }).click();
    await page.getByRole('button', { name: 'Move image 2 forward' }).click();
    await eventually(async () => expect((await find('SARI-KANJI')).images[1]?.alt).toBe('The border'));
    await page.getByLabel('Description of image 2').waitFor();

    const transfer = await page.evaluateHandle(`(() => {
      const bytes = Uint8Array.from(atob('${picture.toString('base64')}'), (one) => one.charCodeAt(0));
      const transfer = new DataTransfer();
      transfer.items.add(new File([bytes], 'dropped.png', { type: 'image/png' }));
      return transfer;
    })()`);
    await page.getByRole('group', { name: 'Drop images here' }).dispatchEvent('drop', { dataTransfer: transfer });
    await eventually(async () => expect((await find('SARI-KANJI')).images).toHaveLength(3));
    const pictures = page.getByRole('group', { name: 'Drop images here' }).locator('[draggable=true]');
    const [first, second, third] = (await find('SARI-KANJI')).images.map(({ id: image }) => image);
    await pictures.nth(0).dragTo(pictures.nth(1));
    await eventually(async () =>
      expect((await find('SARI-KANJI')).images.map(({ id: image }) => image)).toEqual([second, first, third]),
    );
    await page.getByRole('button', { name: 'Delete image 3' }).click();
    await page.getByRole('button', { name: 'Delete image', exact: true }).click();
    await eventually(async () => expect((await find('SARI-KANJI')).images).toHaveLength(2));
  });

  test('an import shows all errors by row before anything is written; a viewer sees products and can change nothing', async () => {
    const page = await platform.openAs(asha, acme, '/products/import');
    await heading(page, 'Import products').waitFor();
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download a template' }).click();
    const template = await readFile(await (await download).path(), 'utf8');
    const choose = (name: string, text: string) =>
      page.getByLabel('CSV file').setInputFiles({ name, mimeType: 'text/csv', buffer: Buffer.from(text) });
    await choose('wrong.csv', 'sku,colour\nA,red\n');
    await page.getByText("wrong.csv cannot be read. There is no column 'colour'").waitFor();
    const before = (await asha.get(url)).body.pagination.total;
    await choose(
      'monsoon price list.csv',
      `${template}RICE-5KG,"Sona Masoori rice, 5 kg",,minus one,,active,,Grocery,-4\r\nTEA-AS-500,Assam CTC 500 g,,345,,,,,\r\n,No SKU,,1,,,,,\r\n`,
    );
    await page.getByRole('button', { name: 'Import 2 products' }).waitFor();
    await page.getByRole('heading', { name: '2 rows have errors' }).waitFor();
    await page.getByRole('cell', { name: 'The stock must be at least 0.' }).waitFor();
    await page.getByRole('cell', { name: 'Sona Masoori rice, 5 kg' }).waitFor();
    await page.getByRole('table', { name: 'Changes by product' }).getByText('345.00').waitFor();
    await inspect(page, 'products-import-preview');
    expect((await asha.get(url)).body.pagination.total).toBe(before);
    await page.getByRole('button', { name: 'Import 2 products' }).click();
    await page.getByText('has been imported, except for rows with errors').waitFor();
    await inspect(page, 'products-import-done');
    expect(await find('TEA-AS-500')).toMatchObject({ title: 'Assam CTC 500 g', price: '345.00' });
    expect(await find('TEA-250')).toMatchObject({ categories: ['Tea', 'Gifts'], stock: 40 });

    const vikram = await platform.person({ tenant: acme, role: 'Viewer', name: 'Vikram Singh' });
    await platform.continueAs(page, vikram, acme);
    const { id } = await find('SP-HALDI');
    await page.goto(`${platform.origin}/products/${id}`);
    await heading(page, 'हल्दी').waitFor();
    for (const name of ['New product', 'Import', 'Export', 'Change stock', 'Add images', 'Delete product']) {
      expect(await page.getByRole('button', { name }).count()).toBe(0);
    }
    await inspect(page, 'product-viewer');

    const body = '<svg xmlns="http://www.w3.org/2000/svg"/>';
    const image = { url: 'https://images.example.in/jeera.svg', alt: 'A jar of cumin' };
    await page.route(image.url, (route) => route.fulfill({ contentType: 'image/svg+xml', body }));
    await page.route('**/movements*', (route) => route.fulfill({ status: 500, json: { message: 'Out of order.' } }));
    const jeera = { sku: 'SP-JEERA', title: 'Cumin, 100 g', price: '60.00', images: [image] };
    const { product } = (await asha.post(url, jeera)).body;
    await page.goto(`${platform.origin}/products/${product.id}`);
    await page.getByRole('img', { name: 'A jar of cumin' }).waitFor();
    await page.getByText('Out of order.').waitFor();
    await page.goto(`${platform.origin}/products/import`);
    await page.getByText('products.import').waitFor();
  });
});
