import type { Product } from '@chowk/client';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Person } from '../../../../server/testing/accounts.ts';
import { eventually } from '../../../../server/testing/eventually.ts';
import type { TestTenant } from '../../../../server/testing/platform.ts';
import { type Console, chromiumPath, heading, inspect, startConsole } from '../../../testing/console.ts';

const url = '/api/v1/products';

describe.skipIf(!chromiumPath)('variants', () => {
  let platform: Console;
  let acme: TestTenant;
  let asha: Person;
  beforeAll(async () => {
    platform = await startConsole();
    acme = await platform.tenant({ name: 'Lakshmi Stores' });
    asha = await platform.person({ tenant: acme });
    return () => platform.close();
  });

  const find = async (sku: string): Promise<Product> => (await asha.get(`${url}/lookup?sku=${sku}`)).body.product;
  const sizes = (...names: string[]) =>
    names.map((name, index) => ({ sku: `${index}-${name}`, price: '100.00', stock: 5, options: { Size: name } }));
  const create = async (sku: string, variants: object[]): Promise<Product> => {
    const named = variants.map((variant, index) => ({ ...variant, sku: `${sku}-${index + 1}` }));
    const input = { sku, title: `Kurta ${sku}`, price: '100.00', options: [{ name: 'Size' }], variants: named };
    return (await asha.post(url, input)).body.product;
  };

  test('a product is created with its images and variants in one save', async () => {
    const page = await platform.openAs(asha, acme, '/products/new');
    await heading(page, 'New product').waitFor();
    await page.getByLabel('Title', { exact: true }).fill('Block-print kurta');
    await page.getByLabel('Price', { exact: true }).fill('1,499');
    await page.getByLabel('SKU', { exact: true }).fill('KURTA');
    const [front, back] = await Promise.all(
      [0, 600].map((x) => page.screenshot({ clip: { x, y: 0, width: 200, height: 200 } })),
    );
    await page.getByLabel('Images', { exact: true }).setInputFiles([
      { name: 'front.png', mimeType: 'image/png', buffer: front as Buffer },
      { name: 'back.png', mimeType: 'image/png', buffer: back as Buffer },
    ]);
    await page.getByLabel('Description of image 2').fill('From behind');
    await page.getByLabel('Description of image 2').press('Enter');
    await page.getByRole('button', { name: 'Move image 2 forward' }).click();
    await page.getByRole('img', { name: 'From behind' }).waitFor();
    await inspect(page, 'product-new-images');

    await page.getByRole('button', { name: 'Add an option' }).click();
    await page.getByLabel('Option 1', { exact: true }).fill('Size');
    await page.getByLabel('New value of Size').fill('S, M');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Add another option' }).click();
    await page.getByLabel('Option 2', { exact: true }).fill('Color');
    for (const color of ['Indigo', 'Madder red']) {
      await page.getByLabel('New value of Color').fill(color);
      await page.keyboard.press('Enter');
    }
    await page.getByLabel('On hand of S / Indigo').fill('7');
    await page.keyboard.press('Enter');
    await page.keyboard.type('4');
    await page.getByRole('button', { name: 'Image of M / Indigo' }).click();
    await page.getByRole('button', { name: 'Image 1: From behind' }).click();
    await page.getByLabel('SKU of S / Indigo').fill('KURTA-S');
    await page.getByLabel('SKU of M / Indigo').fill('kurta-s');
    await page.reload();
    await page.getByText('Your unsaved changes were restored.').waitFor();
    expect(await page.getByLabel('On hand of S / Madder red').inputValue()).toBe('4');
    await page.getByRole('button', { name: 'Create product' }).click();
    await page.getByText('The SKU kurta-s is also that of variant 1.').waitFor();
    expect(await page.evaluate('document.activeElement.name')).toBe('variants.2.sku');
    await inspect(page, 'product-new-variants');
    await page.getByLabel('SKU of M / Indigo').fill('KURTA-M');
    await page.getByRole('button', { name: 'Create product' }).click();
    await heading(page, 'Block-print kurta').waitFor();
    const product = await find('KURTA-M');
    expect(product.images.map(({ alt }) => alt)).toEqual(['From behind', '']);
    const shown = product.variants.map(({ title, sku, price, stock, image_id }) => [
      title,
      sku,
      price,
      stock,
      image_id,
    ]);
    expect(shown).toEqual([
      ['S / Indigo', 'KURTA-S', '1499.00', 7, null],
      ['S / Madder red', 'KURTA-2', '1499.00', 4, null],
      ['M / Indigo', 'KURTA-M', '1499.00', 0, product.images[0]?.id],
      ['M / Madder red', 'KURTA-4', '1499.00', 0, null],
    ]);
    await page.getByRole('link', { name: 'Edit variants' }).waitFor();
    await inspect(page, 'product-with-variants');
  });

  test('variants are edited as in a spreadsheet and saved together, with errors at their cells', async () => {
    const { id } = await create('SHEET', sizes('S', 'M', 'L', 'XL'));
    const page = await platform.openAs(asha, acme, `/products/${id}`);
    await page.getByRole('link', { name: 'Edit variants' }).click();
    await heading(page, 'Variants of Kurta SHEET').waitFor();
    const focused = () => page.evaluate('document.activeElement.name');
    await page.getByLabel('SKU of S', { exact: true }).focus();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowDown');
    expect(await focused()).toBe('variants.1.price');
    await page.keyboard.type('250');
    await page.keyboard.press('ArrowLeft');
    expect(await focused()).toBe('variants.1.price');
    await page.keyboard.press('Enter');
    expect(await focused()).toBe('variants.2.price');
    await page.evaluate(`(() => {
      const clipboardData = new DataTransfer();
      clipboardData.setData('text/plain', '300\\t350\\r\\n400\\t350\\r\\n');
      document.activeElement.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
    })()`);
    await page.getByLabel('Select S', { exact: true }).check();
    await page.getByLabel('Select M', { exact: true }).check();
    await page.getByLabel('Column to set').selectOption('On hand');
    await page.getByLabel('On hand of the selected variants').fill('12');
    await page.keyboard.press('Enter');
    await inspect(page, 'variants-selected');
    await page.getByRole('button', { name: 'Save all' }).click();
    await page.getByText('The compare at price must be at least the price.').waitFor();
    expect(await focused()).toBe('variants.3.compare_at_price');
    await inspect(page, 'variants-errors');

    // Somebody else sells some, which must not be undone.
    const [, , large] = (await find('SHEET-1')).variants;
    await asha.post(`/api/v1/variants/${large?.id}/stock`, { change: -2, reason: 'sold' });
    await page.getByLabel('Compare-at price of XL').fill('');
    await page.getByLabel('Sell when out of stock: XL').check();
    await page.getByRole('button', { name: 'Save all' }).click();
    await page.getByText('Variants saved.').waitFor();
    const saved = (await find('SHEET-1')).variants;
    expect(saved.map(({ price, compare_at_price, stock }) => [price, compare_at_price, stock])).toEqual([
      ['100.00', null, 12],
      ['250.00', null, 12],
      ['300.00', '350.00', 3],
      ['400.00', null, 5],
    ]);
    expect(saved.map(({ continue_selling }) => continue_selling)).toEqual([false, false, false, true]);
  });

  test('other options keep the variants that match, what is removed is said before, and stock is changed at a location', async () => {
    const { id, variants } = await create('KEEP', sizes('S', 'M', 'L'));
    const page = await platform.openAs(asha, acme, `/products/${id}/variants`);
    await page.getByRole('button', { name: 'Remove L from Size' }).click();
    await page.getByText('1 variant will be removed: L. 5 units leave the stock. Past orders keep them.').waitFor();
    await page.getByLabel('Value M of Size').fill('Medium');
    await page.getByRole('button', { name: 'Add another option' }).click();
    await page.getByLabel('Option 2', { exact: true }).fill('Color');
    await page.getByLabel('New value of Color').fill('Red, Blue');
    await page.keyboard.press('Enter');
    await inspect(page, 'variants-removed');
    await page.reload();
    await page.getByRole('button', { name: 'Save all' }).click();
    await page.getByText('Variants saved.').waitFor();
    const saved = (await find('KEEP-1')).variants;
    expect(saved.map(({ title }) => title)).toEqual(['S / Red', 'S / Blue', 'Medium / Red', 'Medium / Blue']);
    expect([saved[0]?.id, saved[2]?.id]).toEqual([variants[0]?.id, variants[1]?.id]);

    await page.getByLabel('Price of S / Red', { exact: true }).fill('90');
    await asha.post(`${url}/${id}/variants`, { options: { Size: 'S', Color: 'Green' } });
    await page.getByRole('button', { name: 'Save all' }).click();
    await page.getByText('Another user has added or removed variants meanwhile.').waitFor();
    await page.getByRole('button', { name: 'Discard' }).click();
    await page.getByLabel('Price of S / Green', { exact: true }).waitFor();
    expect((await find('KEEP-1')).variants).toHaveLength(5);

    const place = await create('PLACE', sizes('S', 'M'));
    const { location } = (await asha.post('/api/v1/stock-locations', { name: 'Warehouse Pune' })).body;
    const items = [{ variant_id: place.variants[1]?.id, quantity: 2 }];
    const { order } = (await asha.post('/api/v1/orders', { customer: { phone: '+919812345678' }, items })).body;
    await page.goto(`${platform.origin}/products/${place.id}`);
    await page.getByRole('button', { name: 'Stock of Kurta PLACE, S: 5' }).click();
    await page.getByLabel('Location', { exact: true }).selectOption(location.id);
    await page.getByRole('textbox', { name: 'Units on hand' }).fill('8');
    await inspect(page, 'stock-at-location');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Stock of Kurta PLACE, S: 13' }).waitFor();
    await eventually(async () => {
      const { levels } = (await asha.get(`/api/v1/variants/${place.variants[0]?.id}/levels`)).body;
      expect(levels.map(({ name, stock }: { name: string; stock: number }) => [name, stock])).toEqual([
        ['Main', 5],
        ['Warehouse Pune', 8],
      ]);
    });
    await page.getByText('Stocktaking · S · Warehouse Pune').waitFor();
    await page.getByRole('link', { name: `Order ${order.order_number}` }).click();
    await heading(page, order.order_number).waitFor();
    await eventually(() => expect(new URL(page.url()).pathname).toBe(`/orders/${order.id}`));
  });
});
