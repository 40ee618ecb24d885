import { sql } from '@chowk/kit';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { shrinkFiles } from '../../../../server/src/http/console-files.ts';
import { eventually } from '../../../../server/testing/eventually.ts';
import type { TestTenant } from '../../../../server/testing/platform.ts';
import { type Console, chromiumPath, expectStill, heading, inspect, startConsole } from '../../../testing/console.ts';
import { countRequests } from '../../../testing/requests.ts';

const tea = { name: 'Darjeeling first flush, loose leaf', quantity: 1, price: '1249.50' };
const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();

/** Ten thousand orders over half a year, more as the shop grows. */
async function fill(tenant: TestTenant, customerIds: readonly string[]): Promise<void> {
  await tenant.db.run(sql`
    INSERT INTO orders (id, number, order_number, customer_id, status, currency, total, placed_at, created_at, updated_at)
    SELECT gen_random_uuid(), 5000 + n, (5000 + n)::text, (${customerIds}::uuid[])[1 + n % ${customerIds.length}],
      (ARRAY['delivered', 'delivered', 'delivered', 'shipped', 'pending', 'processing', 'cancelled', 'confirmed'])[1 + (n * 7) % 8],
      'INR', 300 + (n * 7919) % 4700, t, t, t
    FROM generate_series(1, 10000) n, LATERAL (
      SELECT now() - interval '180 days' * (1 - sqrt(n / 10000.0)) - interval '5 minutes' - interval '3 hours' * abs(sin(n)) AS t) AS at`);
}

/** Counts what matches among the messages to the sockets of a page. */
function countFrames(page: Page, pattern: RegExp): () => number {
  let count = 0;
  page.on('websocket', (socket) =>
    socket.on('framereceived', ({ payload }) => {
      if (pattern.test(String(payload))) count += 1;
    }),
  );
  return () => count;
}

describe.skipIf(!chromiumPath)('Home', () => {
  let platform: Console;
  beforeAll(async () => {
    platform = await startConsole();
    return () => platform.close();
  });

  test('without orders it lists the first steps, and checks those that are done', async () => {
    const acme = await platform.tenant({ name: 'Acme Stores' });
    const asha = await platform.person({ tenant: acme });
    await asha.post('/api/v1/products', { sku: 'TEA-250', title: 'Tea', price: '49.50' });
    const page = await platform.openAs(asha, acme);
    await page.getByRole('listitem').filter({ hasText: 'Add your first product' }).getByLabel('Done').waitFor();
    await page.getByRole('link', { name: 'Add a customer' }).waitFor();
    await inspect(page, 'home-empty');

    await page.getByRole('button', { name: 'Invite' }).click();
    await page.getByRole('option', { name: /^Agent/ }).waitFor({ state: 'attached' });
    await page.getByRole('button', { name: 'Send invitation' }).click();
    await eventually(async () => expect(await page.locator('[aria-invalid]').count()).toBe(1));
    await inspect(page, 'home-invite');
    await page.getByLabel('Email').fill('ravi.kumar@example.in');
    await page.getByRole('button', { name: 'Send invitation' }).click();
    await page.getByText('An invitation is on its way to ravi.kumar@example.in.').waitFor();
    await page.getByRole('listitem').filter({ hasText: 'Invite a colleague' }).getByLabel('Done').waitFor();
    expect((await asha.get('/api/v1/invitations')).body.invitations).toMatchObject([
      { email: 'ravi.kumar@example.in' },
    ]);

    await page.getByRole('link', { name: 'New order' }).click();
    await heading(page, 'New order').waitFor();
  });

  test('the first order shows at once, and a user sees the parts that they may see', async () => {
    const acme = await platform.tenant({ name: 'Acme Stores' });
    const asha = await platform.person({ tenant: acme });
    const page = await platform.openAs(asha, acme);
    await page.getByText('Your organization is ready').waitFor();
    await expectStill(page, 'home-new');
    const customer = { first_name: 'सुनीता', last_name: 'शर्मा' };
    const { body } = await asha.post('/api/v1/orders', { customer, items: [tea] });
    await page.getByRole('link', { name: '1 Order to confirm Pending' }).waitFor();
    // Revenue counts what is confirmed.
    await page.getByRole('button', { name: /^Revenue ₹0\.00/ }).waitFor();
    await asha.post(`/api/v1/orders/${body.order.id}/status`, { status: 'confirmed' });
    await page.getByRole('button', { name: /^Revenue ₹1,249\.50 None in the 30 days before/ }).waitFor();
    const todays = new URL(
      `${await page.getByRole('link', { name: '1 order', exact: true }).getAttribute('href')}`,
      page.url(),
    );
    const listed = await asha.get(
      `/api/v1/orders${todays.search.replace('status=', 'status[]=').replaceAll('%2C', '&status[]=')}`,
    );
    expect(listed.body.orders).toHaveLength(1);
    // Until all is done, or hidden.
    await page.getByRole('heading', { name: 'First steps' }).waitFor();
    await page.getByRole('listitem').filter({ hasText: 'Enter your first order' }).getByLabel('Done').waitFor();
    await inspect(page, 'home-one');
    await page.getByRole('button', { name: 'Hide' }).click();
    await page.getByRole('heading', { name: 'First steps' }).waitFor({ state: 'detached' });

    await asha.post('/api/v1/orders', { items: [tea], status: 'confirmed' });
    await page.getByRole('button', { name: /^Revenue ₹2,499\.00/ }).waitFor();
    await asha.post('/api/v1/orders', { items: [tea] });
    await page.getByRole('link', { name: '1 Order to confirm Pending' }).click();
    await eventually(() => expect(new URL(page.url()).search).toBe('?status=pending'));

    const role = { name: 'Support', permissions: ['conversations.view'] };
    expect((await asha.post('/api/v1/roles', role)).status).toBe(201);
    const ravi = await platform.person({ tenant: acme, role: 'Agent', name: 'Ravi Kumar' });
    expect((await asha.patch(`/api/v1/team/${ravi.id}`, { role: 'Support' })).status).toBe(200);
    await platform.continueAs(page, ravi, acme);
    await page.goto(platform.origin);
    await page.getByText('Nothing is waiting.').waitFor();
    await inspect(page, 'home-support');
    for (const name of ['Recent orders', 'Customers by segment', 'Recent activity']) {
      expect({ name, count: await page.getByRole('heading', { name }).count() }).toEqual({ name, count: 0 });
    }
  });

  test('the numbers of a large shop, with the period and the chart in the address', async () => {
    const acme = await platform.tenant({ name: 'Acme Stores' });
    const asha = await platform.person({ tenant: acme });
    const names = [
      'Asha Kulkarni',
      'Mohammed Iqbal',
      'सुनीता शर्मा',
      `Venkatanarasimharajuvaripeta ${'Satyanarayana '.repeat(4)}`,
    ];
    const customerIds: string[] = [];
    for (const [index, name] of names.entries()) {
      const [first_name, ...rest] = name.trim().split(' ');
      const customer = { first_name, last_name: rest.join(' '), phone: `+91987654321${index}` };
      const items = [{ ...tea, price: '64000.00' }];
      const fields = { customer, items, status: 'delivered', placed_at: daysAgo(200 + index * 20) };
      const { status, body } = await asha.post('/api/v1/orders', fields);
      expect(status).toBe(201);
      customerIds.push(body.order.customer_id);
      const message = { direction: 'inbound', body: 'Where is my parcel?' };
      await asha.post('/api/v1/conversations', {
        customer: { id: body.order.customer_id },
        subject: 'Parcel',
        channel: 'email',
        message,
      });
    }
    await asha.post('/api/v1/orders', { items: [{ ...tea, price: '20.00' }], currency: 'EUR', status: 'confirmed' });
    await fill(acme, customerIds);
    const page = await platform.openAs(asha, acme);
    await page.getByRole('button', { name: /^Revenue ₹.*from the 30 days before/ }).waitFor();
    await page.getByText('In other currencies: €20.00 from 1 order.').waitFor();
    await page.getByRole('link', { name: /Asha Kulkarni.*Last order/ }).waitFor();
    await page.getByRole('link', { name: '4 Open conversations' }).waitFor();
    await page.getByText('You').first().waitFor();
    await inspect(page, 'home');

    const revenue = async () => (await page.getByRole('button', { name: /^Revenue/ }).textContent()) ?? '';
    const before = await revenue();
    await page.getByRole('link', { name: '7 days' }).click();
    await eventually(() => expect(new URL(page.url()).search).toBe('?days=7'));
    await eventually(async () => expect(await revenue()).toMatch(/from the 7 days before$/));
    expect(await revenue()).not.toBe(before);
    await page.getByRole('button', { name: /^Orders/ }).click();
    await eventually(() => expect(new URL(page.url()).search).toBe('?days=7&chart=orders'));

    const { body } = await asha.get('/api/v1/orders/statistics?days=7');
    const chart = page.getByRole('group', { name: /^Orders by day/ });
    await chart.focus();
    await page.keyboard.press('ArrowLeft');
    const today = `${body.current.days.at(-1).orders}`;
    await eventually(async () => expect(await page.locator('[aria-live] dd').first().textContent()).toBe(today));
    await inspect(page, 'home-7-days');
    const table = page.getByRole('table', { name: 'Orders by day' });
    expect(await table.getByRole('row').count()).toBe(8);

    await page.getByRole('link', { name: '52 weeks' }).click();
    await page.getByRole('group', { name: /^Orders by week/ }).waitFor();
    expect(await page.getByRole('table', { name: 'Orders by week' }).getByRole('row').count()).toBe(53);

    await page.goto(`${platform.origin}/?days=90&chart=average`);
    await page.getByRole('group', { name: /^Average order by day/ }).hover({ position: { x: 400, y: 100 } });
    await page.locator('[aria-live] dd').first().waitFor();
    await inspect(page, 'home-90-days');
  });

  test('it asks for everything once, and live for nothing but what has changed', async () => {
    const acme = await platform.tenant({ name: 'Acme Stores' });
    const asha = await platform.person({ tenant: acme });
    await asha.post('/api/v1/orders', { customer: { first_name: 'Priya' }, items: [tea], status: 'confirmed' });
    // Not a page of the console, which would send requests before they are counted.
    const page = await platform.openAs(asha, acme, '/favicon.svg');
    // A platform that runs for a minute has compressed its files well.
    const before = await platform.openAs(asha, acme);
    await before.getByRole('button', { name: /^Revenue ₹1,249\.50/ }).waitFor();
    await before.waitForLoadState('networkidle');
    await before.close();
    await shrinkFiles();
    const sockets = countFrames(page, /connection_ack|subscription_succeeded/);
    const requests = countRequests(page);
    await page.goto(platform.origin);
    await page.getByRole('button', { name: /^Revenue ₹1,249\.50/ }).waitFor();
    await page.getByRole('heading', { name: 'Recent activity' }).waitFor();
    await eventually(() => expect(sockets()).toBe(2));
    const loaded = await requests.settle();
    expect(loaded).toContain('/api/v1/orders/statistics');
    expect(loaded).toContain('/api/v1/notifications/unread-count');
    expect(requests.repeated()).toEqual([]);
    // All that a browser without a cache loads: the page, its scripts, style and fonts. What shows live notifications is
    // loaded when they have been read.
    const loads = (await page.evaluate(
      `[...performance.getEntriesByType('resource'), ...performance.getEntriesByType('navigation')]
         .map(({ name, encodedBodySize: size, startTime, responseEnd }) =>
           ({ path: new URL(name).pathname, size, startTime, responseEnd }))`,
    )) as { path: string; size: number; startTime: number; responseEnd: number }[];
    const find = (pattern: RegExp) => loads.find(({ path }) => pattern.test(path)) as (typeof loads)[number];
    const live = find(/\/echo-/);
    expect(live.startTime).toBeGreaterThan(find(/notifications\/unread-count/).responseEnd);
    const files = loads.filter((one) => one === find(/^\/$/) || (one !== live && one.path.startsWith('/assets/')));
    const bytes = files.reduce((sum, { size }) => sum + size, 0);
    expect(files.filter(({ path }) => /latin.*woff2$/.test(path))).toHaveLength(1);
    expect(bytes).toBeGreaterThan(200_000);
    expect(bytes).toBeLessThan(250_000);

    requests.clear();
    await acme.context('orders').notify(asha.id, { type: 'order.created', title: 'A customer asks for you' });
    await page.getByRole('status').getByText('A customer asks for you').waitFor();
    expect(await requests.settle()).toEqual([]);

    await asha.post('/api/v1/orders', { items: [tea], status: 'confirmed' });
    await page.getByRole('button', { name: /^Revenue ₹2,499\.00/ }).waitFor();
    expect(await requests.settle()).toEqual([
      '/api/v1/audit',
      '/api/v1/customers',
      '/api/v1/customers/segments',
      '/api/v1/orders',
      '/api/v1/orders/counts',
      '/api/v1/orders/statistics',
    ]);
    expect(requests.repeated()).toEqual([]);
  });
});
