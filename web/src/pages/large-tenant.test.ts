import { sql } from '@chowk/kit';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Person } from '../../../server/testing/accounts.ts';
import { eventually } from '../../../server/testing/eventually.ts';
import type { TestTenant } from '../../../server/testing/platform.ts';
import { type Console, chromiumPath, heading, inspect, startConsole } from '../../testing/console.ts';

const customers = 100_000;
/** More would exceed the time limit of a statement. */
const batch = 10_000;

const insertFrom = (from: number) => sql`
  INSERT INTO customers (id, first_name, last_name, email, phone, total_orders, total_spent, currency, last_order_at, created_at,
    updated_at)
  SELECT gen_random_uuid(), 'Person ' || n, (ARRAY['Sharma', 'Kumar', 'Nair'])[1 + n % 3], 'person' || n || '@example.com',
    '+9190' || lpad(n::text, 8, '0'), n % 7, (n % 7) * 499.50, CASE WHEN n % 7 > 0 THEN 'INR' END,
    CASE WHEN n % 7 > 0 THEN now() - n * interval '1 minute' END, timestamptz '2026-01-01' - n * interval '1 minute', now()
  FROM generate_series(${from}::integer, ${from + batch - 1}::integer) n`;

/** The address and the title of every page that an owner can open without a record. */
const pages: readonly (readonly [path: string, title: string])[] = [
  ['/', 'Home'],
  ['/orders', 'Orders'],
  ['/orders/new', 'New order'],
  ['/orders/drafts', 'Drafts'],
  ['/customers', 'Customers'],
  ['/customers/new', 'New customer'],
  ['/customers/merge', 'Merge customers'],
  ['/products', 'Products'],
  ['/products/new', 'New product'],
  ['/products/import', 'Import products'],
  ['/products/collections', 'Collections'],
  ['/products/locations', 'Stock locations'],
  ['/products/transfer', 'Move stock'],
  ['/discounts', 'Discounts'],
  ['/discounts/new', 'New discount'],
  ['/conversations', 'Conversations'],
  ['/reports', 'Reports'],
  ['/notifications', 'Notifications'],
  ['/notifications/preferences', 'Notification preferences'],
  ['/rules', 'Rules'],
  ['/rules/new', 'New rule'],
  ['/team', 'Team'],
  ['/team/invitations', 'Team'],
  ['/team/roles', 'Team'],
  ['/activity', 'Activity'],
  ['/activity/accounts', 'Activity'],
  ['/developers', 'Developers'],
  ['/developers/webhooks', 'Developers'],
  ['/developers/graphql', 'Developers'],
  ['/developers/tools', 'Developers'],
  ['/settings', 'Settings'],
  ['/settings/general', 'General'],
  ['/settings/domains', 'Domains'],
  ['/settings/security', 'Security'],
  ['/settings/checkout', 'Checkout'],
  ['/settings/customers', 'Customers'],
  ['/settings/taxes', 'Taxes'],
  ['/settings/shipping', 'Shipping'],
  ['/settings/payments', 'Payments'],
  ['/settings/invoices', 'Invoices'],
  ['/settings/channels', 'Channels'],
  ['/settings/inbox', 'Opening hours and assignment'],
  ['/settings/mails', 'Mails to customers'],
  ['/settings/widget', 'Web chat'],
  ['/settings/other', 'Other settings'],
  ['/profile', 'Profile'],
];

describe.skipIf(!chromiumPath)(`an organization with ${customers} customers`, () => {
  let platform: Console;
  let acme: TestTenant;
  let asha: Person;
  beforeAll(async () => {
    platform = await startConsole();
    acme = await platform.tenant({ name: 'Malabar Spice Exports' });
    asha = await platform.person({ tenant: acme });
    expect((await asha.post('/api/v1/demo-data', { customers: 40 })).status).toBe(201);
    for (let from = 1; from <= customers; from += batch) await acme.db.run(insertFrom(from));
    await acme.db.run(sql`ANALYZE customers`);
    return () => platform.close();
  }, 600_000);

  test('a customer is found, ordered for, and the order is found by its item and moved on', async () => {
    const page = await platform.openAs(asha, acme);
    await heading(page, 'Home').waitFor();
    await page.keyboard.press('Control+k');
    await page.keyboard.type('person 77777');
    await page.getByRole('option', { name: /Person 77777/ }).click();
    await heading(page, 'Person 77777 Nair').waitFor();
    await page.getByRole('button', { name: 'New order' }).click();
    await heading(page, 'New order').waitFor();
    await page.getByLabel('Add an item').fill('Jasmine');
    await page.getByRole('option', { name: /without a product/ }).click();
    await page.getByLabel('Name of item 1').fill('Jasmine garland');
    await page.getByLabel('Price in INR of item 1').fill('125');
    await page.getByLabel('Quantity of item 1').fill('1000000');
    await page.getByRole('button', { name: 'Create order' }).click();
    await page.getByRole('heading', { name: /^Order \d+$/, level: 1 }).waitFor();
    await inspect(page, 'order-of-a-million');
    await page.goto(`${platform.origin}/orders?search=jasmine garland`);
    await eventually(async () => expect(await rows(page).count()).toBe(1));
    await expectRoom(page, [768, 960, 1100, 1280]);
    await rows(page).first().click();
    await page.getByRole('button', { name: 'Confirm', exact: true }).waitFor();
    await expectRoom(page, [1280, 1440]);
    await page.getByRole('button', { name: 'Confirm', exact: true }).click();
    await page.getByText(/^Order \d+ is now confirmed\.$/).waitFor();
  });

  /** However wide: columns leave, but not the status, and the toolbar keeps its one line. */
  async function expectRoom(page: Page, widths: readonly number[]): Promise<void> {
    for (const width of widths) {
      await page.setViewportSize({ width, height: 900 });
      await eventually(async () => {
        const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
        const hasStatus = await page.getByRole('columnheader', { name: 'Status' }).isVisible();
        const toolbar = "document.querySelector('section[aria-label=Orders]').previousElementSibling";
        const height = Number(await page.evaluate(`${toolbar}.offsetHeight`));
        const lines = height < 72 ? 1 : 2;
        expect({ width, overflow, hasStatus, lines }).toEqual({ width, overflow: 0, hasStatus: true, lines: 1 });
      });
    }
  }

  const rows = (page: Page) => page.locator('tbody [data-row]');

  test('the keys move in the list, the open record follows, rows are selected, and a printed list has all rows that were read', async () => {
    const page = await platform.openAs(asha, acme, '/customers?sort_by=created_at&sort_order=desc');
    await eventually(async () => expect(await rows(page).count()).toBeGreaterThan(20));
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    const second = (await rows(page).nth(1).locator('a').first().textContent()) ?? '';
    expect(await page.evaluate('document.activeElement.textContent')).toBe(second);
    await page.keyboard.press('x');
    await page.getByRole('toolbar', { name: 'Selected rows' }).getByText('1 selected').waitFor();
    await page.keyboard.press('Enter');
    await heading(page, second).waitFor();
    await page.keyboard.press('j');
    const third = (await rows(page).nth(2).locator('a').first().textContent()) ?? '';
    await heading(page, third).waitFor();
    await page.keyboard.press('k');
    await heading(page, second).waitFor();

    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    await page.locator('article h1').waitFor({ state: 'detached' });
    await eventually(async () => expect(await rows(page).count()).toBeGreaterThan(20));
    const onScreen = await rows(page).count();
    await page.evaluate('window.dispatchEvent(new Event("beforeprint"))');
    await page.emulateMedia({ media: 'print' });
    const printed = await rows(page).count();
    expect(printed).toBeGreaterThan(onScreen);
    // What was read for the screen, not all customers.
    expect(printed).toBeLessThanOrEqual(200);
    expect(await page.getByRole('navigation', { name: 'Main' }).isVisible()).toBe(false);
    expect(await page.getByRole('searchbox').isVisible()).toBe(false);
    expect(await page.getByText('New customer').isVisible()).toBe(false);
    expect(await page.getByRole('columnheader', { name: 'Spent' }).getByText('Spent').isVisible()).toBe(true);
    await page.emulateMedia({ media: 'screen' });
    await page.evaluate('window.dispatchEvent(new Event("afterprint"))');
    await eventually(async () => expect(await rows(page).count()).toBe(onScreen));
    // A record is printed alone.
    await rows(page).first().locator('a').first().click();
    await page.locator('article h1').waitFor();
    await page.emulateMedia({ media: 'print' });
    expect(await page.locator('article h1').isVisible()).toBe(true);
    expect(await page.locator('tbody [data-row]').first().isVisible()).toBe(false);
    expect(await page.getByRole('button', { name: 'More actions' }).isVisible()).toBe(false);
  });

  // Last: on a slow machine it takes longer than an access token is valid.
  test('every page shows its title, fits, stays still while it is loaded, and axe finds nothing', async () => {
    const page = await platform.openAs(asha, acme, '/dev/ui');
    const problems: string[] = [];
    for (const [path, title] of pages) {
      try {
        await page.goto(platform.origin + path);
        await heading(page, title).waitFor();
        await page.locator('.pulse').first().waitFor({ state: 'detached' });
        await inspect(page, `all${path.replaceAll('/', '-')}`);
      } catch (error) {
        problems.push(`${path}: ${(error as Error).message}`);
      }
    }
    expect(problems).toEqual([]);
  }, 900_000);
});
