import type { Page, Route } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Person } from '../../../../server/testing/accounts.ts';
import { eventually } from '../../../../server/testing/eventually.ts';
import { type Console, chromiumPath, heading, inspect, startConsole } from '../../../testing/console.ts';
import { describeList } from '../../../testing/describe-list.ts';
import { allStatuses } from './status.ts';

const longName = 'Venkatanarasimharajuvaripeta Lakshminarayana Subrahmanyam Satyanarayana Murthy Rao';
const customers = [
  { first_name: 'Asha', last_name: 'Kulkarni', phone: '+919876543210', email: 'asha.kulkarni@example.in' },
  {
    first_name: 'Mohammed',
    last_name: 'Iqbal',
    phone: '+919876543211',
    email: 'mohammed.iqbal.textiles@example.co.in',
  },
  { first_name: 'सुनीता', last_name: 'शर्मा', phone: '+919876543212' },
  {
    first_name: longName,
    phone: '+919876543213',
    email: `${'accounts.payable.'.repeat(3)}office@very-long-name.example.com`,
  },
];
const products = [
  'Darjeeling first flush, loose leaf',
  'Brass filter coffee set',
  'Kanchipuram silk sari, temple border',
];
const shipping_address = {
  first_name: 'Asha',
  last_name: 'Kulkarni',
  address1: '14, Laxmi Road, Sadashiv Peth',
  city: 'Pune',
  state: 'Maharashtra',
  pincode: '411030',
  country: 'India',
  phone: '+919876543210',
};

async function createOrders(asha: Person, total: number, fields: object = {}) {
  const orders: { id: string; order_number: string }[] = [];
  for (let index = 0; index < total; index += 1) {
    const { status, body } = await asha.post('/api/v1/orders', {
      customer: customers[index % customers.length],
      items: [
        { name: products[index % 3], sku: `SKU-${index % 3}`, quantity: 1 + (index % 2), price: '1249.50' },
        ...(index % 3 === 0 ? [{ name: 'Gift wrapping', quantity: 1, price: '49.00' }] : []),
      ],
      status: allStatuses[index % allStatuses.length],
      placed_at: new Date(Date.now() - index * 5_400_000).toISOString(),
      ...(index % 2 === 0 ? { shipping_address } : {}),
      ...fields,
    });
    expect(status).toBe(201);
    orders.push(body.order);
  }
  return orders;
}

const address = (page: Page) => new URL(page.url());

/** Chooses an action of the menu of an order. */
async function choose(page: Page, action: string): Promise<void> {
  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: action, exact: true }).click();
}

/** The platform does it, but its response does not arrive. */
const lose = (route: Route) => route.fetch().then(() => route.abort());

describeList({
  names: ['order', 'orders'],
  fill: async (owner) => void (await createOrders(owner, 16)),
  total: 16,
  search: { text: '1003', row: '1003' },
  column: 'Items',
  sort: { column: 'Total', by: 'total' },
  filter: { search: '?status=failed', total: 2 },
});

describe.skipIf(!chromiumPath)('orders', () => {
  let platform: Console;
  beforeAll(async () => {
    platform = await startConsole();
    return () => platform.close();
  });

  async function shop() {
    const acme = await platform.tenant({ name: 'Acme Stores' });
    return { acme, owner: await platform.person({ tenant: acme }) };
  }

  test('the list has tabs with live counts, search and filters in the address', async () => {
    const { acme, owner } = await shop();
    await createOrders(owner, 40);
    const page = await platform.openAs(owner, acme, '/orders');
    await page.getByRole('link', { name: '1001', exact: true }).waitFor();
    await inspect(page, 'orders');

    await page.getByRole('button', { name: /^Shipped/ }).click();
    await eventually(() => expect(address(page).search).toBe('?status=shipped'));
    await eventually(async () => expect(await page.locator('tbody [data-row]').count()).toBe(5));
    await createOrders(owner, 1, { status: 'shipped' });
    await page.getByRole('button', { name: 'Shipped 6' }).waitFor();
    await page.getByRole('link', { name: '1041' }).waitFor();

    await page.getByRole('button', { name: /^All/ }).click();
    await page.keyboard.press('/');
    await page.keyboard.type('शर्मा');
    await eventually(() => expect(address(page).searchParams.get('search')).toBe('शर्मा'));
    await eventually(async () => expect(await page.locator('tbody [data-row]').count()).toBe(10));
    await page.getByRole('button', { name: 'Filter' }).click();
    await page.getByLabel('Total at least').fill('2000');
    await page.getByLabel('Status', { exact: true }).selectOption('Processing');
    await inspect(page, 'orders-filter');
    await page.getByRole('button', { name: 'Apply', exact: true }).click();
    await page.getByText('Status: Processing').waitFor();
    expect(address(page).searchParams.get('min_total')).toBe('2000');
    await page.getByText('No order matches').waitFor();
  });

  test('an order shows items, money, customer, address and history, and takes its next steps', async () => {
    const { acme, owner } = await shop();
    const [order] = await createOrders(owner, 1, { note: 'Please ring twice.\nThe dog is friendly.' });
    const page = await platform.openAs(owner, acme, '/orders');
    await page.getByRole('link', { name: '1001' }).click();
    await heading(page, 'Order 1001').waitFor();
    await page.getByText('Created as pending by you').waitFor();
    await inspect(page, 'order');

    await page.getByRole('button', { name: 'Confirm', exact: true }).click();
    await page.getByText('Order 1001 is now confirmed.').waitFor();
    await page.getByText('Pending → Confirmed by you').waitFor();
    expect(await page.getByRole('button', { name: 'Undo' }).count()).toBe(0);

    await choose(page, 'Mark as failed');
    await page.getByRole('dialog').getByRole('button', { name: 'Mark as failed' }).click();
    await page.getByText('Order 1001 is now failed.').waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('Failed → Confirmed by you').waitFor();

    await page.getByRole('button', { name: 'Edit note' }).click();
    await page.getByLabel('Note', { exact: true }).fill('Ring once.');
    await page.keyboard.press('Escape');
    await page.getByText('The dog is friendly.').waitFor();
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Edit note');
    await page.reload();
    await page.getByRole('button', { name: 'Edit note' }).click();
    expect(await page.getByLabel('Note', { exact: true }).inputValue()).toBe('Ring once.');
    await page.keyboard.press('Control+Enter');
    await page.getByText('Note of order 1001 saved.').waitFor();
    await page.getByText('Note changed by you').waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('The dog is friendly.').waitFor();

    await page.getByRole('button', { name: 'Edit note' }).click();
    await page.getByLabel('Note', { exact: true }).fill('Ring twice.');
    await owner.patch(`/api/v1/orders/${order?.id}`, { note: 'Deliver to gate 4.' });
    await page.getByRole('button', { name: 'Save note' }).click();
    await page.getByText('Someone else has changed the note to “Deliver to gate 4.”.').waitFor();
    await page.getByRole('button', { name: 'Save note' }).click();
    await page.getByText('Ring twice.').waitFor();

    await page.getByRole('button', { name: 'Edit address: shipping' }).click();
    await page.getByLabel('City').fill('Nashik');
    await page.getByLabel('PIN code').fill('4'.repeat(33));
    await page.getByRole('button', { name: 'Save address' }).click();
    await page.getByText('The pincode must have at most 32 characters.').waitFor();
    await inspect(page, 'order-address');
    await page.getByLabel('PIN code').fill('422001');
    await page.getByRole('button', { name: 'Save address' }).click();
    await page.getByText('Shipping address of order 1001 saved.').waitFor();
    await page.getByText('Nashik 422001').waitFor();
    await page.getByText('Address changed by you').waitFor();

    await page.getByRole('link', { name: 'All orders of this customer' }).click();
    await eventually(() => expect(address(page).search).toContain('customer_id='));
    await page.getByText('Customer: Asha Kulkarni').waitFor();
    await page.getByRole('columnheader', { name: 'Total' }).getByRole('button').click();
    await eventually(() => expect(address(page).searchParams.get('sort_by')).toBe('total'));
    await page.getByRole('link', { name: '1001', exact: true }).click();
    await page.getByRole('link', { name: 'Asha Kulkarni' }).click();
    await heading(page, 'Asha Kulkarni').waitFor();
  });

  test('a refund cannot exceed what is left, and an order is deleted after its number has been entered', async () => {
    const { acme, owner } = await shop();
    const payments = [{ method: 'cash' }];
    const [order] = await createOrders(owner, 1, { status: 'delivered', total: '1000.00', payments });
    const page = await platform.openAs(owner, acme, `/orders/${order?.id}`);
    await choose(page, 'Refund');
    const amount = page.getByLabel('Amount in INR');
    expect(await amount.inputValue()).toBe('1000.00');
    await amount.fill('1000.01');
    await page.getByText('The amount must be at most ₹1,000.00, which is what is left.').waitFor();
    expect(await page.getByRole('button', { name: /^Refund/, disabled: true }).count()).toBe(1);
    await inspect(page, 'order-refund');
    await amount.fill('12.345');
    await page.getByText('Enter an amount, such as 199.50.').waitFor();
    await amount.fill('300');
    await page.getByLabel('Reason').fill('One bag was torn');
    // The response is lost, also those to the two repetitions by the client.
    const refund = '**/api/v1/orders/*/refund';
    await page.route(refund, lose, { times: 3 });
    await page.getByRole('button', { name: 'Refund ₹300.00' }).click();
    await page.getByText('The platform cannot be reached.').waitFor();
    await page.getByRole('button', { name: 'Refund ₹300.00' }).click();
    await page.getByText('₹300.00 of order 1001 refunded. ₹700.00 is left.').waitFor();
    await page.getByText('One bag was torn', { exact: true }).waitFor();

    // Someone else refunds in the meantime: the API refuses, at the field, unless the new amount has arrived before.
    await choose(page, 'Refund');
    await page.route(refund, async (route) => {
      await owner.post(`/api/v1/orders/${order?.id}/refund`, { amount: '650.00' });
      await route.continue();
    });
    await page.getByRole('button', { name: 'Refund ₹700.00' }).click();
    await page.getByText(/^The amount must be at most ₹?50\.00, /).waitFor();

    await page.keyboard.press('Escape');
    await createOrders(owner, 1);
    // The question belongs to one order, also if the user goes back to another one.
    await page.getByRole('link', { name: '1002' }).click();
    await heading(page, 'Order 1002').waitFor();
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Delete order' }).click();
    await page.getByLabel('Enter 1002 to confirm').waitFor();
    await page.goBack();
    await heading(page, 'Order 1001').waitFor();
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Delete order' }).click();
    await page.getByLabel('Enter 1001 to confirm').fill('1002');
    expect(await page.getByRole('button', { name: 'Delete order', disabled: true }).count()).toBe(1);
    await inspect(page, 'order-delete');
    await page.getByLabel('Enter 1001 to confirm').fill('1001');
    await page.getByRole('button', { name: 'Delete order' }).click();
    await page.getByText('Order 1001 deleted.').waitFor();
    await eventually(() => expect(address(page).pathname).toBe('/orders'));
    await page.getByRole('link', { name: '1001' }).waitFor({ state: 'detached' });
  });

  test('the key s changes the status of the focused row, cancelling takes a reason, and selected orders change together', async () => {
    const { acme, owner } = await shop();
    await createOrders(owner, 3, { status: 'pending' });
    const page = await platform.openAs(owner, acme, '/orders');
    await page.getByRole('link', { name: '1001' }).waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await page.keyboard.press('s');
    await page.getByRole('dialog').getByRole('heading', { name: 'Status of order 1002' }).waitFor();
    await page.getByRole('button', { name: 'Confirm 1' }).waitFor();
    await inspect(page, 'order-status');
    await page.keyboard.press('3');
    await page.getByText('Order 1002 is now shipped.').waitFor();
    await page.getByRole('row', { name: /1002.*Shipped/ }).waitFor();

    await page.keyboard.press('k');
    await page.keyboard.press('s');
    await page.getByRole('button', { name: 'Cancel order' }).click();
    await page.getByLabel('Reason').fill('Out of stock');
    await inspect(page, 'order-cancel');
    await page.keyboard.press('Enter');
    await page.getByText('Order 1001 cancelled.').waitFor();
    await page.getByRole('link', { name: '1001' }).click();
    await page.getByText('Out of stock').waitFor();

    await page.keyboard.press('Escape');
    await createOrders(owner, 3, { status: 'pending' });
    await createOrders(owner, 1, { status: 'delivered' });
    for (const number of [1004, 1005, 1007]) await page.getByLabel(`Select order ${number}`).check();
    await page.getByRole('toolbar', { name: 'Selected rows' }).waitFor();
    const all = page.getByLabel('Select all 7 shown');
    expect(await page.locator('thead input:indeterminate').count()).toBe(1);
    await all.check();
    await page.getByText('7 selected').waitFor();
    for (const number of [1001, 1002, 1003, 1006]) await page.getByLabel(`Select order ${number}`).uncheck();
    await page.getByText('3 selected').waitFor();
    expect(await all.isChecked()).toBe(false);
    await page.getByRole('button', { name: 'Change status' }).click();
    await page.getByRole('menuitem', { name: 'Shipped' }).click();
    await page
      .getByText(/2 orders are now shipped\. 1 could not change: The status cannot change from delivered/)
      .waitFor();
    await page.getByRole('button', { name: 'Shipped 3' }).waitFor();

    // What is hard to take back is asked first.
    const fail = async () => {
      await page.getByRole('button', { name: 'Change status' }).click();
      await page.getByRole('menuitem', { name: 'Failed' }).click();
    };
    await page.getByLabel('Select order 1004').check();
    await page.getByLabel('Select order 1005').check();
    await fail();
    const question = page.getByRole('dialog', { name: 'Mark 2 orders as failed?' });
    await inspect(page, 'orders-fail', 'complete');
    await question.getByRole('button', { name: 'Cancel' }).click();
    await page.getByText('2 selected').waitFor();
    await page.getByRole('button', { name: 'Shipped 3' }).waitFor();
    await fail();
    await question.getByRole('button', { name: 'Mark as failed' }).click();
    await page.getByText('2 orders are now failed.').waitFor();
    await page.getByRole('button', { name: 'Failed 2' }).waitFor();
  });

  test('a new order takes a customer and products while typing, survives a reload and shows all errors', async () => {
    const { acme, owner } = await shop();
    await createOrders(owner, 4);
    const sari = { sku: 'SARI-01', title: 'Kanchipuram silk sari', price: '8999.00', stock: 3, status: 'active' };
    expect((await owner.post('/api/v1/products', sari)).status).toBe(201);
    const page = await platform.openAs(owner, acme, '/orders');
    await page.getByRole('link', { name: '1004' }).waitFor();
    await page.keyboard.press('n');
    await heading(page, 'New order').waitFor();
    await page.getByRole('button', { name: 'Create order' }).click();
    await eventually(async () => expect(await page.getByText('Add at least one item.').count()).toBe(1));
    expect(await page.evaluate('document.activeElement.name')).toBe('items');
    expect(await page.locator('form [role=alert]').count()).toBe(0);
    await inspect(page, 'new-order-empty');

    await page.getByLabel('Search customers').fill('kulk');
    await page.getByRole('option', { name: /Asha Kulkarni/ }).waitFor();
    await inspect(page, 'new-order-search');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Change', exact: true }).waitFor();
    await eventually(async () => expect(await page.evaluate('document.activeElement.name')).toBe('items'));
    // Enter waits for the matches.
    await page.getByLabel('Add an item').fill('sari');
    await page.keyboard.press('Enter');
    await eventually(async () => expect(await page.getByLabel('Name of item 1').inputValue()).toBe(sari.title));
    await page.getByLabel('Add an item').fill('SARI-01');
    await page.getByRole('option', { name: /SARI-01 · 3 available/ }).click();
    expect(await page.getByLabel('Quantity of item 1').inputValue()).toBe('2');
    await page.getByLabel('Add an item').fill('Gift wrapping');
    await page.getByRole('option', { name: 'Add “Gift wrapping” without a product' }).click();
    await eventually(async () => expect(await page.evaluate('document.activeElement.name')).toBe('items.1.price'));
    await page.keyboard.type('49.999');
    await page.getByRole('button', { name: 'Add a shipping address' }).click();
    await page.getByLabel('City').fill('Pune');
    await page.getByLabel('PIN code').fill('4'.repeat(40));
    await page.getByLabel('Quantity of item 1').fill('2.0');
    await page.getByRole('button', { name: 'Create order' }).click();
    await eventually(async () => expect(await page.locator('[aria-invalid]').count()).toBe(3));
    expect(await page.evaluate('document.activeElement.name')).toBe('items.0.quantity');
    await inspect(page, 'new-order-errors');
    await page.getByLabel('Quantity of item 1').fill('2');
    await page.getByLabel('Price in INR of item 2').fill('49.5');
    await page.getByLabel('PIN code').fill('411030');
    expect(await page.locator('output').textContent()).toBe('₹18,047.50');
    await page.getByRole('button', { name: 'Discount item 2' }).click();
    await eventually(async () =>
      expect(await page.evaluate('document.activeElement.name')).toBe('items.1.discount.value'),
    );
    await page.getByLabel('Percent or amount off item 2').selectOption('percent');
    await page.getByLabel('Discount of item 2', { exact: true }).fill('120');
    await page.getByRole('button', { name: 'Create order' }).click();
    await page.getByText('A percentage is at most 100.').waitFor();
    expect(await page.evaluate('document.activeElement.name')).toBe('items.1.discount.value');
    await page.getByLabel('Discount of item 2', { exact: true }).fill('20');
    await eventually(async () => expect(await page.locator('output').textContent()).toBe('₹18,037.60'));
    await page.getByLabel('Summary').getByText('Item discounts').waitFor();
    await inspect(page, 'new-order-item-discount');
    await page.getByRole('button', { name: 'Remove the discount of item 2' }).click();
    await eventually(async () => expect(await page.locator('output').textContent()).toBe('₹18,047.50'));
    await page.getByRole('button', { name: 'Add a discount' }).click();
    await page.getByLabel('Code', { exact: true }).fill('NOSUCH');
    await page.getByText('There is no discount code NOSUCH.').waitFor();
    await page.getByLabel('Code', { exact: true }).fill('');
    await page.getByLabel('Off the order').fill('10');
    await page.getByLabel('Other amount').check();
    await page.getByLabel('Amount in INR').fill('50');
    await eventually(async () => expect(await page.locator('output').textContent()).toBe('₹16,292.75'));
    await page.getByLabel('Summary').getByText('-₹1,804.75').waitFor();
    await inspect(page, 'new-order-price');

    // A lost response: the order is there, and trying again after a reload creates no other one.
    await page.route('**/api/v1/orders', lose, { times: 3 });
    await page.keyboard.press('Control+Enter');
    await page.getByText('The platform cannot be reached.').waitFor();
    await page.reload();
    await page.getByText('You started this order earlier.').waitFor();
    expect(await page.getByLabel('City').inputValue()).toBe('Pune');
    await page.keyboard.press('Control+Enter');
    await heading(page, 'Order 1005').waitFor();
    await page.getByText('Order 1005 created.').waitFor();
    expect((await owner.get('/api/v1/orders')).body.pagination.total).toBe(5);
    await page.getByText('Gift wrapping').first().waitFor();
    await page.getByText('₹16,292.75').first().waitFor();
    await page.getByRole('link', { name: 'Orders', exact: true }).click();
    await page.keyboard.press('n');
    await heading(page, 'New order').waitFor();
    expect(await page.getByText('You started this order earlier.').count()).toBe(0);
  });

  test('a new customer is created with the order, the address can name a known one, and a viewer can create none', async () => {
    const { acme, owner } = await shop();
    const { body } = await owner.post('/api/v1/customers', customers[0]);
    await owner.post(`/api/v1/customers/${body.customer.id}/addresses`, { type: 'shipping', ...shipping_address });
    const page = await platform.openAs(owner, acme, '/orders/new');
    // Pages without https have none.
    await page.evaluate('delete Crypto.prototype.randomUUID');
    await page.getByLabel('Search customers').fill('सुनीता शर्मा');
    await page.getByRole('option', { name: /New customer/ }).click();
    expect(await page.getByLabel('Last name').first().inputValue()).toBe('शर्मा');
    await page.getByLabel('Phone').first().fill('+919876543299');
    await page.getByLabel('Add an item').fill('Tea');
    await page.keyboard.press('Enter');
    await page.getByLabel('Price in INR of item 1').fill('120');
    await inspect(page, 'new-order-customer');
    await page.keyboard.press('Control+Enter');
    await heading(page, 'Order 1001').waitFor();
    await page.getByRole('link', { name: 'सुनीता शर्मा' }).waitFor();

    await page.getByRole('link', { name: 'Customers', exact: true }).click();
    await page.getByRole('link', { name: 'Asha Kulkarni' }).click();
    await page.getByRole('button', { name: 'New order' }).click();
    await page.getByText('asha.kulkarni@example.in').waitFor();
    await page.getByRole('button', { name: /Use 14, Laxmi Road/ }).click();
    expect(await page.getByLabel('City').inputValue()).toBe('Pune');
    await inspect(page, 'new-order-known');
    await page.getByRole('button', { name: 'Change', exact: true }).click();
    await page.getByRole('button', { name: 'Add a shipping address' }).waitFor();

    const viewer = await platform.person({ tenant: acme, role: 'Viewer', name: 'Ravi Kumar' });
    const [order] = await createOrders(owner, 1, { status: 'confirmed' });
    await platform.continueAs(page, viewer, acme);
    await page.goto(`${platform.origin}/orders/${order?.id}`);
    await page.getByText('Street and phone are hidden').waitFor();
    const names = ['Record payment', 'Ship items', 'Issue invoice', 'Add note', 'More actions', 'Export', 'New order'];
    for (const name of names) {
      expect({ name, count: await page.getByRole('button', { name, exact: true }).count() }).toEqual({
        name,
        count: 0,
      });
    }
    await page.goto(`${platform.origin}/orders/new`);
    await page.getByText('You do not have access to this page').waitFor();
  });
});
