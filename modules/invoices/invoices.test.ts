import { expect, test } from 'vitest';
import { sql } from '@chowk/kit';
import { startPlatform } from '../../server/testing/platform.ts';

const platform = await startPlatform();

const tea = { name: 'Green tea, 250 g', quantity: 2, price: '199.50' };
const address = {
  first_name: 'Asha',
  last_name: 'Rao',
  address1: '12 Residency Road',
  city: 'Bengaluru',
  state: 'Karnataka',
  pincode: '560025',
  country: 'IN',
  phone: '+91 80 4123 4567',
};

async function shop() {
  const tenant = await platform.tenant();
  const caller = tenant.caller(
    ...['view', 'create', 'edit', 'cancel', 'refund', 'delete'].map((verb) => `orders.${verb}`),
    'settings.view',
    'settings.edit',
    'customers.view_sensitive',
    'customers.delete',
    'customers.export',
    'customers.merge',
  );
  const order = async (fields: object = {}) => {
    const customer = { email: 'asha@example.com', phone: '+919876543210', first_name: 'Asha', last_name: 'Rao' };
    const given = { customer, items: [tea], status: 'confirmed', shipping_address: address, ...fields };
    const { status, body } = await caller.post('/api/v1/orders', given);
    expect({ status, body }).toMatchObject({ status: 201 });
    return body.order;
  };
  const issue = ({ id }: { id: string }) => caller.post(`/api/v1/orders/${id}/invoice`);
  const configure = async (settings: object) => {
    const { status, body } = await caller.patch('/api/v1/settings', settings);
    expect({ status, body }).toMatchObject({ status: 200 });
  };
  return { tenant, caller, order, issue, configure };
}

test('an invoice has the next number and everything that is printed, and issuing it again returns the same', async () => {
  const { caller, order, issue, configure } = await shop();
  await configure({ 'invoices.legal_name': 'Acme Teas Pvt Ltd', 'invoices.tax_number': 'GSTIN 29ABCDE1234F1Z5' });
  const placed = await order();
  const { status, body } = await issue(placed);
  expect({ status, body }).toMatchObject({
    status: 200,
    body: {
      invoice: {
        kind: 'invoice',
        invoice_number: 'INV-1',
        order_id: placed.id,
        order_number: placed.order_number,
        customer_id: placed.customer_id,
        total: '399.00',
        seller: { name: 'Acme Teas Pvt Ltd', tax_number: 'GSTIN 29ABCDE1234F1Z5', logo_id: null },
        buyer: { name: 'Asha Rao', address1: '12 Residency Road', email: 'asha@example.com' },
        lines: [{ name: 'Green tea, 250 g', quantity: 2, price: '199.50', subtotal: '399.00' }],
      },
    },
  });
  expect((await issue(placed)).body.invoice).toEqual(body.invoice);
  expect((await caller.get(`/api/v1/invoices/${body.invoice.id}`)).body.invoice).toEqual(body.invoice);
  expect((await issue(await order())).body.invoice.invoice_number).toBe('INV-2');
});

test('an invoice does not change with the order, the customer or the settings', async () => {
  const { caller, order, issue, configure } = await shop();
  const placed = await order();
  const { invoice } = (await issue(placed)).body;
  await configure({ 'invoices.legal_name': 'Another name', 'invoices.number_prefix': 'X-' });
  await caller.patch(`/api/v1/orders/${placed.id}`, { items: [{ ...tea, quantity: 9 }], shipping_address: null });
  expect((await caller.get(`/api/v1/invoices/${invoice.id}`)).body.invoice).toEqual(invoice);
  expect((await issue(placed)).body.invoice).toEqual(invoice);
});

test.each(['pending', 'cancelled', 'failed'])('a %s order has no invoice', async (status) => {
  const { order, issue } = await shop();
  const response = await issue(await order({ status }));
  expect({ status: response.status, code: response.body.code, message: response.body.message }).toEqual({
    status: 409,
    code: 'invoices.not_invoiced',
    message: `Order 1001 is ${status} and has no invoice. Confirm the order first.`,
  });
});

