import type { NewNotification } from '@chowk/kit';
import type { Page, Route } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Person } from '../../../../server/testing/accounts.ts';
import { eventually } from '../../../../server/testing/eventually.ts';
import type { TestTenant } from '../../../../server/testing/platform.ts';
import { repositoryModules } from '../../../../server/testing/repository-modules.ts';
import { testModule } from '../../../../server/testing/test-module.ts';
import { type Console, chromiumPath, heading, inspect, startConsole } from '../../../testing/console.ts';

const till = testModule({
  alias: 'till',
  notifications: {
    'till.opened': { description: 'The till was opened outside of business hours', critical: true },
    'till.counted': { description: 'The till was counted' },
  },
});
const longName = 'Shri Venkateshwara Traditional Handloom Sarees and Silk Emporium of Kanchipuram Pvt';

describe.skipIf(!chromiumPath)('notifications', () => {
  let platform: Console;
  beforeAll(async () => {
    platform = await startConsole({ modules: [...(await repositoryModules()), till] });
    return () => platform.close();
  });

  async function shop(name = 'Acme Stores') {
    const acme = await platform.tenant({ name });
    const asha = await platform.person({ tenant: acme });
    return { acme, asha };
  }

  const send = (acme: TestTenant, { id }: Person, fields: Partial<NewNotification> & { title: string }) =>
    acme.context('orders').notify(id, { type: 'order.updated', ...fields });

  async function sendMany(acme: TestTenant, person: Person, count: number): Promise<void> {
    for (let index = 1; index <= count; index += 1) await send(acme, person, { title: `Order ${1_000 + index}` });
  }

  const bell = (page: Page, unread: string) =>
    page.getByRole('button', {
      name: unread === '0' ? 'Notifications' : `Notifications, ${unread} unread`,
      exact: true,
    });
  const row = (page: Page, title: string | RegExp) => page.getByRole('listitem').filter({ hasText: title });
  const unreadCount = async (person: Person) =>
    (await person.get('/api/v1/notifications/unread-count')).body.unread_count;

  test('a new one arrives live with a toast, first in the list, and leads to its customer', async () => {
    const { acme, asha } = await shop();
    const { body } = await asha.post('/api/v1/customers', { first_name: 'आशा', last_name: 'शर्मा' });
    await send(acme, asha, { title: 'An older one' });
    const page = await platform.openAs(asha, acme);
    await bell(page, '1').click();
    await page.getByRole('button', { name: /An older one/ }).waitFor();
    await page.keyboard.press('Escape');
    await send(acme, asha, { title: 'A customer asks for you', data: { customer_id: body.customer.id } });
    await page.getByRole('status').getByText('A customer asks for you').waitFor();
    await bell(page, '2').click();
    const items = page.getByRole('dialog').getByRole('listitem');
    expect(await items.allTextContents()).toEqual([
      expect.stringContaining('A customer asks for you'),
      expect.stringContaining('An older one'),
    ]);
    await page
      .getByRole('dialog')
      .getByRole('link', { name: /A customer asks for you/ })
      .click();
    await page.getByRole('heading', { name: 'आशा शर्मा' }).waitFor();
    await bell(page, '1').waitFor();
    expect(await unreadCount(asha)).toBe(1);
    await send(acme, asha, { title: 'Look at the products', action_url: '/products' });
    await page.getByRole('status').getByText('Look at the products').waitFor();
    await page.getByRole('status').getByRole('button', { name: 'Open' }).last().click();
    await eventually(() => expect(new URL(page.url()).pathname).toBe('/products'));
    await eventually(async () => expect(await unreadCount(asha)).toBe(1));

    // One that arrives while the count is being read is counted too. The next count is that of the click below.
    await page.waitForLoadState('networkidle');
    const counted = Promise.withResolvers<void>();
    const released = Promise.withResolvers<void>();
    const holdBack = async (route: Route) => {
      const response = await route.fetch();
      counted.resolve();
      await released.promise;
      await route.fulfill({ response });
    };
    await page.route('**/unread-count', holdBack, { times: 1 });
    await bell(page, '1').click();
    await page.getByRole('button', { name: /An older one/ }).click();
    await counted.promise;
    await send(acme, asha, { title: 'Meanwhile' });
    await page.getByRole('status').getByText('Meanwhile').waitFor();
    const response = page.waitForResponse('**/unread-count');
    released.resolve();
    await response;
    await page.evaluate('new Promise(requestAnimationFrame)');
    const label = () =>
      page
        .getByRole('button', { name: /^Notifications/ })
        .first()
        .getAttribute('aria-label');
    await eventually(async () => expect(await label()).toBe('Notifications, 1 unread'));
  });

  test('above 99 the badge says so; the list shows all of them, filtered by the address', async () => {
    const { acme, asha } = await shop();
    await sendMany(acme, asha, 130);
    const other = { severity: 'error', type: 'product.sold_out', icon: 'Package' } as const;
    await send(acme, asha, { ...other, title: `${longName} has sold out`, body: 'Nothing is left.\nOrder again.' });
    await send(acme, asha, {
      title: 'Someone waits',
      severity: 'warning',
      icon: 'MessageSquare',
      action_label: 'Answer',
    });
    await send(acme, asha, { title: 'Shipped', severity: 'success', icon: 'CheckCircle', group_key: 'shipped' });
    await send(acme, asha, { title: 'Shipped', severity: 'success', icon: 'CheckCircle', group_key: 'shipped' });
    const page = await platform.openAs(asha, acme);
    await bell(page, '99+').click();
    await inspect(page, 'notifications-bell');
    await page.getByRole('link', { name: 'All notifications' }).click();
    await heading(page, 'Notifications').waitFor();
    await row(page, 'Shipped × 2').waitFor();
    await inspect(page, 'notifications-list');
    const scroller = page.getByRole('region', { name: 'Notifications' });
    await scroller.hover();
    await eventually(async () => {
      await page.mouse.wheel(0, 10_000);
      expect(await row(page, 'Order 1001').count()).toBe(1);
    });
    await page.getByLabel('Severity').selectOption('error');
    await eventually(() => expect(new URL(page.url()).search).toBe('?severity=error'));
    await eventually(async () => expect(await scroller.getByRole('listitem').count()).toBe(1));
    await row(page, 'has sold out').waitFor();
    await page.getByLabel('Type').selectOption('till.counted');
    await page.getByText('No notification matches').waitFor();
    await inspect(page, 'notifications-no-match');
    await page.goBack();
    await row(page, 'has sold out').waitFor();
    await page.getByRole('button', { name: 'All', exact: true }).click();
    await row(page, 'Shipped').waitFor();
    await page.getByRole('button', { name: 'Mark all read' }).click();
    await bell(page, '0').waitFor();
    await eventually(async () => expect(await unreadCount(asha)).toBe(0));
    await page.getByRole('button', { name: /^Unread/ }).click();
    await page.getByText('You have read everything').waitFor();
    await inspect(page, 'notifications-none');
  });

  test('what the platform refuses is taken back', async () => {
    const { acme, asha } = await shop();
    await send(acme, asha, { title: 'Order 1042' });
    await send(acme, asha, { title: 'Order 1043' });
    const page = await platform.openAs(asha, acme, '/notifications');
    await bell(page, '2').waitFor();
    // Nothing is read again either: what is shown must come back by itself.
    await page.route(/\/api\/v1\/notifications(\?|\/unread-count)/, (route) => route.abort());
    let answered = Promise.withResolvers<void>();
    await page.route(/\/api\/v1\/notifications\/[0-9a-f-]{36}/, async (route) => {
      await answered.promise;
      await route.fulfill({ status: 503, json: { message: 'The platform is busy.', code: 'http.unavailable' } });
    });
    await row(page, 'Order 1042').hover();
    await row(page, 'Order 1042').getByRole('button', { name: 'Mark as read' }).click();
    await bell(page, '1').waitFor();
    answered.resolve();
    await bell(page, '2').waitFor();
    await page.getByText('The notification could not be marked as read. The platform is busy.').waitFor();
    answered = Promise.withResolvers();
    await row(page, 'Order 1042').getByRole('button', { name: 'Delete' }).click();
    await row(page, 'Order 1042').waitFor({ state: 'detached' });
    await bell(page, '1').waitFor();
    answered.resolve();
    await row(page, 'Order 1042').waitFor();
    await page.getByText('The notification could not be deleted. The platform is busy.').waitFor();
    expect(await page.getByRole('region', { name: 'Notifications' }).getByRole('listitem').allTextContents()).toEqual([
      expect.stringContaining('Order 1043'),
      expect.stringContaining('Order 1042'),
    ]);
    expect(await unreadCount(asha)).toBe(2);
  });

  test('those sent while the connection was lost appear after it', async () => {
    const { acme, asha } = await shop();
    await send(acme, asha, { title: 'Before' });
    const page = await platform.openAs(asha, acme, '/login');
    let isUp = true;
    let sockets: { close: () => Promise<void> }[] = [];
    await page.routeWebSocket(/\/app\//, (socket) => {
      if (isUp) socket.connectToServer();
      else void socket.close();
      sockets.push(socket);
    });
    const asked: string[] = [];
    page.on('request', (request) => {
      if (request.url().includes('after=')) asked.push(request.url());
    });
    await page.goto(`${platform.origin}/notifications`);
    await bell(page, '1').waitFor();
    await send(acme, asha, { title: 'Live' });
    await page.getByRole('status').getByText('Live').waitFor();
    isUp = false;
    asked.length = 0;
    for (const socket of sockets) await socket.close();
    sockets = [];
    await send(acme, asha, { title: 'Missed 1' });
    await send(acme, asha, { title: 'Missed 2' });
    expect(await bell(page, '2').count()).toBe(1);
    isUp = true;
    await page.getByText('2 new notifications.').waitFor();
    await bell(page, '4').waitFor();
    await row(page, 'Missed 2').waitFor();
    expect(asked).toHaveLength(1);
    await send(acme, asha, { title: 'Live again' });
    await bell(page, '5').waitFor();
  });

  test('the keyboard moves, opens, marks as read and deletes', async () => {
    const { acme, asha } = await shop();
    await send(acme, asha, { title: 'Order 1' });
    await send(acme, asha, { title: 'Order 2' });
    await send(acme, asha, { title: 'Order 3', action_url: '/products?status=active' });
    const page = await platform.openAs(asha, acme, '/notifications');
    await row(page, 'Order 3').waitFor();
    const focused = () => page.evaluate('document.activeElement.textContent');
    await page.keyboard.press('j');
    await eventually(async () => expect(await focused()).toContain('Order 3'));
    await page.keyboard.press('j');
    await eventually(async () => expect(await focused()).toContain('Order 2'));
    // One that arrives moves the others down; the focus stays.
    await send(acme, asha, { title: 'Order 4' });
    await row(page, 'Order 4').waitFor();
    await page.keyboard.press('e');
    await bell(page, '3').waitFor();
    await eventually(async () => {
      const { body } = await asha.get('/api/v1/notifications');
      const read = body.notifications.filter(({ read_at }: { read_at: string | null }) => read_at !== null);
      expect(read.map(({ title }: { title: string }) => title)).toEqual(['Order 2']);
    });
    await page.keyboard.press('j');
    await page.keyboard.press('Delete');
    await row(page, 'Order 1').waitFor({ state: 'detached' });
    await bell(page, '2').waitFor();
    await eventually(async () => expect((await asha.get('/api/v1/notifications')).body.pagination.total).toBe(3));
    await eventually(async () => expect(await focused()).toContain('Order 2'));
    await page.keyboard.press('k');
    await eventually(async () => expect(await focused()).toContain('Order 3'));
    await page.keyboard.press('Enter');
    await eventually(() => expect(new URL(page.url()).pathname).toBe('/products'));
    await bell(page, '1').waitFor();
  });

  test('times are relative and grow while the page is open', async () => {
    const { acme, asha } = await shop();
    await send(acme, asha, { title: 'Order 1042' });
    const page = await platform.openAs(asha, acme, '/login');
    await page.clock.install();
    // A socket would miss its pings while the clock is moved.
    await page.route('**/api/v1/realtime/config', (route) => route.abort());
    await page.goto(`${platform.origin}/notifications`);
    await row(page, 'just now').waitFor();
    for (const [minutes, text] of [
      [5, '5m ago'],
      [120, '2h ago'],
      [70 * 60, '3d ago'],
    ] as const) {
      await page.clock.fastForward(minutes * 60_000);
      await row(page, text).waitFor();
    }
  });

  test('preferences by type and channel are saved at once; critical types are fixed', async () => {
    const { acme, asha } = await shop();
    await asha.post('/api/v1/devices', { token: 'token-of-a-phone', platform: 'android' });
    const preferences = async () => (await asha.get('/api/v1/notifications/preferences')).body.preferences;
    const page = await platform.openAs(asha, acme, '/notifications/preferences');
    const critical = page.getByRole('row').filter({ hasText: 'The till was opened' });
    await critical.getByText('It cannot be turned off').waitFor();
    expect(await critical.getByRole('checkbox').first().isDisabled()).toBe(true);
    await page.getByLabel('The till was counted: push messages').uncheck();
    await page.getByLabel('The till was counted: email').selectOption('digest');
    await page.getByLabel('Everything else: email').selectOption('immediate');
    await eventually(async () =>
      expect(await preferences()).toMatchObject({
        defaults: { email: 'immediate' },
        types: expect.arrayContaining([
          expect.objectContaining({ type: 'till.counted', in_app: true, push: false, email: 'digest' }),
        ]),
      }),
    );
    await page.getByLabel('Quiet hours').check();
    await page.getByLabel('To', { exact: true }).fill('22:00');
    await page.getByRole('button', { name: 'Save times' }).click();
    await page.getByText('Must not be the same as the beginning.').waitFor();
    await inspect(page, 'notification-preferences');
    await page.getByLabel('To', { exact: true }).fill('06:30');
    await page.getByLabel('Daily email at').selectOption('9');
    await page.getByLabel('Time zone').selectOption('Europe/Berlin');
    await page.getByRole('button', { name: 'Save times' }).click();
    await page.getByText('Preferences saved.').waitFor();
    expect(await preferences()).toMatchObject({
      quiet_hours: { from: '22:00', to: '06:30' },
      digest_hour: 9,
      time_zone: 'Europe/Berlin',
    });
    await page.getByRole('button', { name: 'Remove the Android device' }).click();
    await page.getByText('No devices.').waitFor();
    await page.route('**/notifications/preferences', (route) =>
      route.request().method() === 'PATCH' ? route.abort() : route.fallback(),
    );
    await page.getByLabel('The till was counted: in the console').click();
    await page.getByText(/The preferences could not be saved/).waitFor();
    expect(await page.getByLabel('The till was counted: in the console').isChecked()).toBe(true);
  });
});
