import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '../../../../server/testing/eventually.ts';
import { type Console, chromiumPath, inspect, startConsole } from '../../../testing/console.ts';
import { describeList } from '../../../testing/describe-list.ts';
import { addCustomers, addOrder, longName } from '../../../testing/sample-customers.ts';

describeList({
  names: ['customer', 'customers'],
  fill: async (owner) => void (await addCustomers(owner)),
  total: 7,
  search: { text: 'imran', row: 'Imran Qureshi' },
  column: 'Email',
  sort: { column: 'Spent', by: 'total_spent' },
  filter: { search: '?tags=pune', total: 2 },
});

describe.skipIf(!chromiumPath)('customers', () => {
  let platform: Console;
  beforeAll(async () => {
    platform = await startConsole();
    return () => platform.close();
  });

  async function open(path = '/customers', role = 'Owner') {
    const acme = await platform.tenant({ name: 'Chai & Sons, Pune' });
    const owner = await platform.person({ tenant: acme });
    const ids = await addCustomers(owner);
    const user = role === 'Owner' ? owner : await platform.person({ tenant: acme, role });
    const page = await platform.openAs(user, acme, path);
    return { acme, owner, ids, page };
  }

  const names = (page: Page) => page.locator('tbody a').allTextContents();
  const address = (page: Page) => new URL(page.url()).search;
  const select = (page: Page, name: string) => page.getByRole('checkbox', { name: `Select ${name}` }).check();

  test('is searched by name, email and phone, with the filters in the address', async () => {
    const { page } = await open();
    await page.getByRole('link', { name: 'Priya Sharma' }).waitFor();
    expect(await names(page)).toHaveLength(7);
    await inspect(page, 'customers');
    for (const [text, name] of [
      ['राजेश', 'राजेश कुमार श्रीवास्तव'],
      ['rao.bahadur@', longName],
      ['98765 43213', 'Imran Qureshi'],
    ] as const) {
      await page.keyboard.press('/');
      await page.keyboard.press('Control+A');
      await page.keyboard.type(text);
      await eventually(async () => expect(await names(page)).toEqual([name]));
      await page.keyboard.press('Escape');
    }
    expect(address(page)).toBe('?search=98765+43213');
    await page.getByRole('searchbox').fill('');
    await page.getByRole('button', { name: 'Filter' }).click();
    await page.getByLabel('Tags').fill('pune, wholesale');
    await inspect(page, 'customers-filter');
    await page.getByRole('button', { name: 'Apply', exact: true }).click();
    await eventually(async () => expect(await names(page)).toEqual(['Priya Sharma']));
    await page.reload();
    await eventually(async () => expect(await names(page)).toEqual(['Priya Sharma']));
    await page.getByRole('button', { name: 'Remove the filter Tags' }).click();
    await page.getByRole('button', { name: 'Spent' }).click();
    await eventually(async () => expect((await names(page))[0]).toBe('Priya Sharma'));
    expect(address(page)).toBe('?sort_by=total_spent&sort_order=desc');
  });

  test('has segments as tabs with live counts, and saved views; those of this browser are offered once for every device', async () => {
    const { acme, owner, ids, page } = await open();
    const tab = (label: string) => page.getByRole('navigation', { name: 'Views' }).getByRole('button', { name: label });
    await tab('Returning 4').waitFor();
    await tab('New 3').click();
    await eventually(async () => expect(await names(page)).toHaveLength(3));
    expect(address(page)).toBe('?segment=new');
    await addOrder(owner, ids[3] as string);
    await tab('New 2').waitFor();
    await tab('Returning 5').waitFor();
    await eventually(async () => expect(await names(page)).not.toContain('Imran Qureshi'));
    await page.getByRole('searchbox').fill('nair');
    await eventually(async () => expect(await names(page)).toEqual(['Meera Nair']));
    expect(await tab('New 2').getAttribute('aria-pressed')).toBe('true');
    await page.getByRole('button', { name: 'Save view' }).click();
    await page.getByLabel('Name of the view').fill('New Nairs');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await tab('All 7').click();
    await eventually(async () => expect(await names(page)).toHaveLength(7));
    await page.reload();
    await tab('New Nairs').click();
    await eventually(async () => expect(await names(page)).toEqual(['Meera Nair']));

    const keep = async (kept: object) => {
      const key = JSON.stringify(`chowk.${owner.id}.${acme.id}.views.customers`);
      await page.evaluate(`localStorage.setItem(${key}, ${JSON.stringify(JSON.stringify(kept))})`);
      await page.reload();
    };
    await keep([
      { label: 'Pune', search: { tags: 'pune' } },
      { label: 'Old', search: { segment: 'sleeping' } },
    ]);
    await page.getByText('Keep your 2 views on every device?').waitFor();
    await inspect(page, 'customers-browser-views');
    await page.getByRole('button', { name: 'Keep them' }).click();
    await page.getByText('The view Old stays in this browser.').waitFor();
    const { saved_views } = (await owner.get('/api/v1/saved-views?list=customers.list')).body;
    expect(saved_views).toHaveLength(2);
    const [pune] = saved_views.filter(({ name }: { name: string }) => name === 'Pune');
    expect(pune).toMatchObject({ filters: { tags: ['pune'] }, is_shared: false });
    await page.reload();
    await tab('Old').waitFor();
    await tab('Pune').click();
    await eventually(async () => expect(await names(page)).toHaveLength(2));
    expect(await page.getByText('on every device?').count()).toBe(0);
  });

  test('a view is for oneself or for the team, on every device, and is renamed, changed and deleted', async () => {
    const { acme, owner, page } = await open('/customers?tags=pune,%20wholesale&min_orders=1');
    const views = page.getByRole('navigation', { name: 'Views' });
    const saved = async () => (await owner.get('/api/v1/saved-views?list=customers.list')).body.saved_views;
    const save = () => page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('button', { name: 'Save view' }).click();
    await save();
    await page.locator('[aria-invalid=true]').waitFor();
    await page.getByLabel('Name of the view').fill('Pune');
    await inspect(page, 'customers-save-view');
    await page.getByLabel('Who sees it').selectOption('The whole team');
    await save();
    await views.getByRole('button', { name: 'Pune', exact: true }).waitFor();
    await page.getByRole('button', { name: 'Save view' }).waitFor({ state: 'detached' });
    expect(await saved()).toMatchObject([
      { name: 'Pune', is_shared: true, filters: { tags: ['pune', 'wholesale'], min_orders: 1 } },
    ]);

    const vikram = await platform.person({ tenant: acme, role: 'Viewer' });
    const other = await platform.openAs(vikram, acme, '/customers');
    await other.getByRole('button', { name: 'Pune', exact: true }).click();
    await eventually(() => expect(address(other)).toBe('?tags=pune%2Cwholesale&min_orders=1'));
    await other.getByLabel('Remove the filter Tags').waitFor();
    expect(await other.getByRole('button', { name: 'Change the view Pune' }).count()).toBe(0);

    await page.getByRole('button', { name: 'Change the view Pune' }).click();
    await page.getByLabel('Name of the view').fill('Wholesale in Pune');
    await page.getByLabel('Who sees it').selectOption('Only me');
    await save();
    await views.getByRole('button', { name: 'Wholesale in Pune', exact: true }).waitFor();
    await page.getByRole('searchbox').fill('priya');
    await page.getByRole('button', { name: 'Save view' }).click();
    await page.getByRole('button', { name: 'Change Wholesale in Pune instead' }).click();
    await page.getByText('View Wholesale in Pune changed.').waitFor();
    expect(await saved()).toMatchObject([
      { name: 'Wholesale in Pune', is_shared: false, filters: { tags: ['pune', 'wholesale'], search: 'priya' } },
    ]);
    await page.getByRole('button', { name: 'Change the view Wholesale in Pune' }).click();
    await page.getByRole('button', { name: 'Delete view' }).click();
    await eventually(async () => expect(await saved()).toEqual([]));
    await page.getByRole('button', { name: 'Undo' }).click();
    await eventually(async () => expect(await saved()).toMatchObject([{ name: 'Wholesale in Pune' }]));
  });

  test('adds and removes tags of the selected customers, and undoes it; two are compared and merged', async () => {
    const { owner, ids, page } = await open();
    const readTags = async (index: number) => (await owner.get(`/api/v1/customers/${ids[index]}`)).body.customer.tags;
    await select(page, 'Priya Sharma');
    await select(page, 'Meera Nair');
    await page.getByRole('button', { name: 'Add tags' }).click();
    await page.getByRole('button', { name: 'wholesale' }).click();
    await page.keyboard.press('Shift+Tab');
    await page.getByLabel('Tags', { exact: true }).fill('diwali');
    await inspect(page, 'customers-add-tags');
    await page.getByRole('button', { name: 'Add to 2 customers' }).click();
    await page.getByText('Added 2 tags to 2 customers.').waitFor();
    expect([await readTags(0), await readTags(6)]).toEqual([
      ['wholesale', 'pune', 'diwali'],
      ['wholesale', 'diwali'],
    ]);
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('Tags restored.').waitFor();
    // The tag that one of them had before stays.
    expect([await readTags(0), await readTags(6)]).toEqual([['wholesale', 'pune'], []]);
    await page.getByRole('button', { name: 'Remove tags' }).click();
    await page.getByLabel('Tags', { exact: true }).fill('pune');
    await page.getByRole('button', { name: 'Remove from 2 customers' }).click();
    await page.getByText('Removed “pune” from 1 customer.').waitFor();
    expect(await readTags(0)).toEqual(['wholesale']);
    await page.getByRole('button', { name: 'Undo' }).last().click();
    await eventually(async () => expect(await readTags(0)).toEqual(['wholesale', 'pune']));
    await page.getByRole('button', { name: 'Clear the selection' }).click();
    await page.getByRole('toolbar').waitFor({ state: 'detached' });
    // Neither are rows that other filters hide.
    await select(page, 'Priya Sharma');
    await page.getByRole('toolbar').waitFor();
    await page.getByRole('searchbox').fill('nair');
    await eventually(async () => expect(await names(page)).toEqual(['Meera Nair']));
    expect(await page.getByRole('toolbar').count()).toBe(0);

    await page.getByRole('searchbox').fill('');
    await select(page, 'Imran Qureshi');
    expect(await page.getByRole('button', { name: 'Merge' }).isDisabled()).toBe(true);
    await select(page, 'Priya Sharma');
    await page.getByRole('button', { name: 'Merge' }).click();
    await page.getByRole('heading', { name: 'Merge customers' }).waitFor();
    await page.getByRole('radio', { name: 'Keep the newer record' }).waitFor();
    expect(await page.getByRole('radio', { name: 'Keep the newer record' }).isChecked()).toBe(true);
    await page.getByText('3 orders').waitFor();
    await inspect(page, 'customers-merge');
    await page.getByRole('radio', { name: 'Keep the older record' }).click();
    await page.getByText('From Imran Qureshi to Priya Sharma.').waitFor();
    await page.getByRole('button', { name: 'Merge customers' }).click();
    await page.getByText('Merged into Priya Sharma.').waitFor();
    await eventually(() => expect(new URL(page.url()).pathname).toBe(`/customers/${ids[0]}`));
    expect((await owner.get(`/api/v1/customers/${ids[3]}`)).body).toMatchObject({ merged_into: ids[0] });
  });
});
