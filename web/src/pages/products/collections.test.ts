import { beforeAll, describe, expect, test } from 'vitest';
import type { Person } from '../../../../server/testing/accounts.ts';
import { eventually } from '../../../../server/testing/eventually.ts';
import type { TestTenant } from '../../../../server/testing/platform.ts';
import { type Console, chromiumPath, heading, inspect, startConsole } from '../../../testing/console.ts';

const url = '/api/v1/collections';
const catalog = [
  { sku: 'TEA-1', title: 'Darjeeling first flush', price: '649.00', tags: ['organic'], categories: ['Tea'] },
  { sku: 'TEA-2', title: 'Assam CTC', price: '320.00', stock: 3, categories: ['Tea'] },
  { sku: 'TEA-3', title: 'Nilgiri frost', price: '410.00', stock: 40, tags: ['organic'], categories: ['Tea'] },
  { sku: 'KADAI', title: 'Brass kadai', price: '12450.00', stock: 8, categories: ['Kitchen'] },
];

describe.skipIf(!chromiumPath)('collections and stock locations', () => {
  let platform: Console;
  let acme: TestTenant;
  let asha: Person;
  beforeAll(async () => {
    platform = await startConsole();
    acme = await platform.tenant({ name: 'Lakshmi Stores' });
    asha = await platform.person({ tenant: acme });
    for (const product of catalog) expect((await asha.post('/api/v1/products', product)).status).toBe(201);
    return () => platform.close();
  });

  const find = async (slug: string) => (await asha.get(`${url}?slug=${slug}`)).body.collections[0];
  const titles = async (slug: string): Promise<string[]> => {
    const { products } = (await asha.get(`${url}/${(await find(slug)).id}/products`)).body;
    return products.map(({ title }: { title: string }) => title);
  };

  test('products are chosen by search and put in order', async () => {
    const page = await platform.openAs(asha, acme, '/products');
    await page.getByRole('button', { name: 'Collections and stock locations' }).click();
    await page.getByRole('menuitem', { name: 'Collections' }).click();
    await page.getByText('No collections yet').waitFor();
    await inspect(page, 'collections-empty');
    await page.getByRole('button', { name: 'New collection' }).first().click();
    await heading(page, 'New collection').waitFor();
    await page.getByLabel('Title', { exact: true }).fill('Diwali gifts');
    for (const text of ['Assam', 'kadai', 'Nilgiri']) {
      await page.getByLabel('Add a product').fill(text);
      await page.getByRole('option').first().waitFor();
      await page.keyboard.press('Enter');
      await page.getByRole('button', { name: new RegExp(`Remove .*${text}`) }).waitFor();
    }
    await page.getByRole('button', { name: 'Move Nilgiri frost up' }).click();
    await inspect(page, 'collection-new');
    await page.reload();
    await page.getByText('Your unsaved changes were restored.').waitFor();
    await page.getByRole('button', { name: 'Create collection' }).click();
    await heading(page, 'Diwali gifts').waitFor();
    expect(await titles('diwali-gifts')).toEqual(['Assam CTC', 'Nilgiri frost', 'Brass kadai']);
    const list = page.getByRole('list', { name: 'Products of the collection' }).getByRole('listitem');
    await list.nth(2).dragTo(list.nth(0));
    await page.getByLabel('Slug', { exact: true }).fill('Gifts!');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await eventually(async () => expect(await page.evaluate('document.activeElement.name')).toBe('slug'));
    await page.getByLabel('Slug', { exact: true }).fill('gifts');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Diwali gifts saved.').waitFor();
    expect(await titles('gifts')).toEqual(['Brass kadai', 'Assam CTC', 'Nilgiri frost']);
    await page.getByText('Not saved yet').waitFor({ state: 'detached' });
    await inspect(page, 'collection');
  });

  test('a rule shows how many products match while it is built, and a viewer can change nothing', async () => {
    const page = await platform.openAs(asha, acme, '/products/collections/new');
    await page.getByLabel('Title', { exact: true }).fill('Fine teas');
    await page.getByLabel('All that match a rule').check();
    await page.getByLabel('Field of condition 1').selectOption('Category');
    // A text field until the categories have been read.
    await page.getByLabel('Value of condition 1').and(page.locator('select')).selectOption('Tea');
    await page.getByText('3 products match.').waitFor();
    await page.getByRole('button', { name: 'Add a condition' }).click();
    await page.getByLabel('Field of condition 2').selectOption('Price');
    await page.getByLabel('Value of condition 2').fill('dear');
    await page.getByRole('button', { name: 'Create collection' }).click();
    await page.locator('#rule\\.conditions\\.1\\.value-error').waitFor();
    await inspect(page, 'collection-rule-errors');
    await page.getByLabel('Value of condition 2').fill('400');
    await page.getByText('2 products match.').waitFor();
    await inspect(page, 'collection-rule');
    await page.getByRole('button', { name: 'Create collection' }).click();
    await heading(page, 'Fine teas').waitFor();
    expect(await titles('fine-teas')).toEqual(['Darjeeling first flush', 'Nilgiri frost']);
    await page.getByRole('cell', { name: 'Category is Tea and price is above 400' }).waitFor();
    await page.getByRole('button', { name: 'Close' }).click();
    await heading(page, 'Collections').waitFor();
    await inspect(page, 'collections');
    await page.getByRole('link', { name: 'Fine teas' }).click();
    await page.getByRole('button', { name: 'Delete collection' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete collection' }).click();
    await page.getByText('Fine teas deleted.').waitFor();
    expect(await find('fine-teas')).toBeUndefined();

    const vikram = await platform.person({ tenant: acme, role: 'Viewer', name: 'Vikram Singh' });
    const { id } = await find('gifts');
    await platform.continueAs(page, vikram, acme);
    await page.goto(`${platform.origin}/products/collections/${id}`);
    await heading(page, 'Diwali gifts').waitFor();
    await page.getByText('Brass kadai').waitFor();
    expect(await page.getByRole('button', { name: /collection|Save/ }).count()).toBe(0);
    await page.goto(`${platform.origin}/products/locations`);
    await page.getByText('default', { exact: true }).waitFor();
    expect(await page.getByRole('button', { name: /Add|Rename|Delete|Save/ }).count()).toBe(0);
  });

  test('locations are added, renamed and deleted, and the threshold of low stock is set', async () => {
    const page = await platform.openAs(asha, acme, '/products/locations');
    await page.getByText('default', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Add a location' }).click();
    await page.getByLabel('Name of the location').fill('main');
    await page.keyboard.press('Enter');
    await page.getByText('There is already a location main.').waitFor();
    await inspect(page, 'locations-error');
    await page.getByLabel('Name of the location').fill('Warehouse Pune');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Rename Warehouse Pune' }).click();
    await page.getByLabel('Name of the location').fill('Warehouse Nashik');
    await page.keyboard.press('Enter');
    await page.getByText('Warehouse Nashik saved.').waitFor();
    await page.getByLabel('Units', { exact: true }).fill('many');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.locator('[aria-invalid=true]').waitFor();
    await page.getByLabel('Units', { exact: true }).fill('8');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('8 available units or fewer are running out.').waitFor();
    await inspect(page, 'locations');
    const low = (await asha.get('/api/v1/products?low_stock=true')).body.products;
    expect(low.map(({ sku }: { sku: string }) => sku).sort()).toEqual(['KADAI', 'TEA-1', 'TEA-2']);
    const variants = async () =>
      (await asha.get('/api/v1/products?search=KADAI')).body.products[0].variants as { id: string }[];
    const [{ id: kadai } = { id: '' }] = await variants();
    const levels = async () =>
      (await asha.get(`/api/v1/variants/${kadai}/levels`)).body.levels.map(({ stock }: { stock: number }) => stock);
    const [stock = 0] = await levels();
    await page.getByRole('button', { name: 'Move stock' }).click();
    await heading(page, 'Move stock').waitFor();
    expect(await page.getByRole('button', { name: 'Move units', disabled: true }).count()).toBe(1);
    await page.getByLabel('Add a product').fill('KADAI');
    await page.getByRole('option', { name: /Brass kadai/ }).click();
    await page.getByLabel('Units of Brass kadai').fill(String(stock + 1));
    await page.getByText(`Only ${stock} are there.`).waitFor();
    await page.getByRole('button', { name: 'Move units' }).click();
    await page.getByText(/There are fewer than/).waitFor();
    await page.getByLabel('Units of Brass kadai').fill('2');
    await page.reload();
    await page.getByText('Your unsaved changes were restored.').waitFor();
    await page.getByLabel('Reference').fill('Van 7');
    await inspect(page, 'stock-transfer', 'complete');
    await page.getByRole('button', { name: 'Move units' }).click();
    await page.getByText('2 units are now at Warehouse Nashik.').waitFor();
    expect(await levels()).toEqual([stock - 2, 2]);
    // Back, from the page of the product.
    await page.getByRole('link', { name: 'Brass kadai' }).click();
    await page.getByRole('button', { name: 'Move stock' }).click();
    await page.getByLabel('From').selectOption('Warehouse Nashik');
    expect(await page.getByLabel('To').locator('option:checked').textContent()).toBe('Main');
    await page.getByLabel('Units of Brass kadai').fill('2');
    await page.getByRole('button', { name: 'Move units' }).click();
    await page.getByText('2 units are now at Main.').waitFor();
    expect(await levels()).toEqual([stock, 0]);
    await page.goto(`${platform.origin}/products/locations`);
    await page.getByRole('button', { name: 'Delete Warehouse Nashik' }).click();
    await page.getByRole('button', { name: 'Delete location' }).click();
    await page.getByText('Warehouse Nashik deleted.').waitFor();
    const { locations } = (await asha.get('/api/v1/stock-locations')).body;
    expect(locations.map(({ name }: { name: string }) => name)).toEqual(['Main']);
  });
});
