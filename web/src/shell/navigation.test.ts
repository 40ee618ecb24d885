import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '../../../server/testing/eventually.ts';
import {
  type Console,
  chromiumPath,
  expectStill,
  forgetIdlePage,
  heading,
  inspect,
  openPage,
  sizes,
  startConsole,
} from '../../testing/console.ts';

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

  test('nothing moves while a page is loaded, also if the platform takes its time', async () => {
    const acme = await platform.tenant({ name: 'Acme Stores' });
    const asha = await platform.person({ tenant: acme });
    const items = [{ name: 'Tea', quantity: 2, price: '49.50' }];
    const { body } = await asha.post('/api/v1/orders', { customer: { phone: '+919876543210' }, items });
    const page = await platform.openAs(asha, acme, '/dev/ui');
    await page.route('**/api/v1/auth/me', async (route) => {
      // Not before what is there without it has been drawn.
      await page.locator('header').waitFor();
      await page.evaluate('new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))');
      await route.continue();
    });
    await page.setViewportSize(sizes.phone);
    await expectNoMoves(page, '/', 'Home');
    await page.setViewportSize(sizes.wide);
    for (const [path, title] of Object.entries({
      '/': 'Home',
      '/orders': 'Orders',
      [`/orders/${body.order.id}`]: `Order ${body.order.order_number}`,
      '/customers': 'Customers',
      '/products': 'Products',
      '/discounts': 'Discounts',
      '/conversations': 'Conversations',
      '/reports': 'Reports',
      '/notifications': 'Notifications',
      '/rules': 'Rules',
      '/team': 'Team',
      '/team/invitations': 'Team',
      '/team/roles': 'Team',
      '/activity': 'Activity',
      '/developers': 'Developers',
      '/developers/webhooks': 'Developers',
      '/settings': 'Settings',
      '/profile': 'Profile',
    })) {
      await expectNoMoves(page, path, title);
    }
  });

  test('nothing moves while the owner of the platform loads a page', async () => {
    const chowk = await platform.tenant({ role: 'platform_owner' });
    const page = await platform.openAs(await platform.person({ tenant: chowk }), chowk, '/dev/ui');
    for (const [path, title] of Object.entries({
      '/applications': 'Applications',
      '/codes': 'Referral codes',
      '/tenants': 'Tenants',
      '/tenants/products': 'Tenants',
      '/platform': 'Platform',
      '/platform/rings': 'Platform',
      '/platform/modules': 'Platform',
      '/platform/jobs': 'Platform',
      '/platform/health': 'Platform',
      '/platform/releases': 'Platform',
    })) {
      await expectNoMoves(page, path, title);
    }
  });

  async function expectNoMoves(page: Page, path: string, title: string): Promise<void> {
    await page.goto(platform.origin + path);
    await heading(page, title).waitFor();
    await page.waitForLoadState('networkidle');
    await expectStill(page, `${path} at ${page.viewportSize()?.width} pixels`);
  }

  test('each role is offered the pages that it may open', async () => {
    const trade = ['Home', 'Orders', 'Customers', 'Products', 'Discounts', 'Conversations'];
    const top = [...trade, 'Reports', 'Notifications', 'Rules'];
    const reseller = [
      ...top,
      'Applications',
      'Referral codes',
      'Tenants',
      'Team',
      'Activity',
      'Developers',
      'Settings',
    ];
    const owner = [...top, 'Applications', 'Referral codes', 'Team', 'Activity', 'Developers', 'Platform', 'Settings'];
    const merchant = [...top, 'Team', 'Activity', 'Developers', 'Settings'];
    const viewer = [...trade, 'Reports', 'Notifications'];
    const manager = [...top, 'Team', 'Activity'];
    const agent = [...trade, 'Notifications'];
    const about = ['Team', 'Activity'];
    const expected = {
      merchant: {
        Owner: merchant,
        Admin: merchant,
        Manager: manager,
        Agent: agent,
        Viewer: [...viewer, ...about, 'Settings'],
      },
      reseller: {
        Owner: reseller,
        Admin: reseller,
        Manager: manager,
        Agent: agent,
        Viewer: [...viewer, 'Applications', 'Tenants', ...about, 'Settings'],
      },
      platform_owner: {
        Owner: owner,
        Admin: owner,
        Manager: manager,
        Agent: agent,
        Viewer: [...viewer, 'Applications', ...about, 'Platform', 'Settings'],
      },
    };
    const page = await openPage(platform.origin);
    const links = page.getByRole('navigation', { name: 'Main' }).getByRole('link');
    for (const [tenantRole, roles] of Object.entries(expected)) {
      const tenant = await platform.tenant({ role: tenantRole as keyof typeof expected });
      for (const [role, labels] of Object.entries(roles)) {
        await platform.continueAs(page, await platform.person({ tenant, role }), tenant);
        await page.goto(`${platform.origin}/profile`);
        await heading(page, 'Profile').waitFor();
        expect({ tenantRole, role, labels: await links.allTextContents() }).toEqual({ tenantRole, role, labels });
      }
    }
  });

  test('a member is shown the pages of the role on Home, and keys lead to them', async () => {
    const acme = await platform.tenant({ name: 'Acme Stores' });
    const page = await platform.openAs(await platform.person({ tenant: acme, role: 'Agent' }), acme);
    await heading(page, 'Home').waitFor();
    const links = page.getByRole('navigation', { name: 'Main' }).getByRole('link');
    const expected = ['Home', 'Orders', 'Customers', 'Products', 'Discounts', 'Conversations', 'Notifications'];
    expect(await links.allTextContents()).toEqual(expected);
    await page.keyboard.press('g');
    await page.keyboard.press('o');
    await heading(page, 'Orders').waitFor();
    // Elsewhere the letters have their own meaning.
    await page.keyboard.press('/');
    await page.keyboard.type('gt');
    expect(await page.getByRole('searchbox').inputValue()).toBe('gt');
  });

  test('the palette signs out', async () => {
    const acme = await platform.tenant();
    const page = await platform.openAs(await platform.person({ tenant: acme }), acme);
    await heading(page, 'Home').waitFor();
    await page.keyboard.press('Control+k');
    await page.keyboard.type('sign out');
    await page.getByRole('option', { name: 'Sign out' }).waitFor();
    await page.keyboard.press('Enter');
    await heading(page, 'Sign in').waitFor();
  });

  test('an unknown address, and the address of a record that cannot be, leave the other pages in reach', async () => {
    const acme = await platform.tenant();
    const page = await platform.openAs(await platform.person({ tenant: acme }), acme, '/no/such/page');
    await heading(page, 'Page not found').waitFor();
    await inspect(page, 'not-found-inside');
    await page.getByRole('link', { name: 'Orders', exact: true }).click();
    await heading(page, 'Orders').waitFor();
    for (const path of ['orders', 'customers', 'products', 'discounts', 'conversations', 'team', 'team/roles']) {
      await page.goto(`${platform.origin}/${path}/nothing-like-that`);
      await page.getByText(/^This (conversation )?cannot be shown$/).waitFor();
    }
    await page.goto(`${platform.origin}/audit`);
    await heading(page, 'Activity').waitFor();
    await page.goto(`${platform.origin}/webhooks`);
    await eventually(() => expect(new URL(page.url()).pathname).toBe('/developers/webhooks'));
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
    await forgetIdlePage();
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
