import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Person } from '../../../../server/testing/accounts.ts';
import { eventually } from '../../../../server/testing/eventually.ts';
import type { PaymentServer } from '../../../../server/testing/payment-server.ts';
import type { TestTenant } from '../../../../server/testing/platform.ts';
import { startRazorpay } from '../../../../server/testing/razorpay-server.ts';
import { countClicks, recordedClicks } from '../../../testing/clicks.ts';
import { type Console, chromiumPath, heading, inspect, startConsole } from '../../../testing/console.ts';

/* The first day of a merchant in one piece, without an address being typed; the README has the number of clicks. */

describe.skipIf(!chromiumPath)('the first day of a merchant', () => {
  let razorpay: PaymentServer;
  let platform: Console;
  let acme: TestTenant;
  let asha: Person;
  beforeAll(async () => {
    razorpay = await startRazorpay();
    platform = await startConsole({ environment: razorpay.environment });
    acme = await platform.tenant({ name: 'Acme Stores' });
    asha = await platform.person({ tenant: acme });
    return () => platform.close();
  });

  const readOrder = async () => (await asha.get('/api/v1/orders/lookup?order_number=1001')).body.order;
  const readStock = async () => {
    const { body } = await asha.get('/api/v1/variants?per_page=10');
    const rows = body.variants as { sku: string; stock: number; reserved: number }[];
    return Object.fromEntries(rows.map(({ sku, stock, reserved }) => [sku, [stock, reserved]]));
  };
  const nextStep = (page: Page, label: string) =>
    page.locator('article button.bg-accent:not([aria-disabled])', { hasText: label });
  const dialog = (page: Page) => page.getByRole('dialog');

  test('from an empty organization to a printed invoice', async () => {
    const page = await platform.openAs(asha, acme);
    await page.getByText('Your organization is ready').waitFor();
    const clicks = await countClicks(page);
    await createProduct(page);
    expect(await readStock()).toEqual({ 'KURTA-S': [5, 0], 'KURTA-M': [5, 0] });

    await setUpPayments(page);
    await takeOrder(page);
    expect(await readOrder()).toMatchObject({ total: '3948.00', due_total: '3948.00', status: 'pending' });
    expect(await readStock()).toEqual({ 'KURTA-S': [5, 1], 'KURTA-M': [5, 2] });

    await nextStep(page, 'Confirm').click();
    await payByLink(page);
    expect(await readOrder()).toMatchObject({ status: 'confirmed', payment_status: 'paid', due_total: '0.00' });

    await shipInTwoParcels(page);
    expect(await readOrder()).toMatchObject({ status: 'shipped', fulfillment_status: 'fulfilled' });
    expect(await readStock()).toEqual({ 'KURTA-S': [4, 0], 'KURTA-M': [3, 0] });

    await printInvoice(page);
    await refundOneLine(page);
    expect(await readStock()).toEqual({ 'KURTA-S': [5, 0], 'KURTA-M': [3, 0] });
    await eventually(async () =>
      expect(await readOrder()).toMatchObject({
        status: 'shipped',
        refunded_total: '1282.67',
        refunds: [{ status: 'succeeded', restocked: true }],
      }),
    );
    expect([...razorpay.refunds.values()]).toMatchObject([{ amount: 128_267 }]);

    await nextStep(page, 'Mark as delivered').click();
    await page.getByText('Order 1001 is now delivered.').waitFor();
    await page.getByRole('button', { name: 'Issue credit note' }).click();
    await page.getByText('Credit note CN-1 issued.').waitFor();
    await inspect(page, 'merchant-day', 'complete');
    await seeStock(page);
    expect(await clicks()).toBe(await recordedClicks("A merchant's first day"));
  });

  const go = (page: Page, label: string) => page.getByRole('link', { name: label, exact: true }).first().click();

  async function createProduct(page: Page): Promise<void> {
    await go(page, 'Add a product');
    await page.getByLabel('Title', { exact: true }).fill('Block-print kurta');
    await page.getByLabel('Price', { exact: true }).fill('1299');
    await page.getByLabel('SKU', { exact: true }).fill('KURTA');
    await page.getByRole('button', { name: 'Add an option' }).click();
    await page.getByLabel('Option 1', { exact: true }).fill('Size');
    await page.getByLabel('New value of Size').fill('S, M');
    await page.keyboard.press('Enter');
    for (const size of ['S', 'M']) {
      await page.getByLabel(`SKU of ${size}`, { exact: true }).fill(`KURTA-${size}`);
      await page.getByLabel(`On hand of ${size}`, { exact: true }).fill('5');
    }
    await page.getByRole('button', { name: 'Create product' }).click();
    await heading(page, 'Block-print kurta').waitFor();
  }

  async function setUpPayments(page: Page): Promise<void> {
    await go(page, 'Settings');
    await page
      .getByRole('main')
      .getByRole('link', { name: /^Payments/ })
      .click();
    const account = page.getByRole('region', { name: 'Razorpay' });
    await account.getByRole('button', { name: 'Set up' }).click();
    await account.getByLabel('Key id').fill(`${razorpay.keys.key_id}`);
    await account.getByLabel('Key secret').fill(razorpay.keys.secret_key);
    await account.getByLabel('Webhook secret').fill(razorpay.keys.webhook_secret);
    await account.getByRole('button', { name: 'Save keys' }).click();
    await account.getByText('In use', { exact: true }).waitFor();
  }

  /** By phone: a new customer, with something off and a delivery charge. */
  async function takeOrder(page: Page): Promise<void> {
    await go(page, 'Orders');
    await page
      .getByRole('button', { name: 'New order' })
      .or(page.getByRole('link', { name: 'New order' }))
      .first()
      .click();
    await page.getByLabel('Search customers').fill('Meera Nair');
    await page.getByRole('option', { name: /New customer/ }).click();
    await page.getByLabel('Phone').first().fill('+919876543210');
    for (const [sku, quantity] of [
      ['KURTA-S', '1'],
      ['KURTA-M', '2'],
    ] as const) {
      await page.getByLabel('Add an item').fill(sku);
      await page.getByRole('option', { name: new RegExp(`${sku} · 5 available`) }).click();
      const index = sku === 'KURTA-S' ? 1 : 2;
      await page.getByLabel(`Quantity of item ${index}`).fill(quantity);
    }
    await page.getByRole('button', { name: 'Add a discount' }).click();
    await page.getByLabel('Off the order').fill('49');
    await page.getByLabel('Kind of discount').selectOption('fixed');
    await page.getByLabel('Other amount').check();
    await page.getByLabel('Amount in INR').fill('100');
    await eventually(async () => expect(await page.locator('output').first().textContent()).toBe('₹3,948.00'));
    await page.getByRole('button', { name: 'Create order' }).click();
    await heading(page, 'Order 1001').waitFor();
  }

  /** The page shows the payment when the provider reports it. */
  async function payByLink(page: Page): Promise<void> {
    await nextStep(page, 'Record payment').waitFor();
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    const create = page.getByRole('button', { name: 'Create payment link for ₹3,948.00' });
    await create.click();
    await page.getByRole('button', { name: 'Cancel link' }).click();
    await dialog(page).getByRole('button', { name: 'Cancel link' }).click();
    await page.getByText('Cancelled', { exact: true }).waitFor();
    await create.click();
    await page.getByRole('button', { name: 'Copy link' }).click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    const [cancelled, link] = razorpay.links.values();
    if (!link) throw new Error('The provider has no second link.');
    expect(cancelled).toMatchObject({ status: 'cancelled' });
    expect(link).toMatchObject({ amount: 394_800, currency: 'INR' });
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(link.url);
    await inspect(page, 'order-payment-link', 'complete');
    const { payload, headers } = razorpay.linkEvent('paid', link);
    const response = await fetch(`${platform.origin}/api/v1/payments/callbacks/razorpay`, {
      method: 'POST',
      body: payload,
      headers: { ...headers, 'x-tenant': acme.id },
    });
    expect(response.status).toBe(200);
    await nextStep(page, 'Ship items').waitFor();
    await page.locator('article').getByText('Razorpay', { exact: false }).first().waitFor();
  }

  async function shipInTwoParcels(page: Page): Promise<void> {
    await nextStep(page, 'Ship items').click();
    await page.getByLabel('Units of Block-print kurta, S').fill('1');
    await page.getByLabel('Units of Block-print kurta, M').fill('0');
    await page.getByLabel('Carrier').fill('Delhivery');
    await page.getByLabel('Tracking number').fill('1490812345678');
    await dialog(page).getByRole('button', { name: 'Ship items' }).click();
    await page.getByText('Left to ship: 2 × Block-print kurta, M').waitFor();
    await nextStep(page, 'Ship the rest').click();
    await dialog(page).getByRole('button', { name: 'Ship items' }).click();
    await page.getByText('Parcel 2', { exact: true }).waitFor();
    await nextStep(page, 'Mark as delivered').waitFor();
  }

  async function printInvoice(page: Page): Promise<void> {
    await page.getByRole('button', { name: 'Issue invoice' }).click();
    const [printed] = await Promise.all([
      page.waitForEvent('popup'),
      page.getByRole('button', { name: 'Print invoice INV-1' }).click(),
    ]);
    await printed.getByText('Meera Nair').first().waitFor();
    await printed.getByText('Block-print kurta, M').waitFor();
    expect(await printed.locator('.sums').textContent()).toContain('₹3,948.00');
    expect((await printed.pdf()).subarray(0, 5).toString()).toBe('%PDF-');
    await printed.close();
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download invoice INV-1 as PDF' }).click(),
    ]);
    expect((await readFile(await file.path())).subarray(0, 5).toString()).toBe('%PDF-');
  }

  async function refundOneLine(page: Page): Promise<void> {
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Refund' }).click();
    await page.getByLabel('Units of Block-print kurta, S').fill('1');
    // Without its share of what was taken off the order.
    expect(await page.getByLabel('Amount in INR').inputValue()).toBe('1282.67');
    await page.getByLabel('Put these items back into the stock').check();
    await page.getByLabel('Reason').fill('Too small');
    await page.getByRole('button', { name: 'Refund ₹1,282.67' }).click();
    await page.getByText('Block-print kurta, S, back in stock').waitFor();
  }

  async function seeStock(page: Page): Promise<void> {
    await go(page, 'Products');
    await page.getByRole('link', { name: 'Block-print kurta', exact: true }).click();
    await page.getByRole('button', { name: 'Stock of Block-print kurta, S: 5' }).waitFor();
    await page.getByRole('button', { name: 'Stock of Block-print kurta, M: 3' }).waitFor();
    await page.getByRole('link', { name: 'Order 1001' }).first().waitFor();
  }
});
