import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Person } from '../../../../server/testing/accounts.ts';
import { eventually } from '../../../../server/testing/eventually.ts';
import type { TestTenant } from '../../../../server/testing/platform.ts';
import { type Console, chromiumPath, heading, inspect, startConsole } from '../../../testing/console.ts';

const sari = { name: 'Kanchipuram silk sari, temple border', sku: 'SARI-01', quantity: 2, price: '4500.00' };
const wrapping = { name: 'Gift wrapping', quantity: 1, price: '50.00' };
const asha = { first_name: 'Asha', last_name: 'Kulkarni', phone: '+919876543210' };

describe.skipIf(!chromiumPath)('the page of an order', () => {
  let platform: Console;
  let acme: TestTenant;
  let owner: Person;
  beforeAll(async () => {
    platform = await startConsole();
    acme = await platform.tenant({ name: 'Acme Stores' });
    owner = await platform.person({ tenant: acme });
    return () => platform.close();
  });

  async function create(fields: object = {}) {
    const input = { customer: asha, items: [sari, wrapping], status: 'confirmed', ...fields };
    const { status, body } = await owner.post('/api/v1/orders', input);
    expect({ status, body }).toMatchObject({ status: 201 });
    const { id, order_number: number } = body.order;
    const read = async () => (await owner.get(`/api/v1/orders/${id}`)).body.order;
    return { id, number, read };
  }

  async function open(fields: object = {}) {
    const order = await create(fields);
    const page = await platform.openAs(owner, acme, `/orders/${order.id}`);
    await heading(page, `Order ${order.number}`).waitFor();
    return { page, ...order };
  }

  const section = (page: Page, title: string) =>
    page.locator('article section').filter({ has: page.getByRole('heading', { name: title, level: 2 }) });
  const dialog = (page: Page) => page.getByRole('dialog');

  test('a click that soon follows a step does not take the next one; payments are recorded until nothing is due, and one is refunded', async () => {
    const { page, number, read } = await open({ status: 'pending' });
    // As soon as another step has taken the place.
    await page.evaluate(`new MutationObserver(() => {
      const [step] = [...document.querySelectorAll('button.bg-accent')].filter((one) => one.textContent === 'Record payment');
      if (!step || window.clicked) return;
      window.clicked = true;
      step.click();
    }).observe(document.body, { subtree: true, childList: true, characterData: true })`);
    await page.getByRole('button', { name: 'Confirm', exact: true }).click();
    const next = page.locator('button.bg-accent', { hasText: 'Record payment' });
    await next.and(page.locator(':not([aria-disabled])')).waitFor();
    expect(await page.evaluate('window.clicked')).toBe(true);
    expect(await dialog(page).count()).toBe(0);
    expect((await read()).status).toBe('confirmed');
    await page.getByText('Nothing is paid yet.').waitFor();
    await page.getByRole('link', { name: 'Set up Stripe or Razorpay to send payment links' }).waitFor();
    await inspect(page, 'order-unpaid', 'complete');
    await next.click();
    expect(await page.getByLabel('Amount in INR').inputValue()).toBe('9050.00');
    await page.getByLabel('Amount in INR').fill('9,050.01');
    await dialog(page).getByRole('button', { name: 'Record payment' }).click();
    await page.getByText(/at most 9050.00/).waitFor();
    await inspect(page, 'order-payment', 'complete');
    await page.getByLabel('Amount in INR').fill('4,000');
    await page.getByLabel('Method').selectOption('UPI');
    await page.getByLabel('Reference').fill('UTR 4281 9900');
    await page.keyboard.press('Enter');
    await page.getByText(`Payment of ₹4,000.00 for order ${number} recorded.`).waitFor();
    await section(page, 'Payments').getByText('UTR 4281 9900').waitFor();
    await page.locator('article').getByText('Partly paid').waitFor();
    await section(page, 'History').getByText('UPI payment of ₹4,000.00 received').waitFor();

    await section(page, 'Payments').getByRole('button', { name: 'Record payment' }).click();
    expect(await page.getByLabel('Amount in INR').inputValue()).toBe('5050.00');
    await dialog(page).getByRole('button', { name: 'Record payment' }).click();
    await page.locator('article').getByText('Paid', { exact: true }).first().waitFor();
    await page.locator('button.bg-accent', { hasText: 'Ship items' }).waitFor();
    expect(await section(page, 'Payments').getByRole('button', { name: 'Record payment' }).count()).toBe(0);

    await page.getByRole('button', { name: 'Actions for UPI' }).click();
    await page.getByRole('menuitem', { name: 'Refund this payment' }).click();
    expect(await page.getByLabel('Amount in INR').inputValue()).toBe('4000.00');
    await page.getByLabel('Units of Gift wrapping').fill('2');
    await page.getByText('Enter a number from 0 to 1.').waitFor();
    await page.getByLabel('Units of Gift wrapping').fill('1');
    await eventually(async () => expect(await page.getByLabel('Amount in INR').inputValue()).toBe('50.00'));
    await inspect(page, 'order-refund-items', 'complete');
    await page.getByRole('button', { name: 'Refund ₹50.00' }).click();
    await section(page, 'Payments').getByText('-₹50.00').waitFor();
    const { payments, refunds } = await read();
    expect(refunds).toMatchObject([{ payment_id: payments[0].id, amount: '50.00', restocked: false }]);

    await page.getByRole('button', { name: 'Actions for Cash' }).click();
    await page.getByRole('menuitem', { name: 'Mark payment as failed' }).click();
    await dialog(page).getByRole('button', { name: 'Mark as failed' }).click();
    await page.getByText('Payment of ₹5,050.00 failed.').waitFor();
    await page.locator('article').getByText('Partly paid').waitFor();
    expect((await read()).paid_total).toBe('4000.00');
  });

  test('an order is shipped in parcels with tracking, which are delivered one by one', async () => {
    const { page, number, read } = await open({ payments: [{ method: 'card' }] });
    await page.locator('button.bg-accent', { hasText: 'Ship items' }).click();
    await page.getByLabel(`Units of ${sari.name}`).fill('1');
    await page.getByLabel('Units of Gift wrapping').fill('0');
    await page.getByLabel('Carrier').fill('Delhivery');
    await page.getByLabel('Tracking number').fill('1490812345678');
    await page.getByLabel('Tracking link').fill('http://delhivery.example/1490812345678');
    await dialog(page).getByRole('button', { name: 'Ship items' }).click();
    await page.getByText('The URL must begin with https://.').waitFor();
    await inspect(page, 'order-ship', 'complete');
    await page.getByLabel('Tracking link').fill('https://delhivery.example/1490812345678');
    await dialog(page).getByRole('button', { name: 'Ship items' }).click();
    await page.getByText(`A part of order ${number} shipped.`).waitFor();
    const link = page.getByRole('link', { name: 'Delhivery 1490812345678' });
    expect(await link.getAttribute('href')).toBe('https://delhivery.example/1490812345678');
    await page.getByText(`Left to ship: ${sari.name}, Gift wrapping`).waitFor();
    await page.locator('article').getByText('Partly shipped').waitFor();

    await page.locator('button.bg-accent:not([aria-disabled])', { hasText: 'Ship the rest' }).click();
    await dialog(page).getByRole('button', { name: 'Ship items' }).click();
    await page.getByText(`Order ${number} shipped.`, { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Add tracking: parcel 2' }).click();
    await page.getByLabel('Carrier').fill('India Post');
    await page.getByRole('button', { name: 'Save tracking' }).click();
    await section(page, 'Shipments').getByText('India Post').waitFor();
    await page.getByRole('button', { name: 'Mark as delivered: parcel 1' }).click();
    await page.getByText('Parcel 1 delivered.').waitFor();
    expect((await read()).status).toBe('shipped');
    await page.getByRole('button', { name: 'Cancel parcel 1' }).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Cancel parcel 2' }).click();
    await page.getByLabel('Reason').fill('Lost on the way');
    await inspect(page, 'order-cancel-parcel', 'complete');
    await dialog(page).getByRole('button', { name: 'Cancel parcel' }).click();
    await page.getByText('Parcel 2 cancelled.').waitFor();
    await section(page, 'Shipments').getByText('Cancelled').waitFor();
    await section(page, 'History').getByText('Lost on the way').waitFor();
    await section(page, 'History').getByText('Parcel 2 cancelled').waitFor();
    await page.getByRole('button', { name: /tracking: parcel 2/ }).waitFor({ state: 'detached' });
    const { status, shipments } = await read();
    expect({ status, shipments }).toMatchObject({
      status: 'processing',
      shipments: [{ status: 'delivered' }, { status: 'cancelled' }],
    });
    await page.locator('button.bg-accent:not([aria-disabled])', { hasText: 'Ship the rest' }).click();
    await dialog(page).getByRole('button', { name: 'Ship items' }).click();
    await section(page, 'Shipments').getByText('Parcel 3').waitFor();
    await inspect(page, 'order-shipped', 'complete');
    await page.locator('button.bg-accent', { hasText: 'Mark as delivered' }).click();
    await page.getByText(`Order ${number} is now delivered.`).waitFor();
    await eventually(async () => expect(await page.locator('article button.bg-accent').count()).toBe(0));
    const statuses = (await read()).shipments.map((shipment: { status: string }) => shipment.status);
    expect(statuses).toEqual(['delivered', 'cancelled', 'delivered']);
  });

  test('a business gets its tax number by the billing address; an invoice is issued, printed and saved, and a refund is credited', async () => {
    const shipping_address = { first_name: 'Asha', city: 'Pune', country: 'IN', tax_number: '27AAPFU0939F1ZV' };
    const items = [{ ...sari, discount: { title: 'Regular customer', kind: 'percent', value: '10' } }, wrapping];
    const { page, id, number, read } = await open({ items, payments: [{ method: 'card' }], shipping_address });
    await section(page, 'Items').getByText('Regular customer: 10 % off').waitFor();
    await section(page, 'Shipping address').getByText('Tax number 27AAPFU0939F1ZV').waitFor();
    await section(page, 'Billing address').getByText('Same as the shipping address.').waitFor();
    await page.getByRole('button', { name: 'Add address: billing' }).click();
    await page.getByLabel('Company').fill('Rao Traders');
    await page.getByLabel('Tax number').fill('29AAGCB7383J1Z4');
    await inspect(page, 'order-billing', 'complete');
    await page.getByRole('button', { name: 'Save address' }).click();
    await page.getByText(`Billing address of order ${number} saved.`).waitFor();
    await section(page, 'Billing address').getByText('Tax number 29AAGCB7383J1Z4').waitFor();
    await page.getByRole('button', { name: 'Edit address: shipping' }).click();
    await page.getByLabel('City').fill('Mumbai');
    await page.getByRole('button', { name: 'Save address' }).click();
    await section(page, 'Shipping address').getByText('Mumbai').waitFor();
    expect(await read()).toMatchObject({
      billing_address: { company: 'Rao Traders', tax_number: '29AAGCB7383J1Z4' },
      shipping_address: { city: 'Mumbai', tax_number: '27AAPFU0939F1ZV' },
    });

    await page.getByRole('button', { name: 'Issue invoice' }).click();
    await page.getByText('Invoice INV-1 issued.').waitFor();
    const [printed] = await Promise.all([
      page.waitForEvent('popup'),
      page.getByRole('button', { name: 'Print invoice INV-1' }).click(),
    ]);
    await printed.getByRole('heading', { name: 'Invoice', level: 1 }).waitFor();
    await printed.getByText(sari.name).waitFor();
    await printed.getByText('Discount −₹900.00').waitFor();
    expect(await printed.locator('.sums').textContent()).toContain('Item discounts−₹900.00');
    expect(await printed.title()).toBe('Invoice INV-1');
    const fontSize = (selector: string) =>
      printed.evaluate(`getComputedStyle(document.querySelector('${selector}')).fontSize`);
    expect([await fontSize('h1'), await fontSize('td')]).toEqual(['26.6667px', '13.3333px']);
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download invoice INV-1 as PDF' }).click(),
    ]);
    expect(file.suggestedFilename()).toBe('INV-1.pdf');
    expect(String(await readFile(await file.path()))).toMatch(/^%PDF-/);

    await owner.post(`/api/v1/orders/${id}/refund`, { amount: '1000.00' });
    await page.getByRole('button', { name: 'Issue credit note' }).click();
    await page.getByText('Credit note CN-1 issued.').waitFor();
    await section(page, 'Documents').getByText('₹1,000.00').waitFor();
    expect(await page.getByRole('button', { name: 'Issue credit note' }).count()).toBe(0);
    const [slip] = await Promise.all([
      page.waitForEvent('popup'),
      page.getByRole('button', { name: 'Print packing slip' }).click(),
    ]);
    await slip.getByText(sari.name).waitFor();
    await inspect(page, 'order-documents', 'complete');
  });

  test.each([
    ['JPY', { quantity: 1, price: '500' }, '500', '250.5', '199'],
    ['KWD', { quantity: 1, price: '1.25' }, '1.250', '0.0005', '199.500'],
  ])('amounts in %s have its decimals', async (currency, item, due, wrong, example) => {
    const { page, id } = await open({ currency, items: [{ ...wrapping, ...item }] });
    await page.locator('button.bg-accent', { hasText: 'Record payment' }).click();
    expect(await page.getByLabel(`Amount in ${currency}`).inputValue()).toBe(due);
    await dialog(page).getByRole('button', { name: 'Record payment' }).click();
    await page.locator('button.bg-accent', { hasText: 'Ship items' }).waitFor();
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Refund' }).click();
    expect(await page.getByLabel(`Amount in ${currency}`).inputValue()).toBe(due);
    await page.getByLabel(`Amount in ${currency}`).fill(wrong);
    await page.getByText(`Enter an amount, such as ${example}.`).waitFor();
    await page.goto(`${platform.origin}/orders/${id}`);
    await page.getByRole('button', { name: 'Edit items' }).click();
    expect(await page.getByLabel(`Price in ${currency} of item 1`).inputValue()).toBe(due);
    await page.getByText('The price stays the same').waitFor();
  });

  test('items are edited with the difference in price before they are saved, and a code and a charge that no longer fit', async () => {
    const post = async (path: string, fields: object) => (await owner.post(`/api/v1/${path}`, fields)).body;
    await post('discounts', { code: 'BULK', kind: 'percent', value: 10, minimum_subtotal: 9000 });
    const { shipping_zone } = await post('shipping-zones', { name: 'World', rest_of_world: true });
    const { shipping_rate } = await post('shipping-rates', { zone_id: shipping_zone.id, name: 'Courier', price: 80 });
    const fields = { discount_codes: ['BULK'], shipping_rate_id: shipping_rate.id };
    const { page, read: readFirst } = await open(fields);
    await owner.delete(`/api/v1/shipping-rates/${shipping_rate.id}`);
    await page.getByRole('button', { name: 'Edit items' }).click();
    await page.getByLabel('Quantity of item 1').fill('1');
    await page.getByText(/BULK needs a subtotal of at least 9000.00/).waitFor();
    await page.getByRole('button', { name: 'Remove BULK' }).click();
    await page.getByText(/shipping rate is not available/).waitFor();
    await page.getByRole('button', { name: 'Keep ₹80.00' }).click();
    await page.getByText('₹3,595.00 less').waitFor();
    await page.getByRole('button', { name: 'Save items' }).click();
    await page.getByText(/The total is now ₹4,630.00/).waitFor();
    expect(await readFirst()).toMatchObject({ discount_codes: [], shipping_total: '80.00', total: '4630.00' });

    const { number, read } = await create({ discounts: [{ kind: 'percent', value: '10' }] });
    await page.getByRole('link', { name: number, exact: true }).click();
    await heading(page, `Order ${number}`).waitFor();
    await page.getByRole('button', { name: 'Edit items' }).click();
    await page.getByText('The price stays the same').waitFor();
    expect(await page.getByRole('button', { name: 'Save items', disabled: true }).count()).toBe(1);
    // The whole name can be read beside the list.
    const measure = 'const { scrollWidth, clientWidth } = document.querySelector("[name=\'items.0.name\']")';
    expect(await page.evaluate(`(() => { ${measure}; return scrollWidth - clientWidth; })()`)).toBe(0);
    await page.getByLabel('Quantity of item 1').fill('0');
    await page.getByText(/quantity must be at least 1/).waitFor();
    await page.getByLabel('Quantity of item 1').fill('1');
    await page.getByText('₹4,050.00 less').waitFor();
    await page.getByLabel('Add an item').fill('Brass lamp');
    await page.getByRole('option', { name: /without a product/ }).click();
    await page.getByLabel('Price in INR of item 3').fill('6000');
    await page.getByText('₹1,350.00 more').waitFor();
    await page.getByRole('button', { name: 'Discount item 1' }).click();
    await page.getByLabel('Percent or amount off item 1').selectOption('fixed');
    await page.getByLabel('Discount of item 1', { exact: true }).fill('500');
    await page.getByText('₹900.00 more').waitFor();
    await inspect(page, 'order-edit-items', 'complete');
    expect((await read()).total).toBe('8145.00');
    await page.getByRole('button', { name: 'Save items' }).click();
    await page.getByText(`Items of order ${number} saved. The total is now ₹9,045.00.`).waitFor();
    await section(page, 'Items').getByText('₹500.00 off').waitFor();
    await section(page, 'Items').getByText('Item discounts').waitFor();
    await inspect(page, 'order-item-discount', 'complete');
    const { items, total } = await read();
    expect({ total, quantities: items.map(({ quantity }: { quantity: number }) => quantity) }).toEqual({
      total: '9045.00',
      quantities: [1, 1, 1],
    });
    await page.getByRole('button', { name: 'Edit items' }).click();
    await page.getByLabel('Discount of item 1', { exact: true }).fill('1000');
    await page.getByText('₹450.00 less').waitFor();
    await page.getByRole('button', { name: 'Remove the discount of item 1' }).click();
    await page.getByText('₹450.00 more').waitFor();
    await page.getByRole('button', { name: 'Save items' }).click();
    await page.getByText(`Items of order ${number} saved. The total is now ₹9,495.00.`).waitFor();
    expect((await read()).items[0].discount).toBeNull();

    await page.getByRole('button', { name: 'Edit items' }).click();
    await page.getByLabel('Quantity of item 1').fill('2');
    await page.getByText('₹4,050.00 more').waitFor();
    await owner.patch(`/api/v1/orders/${(await read()).id}`, { note: 'Meanwhile' });
    await page.getByRole('button', { name: 'Save items' }).click();
    await page.locator('form [role=alert]').waitFor();
    expect((await read()).total).toBe('9495.00');
  });
});
