import type { WebSocketRoute } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '../../../server/testing/eventually.ts';
import {
  type Console,
  chromiumPath,
  heading,
  inspect,
  openPage,
  signIn,
  sizes,
  startConsole,
} from '../../testing/console.ts';

describe.skipIf(!chromiumPath)('the console', () => {
  let platform: Console;
  let origin: string;

  beforeAll(async () => {
    platform = await startConsole();
    origin = platform.origin;
    return () => platform.close();
  });

  test('Home shows the numbers of the chosen organization, and notifications arrive live', async () => {
    const acme = await platform.tenant({ name: 'Acme Stores' });
    const other = await platform.tenant({ name: 'Other Stores' });
    const asha = await platform.person({ tenant: acme });
    await platform.join(asha, other);
    const types = [{ type: 'order.created', in_app: false }];
    await asha.patch('/api/v1/notifications/preferences', { types }, { 'x-tenant': acme.id });
    const names = ['Asha', 'Bindu', 'Chitra'];
    for (const [index, first_name] of names.entries()) {
      const items = [{ name: 'Darjeeling first flush, loose leaf', quantity: index + 1, price: '1249.50' }];
      const { status } = await asha.post('/api/v1/orders', {
        customer: { first_name, phone: `+91987654321${index}` },
        items,
      });
      expect(status).toBe(201);
    }
    const page = await openPage(`${origin}/login`);
    await signIn(page, asha);
    await page.getByRole('button', { name: /Switch organization/ }).click();
    await page.getByRole('menuitem', { name: 'Acme Stores' }).click();
    await page.getByRole('link', { name: '3 Orders to confirm' }).waitFor();
    const recent = page.getByRole('table', { name: 'Recent orders' });
    await eventually(async () => expect(await recent.getByRole('row').count()).toBe(4));

    await page.getByRole('button', { name: 'Notifications' }).waitFor();
    await acme
      .context('orders')
      .notify(asha.id, { type: 'order.updated', title: 'Order 1042 needs you', severity: 'warning' });
    await page.getByRole('button', { name: 'Notifications, 1 unread' }).click();
    await page.getByRole('button', { name: /Order 1042 needs you/ }).waitFor();
    await inspect(page, 'notifications');
    await page.getByRole('button', { name: /Order 1042 needs you/ }).click();
    await page.getByRole('button', { name: 'Notifications', exact: true }).waitFor({ state: 'attached' });
    await eventually(async () =>
      expect((await asha.get('/api/v1/notifications/unread-count')).body).toEqual({ unread_count: 0 }),
    );
    await page.keyboard.press('Escape');

    await recent.getByRole('link').first().click();
    await eventually(() => expect(new URL(page.url()).pathname).toMatch(/^.orders.\w/));
    await page.getByRole('button', { name: /Switch organization/ }).click();
    await page.getByRole('menuitem', { name: 'Other Stores' }).click();
    await heading(page, 'Home').waitFor();
    await eventually(async () => expect(await page.getByRole('main').textContent()).not.toContain('Chitra'));
  });

  test('a user who has not verified the address is told so until it is verified', async () => {
    const tenant = await platform.tenant({ name: 'Acme Stores' });
    const asha = await platform.person({ tenant, verified: false });
    const page = await openPage(`${origin}/login`);
    await signIn(page, asha);
    const link = page.getByRole('link', { name: 'Verify your email address' });
    await link.waitFor();
    await inspect(page, 'unverified');
    await page.getByRole('button', { name: 'Send the mail again' }).click();
    await page.getByText('A new verification link was mailed.').waitFor();
    expect((await platform.mailTo(asha.email, /^Verify/)).text).toContain('/email/verify/');
    await link.click();
    await page.getByRole('button', { name: 'Send the link again' }).waitFor();

    await platform.continueAs(page, await platform.person({ tenant }), tenant);
    await page.goto(origin);
    await heading(page, 'Home').waitFor();
    expect(await page.getByText('Verify your email address').count()).toBe(0);
  });

  test('at the address of an organization, another one is opened at its own address', async () => {
    const acme = await platform.tenant({ name: 'Acme Stores' });
    const other = await platform.tenant({ name: 'Other Stores' });
    const asha = await platform.person({ tenant: acme });
    await platform.join(asha, other);
    const page = await openPage(origin.replace('localhost', `${acme.id}.localhost`));
    await signIn(page, asha);
    await page.getByRole('button', { name: /Acme Stores/ }).click();
    await page.getByRole('menuitem', { name: 'Other Stores' }).click();
    await heading(page, 'Sign in').waitFor();
    expect(new URL(page.url()).hostname).toBe(`${other.id}.localhost`);
    await signIn(page, asha);
    await page.getByRole('button', { name: /Other Stores/ }).waitFor();
  });

  test('a session that ends leaves the page in place and continues after signing in', async () => {
    const acme = await platform.tenant();
    const asha = await platform.person({ tenant: acme });
    await acme.context('orders').notify(asha.id, { type: 'order.updated', title: 'Order 1042 needs you' });
    const page = await openPage(`${origin}/login?next=/customers`);
    await signIn(page, asha);
    await page.getByRole('button', { name: 'Notifications, 1 unread' }).click();
    // Over another session: all others end.
    await asha.delete('/api/v1/profile/sessions');
    // Unless the socket, which was closed too, has noticed it before.
    const item = page.getByRole('button', { name: /Order 1042 needs you/ });
    await item.click({ timeout: 1_000 }).catch(() => {});
    await page.getByText('Your session has ended').waitFor();
    await inspect(page, 'session-ended');
    expect(await page.getByRole('dialog').getByLabel('Email').inputValue()).toBe(asha.email);
    expect(await page.evaluate('document.activeElement.name')).toBe('password');
    for (const key of ['Escape', 'Escape', 'Control+k']) await page.keyboard.press(key);
    expect(await page.getByRole('dialog').count()).toBe(1);
    await page.getByLabel('Password', { exact: true }).focus();
    await page.keyboard.type(asha.password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('Your session has ended').waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: 'Notifications, 1 unread' }).waitFor();
    await acme.context('orders').notify(asha.id, { type: 'order.updated', title: 'Order 1043 needs you' });
    await page.getByRole('button', { name: 'Notifications, 2 unread' }).waitFor();
    await asha.post('/api/v1/customers', { first_name: 'Bindu' });
    await page.getByRole('link', { name: 'Bindu' }).waitFor();
  });

  test('what was typed is there again for the same user, and never for another one', async () => {
    const acme = await platform.tenant();
    const asha = await platform.person({ tenant: acme });
    const ravi = await platform.person({ tenant: acme, name: 'Ravi Menon' });
    const page = await openPage();
    const sockets: WebSocketRoute[] = [];
    await page.routeWebSocket('**/api/v1/graphql', (socket) => sockets.push(socket));
    await page.goto(`${origin}/login?next=/customers/new`);
    await signIn(page, asha);
    await page.getByLabel('First name').fill('Bindu');
    const tab = await page.context().newPage();
    await tab.goto(`${origin}/customers/new`);
    await eventually(async () => expect(await tab.getByLabel('First name').inputValue()).toBe('Bindu'));
    await page.getByRole('button', { name: 'Collapse', exact: true }).click();
    await tab.getByRole('button', { name: 'Expand', exact: true }).waitFor();

    // Signing out does not wait for the platform, and other tabs follow.
    await page.route('**/api/v1/auth/logout', () => {});
    await page.getByRole('button', { name: /^Account of/ }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    for (const one of [page, tab]) await heading(one, 'Sign in').waitFor();
    await signIn(page, asha);
    await heading(page, 'Home').waitFor();
    for (const one of [page, tab]) await one.goto(`${origin}/customers/new`);
    await eventually(async () => expect(await page.getByLabel('First name').inputValue()).toBe('Bindu'));

    await tab.getByLabel('First name').waitFor();
    await asha.delete('/api/v1/profile/sessions');
    // Also if a socket has noticed it before, and the dialog covers the link.
    await page.getByRole('link', { name: 'Orders', exact: true }).dispatchEvent('click');
    for (const one of [page, tab]) await one.getByText('Your session has ended').waitFor();
    // A socket that was being opened is refused only now.
    expect(sockets).not.toEqual([]);
    for (const socket of sockets) await socket.close({ code: 4400 });
    await signIn(tab.getByRole('dialog'), ravi);
    for (const one of [page, tab]) {
      await heading(one, 'Home').waitFor();
      await one.getByRole('button', { name: 'Account of Ravi Menon' }).waitFor();
    }
    expect(await page.evaluate('Object.keys(localStorage).filter((key) => key.includes("draft"))')).toEqual([]);
  });

  test('the palette finds customers, orders by number and pages', async () => {
    const acme = await platform.tenant();
    const asha = await platform.person({ tenant: acme });
    const customer = { first_name: 'Bindu', last_name: 'Krishnamurthy', phone: '+919876543210' };
    const { body } = await asha.post('/api/v1/orders', {
      customer,
      items: [{ name: 'Tea', quantity: 1, price: '49.50' }],
    });
    const page = await platform.openAs(asha, acme);
    await heading(page, 'Home').waitFor();
    await page.keyboard.press('Control+k');
    await inspect(page, 'palette-empty');
    await page.keyboard.type('krishna');
    await page.getByRole('option', { name: /Bindu Krishnamurthy/ }).waitFor();
    await inspect(page, 'palette');
    // Enter does not open what was found for an earlier text.
    const searching = page.getByText('Searching…');
    await page.route('**/api/v1/customers/search*', () => {});
    await page.keyboard.type('x');
    await page.keyboard.press('Enter');
    await searching.waitFor();
    await page.unroute('**/api/v1/customers/search*');
    await page.keyboard.press('Backspace');
    await searching.waitFor({ state: 'hidden' });
    await page.keyboard.press('Enter');
    await heading(page, 'Bindu Krishnamurthy').waitFor();
    expect(new URL(page.url()).pathname).toBe(`/customers/${body.order.customer_id}`);

    await page.keyboard.press('Control+k');
    await page.keyboard.type(body.order.order_number);
    await page.getByRole('option', { name: `Order ${body.order.order_number}` }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Search', exact: true }).click();
    await page.keyboard.type('notific');
    await page.getByRole('option', { name: 'Notifications', exact: true }).click();
    await heading(page, 'Notifications').waitFor();
    for (const name of ['Settings: Taxes', 'Developers: GraphQL', 'Team: Invitations', 'New role', 'New webhook']) {
      await page.keyboard.press('Control+k');
      await page.keyboard.type(name.toLowerCase());
      await page.getByRole('option', { name, exact: true }).waitFor();
      await page.keyboard.press('Escape');
    }
    await page.keyboard.press('Control+k');
    await page.keyboard.type('settings: taxes');
    await page.getByRole('option', { name: 'Settings: Taxes' }).click();
    await heading(page, 'Taxes').waitFor();
    await page.keyboard.press('Control+k');
    await page.keyboard.type('platform');
    await page.getByText('Nothing matches “platform”.').waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('Control+k');
    await page.keyboard.type('no such thing');
    await page.getByText('Nothing matches “no such thing”.').waitFor();
    await page.route('**/api/v1/customers/search*', (route) => route.fulfill({ status: 500 }));
    await page.keyboard.type('!');
    await page.getByText('could not be searched').waitFor();
  });

  test('? lists the keys of the page, a page that fails leaves the others usable, and on a phone the bar at the bottom leads to all', async () => {
    const acme = await platform.tenant();
    const page = await platform.openAs(await platform.person({ tenant: acme }), acme, '/customers');
    await heading(page, 'Customers').waitFor();
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).getByText('Next row').waitFor();
    await inspect(page, 'keys');
    await page.keyboard.press('Escape');
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor({ state: 'hidden' });

    await page.route('**/assets/orders-page-*.js', (route) => route.abort());
    await page.getByRole('link', { name: 'Orders', exact: true }).click();
    await page.getByText('This page could not be shown').waitFor();
    await inspect(page, 'page-error');
    await page.getByRole('link', { name: 'Customers' }).click();
    await heading(page, 'Customers').waitFor();

    await page.setViewportSize(sizes.phone);
    await page.getByRole('link', { name: 'Customers' }).click();
    await heading(page, 'Customers').waitFor();
    await page.getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: 'Notifications' }).click();
    await heading(page, 'Notifications').waitFor();
  });

  test('without a connection, the console says so, and connects again', async () => {
    const asha = await platform.person({ tenant: await platform.tenant() });
    const page = await openPage();
    await page.clock.install();
    let connections = 0;
    await page.route('**/api/v1/realtime/config', (route) => {
      connections += 1;
      return connections <= 3 ? route.abort() : route.continue();
    });
    await page.goto(`${origin}/login`);
    await signIn(page, asha);
    await heading(page, 'Home').waitFor();
    await page.context().setOffline(true);
    await page.getByText('You are offline.').waitFor();
    await page.context().setOffline(false);
    await page.getByText('You are offline.').waitFor({ state: 'detached' });
    await eventually(async () => {
      await page.clock.fastForward(5_000);
      expect(connections).toBeGreaterThan(3);
    });
  });

  test('an unknown address says so, and the chosen theme stays, also if the system has the other', async () => {
    const page = await openPage(`${origin}/no/such/page`);
    await heading(page, 'Page not found').waitFor();
    await inspect(page, 'not-found');

    await page.goto(`${origin}/dev/ui`);
    await heading(page, 'Design system').waitFor();
    await inspect(page, 'ui', 'complete');
    await page.getByRole('button', { name: 'Dark' }).click();
    await page.reload();
    await heading(page, 'Design system').waitFor();
    expect(await page.evaluate('getComputedStyle(document.documentElement).colorScheme')).toBe('dark');
    await page.getByRole('button', { name: 'System' }).click();
    await page.getByRole('button', { name: 'Open a dialog' }).click();
    await page.getByRole('dialog').waitFor();
    await inspect(page, 'ui-dialog', 'complete');
    await page.keyboard.press('Escape');

    // A toast is in front of a dialog, and stays while the pointer is on it.
    await page.clock.install();
    await page.getByRole('button', { name: 'Show a toast' }).click();
    await page.getByRole('button', { name: 'Open a dialog' }).click();
    await page.getByRole('dialog').waitFor();
    const undo = page.getByRole('button', { name: 'Undo' });
    await undo.hover();
    await page.clock.fastForward(60_000);
    await undo.click();
    await page.getByText('Order 1042 restored.').waitFor();
    await page.mouse.move(0, 0);
    await page.clock.fastForward(60_000);
    await page.getByText('Order 1042 restored.').waitFor({ state: 'detached' });
  });
});
