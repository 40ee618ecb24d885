import { beforeAll, describe, expect, test } from 'vitest';
import { type Console, chromiumPath, heading, inspect, startConsole } from '../../testing/console.ts';

describe.skipIf(!chromiumPath)('menus and navigation', () => {
  let platform: Console;

  beforeAll(async () => {
    platform = await startConsole();
    return () => platform.close();
  });

  test('open menus and popovers can be used by everyone', async () => {
    const acme = await platform.tenant({ name: 'Acme Stores' });
    const asha = await platform.person({ tenant: acme });
    await platform.join(asha, await platform.tenant({ name: 'Other Stores' }));
    const { body } = await asha.post('/api/v1/customers', { first_name: 'Priya', last_name: 'Sharma' });
    const page = await platform.openAs(asha, acme, `/customers/${body.customer.id}`);
    await heading(page, 'Priya Sharma').waitFor();
    for (const [button, name] of [
      [/^Account of/, 'account'],
      [/Switch organization/, 'organizations'],
      ['Export', 'export'],
      ['Choose columns', 'columns'],
      ['More actions', 'customer-actions'],
    ] as const) {
      await page.getByRole('button', { name: button }).click();
      await page.locator('[role=menu], [data-popover]').waitFor();
      await inspect(page, `menu-${name}`);
      await page.keyboard.press('Escape');
      await page.locator('[role=menu], [data-popover]').waitFor({ state: 'detached' });
    }
  });

  test('the navigation is collapsed and stays so, with a long name of the organization', async () => {
    const acme = await platform.tenant({ name: 'Shri Ganesh Tea, Coffee & Spices Trading Company Private Limited' });
    const page = await platform.openAs(await platform.person({ tenant: acme }), acme, '/customers');
    await heading(page, 'Customers').waitFor();
    const rail = page.getByRole('navigation', { name: 'Main' });
    const width = async () => (await rail.boundingBox())?.width ?? 0;
    expect(await width()).toBeGreaterThan(200);
    expect((await rail.getByRole('link', { name: 'Products' }).boundingBox())?.width).toBeLessThan(await width());
    await inspect(page, 'navigation');
    await page.getByRole('button', { name: 'Collapse' }).click();
    expect(await width()).toBeLessThan(60);
    await page.reload();
    await heading(page, 'Customers').waitFor();
    expect(await width()).toBeLessThan(60);
    await inspect(page, 'navigation-collapsed');
    await rail.getByRole('link', { name: 'Products' }).click();
    await heading(page, 'Products').waitFor();
    await page.keyboard.press('[');
    expect(await width()).toBeGreaterThan(200);
  });

  test('a page that was never opened does not end the console without a connection', async () => {
    const acme = await platform.tenant({ name: 'Acme Stores' });
    const page = await platform.openAs(await platform.person({ tenant: acme }), acme);
    await heading(page, 'Home').waitFor();
    await page.context().setOffline(true);
    await page.getByRole('link', { name: 'Products' }).click();
    await page.getByText('You are offline, and this page has not been opened before.').waitFor();
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('link', { name: 'Home' }).click();
    await heading(page, 'Home').waitFor();
    await page.getByRole('link', { name: 'Products' }).click();
    await heading(page, 'This page could not be shown').waitFor();
    await page.context().setOffline(false);
    await heading(page, 'Products').waitFor();
  });
});
