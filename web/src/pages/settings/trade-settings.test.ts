import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Person } from '../../../../server/testing/accounts.ts';
import { eventually } from '../../../../server/testing/eventually.ts';
import type { TestTenant } from '../../../../server/testing/platform.ts';
import { startRazorpay } from '../../../../server/testing/razorpay-server.ts';
import { startStripe } from '../../../../server/testing/stripe-server.ts';
import { type Console, chromiumPath, heading, inspect, startConsole } from '../../../testing/console.ts';

describe.skipIf(!chromiumPath)('settings of payments, invoices and mails', async () => {
  const servers = { stripe: await startStripe(), razorpay: await startRazorpay() };
  let platform: Console;
  beforeAll(async () => {
    platform = await startConsole({
      environment: { ...servers.stripe.environment, ...servers.razorpay.environment },
    });
    return () => platform.close();
  });

  async function openShop(path: string): Promise<{ page: Page; asha: Person; acme: TestTenant }> {
    const acme = await platform.tenant({ name: 'Lakshmi Stores' });
    const asha = await platform.person({ tenant: acme });
    return { page: await platform.openAs(asha, acme, path), asha, acme };
  }
  const settings = async (person: Person) => (await person.get('/api/v1/settings')).body.settings;
  const section = (page: Page, name: string) => page.getByRole('region', { name });

  test('keys of a provider are entered with the address to copy, checked, and never shown again', async () => {
    const { page, asha, acme } = await openShop('/settings/payments');
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    const stripe = section(page, 'Stripe');
    await stripe.getByText('Not set up').waitFor();
    await inspect(page, 'settings-payments-empty');
    await stripe.getByRole('button', { name: 'Set up' }).click();
    await stripe.getByRole('button', { name: 'Copy address' }).click();
    const url = `${acme.id}.localhost`;
    await eventually(async () => {
      expect(await page.evaluate('navigator.clipboard.readText()')).toMatch(
        new RegExp(`^http://${url.replaceAll('.', '\\.')}.*/api/v1/payments/callbacks/stripe$`),
      );
    });
    await stripe.getByText('checkout.session.completed').waitFor();
    await stripe.getByLabel('Secret key').fill('pk_live_wrong');
    await stripe.getByRole('button', { name: 'Save keys' }).click();
    await page.getByText('A secret key of Stripe begins with').waitFor();
    await page.getByText('The webhook secret of this account is required.').waitFor();
    await inspect(page, 'settings-payments-errors');

    // Keys that are well-formed, but not those of the account.
    await stripe.getByLabel('Secret key').fill('sk_test_wrong');
    await stripe.getByLabel('Signing secret').fill('whsec_wrong');
    await stripe.getByRole('button', { name: 'Save keys' }).click();
    await page.getByText('Stripe does not accept them: Invalid API Key provided').waitFor();
    await stripe.getByLabel('Secret key').fill(servers.stripe.keys.secret_key as string);
    await stripe.getByLabel('Signing secret').fill(servers.stripe.keys.webhook_secret as string);
    await stripe.getByRole('button', { name: 'Save keys' }).click();
    await page.getByText('Keys saved. Stripe accepts them.').waitFor();
    await stripe.getByText('In use', { exact: true }).waitFor();
    await stripe.getByText('Test mode').waitFor();
    expect(await settings(asha)).toMatchObject({ 'payments.provider': 'stripe' });
    await stripe.getByRole('button', { name: 'Change keys' }).click();
    await stripe.getByText('Saved, and not shown again.').first().waitFor();
    expect(await page.content()).not.toContain(servers.stripe.keys.secret_key);
    expect(await stripe.getByLabel('Secret key').inputValue()).toBe('');
    await inspect(page, 'settings-payments-keys');
    await page.keyboard.press('Escape');

    const razorpay = section(page, 'Razorpay');
    await razorpay.getByRole('button', { name: 'Set up' }).click();
    await razorpay.getByLabel('Key id').fill(servers.razorpay.keys.key_id as string);
    await razorpay.getByLabel('Key secret').fill(servers.razorpay.keys.secret_key as string);
    await razorpay.getByLabel('Webhook secret').fill(servers.razorpay.keys.webhook_secret as string);
    await razorpay.getByRole('button', { name: 'Save keys' }).click();
    await razorpay.getByText('Not in use').waitFor();
    await razorpay.getByRole('button', { name: 'Use for payment links' }).click();
    await page.getByText('Razorpay creates payment links.').waitFor();
    await stripe.getByText('Not in use').waitFor();
    await razorpay.getByRole('button', { name: 'Check keys' }).click();
    await page.getByText('Razorpay accepts the keys.').waitFor();
    await inspect(page, 'settings-payments');
    await stripe.getByRole('button', { name: 'Delete keys' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete keys' }).click();
    await stripe.getByText('Not set up').waitFor();
  });

  test('the methods are those of new orders', async () => {
    const { page, asha } = await openShop('/settings/payments');
    await page.getByLabel('Payment methods').fill('PhonePe\nbank Transfer\n\nPhonePe');
    await page.getByRole('button', { name: 'Save', exact: true }).first().click();
    await page.getByText('Settings saved.').waitFor();
    expect(await settings(asha)).toMatchObject({ 'orders.payment_methods': ['PhonePe', 'bank_transfer'] });
    await page.goto(`${platform.origin}/orders/new`);
    await page.getByLabel('Paid now').check();
    expect(await page.getByLabel('Method').locator('option').allTextContents()).toEqual(['PhonePe', 'Bank transfer']);
  });

  test('invoices have the business, a logo and the next number, shown as they are typed', async () => {
    const { page, asha } = await openShop('/settings/invoices');
    const preview = section(page, 'Preview');
    await preview.getByText('Lakshmi Stores').waitFor();
    await inspect(page, 'settings-invoices-empty');
    await page.getByLabel('Legal name').fill('Lakshmi Stores Private Limited');
    await page.getByLabel('Address').fill('99 Residency Road\nBengaluru 560025');
    await page.getByLabel('Tax number').fill('GSTIN 29ABCDE1234F1Z5');
    await page.getByLabel('Footer').fill('Payment within 14 days.');
    await preview.getByText('Tax invoice').waitFor();
    await preview.getByText('Payment within 14 days.').waitFor();
    const png = await page.screenshot({ clip: { x: 0, y: 0, width: 200, height: 60 } });
    const upload = (name: string, buffer: Buffer) =>
      page.getByLabel('Logo', { exact: true }).setInputFiles({ name, mimeType: 'image/png', buffer });
    await upload('notes.png', Buffer.from('no picture'));
    await page.getByRole('alert').waitFor();
    await upload('logo.png', png);
    await page.getByText('Logo saved.').waitFor();
    await page.getByAltText('Logo on invoices').waitFor();
    expect(await page.getByLabel('Legal name').inputValue()).toBe('Lakshmi Stores Private Limited');
    await page.getByRole('button', { name: 'Save', exact: true }).first().click();
    await page.getByText('Settings saved.').waitFor();
    expect(await settings(asha)).toMatchObject({
      'invoices.address': '99 Residency Road\nBengaluru 560025',
      'invoices.tax_number': 'GSTIN 29ABCDE1234F1Z5',
    });
    await page.getByLabel('Number prefix').fill('26-27/');
    await page.getByLabel('Next number').fill('41');
    await page.getByText('The next invoice is 26-27/41.').waitFor();
    await page.getByRole('button', { name: 'Save', exact: true }).nth(1).click();
    await preview.getByText('26-27/41').waitFor();
    await inspect(page, 'settings-invoices');

    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download a sample as PDF' }).click();
    const file = await readFile(await (await download).path());
    expect(file.subarray(0, 5).toString()).toBe('%PDF-');
    await page.getByRole('button', { name: 'Remove', exact: true }).click();
    await page.getByText('No logo yet.').waitFor();

    const order = { items: [{ name: 'Tea', quantity: 1, price: '10' }], status: 'confirmed' };
    const { id } = (await asha.post('/api/v1/orders', order)).body.order;
    expect((await asha.post(`/api/v1/orders/${id}/invoice`, {})).body.invoice.invoice_number).toBe('26-27/41');
    await page.reload();
    await page.getByText('The next invoice is 26-27/42.').waitFor();
  });

  test('mails come switched off, are previewed, changed, switched on with one click, and off again', async () => {
    const { page, asha } = await openShop('/settings/mails');
    const presets = async () => (await asha.get('/api/v1/notification-presets')).body.presets;
    const isOn = async (key: string) => (await presets()).find((one: { key: string }) => one.key === key).is_active;
    await page.getByText('When a parcel leaves, with its tracking').waitFor();
    expect(await page.getByText('Off', { exact: true }).count()).toBe((await presets()).length);
    await inspect(page, 'settings-mails');
    await page.getByRole('button', { name: 'Switch on Order shipped' }).click();
    await page.getByText('Order shipped: customers get this mail from now on.').waitFor();
    expect(await isOn('order_shipped')).toBe(true);

    await page.getByRole('button', { name: 'Show text of Order confirmed' }).click();
    const preview = section(page, 'Preview');
    await preview.getByText(/^Hello Meera Iyer,/).waitFor();
    await page.getByText('{{order_number}}').first().waitFor();
    await inspect(page, 'settings-mails-text');
    await page.getByLabel('Text', { exact: true }).fill('Namaste {{customer_name}}, {{nothing}}');
    await page.getByRole('button', { name: 'Save and switch on' }).click();
    await eventually(async () => {
      expect(await page.getByLabel('Text', { exact: true }).getAttribute('aria-invalid')).toBe('true');
    });
    expect(await isOn('order_confirmed')).toBe(false);
    await inspect(page, 'settings-mails-errors');
    await page.getByLabel('Text', { exact: true }).fill('Namaste {{customer_name}}');
    await preview.getByText('Namaste Meera Iyer').waitFor();
    await page.reload();
    await page.getByText('Your unsaved changes were restored.').waitFor();
    await page.getByRole('button', { name: 'Save and switch on' }).click();
    await page.getByText('Text saved. Customers get this mail from now on.').waitFor();
    expect(await presets()).toContainEqual(
      expect.objectContaining({
        key: 'order_confirmed',
        is_active: true,
        template: expect.objectContaining({ body: 'Namaste {{customer_name}}' }),
      }),
    );
    await page.getByRole('button', { name: 'Show text of Order confirmed' }).click();
    await page.getByRole('button', { name: 'Send a test to yourself' }).click();
    await page.getByText(`A test is on its way to ${asha.email}.`).waitFor();
    await page.getByRole('button', { name: 'Switch off Order confirmed' }).click();
    await page.getByText('Order confirmed: no more mails.').waitFor();
    expect(await isOn('order_confirmed')).toBe(false);
  });

  test('those who may only view settings see no keys and no mails, and change nothing', async () => {
    const { acme } = await openShop('/settings');
    const vikram = await platform.person({ tenant: acme, role: 'Viewer', name: 'Vikram Singh' });
    const page = await platform.openAs(vikram, acme, '/settings');
    await heading(page, 'Settings').waitFor();
    expect(await page.getByRole('link', { name: /Mails to customers/ }).count()).toBe(0);
    await page.goto(`${platform.origin}/settings/mails`);
    await page.getByText('notifications.rules.manage').waitFor();
    await page.goto(`${platform.origin}/settings/payments`);
    await page.getByText('settings.api_clients').waitFor();
    await page.getByLabel('Payment methods').waitFor();
    expect(await page.getByLabel('Payment methods').isDisabled()).toBe(true);
    await inspect(page, 'settings-payments-viewer');
    await page.goto(`${platform.origin}/settings/invoices`);
    await page.getByText('No logo yet.').waitFor();
    for (const name of ['Save', 'Upload logo']) expect(await page.getByRole('button', { name }).count(), name).toBe(0);
  });
});
