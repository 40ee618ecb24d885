import { beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '../../../server/testing/eventually.ts';
import { type Console, chromiumPath, heading, inspect, openPage, signIn, startConsole } from '../../testing/console.ts';

describe.skipIf(!chromiumPath)('the console', () => {
  let platform: Console;
  let origin: string;

  beforeAll(async () => {
    platform = await startConsole();
    origin = platform.origin;
  });

  test('Home shows the numbers of the chosen organization, and notifications arrive live', async () => {
    const acme = await platform.tenant({ name: 'Acme Stores' });
    const other = await platform.tenant({ name: 'Other Stores' });
    const asha = await platform.person({ tenant: acme });
    await platform.join(asha, other);
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
      .notify(asha.id, { type: 'order.created', title: 'Order 1042 needs you', severity: 'warning' });
    await page.getByRole('button', { name: 'Notifications, 1 unread' }).click();
    await page.getByRole('button', { name: /Order 1042 needs you/ }).waitFor();
    await inspect(page, 'notifications');
    await page.getByRole('button', { name: /Order 1042 needs you/ }).click();
    await page.getByRole('button', { name: 'Notifications', exact: true }).waitFor({ state: 'attached' });
    await eventually(async () =>
      expect((await asha.get('/api/v1/notifications/unread-count')).body).toEqual({ unread_count: 0 }),
    );
    await page.keyboard.press('Escape');

    await page.getByRole('button', { name: /Switch organization/ }).click();
    await page.getByRole('menuitem', { name: 'Other Stores' }).click();
    await eventually(async () => expect(await page.getByRole('main').textContent()).not.toContain('Chitra'));
  });

  test('a session that ends leaves the page in place and continues after signing in', async () => {
    const acme = await platform.tenant();
    const asha = await platform.person({ tenant: acme });
    await acme.context('orders').notify(asha.id, { type: 'order.created', title: 'Order 1042 needs you' });
    const page = await openPage(`${origin}/login`);
    await signIn(page, asha);
    await page.getByRole('button', { name: 'Notifications, 1 unread' }).click();
    // Over another session: all others end.
    await asha.delete('/api/v1/profile/sessions');
    await page.getByRole('button', { name: /Order 1042 needs you/ }).click();
    await page.getByText('Your session has ended').waitFor();
    await inspect(page, 'session-ended');
    expect(await page.getByLabel('Email').inputValue()).toBe(asha.email);
    expect(await page.evaluate('document.activeElement.name')).toBe('password');
    await page.keyboard.type(asha.password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('Your session has ended').waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: 'Notifications, 1 unread' }).waitFor();
  });

  test('without a connection, the console says so', async () => {
    const asha = await platform.person({ tenant: await platform.tenant() });
    const page = await openPage(`${origin}/login`);
    await signIn(page, asha);
    await heading(page, 'Home').waitFor();
    await page.context().setOffline(true);
    await page.getByText('You are offline.').waitFor();
    await page.context().setOffline(false);
    await page.getByText('You are offline.').waitFor({ state: 'detached' });
  });

  test('the chosen theme stays, also if the system has the other', async () => {
    const page = await openPage(`${origin}/dev/ui`);
    await inspect(page, 'ui');
    await page.getByRole('button', { name: 'Dark' }).click();
    await page.reload();
    await heading(page, 'Design system').waitFor();
    expect(await page.evaluate('getComputedStyle(document.documentElement).colorScheme')).toBe('dark');
    await page.getByRole('button', { name: 'System' }).click();
    await page.getByRole('button', { name: 'Open a dialog' }).click();
    await page.getByRole('dialog').waitFor();
    await inspect(page, 'ui-dialog');
  });

  test('an unknown address says so', async () => {
    const page = await openPage(`${origin}/no/such/page`);
    await heading(page, 'Page not found').waitFor();
    await inspect(page, 'not-found');
  });
});
