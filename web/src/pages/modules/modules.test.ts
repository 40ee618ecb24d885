import { beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '../../../../server/testing/eventually.ts';
import { repositoryModules } from '../../../../server/testing/repository-modules.ts';
import { type Console, chromiumPath, heading, inspect, startConsole } from '../../../testing/console.ts';
import { remindersModule } from '../../../testing/reminders-module.ts';

/** React and the console report the error of a component that throws. */
const fell = /The wall fell over/;

describe.skipIf(!chromiumPath)('pages, widgets and sections of a module', () => {
  let platform: Console;
  beforeAll(async () => {
    platform = await startConsole({ modules: [...(await repositoryModules()), await remindersModule()] });
    return () => platform.close();
  });

  async function openShop(path: string) {
    const acme = await platform.tenant({ name: 'Acme Stores' });
    const owner = await platform.person({ tenant: acme });
    return { acme, owner, page: await platform.openAs(owner, acme, path, fell) };
  }

  test('a list is searched and filtered, and its rows are created, changed, completed and deleted', async () => {
    const { page, owner } = await openShop('/');
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Reminders' }).click();
    await heading(page, 'Reminders').waitFor();
    await page.getByText('There is nothing here yet').waitFor();
    await inspect(page, 'module-empty');
    await page.getByRole('button', { name: 'Add a reminder' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Add a reminder' }).click();
    await dialog.locator('[aria-invalid=true][name=text]').waitFor();
    await dialog.getByLabel('Text').fill('Call the weaver');
    await dialog.getByLabel('Priority').selectOption('high');
    await inspect(page, 'module-form');
    await dialog.getByRole('button', { name: 'Add a reminder' }).click();
    await page.getByText('Reminder added.').waitFor();
    await owner.post('/api/v1/reminders', { text: 'Count the saris' });

    await page.goto(`${platform.origin}/modules/reminders/board?priority=high`);
    await page.getByRole('link', { name: 'Call the weaver' }).waitFor();
    expect(await page.getByRole('link', { name: 'Count the saris' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Remove the filter Priority' }).click();
    await page.getByRole('link', { name: 'Count the saris' }).waitFor();
    await inspect(page, 'module-list', 'complete');
    await page.getByRole('link', { name: 'Call the weaver' }).click();
    await heading(page, 'Call the weaver').waitFor();
    await inspect(page, 'module-record', 'complete');
    await page.getByRole('button', { name: 'Change the reminder' }).click();
    await dialog.getByLabel('Due on').fill('2026-12-24');
    await dialog.getByRole('button', { name: 'Change the reminder' }).click();
    await page.locator('article').getByText('2026-12-24').waitFor();
    await page.getByRole('button', { name: 'Mark as done' }).click();
    await page.locator('article').getByText('Yes').waitFor();
    await page.getByRole('button', { name: 'Delete the reminder' }).click();
    await dialog.getByRole('button', { name: 'Delete the reminder' }).click();
    await page.getByText('Reminder deleted.').waitFor();
    await eventually(async () => expect(await page.getByRole('link', { name: 'Call the weaver' }).count()).toBe(0));
    await page.getByRole('searchbox').fill('nothing like it');
    await page.getByText('No entry matches').waitFor();
  });

  test('a widget on Home, a section of an order and a tab of a customer show what belongs there', async () => {
    const { page, owner } = await openShop('/orders');
    const items = [{ name: 'Sari', quantity: 1, price: '4500.00' }];
    const { order } = (await owner.post('/api/v1/orders', { customer: { first_name: 'Meera' }, items })).body;
    await owner.post('/api/v1/reminders', { text: 'Of no order' });
    await page.getByRole('link', { name: order.order_number, exact: true }).click();
    const section = page.locator('section').filter({ has: page.getByRole('heading', { name: 'Reminders', level: 2 }) });
    await section.getByText('There is nothing here yet.').waitFor();
    await section.getByRole('button', { name: 'Add a reminder' }).click();
    expect(await page.getByRole('dialog').getByLabel('Order').count()).toBe(0);
    await page.getByRole('dialog').getByLabel('Text').fill('Wrap it');
    await page.getByRole('dialog').getByRole('button', { name: 'Add a reminder' }).click();
    await section.getByRole('cell', { name: 'Wrap it' }).waitFor();
    expect(await section.getByText('Of no order').count()).toBe(0);
    await inspect(page, 'module-section', 'complete');

    await page.locator('article').getByRole('link', { name: 'Meera' }).click();
    await heading(page, 'Meera').waitFor();
    await page.locator('article').getByRole('link', { name: 'Reminders' }).click();
    await page.locator('article').getByText('There is nothing here yet.').waitFor();
    await page.locator('article').getByRole('button', { name: 'Add a reminder' }).click();
    await page.getByRole('dialog').getByLabel('Text').fill('Write to Meera');
    await page.getByRole('dialog').getByRole('button', { name: 'Add a reminder' }).click();
    await page.locator('article').getByRole('cell', { name: 'Write to Meera' }).waitFor();
    await inspect(page, 'module-tab');

    await page.getByRole('link', { name: 'Home', exact: true }).click();
    await heading(page, 'Home').waitFor();
    await section.getByText('Open', { exact: true }).waitFor();
    expect(await section.locator('dd').allTextContents()).toEqual(['3', '0']);
    await inspect(page, 'module-widget');
  });

  test('a component that throws shows an error in its place; one that is missing says what to do, and runs when it is back', async () => {
    const { page, owner } = await openShop('/');
    await owner.post('/api/v1/reminders', { text: 'First' });
    await page.getByText('“Broken” cannot be shown.').waitFor();
    await page.getByText('The wall fell over.').waitFor();
    await page.getByText('Open', { exact: true }).waitFor();
    await inspect(page, 'module-broken');
    await page.getByRole('link', { name: 'Orders', exact: true }).click();
    await heading(page, 'Orders').waitFor();
    expect((await owner.get('/api/v1/reminders')).status).toBe(200);

    await page.route('**/console-files/**', (route) => route.fulfill({ status: 404, body: '' }));
    await page.getByRole('link', { name: 'Reminder wall', exact: true }).click();
    await page.getByText('A part of the console could not be loaded. It may have been updated.').waitFor();
    await inspect(page, 'module-missing-script');
    await page.unroute('**/console-files/**');
    await page.getByRole('button', { name: 'Try again' }).click();
    await heading(page, 'Reminder wall').waitFor();
    await page.getByText('On the wall: First').waitFor();
    await page.getByRole('button', { name: 'Add one' }).click();
    await page.getByText('On the wall: From the wall, First').waitFor();
    await inspect(page, 'module-component');
  });

  test('a module that is disabled while its page is open leaves the console, and those without a permission learn why', async () => {
    const { acme, page, owner } = await openShop('/modules/reminders/board');
    await page.getByText('There is nothing here yet').waitFor();
    await owner.post('/api/v1/modules/reminders/disable');
    await page.getByRole('searchbox').fill('sari');
    await heading(page, 'This page is not available').waitFor();
    expect(await page.getByRole('link', { name: 'Reminders' }).count()).toBe(0);
    await inspect(page, 'module-disabled');
    await owner.post('/api/v1/modules/reminders/enable');
    await page.reload();
    await heading(page, 'Reminders').waitFor();

    await platform.continueAs(page, await platform.person({ tenant: acme, role: 'Viewer' }), acme);
    await page.goto(`${platform.origin}/modules/reminders/board`);
    await page.getByText('There is nothing here yet').waitFor();
    expect(await page.getByRole('button', { name: 'Add a reminder' }).count()).toBe(0);
    expect(await page.getByRole('link', { name: 'Secret' }).count()).toBe(0);
    await page.goto(`${platform.origin}/modules/reminders/secret`);
    await page.getByText('The module of this page is disabled, or your role may not see it.').waitFor();
  });

  test('modules are seen, configured, disabled with what happens to their data, and enabled', async () => {
    const { page, owner } = await openShop('/settings/modules');
    await heading(page, 'Modules').waitFor();
    const item = page.getByRole('listitem').filter({ hasText: 'reminders' });
    await item.getByText('Enabled').waitFor();
    await inspect(page, 'settings-modules', 'complete');
    await item.getByRole('button', { name: 'Disable reminders' }).click();
    await page.getByRole('dialog').getByText('Its data stays in the database').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Disable' }).click();
    await item.getByText('Disabled', { exact: true }).waitFor();
    expect(await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Reminders' }).count()).toBe(
      0,
    );
    expect((await owner.get('/api/v1/reminders')).status).toBe(404);
    await item.getByRole('button', { name: 'Enable reminders' }).click();
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Reminders' }).waitFor();
    const orders = page.getByRole('listitem').filter({ hasText: 'Orders' }).first();
    await orders.getByRole('link').click();
    await page.getByLabel('Number prefix').fill('AC-');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Settings saved.').waitFor();
    expect((await owner.get('/api/v1/settings')).body.settings['orders.number_prefix']).toBe('AC-');
    await orders.locator('dd').filter({ hasText: 'Invoices, Payments' }).waitFor();
    expect(await orders.getByRole('button', { name: 'Disable' }).count()).toBe(0);
    await inspect(page, 'settings-modules-open');
  });
});
