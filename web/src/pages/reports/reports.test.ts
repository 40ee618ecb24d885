import { sql } from '@chowk/kit';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Person } from '../../../../server/testing/accounts.ts';
import { eventually } from '../../../../server/testing/eventually.ts';
import { type Console, chromiumPath, inspect, startConsole } from '../../../testing/console.ts';

const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();

/** Two months of tea and cups, with a code and a tax. */
async function fill(asha: Person): Promise<void> {
  const post = async (path: string, body: object) => {
    const { status } = await asha.post(`/api/v1${path}`, body);
    expect({ path, status }).toEqual({ path, status: 201 });
  };
  const variants = ['100 g', '250 g', '1 kg'].map((Size, index) => {
    return { sku: `TEA-${index}`, price: `${(index + 1) * 180}`, stock: [4, 120, 60][index], options: { Size } };
  });
  const options = [{ name: 'Size', values: ['100 g', '250 g', '1 kg'] }];
  await post('/products', { sku: 'TEA', title: 'Darjeeling first flush, loose leaf', price: '180', options, variants });
  await post('/products', { sku: 'CUP', title: 'Cup', price: '350', stock: 500 });
  for (const name of ['CGST', 'SGST']) await post('/tax-rates', { name, country: 'IN', rate: 9 });
  await post('/discounts', { code: 'WELCOME10', title: '10 % off the first order', kind: 'percent', value: 10 });
  for (let day = 58; day >= 0; day -= 2) {
    await post('/orders', {
      customer: { email: `customer${day % 5}@example.in` },
      items: [
        { sku: `TEA-${1 + (day % 4 === 0 ? 1 : 0)}`, quantity: 1 + (day % 3) },
        ...(day % 3 === 0 ? [{ sku: 'CUP', quantity: 2 }] : []),
      ],
      status: 'delivered',
      placed_at: daysAgo(day),
      shipping_address: { country: 'IN' },
      shipping: { title: 'Post', price: '60' },
      ...(day % 6 === 0 ? { discount_codes: ['WELCOME10'] } : {}),
    });
  }
}

describe.skipIf(!chromiumPath)('Reports', () => {
  let platform: Console;
  beforeAll(async () => {
    platform = await startConsole();
    return () => platform.close();
  });

  test('every report shows its figures, for the days in the address', async () => {
    const acme = await platform.tenant({ name: 'Acme Stores' });
    const asha = await platform.person({ tenant: acme });
    await fill(asha);
    const page = await platform.openAs(asha, acme, '/reports');
    await page.getByRole('button', { name: /^Revenue ₹.*%$/ }).waitFor();
    await page.getByRole('row', { name: /^Total/ }).waitFor();
    await inspect(page, 'reports-sales', 'complete');
    await page.getByRole('button', { name: /^Net revenue/ }).click();
    await eventually(() => expect(new URL(page.url()).search).toBe('?chart=net_revenue'));
    await page.getByRole('group', { name: /^Net revenue by day/ }).waitFor();

    await page.getByLabel('Period').selectOption('Last 365 days');
    await page.getByRole('group', { name: /^Net revenue by week/ }).waitFor();
    const { body } = await asha.get(`/api/v1/reports/sales?group_by=product&from=${daysAgo(364).slice(0, 10)}`);
    expect(body.rows).toHaveLength(2);

    const tab = (name: string) => page.getByRole('navigation', { name: 'Reports' }).getByRole('link', { name });
    await tab('Products').click();
    await page.getByRole('link', { name: 'Cup' }).waitFor();
    await inspect(page, 'reports-products');
    await asha.post('/api/v1/orders', {
      items: [{ name: 'Gift', quantity: 1, price: '20' }],
      currency: 'EUR',
      status: 'confirmed',
    });
    await page.getByRole('button', { name: 'Show those in EUR' }).click();
    await page.getByRole('cell', { name: '€20.00' }).first().waitFor();
    await page.getByRole('button', { name: 'Show those in INR' }).click();
    await page.getByRole('button', { name: 'Variants' }).click();
    await page.getByRole('cell', { name: 'TEA-2' }).waitFor();
    await page.getByRole('button', { name: 'Units', exact: true }).click();
    await eventually(() =>
      expect(new URL(page.url()).search).toBe('?days=365&report=products&currency=INR&by=variant&sort=units'),
    );

    expect(
      await page.getByRole('navigation', { name: 'Reports' }).locator('[aria-current=page]').allTextContents(),
    ).toEqual(['Products']);
    await tab('Customers').click();
    await page.getByRole('row', { name: /^Loyal 30/ }).waitFor();
    await inspect(page, 'reports-customers');
    await tab('Discounts').click();
    await page.getByRole('cell', { name: 'WELCOME10' }).waitFor();
    await inspect(page, 'reports-discounts');
    await tab('Taxes').click();
    await page.getByRole('row', { name: /^CGST 9 %/ }).waitFor();
    await inspect(page, 'reports-taxes');
    await tab('Stock').click();
    await page.getByRole('row', { name: /1 kg/ }).waitFor();
    await inspect(page, 'reports-stock');
    await page.getByLabel('Only what is low').check();
    await eventually(async () => expect(await page.getByRole('row').count()).toBe(2));
    await page.getByRole('row', { name: /100 g TEA-0 4 0 4/ }).waitFor();

    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Export' }).click();
    await page.getByRole('menuitem', { name: /^CSV/ }).click();
    expect((await download).suggestedFilename()).toMatch(/^stock-.*\.csv$/);
    await page.goBack();
  });

  test('a report that is being calculated says so, as does one of days without sales; it is for those with the permission', async () => {
    const acme = await platform.tenant({ name: 'Acme Stores' });
    const page = await platform.openAs(await platform.person({ tenant: acme }), acme, '/products');
    let isCalculating = true;
    const json = {
      code: 'reports.calculating',
      message: 'The figures of these days are being calculated, 62 % of them are there. Ask again in a few seconds.',
    };
    await page.route('**/api/v1/reports/sales*', (route) =>
      isCalculating ? route.fulfill({ status: 409, json }) : route.continue(),
    );
    await page.getByRole('link', { name: 'Reports' }).click();
    await page.getByText('being calculated. 62 % are there').waitFor();
    await inspect(page, 'reports-calculating', 'complete');
    isCalculating = false;
    await page.getByText('No sales on these days').waitFor();

    await page.goto(`${platform.origin}/reports?from=2026-01-01&to=2026-01-31`);
    await page.getByText('No sales on these days').waitFor();
    await inspect(page, 'reports-empty');
    await page.getByLabel('From').fill('2026-01-15');
    await eventually(() => expect(new URL(page.url()).search).toBe('?from=2026-01-15&to=2026-01-31'));
    await page.getByRole('link', { name: 'Stock' }).click();
    await page.getByText('No products yet').waitFor();

    await platform.continueAs(page, await platform.person({ tenant: acme, role: 'Agent' }), acme);
    await page.goto(`${platform.origin}/reports`);
    await page.getByText('You do not have access to this page').waitFor();
    expect(await page.getByRole('link', { name: 'Reports' }).count()).toBe(0);
  });

  test('how fast customers are answered, by member and channel, and as a file', async () => {
    const acme = await platform.tenant({ name: 'Acme Stores' });
    const asha = await platform.person({ tenant: acme, name: 'Asha Rao' });
    const page = await platform.openAs(asha, acme, '/reports?report=conversations');
    await page.getByText('Nothing to report').waitFor();
    await inspect(page, 'reports-conversations-empty');
    for (const [channel, seconds] of [
      ['email', 7_500],
      ['phone', 45],
    ] as const) {
      const customer = { email: `${channel}@example.com` };
      const message = { direction: 'inbound', body: 'Hello' };
      const { id } = (await asha.post('/api/v1/conversations', { customer, channel, message })).body.conversation;
      await asha.post(`/api/v1/conversations/${id}/messages`, { body: 'Hello', log_only: true });
      await asha.post(`/api/v1/conversations/${id}/close`);
      await acme.db.run(sql`
        UPDATE conversations SET first_inbound_at = first_answer_at - make_interval(secs => ${seconds}) WHERE id = ${id}`);
    }
    await page.reload();
    await page.getByRole('row', { name: /^Asha Rao 2 1 h 3 min 2/ }).waitFor();
    await inspect(page, 'reports-conversations', 'complete');
    await page.getByRole('button', { name: 'Channels' }).click();
    await page.getByRole('row', { name: /^Email 1 2 h 5 min 1/ }).waitFor();
    await page.getByRole('row', { name: /^Phone 1 45 s 1/ }).waitFor();
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Export' }).click();
    await page.getByRole('menuitem', { name: /^CSV/ }).click();
    expect((await download).suggestedFilename()).toMatch(/^conversations-by-channel-.*\.csv$/);
    await page.getByLabel('Period').selectOption('Last 7 days');
    await eventually(() => expect(new URL(page.url()).searchParams.get('days')).toBe('7'));
  });
});
