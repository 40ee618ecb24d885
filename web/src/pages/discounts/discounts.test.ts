import { beforeAll, describe, expect, test } from 'vitest';
import type { Person } from '../../../../server/testing/accounts.ts';
import { eventually } from '../../../../server/testing/eventually.ts';
import type { TestTenant } from '../../../../server/testing/platform.ts';
import { type Console, chromiumPath, heading, inspect, startConsole } from '../../../testing/console.ts';

const url = '/api/v1/discounts';
const discounts = [
  { code: 'WELCOME10', title: '10 % off the first order', kind: 'percent', value: '10', once_per_customer: true },
  { code: 'DIWALI', kind: 'fixed', value: '250', starts_at: '2999-10-01T00:00:00Z' },
  { code: 'POSTFREI', title: 'Free delivery', kind: 'free_shipping', ends_at: '2020-01-01T00:00:00Z' },
  { code: 'VIP', title: 'For our best customers', kind: 'percent', value: '25', usage_limit: 50, is_active: false },
];

describe.skipIf(!chromiumPath)('discounts', () => {
  let platform: Console;
  let acme: TestTenant;
  let asha: Person;
  beforeAll(async () => {
    platform = await startConsole();
    acme = await platform.tenant({ name: 'Lakshmi Stores' });
    asha = await platform.person({ tenant: acme });
    for (const discount of discounts) expect((await asha.post(url, discount)).status).toBe(201);
    const tea = { sku: 'TEA', title: 'Darjeeling first flush, 250 g', price: '649.00' };
    expect((await asha.post('/api/v1/products', tea)).status).toBe(201);
    return () => platform.close();
  });

  const find = async (code: string) => (await asha.get(`${url}?search=${code}`)).body.discounts[0];

  test('the list shows what can be used now, and is filtered by it', async () => {
    const page = await platform.openAs(asha, acme, '/discounts');
    const row = (code: string) => page.getByRole('row').filter({ hasText: code });
    await row('WELCOME10').getByText('Active').waitFor();
    await row('DIWALI').getByText('Scheduled').waitFor();
    await row('POSTFREI').getByText('Expired').waitFor();
    await row('VIP').getByText('0 of 50').waitFor();
    await inspect(page, 'discounts');
    await page.getByRole('button', { name: 'Switched off' }).click();
    await eventually(async () => expect(await page.locator('tbody [data-row]').count()).toBe(1));
    expect(new URL(page.url()).searchParams.get('status')).toBe('inactive');
    await page.getByRole('button', { name: 'All', exact: true }).click();
    await page.keyboard.press('/');
    await page.keyboard.type('delivery');
    await eventually(async () => expect(await page.locator('tbody [data-row]').count()).toBe(1));
    await page.getByRole('link', { name: 'POSTFREI' }).waitFor();
  });

  test('a discount is created with a generated code, for some products, in the time zone of the organization', async () => {
    const page = await platform.openAs(asha, acme, '/discounts');
    await page.getByRole('link', { name: 'WELCOME10' }).waitFor();
    await page.keyboard.press('n');
    await heading(page, 'New discount').waitFor();
    await page.getByLabel('Code', { exact: true }).fill('welcome10');
    await page.getByLabel('Percent off').fill('150');
    await page.getByLabel('Applies to').selectOption('Products');
    await page.getByRole('button', { name: 'Create discount' }).click();
    await page.getByText('The code is taken.').waitFor();
    await page.getByText('A percentage must be at most 100.').waitFor();
    await page.getByText('Choose at least one.').waitFor();
    await inspect(page, 'discount-new-errors');
    await page.getByRole('button', { name: 'Generate' }).click();
    const code = await page.getByLabel('Code', { exact: true }).inputValue();
    expect(code).toMatch(/^[A-Z2-9]{8}$/);
    await page.getByLabel('Percent off').fill('15');
    await page.getByRole('combobox', { name: 'Products' }).fill('darj');
    await page.getByRole('option', { name: 'Darjeeling' }).click();
    await page.getByLabel('Starts').fill('2026-11-01T00:00');
    await page.reload();
    await page.getByText('Your unsaved changes were restored.').waitFor();
    await page.getByRole('button', { name: 'Remove Darjeeling first flush, 250 g' }).waitFor();
    await page.getByRole('button', { name: 'Create discount' }).click();
    await heading(page, code).waitFor();
    const { id } = (await asha.get('/api/v1/products/lookup?sku=TEA')).body.product;
    expect(await find(code)).toMatchObject({
      kind: 'percent',
      value: '15.00',
      applies_to: 'products',
      target_ids: [id],
      // Midnight in India.
      starts_at: '2026-10-31T18:30:00.000Z',
    });
    await page.getByText('Darjeeling first flush, 250 g').waitFor();
    await inspect(page, 'discount');
  });

  test('a discount is edited, switched off and on, duplicated, and deleted after a precise question', async () => {
    const { id } = await find('WELCOME10');
    const page = await platform.openAs(asha, acme, `/discounts/${id}`);
    await heading(page, 'WELCOME10').waitFor();
    await page.getByLabel('Minimum amount').fill('1,500');
    await page.reload();
    await page.getByText('Your unsaved changes were restored.').waitFor();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('WELCOME10 saved.').waitFor();
    expect(await find('WELCOME10')).toMatchObject({ minimum_subtotal: '1500.00', once_per_customer: true });
    await page.getByText('Not saved yet').waitFor({ state: 'detached' });

    const choose = async (item: string) => {
      await page.getByRole('button', { name: 'More actions' }).click();
      await page.getByRole('menuitem', { name: item }).click();
    };
    await choose('Switch off');
    await page.getByText('WELCOME10 switched off.').waitFor();
    expect(await find('WELCOME10')).toMatchObject({ status: 'inactive' });
    await page.getByRole('button', { name: 'Undo' }).click();
    await eventually(async () => expect(await find('WELCOME10')).toMatchObject({ status: 'active' }));

    await choose('Duplicate');
    await page.getByText('A copy of WELCOME10 with a new code and without its dates.').waitFor();
    await page.getByRole('link', { name: 'DIWALI' }).waitFor();
    await page.getByLabel('Code', { exact: true }).fill('HELLO10');
    await page.getByRole('button', { name: 'Create discount' }).click();
    await heading(page, 'HELLO10').waitFor();
    expect(await find('HELLO10')).toMatchObject({
      value: '10.00',
      minimum_subtotal: '1500.00',
      once_per_customer: true,
    });

    await choose('Delete');
    await page.getByText('Orders keep what it has saved them.').waitFor();
    await inspect(page, 'discount-delete');
    await page.getByRole('dialog').getByRole('button', { name: 'Delete discount' }).click();
    await eventually(() => expect(new URL(page.url()).pathname).toBe('/discounts'));
    expect(await find('HELLO10')).toBeUndefined();
  });

  test('a discount is limited to variants or to a collection, found by their names', async () => {
    const shirt = {
      sku: 'SHIRT-M',
      title: 'Khadi shirt',
      price: '900',
      options: [{ name: 'Size', values: ['M', 'L'] }],
      variants: [
        { sku: 'SHIRT-M', price: '900', options: { Size: 'M' } },
        { sku: 'SHIRT-L', price: '950', options: { Size: 'L' } },
      ],
    };
    const { status, body } = await asha.post('/api/v1/products', shirt);
    expect(status, JSON.stringify(body)).toBe(201);
    const monsoon = (await asha.post('/api/v1/collections', { title: 'Monsoon sale' })).body.collection;
    const { discount } = (await asha.post(url, { code: 'SIZE', kind: 'percent', value: '5' })).body;
    const page = await platform.openAs(asha, acme, `/discounts/${discount.id}`);
    await heading(page, 'SIZE').waitFor();
    await page.getByLabel('Applies to').selectOption('Variants');
    await page.getByRole('combobox', { name: 'Variants' }).fill('khadi');
    await page.getByRole('option', { name: 'Khadi shirt, L' }).click();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('SIZE saved.').waitFor();
    const large = body.product.variants.find(({ sku }: { sku: string }) => sku === 'SHIRT-L');
    expect(await find('SIZE')).toMatchObject({ applies_to: 'variants', target_ids: [large.id] });
    await page.getByRole('button', { name: 'Remove SHIRT-L' }).click();
    await page.reload();
    await page.getByText('Your unsaved changes were restored.').waitFor();
    await page.getByLabel('Applies to').selectOption('Collections');
    await page.getByRole('combobox', { name: 'Collections' }).fill('mons');
    await page.getByRole('option', { name: 'Monsoon sale' }).click();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await eventually(async () => {
      expect(await find('SIZE')).toMatchObject({ applies_to: 'collections', target_ids: [monsoon.id] });
    });
    await inspect(page, 'discount-collections');
  });

  test('those who may only view discounts can change nothing', async () => {
    const viewer = await platform.person({ tenant: acme, role: 'Viewer', name: 'Vikram Singh' });
    const { id } = await find('VIP');
    const page = await platform.openAs(viewer, acme, `/discounts/${id}`);
    await heading(page, 'VIP').waitFor();
    await page.getByText('For our best customers').last().waitFor();
    expect(await page.getByRole('button', { name: /New discount|More actions|Save/ }).count()).toBe(0);
    expect(await page.getByLabel('Percent off').count()).toBe(0);
    await inspect(page, 'discount-viewer');
  });

  test('without discounts, the list says what they are for', async () => {
    const empty = await platform.tenant({ name: 'New Stores' });
    const page = await platform.openAs(await platform.person({ tenant: empty }), empty, '/discounts');
    await page.getByRole('heading', { name: 'No discounts yet' }).waitFor();
    await inspect(page, 'discounts-empty');
  });
});
