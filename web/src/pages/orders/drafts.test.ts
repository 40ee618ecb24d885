import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '../../../../server/testing/eventually.ts';
import { startStripe } from '../../../../server/testing/stripe-server.ts';
import { type Console, chromiumPath, heading, inspect, startConsole } from '../../../testing/console.ts';

const asha = { first_name: 'Asha', last_name: 'Kulkarni', phone: '+919876543210', email: 'asha.kulkarni@example.in' };
const drafts = '/api/v1/draft-orders';

async function addItem(page: Page, name: string, price: string): Promise<void> {
  await page.getByLabel('Add an item').fill(name);
  await page.getByRole('option', { name: `Add “${name}” without a product` }).click();
  await page
    .getByLabel(/^Price in INR of item/)
    .last()
    .fill(price);
}

describe.skipIf(!chromiumPath)('drafts and payments of new orders', async () => {
  const stripe = await startStripe();
  let platform: Console;
  beforeAll(async () => {
    platform = await startConsole({ environment: stripe.environment });
    return () => platform.close();
  });

  async function shop() {
    const acme = await platform.tenant({ name: 'Acme Stores' });
    const owner = await platform.person({ tenant: acme });
    await owner.post('/api/v1/customers', asha);
    return { acme, owner };
  }

  test('an order is kept as a draft, found below the orders, changed, and placed', async () => {
    const { acme, owner } = await shop();
    const page = await platform.openAs(owner, acme, '/orders');
    await page.getByRole('link', { name: 'Drafts', exact: true }).click();
    await heading(page, 'Drafts').waitFor();
    await page.getByRole('heading', { name: 'No drafts' }).waitFor();
    await inspect(page, 'drafts-empty');
    await page.keyboard.press('n');
    await page.getByRole('button', { name: 'Save as draft' }).click();
    await page.getByText('Add at least one item.').waitFor();
    await page.getByLabel('Search customers').fill('kulk');
    await page.getByRole('option', { name: /Asha Kulkarni/ }).click();
    await addItem(page, 'Brass lamp', '1250');
    await page.getByLabel('Paid now').check();
    await page.getByLabel('Method').selectOption('UPI');
    await page.getByLabel('Reference').fill('UTR 4281');
    await page.getByRole('button', { name: 'Use another billing address' }).click();
    await page.getByLabel('Company').fill('Kulkarni Textiles');
    await inspect(page, 'new-order-payment');
    await page.getByRole('button', { name: 'Save as draft' }).click();
    await page.getByText('Draft saved.').waitFor();
    await heading(page, 'Drafts').waitFor();
    await page.getByText('₹1,250.00').waitFor();
    await inspect(page, 'drafts');
    await page.getByPlaceholder('Search customer, item or note').fill('lantern');
    await page.getByRole('heading', { name: 'No draft matches' }).waitFor();
    await page.getByRole('button', { name: 'Show all drafts' }).click();
    await page.getByPlaceholder('Search customer, item or note').fill('brass');
    await eventually(() => expect(new URL(page.url()).searchParams.get('search')).toBe('brass'));
    expect((await owner.get('/api/v1/orders')).body.pagination.total).toBe(0);

    await page.getByRole('link', { name: 'Asha Kulkarni' }).click();
    await heading(page, 'Draft order').waitFor();
    expect(await page.getByLabel('Name of item 1').inputValue()).toBe('Brass lamp');
    expect(await page.getByLabel('Company').inputValue()).toBe('Kulkarni Textiles');
    expect(await page.getByLabel('Paid now').isChecked()).toBe(true);
    await inspect(page, 'draft');
    await page.getByLabel('Quantity of item 1').fill('2');
    await page.reload();
    await page.getByText('Your unsaved changes were restored.').waitFor();
    await page.getByRole('button', { name: 'Save draft' }).click();
    await page.getByRole('cell', { name: '₹2,500.00' }).waitFor();
    await page.getByRole('link', { name: 'Asha Kulkarni' }).click();
    await page.getByLabel('Note').fill('Before Diwali');
    await page.getByRole('button', { name: 'Create order' }).click();
    await heading(page, 'Order 1001').waitFor();
    const [order] = (await owner.get('/api/v1/orders')).body.orders;
    expect(order).toMatchObject({
      total: '2500.00',
      payment_status: 'paid',
      note: 'Before Diwali',
      billing_address: { company: 'Kulkarni Textiles' },
    });
    const { payments } = (await owner.get(`/api/v1/orders/${order.id}`)).body.order;
    expect(payments).toMatchObject([{ method: 'upi', reference: 'UTR 4281', amount: '2500.00' }]);
    await page.goto(`${platform.origin}/orders/drafts?is_placed=true`);
    await page.getByRole('link', { name: 'Asha Kulkarni' }).click();
    await heading(page, 'Order 1001').waitFor();
  });

  test('a draft says what prevents its order, is deleted, never overwritten, and seen only by those who may create orders', async () => {
    const { acme, owner } = await shop();
    const sari = { sku: 'SARI-01', title: 'Silk sari', price: '8999.00', stock: 3, status: 'active' };
    const { product } = (await owner.post('/api/v1/products', sari)).body;
    const { draft_order } = (await owner.post(drafts, { items: [{ sku: 'SARI-01', quantity: 1 }] })).body;
    const page = await platform.openAs(owner, acme, `/orders/drafts/${draft_order.id}`);
    await eventually(async () => expect(await page.getByLabel('Name of item 1').inputValue()).toBe('Silk sari'));
    await owner.delete(`/api/v1/products/${product.id}`);
    await page.reload();
    await page.getByText('The order cannot be created like this').waitFor();
    await inspect(page, 'draft-problem');
    await page.getByRole('button', { name: 'Delete draft' }).click();
    await page.getByText('is deleted with everything that was entered.').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete draft' }).click();
    await page.getByText('Draft deleted.').waitFor();
    await page.getByRole('heading', { name: 'No drafts' }).waitFor();
    expect((await owner.get(`${drafts}/${draft_order.id}`)).status).toBe(404);

    const items = [{ name: 'Tea', quantity: 1, price: '100' }];
    const { draft_order: other } = (await owner.post(drafts, { items, note: 'By phone' })).body;
    const url = `${drafts}/${other.id}`;
    await page.goto(`${platform.origin}/orders/drafts/${other.id}`);
    await page.getByLabel('Note').fill('Mine');
    await owner.patch(url, { note: 'Theirs' });
    await page.getByRole('button', { name: 'Save draft' }).click();
    await page.getByText('Somebody else has changed this draft').waitFor();
    await inspect(page, 'draft-conflict');
    expect(await page.locator('main').locator('[role=alert], [role=status]').count()).toBe(1);
    expect((await owner.get(url)).body.draft_order.input.note).toBe('Theirs');
    await page.getByRole('button', { name: 'Discard your changes' }).click();
    await eventually(async () => expect(await page.getByLabel('Note').inputValue()).toBe('Theirs'));

    const viewer = await platform.person({ tenant: acme, role: 'Viewer', name: 'Ravi Kumar' });
    await platform.continueAs(page, viewer, acme);
    await page.goto(`${platform.origin}/orders`);
    await heading(page, 'Orders').waitFor();
    expect(await page.getByRole('link', { name: 'Drafts' }).count()).toBe(0);
    await page.goto(`${platform.origin}/orders/drafts`);
    await page.getByText('You do not have access to this page').waitFor();
  });

  test('an order is paid on delivery, or by a link once there is a provider', async () => {
    const { acme, owner } = await shop();
    const page = await platform.openAs(owner, acme, '/orders/new');
    await addItem(page, 'Tea', '500');
    expect(await page.getByLabel('Send a payment link after saving').isDisabled()).toBe(true);
    await page.getByRole('link', { name: 'Set up Stripe or Razorpay to send payment links' }).waitFor();
    await page.getByLabel('Cash on delivery').check();
    await page.getByRole('button', { name: 'Create order' }).click();
    await heading(page, 'Order 1001').waitFor();
    expect((await owner.get('/api/v1/orders')).body.orders).toMatchObject([
      { payment_method: 'cash_on_delivery', payment_status: 'unpaid' },
    ]);

    await owner.put('/api/v1/payments/providers/stripe', stripe.keys);
    await owner.patch('/api/v1/settings', { 'payments.provider': 'stripe' });
    await page.goto(`${platform.origin}/orders/new`);
    await page.getByLabel('Search customers').fill('kulk');
    await page.getByRole('option', { name: /Asha Kulkarni/ }).click();
    await addItem(page, 'Tea', '500');
    await page.getByLabel('Send a payment link of Stripe after saving').check();
    await page.getByRole('button', { name: 'Create order' }).click();
    const dialog = page.getByRole('dialog', { name: 'Payment link for order 1002' });
    await dialog.getByText('https://checkout.stripe.com/c/pay/').waitFor();
    await inspect(page, 'new-order-link');
    const mail = await dialog.getByRole('link', { name: 'Write an email' }).getAttribute('href');
    expect(decodeURIComponent(mail ?? '')).toMatch(/^mailto:asha\.kulkarni@example\.in\?.*checkout\.stripe\.com/);
    await dialog.getByRole('button', { name: 'Go to the order' }).click();
    await heading(page, 'Order 1002').waitFor();

    stripe.failures.push(503, 503, 503, 503, 503, 503);
    await page.goto(`${platform.origin}/orders/new`);
    await addItem(page, 'Tea', '500');
    await page.getByLabel('Send a payment link of Stripe after saving').check();
    await page.getByRole('button', { name: 'Create order' }).click();
    await heading(page, 'Order 1003').waitFor();
    await page.getByText('There is no payment link.').waitFor();
    const links = page.locator('article section').filter({ hasText: 'Link by Stripe' });
    await links.getByText('Stripe has not answered.').waitFor();
    await inspect(page, 'order-link-unanswered', 'complete');
    stripe.failures.length = 0;
    await links.getByRole('button', { name: 'Try again' }).click();
    await links.getByRole('link', { name: 'https://checkout.stripe.com/c/pay/' }).waitFor();
    expect(await page.getByText('Link by Stripe').count()).toBe(1);
  });
});
