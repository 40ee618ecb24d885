import { sql } from '@chowk/kit';
import { expect, test } from 'vitest';
import { openInvoiceShop, tea } from '../../server/testing/invoice-shop.ts';
import { startPlatform } from '../../server/testing/platform.ts';
import { issueInvoice } from './issue.ts';

const platform = await startPlatform();
const openShop = () => openInvoiceShop(platform);

test('an invoice has the next number and everything that is printed, and issuing it again returns the same', async () => {
  const { caller, order, issue, configure } = await openShop();
  await configure({ 'invoices.legal_name': 'Acme Teas Pvt Ltd', 'invoices.tax_number': 'GSTIN 29ABCDE1234F1Z5' });
  const placed = await order();
  const invoice = await issue(placed);
  expect(invoice).toMatchObject({
    kind: 'invoice',
    invoice_number: 'INV-1',
    order_id: placed.id,
    order_number: placed.order_number,
    customer_id: placed.customer_id,
    total: '399.00',
    seller: { name: 'Acme Teas Pvt Ltd', tax_number: 'GSTIN 29ABCDE1234F1Z5', logo_id: null },
    buyer: { name: 'Asha Rao', address1: '12 Residency Road', email: 'asha@example.com' },
    lines: [{ name: 'Green tea, 250 g', quantity: 2, price: '199.50', subtotal: '399.00' }],
  });
  expect(await issue(placed)).toEqual(invoice);
  expect((await caller.get(`/api/v1/invoices/${invoice.id}`)).body.invoice).toEqual(invoice);
  expect((await issue(await order())).invoice_number).toBe('INV-2');
});

test('an invoice does not change with the order or the settings', async () => {
  const { caller, order, issue, configure } = await openShop();
  const placed = await order();
  const invoice = await issue(placed);
  await configure({ 'invoices.legal_name': 'Another name', 'invoices.number_prefix': 'X-' });
  const changes = { items: [{ ...tea, quantity: 9 }], shipping_address: null };
  expect((await caller.patch(`/api/v1/orders/${placed.id}`, changes)).body.order.total).toBe('1795.50');
  expect((await caller.get(`/api/v1/invoices/${invoice.id}`)).body.invoice).toEqual(invoice);
  expect(await issue(placed)).toEqual(invoice);
});

test.each(['pending', 'cancelled', 'failed'])('a %s order has no invoice', async (status) => {
  const { caller, order } = await openShop();
  const response = await caller.post(`/api/v1/orders/${(await order({ status })).id}/invoice`);
  expect({ status: response.status, code: response.body.code, message: response.body.message }).toEqual({
    status: 409,
    code: 'invoices.not_invoiced',
    message: `Order 1001 is ${status} and has no invoice. Confirm the order first.`,
  });
});

test('numbers have no gaps, however many invoices are issued at once and fail', async () => {
  const { tenant, caller, order } = await openShop();
  const customer = (n: number) => ({ email: `c${n % 5}@example.com` });
  const orders = await Promise.all(Array.from({ length: 20 }, (_, n) => order({ customer: customer(n) })));
  const fail = (id: string) =>
    tenant.context('invoices').tx(async (tx) => {
      await issueInvoice(tx, { id });
      throw new Error('the transaction fails');
    });
  const issue = (id: string) => caller.post(`/api/v1/orders/${id}/invoice`);
  const attempts = orders.flatMap(({ id }, n) => [fail(id), ...(n % 4 === 0 ? [] : [issue(id), fail(id), issue(id)])]);
  const outcomes = await Promise.allSettled(attempts);
  expect(outcomes.filter(({ status }) => status === 'rejected')).toHaveLength(35);
  const responses = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
  expect(responses.map((response) => (response as { status: number }).status)).toEqual(Array(30).fill(200));
  const { body } = await caller.get('/api/v1/invoices?sort_by=invoice_number&sort_order=asc&per_page=100');
  expect(body.invoices.map(({ invoice_number }: { invoice_number: string }) => invoice_number)).toEqual(
    Array.from({ length: 15 }, (_, n) => `INV-${n + 1}`),
  );
});

test('the next number can only go up', async () => {
  const { order, issue, configure } = await openShop();
  await configure({ 'invoices.number_prefix': '26-27/', 'invoices.next_number': 500 });
  const numbers = [(await issue(await order())).invoice_number, (await issue(await order())).invoice_number];
  await configure({ 'invoices.next_number': 7 });
  numbers.push((await issue(await order())).invoice_number);
  expect(numbers).toEqual(['26-27/500', '26-27/501', '26-27/502']);
});

test('invoices are listed by number, order, kind and date', async () => {
  const { caller, order, issue } = await openShop();
  const [one, other] = [await issue(await order()), await issue(await order())];
  const list = async (query: string) => {
    const { status, body } = await caller.get(`/api/v1/invoices?${query}`);
    expect(status).toBe(200);
    return body.invoices.map(({ id }: { id: string }) => id);
  };
  expect(await list('')).toEqual([other.id, one.id]);
  expect(await list('sort_by=invoice_number&sort_order=asc')).toEqual([one.id, other.id]);
  expect(await list('invoice_number=INV-2')).toEqual([other.id]);
  expect(await list(`order_id=${one.order_id}`)).toEqual([one.id]);
  expect(await list('kind=credit_note')).toEqual([]);
  expect(await list('issued_from=2999-01-01')).toEqual([]);
  expect(await list('updated_from=2000-01-01')).toHaveLength(2);
});

test('street lines and phones are hidden without the permission', async () => {
  const { tenant, order, issue } = await openShop();
  const { id } = await issue(await order());
  const { body } = await tenant.caller('orders.view').get(`/api/v1/invoices/${id}`);
  const hidden = { address1: null, address2: null, phone: null, city: 'Bengaluru' };
  expect(body.invoice).toMatchObject({ buyer: hidden, ship_to: hidden });
});

test('credit notes have numbers of their own and credit each refund once, with its taxes', async () => {
  const { caller, order, issue, post, configure } = await openShop();
  await configure({ 'pricing.state': 'Karnataka' });
  for (const name of ['CGST', 'SGST']) await post('/tax-rates', { name, country: 'IN', rate: '9', priority: 1 });
  const placed = await order({ items: [{ name: 'Tea', quantity: 3, price: '33.33' }], payments: [{ method: 'cash' }] });
  const creditNote = () => caller.post(`/api/v1/orders/${placed.id}/credit-note`);
  expect((await creditNote()).body.code).toBe('invoices.no_invoice');
  const invoice = await issue(placed);
  expect(invoice.taxes).toMatchObject([
    { name: 'CGST', rate: '9.00', taxable: '99.99', amount: '9.00' },
    { name: 'SGST', taxable: '99.99' },
  ]);
  expect((await creditNote()).body.code).toBe('invoices.nothing_to_credit');
  const notes = [];
  for (const amount of ['10.01', '33.33', undefined]) {
    await post(`/orders/${placed.id}/refund`, amount ? { amount } : {});
    const { status, body } = await creditNote();
    expect(status).toBe(201);
    notes.push(body.invoice);
  }
  expect(notes.map((note) => [note.kind, note.invoice_number, note.corrects, note.total])).toEqual([
    ['credit_note', 'CN-1', 'INV-1', '10.01'],
    ['credit_note', 'CN-2', 'INV-1', '33.33'],
    ['credit_note', 'CN-3', 'INV-1', '74.65'],
  ]);
  const addUp = (amounts: readonly string[]) => amounts.reduce((sum, amount) => sum + Number(amount), 0).toFixed(2);
  expect(addUp(notes.map(({ total }) => total))).toBe(invoice.total);
  expect(addUp(notes.map(({ taxes }) => taxes[0].amount))).toBe('9.00');
  expect(addUp(notes.map(({ taxes }) => taxes[0].taxable))).toBe('99.99');
  expect((await creditNote()).body.code).toBe('invoices.nothing_to_credit');
});

test('the credit note of a full refund has the lines of the invoice', async () => {
  const { order, issue, post } = await openShop();
  const placed = await order({ items: [tea, { ...tea, name: 'Cup' }], payments: [{ method: 'cash' }] });
  const { lines, total } = await issue(placed);
  await post(`/orders/${placed.id}/refund`);
  expect((await post(`/orders/${placed.id}/credit-note`)).invoice).toMatchObject({ lines, total, corrects: 'INV-1' });
});

test('anonymizing keeps invoices, which tax law demands, exports are masked, and hard deletion removes them', async () => {
  const { tenant, caller, order, issue } = await openShop();
  const { id, customer_id, ...rest } = await issue(await order());
  const exported = async (as = caller) => {
    const { body } = await as.get(`/api/v1/customers/${customer_id}/export`);
    return body.data.invoices.invoices[0];
  };
  expect((await exported()).buyer.address1).toBe('12 Residency Road');
  expect((await exported(tenant.caller('customers.export'))).buyer).toMatchObject({ address1: null, phone: null });
  await caller.delete(`/api/v1/customers/${customer_id}?mode=anonymize`);
  expect((await caller.get(`/api/v1/invoices/${id}`)).body.invoice).toMatchObject({ ...rest, customer_id });
  await caller.delete(`/api/v1/customers/${customer_id}?mode=hard`);
  expect((await caller.get(`/api/v1/invoices/${id}`)).status).toBe(404);
});

test('a merge moves invoices to the remaining customer', async () => {
  const { caller, order, issue, post } = await openShop();
  const { id, customer_id } = await issue(await order());
  const primary = (await post('/customers', { email: 'other@example.com' })).customer.id;
  await post('/customers/merge', { primary_id: primary, secondary_id: customer_id });
  expect((await caller.get(`/api/v1/invoices/${id}`)).body.invoice.customer_id).toBe(primary);
});

test('issuing an invoice is in the audit log', async () => {
  const { tenant, order, issue } = await openShop();
  await issue(await order());
  const rows = await tenant.db.rows(
    sql`SELECT changes FROM module_bus_audit_log WHERE action = 'invoices.issue' AND changes IS NOT NULL`,
  );
  expect(rows).toEqual([{ changes: { invoice_number: [null, 'INV-1'], total: [null, '399.00'] } }]);
});

test('GraphQL shows the invoices of an order', async () => {
  const { caller, order, issue } = await openShop();
  const placed = await order();
  await issue(placed);
  const query = `{ order(id: "${placed.id}") { invoices { nodes { invoice_number buyer { city } lines { name } } } } }`;
  const { body } = await caller.post('/api/v1/graphql', { query });
  const invoice = { invoice_number: 'INV-1', buyer: { city: 'Bengaluru' }, lines: [{ name: tea.name }] };
  expect(body.data).toEqual({ order: { invoices: { nodes: [invoice] } } });
});

test('tax number of the buyer, and tax class and code of the goods, are on the invoice', async () => {
  const { tenant, order, issue, post, print } = await openShop();
  await post('/tax-rates', { name: 'IGST', country: 'IN', rate: '18' });
  await post('/tax-rates', { name: 'IGST', country: 'IN', rate: '5', tax_class: 'gst-5' });
  const merchant = tenant.caller('products.create', 'products.edit', 'products.view');
  const product = { sku: 'TEA', title: 'Tea', price: '100', stock: 5 };
  const variants = [{ sku: 'TEA', tax_class: 'gst-5', tax_code: '0902', stock: 5 }];
  const created = await merchant.post('/api/v1/products', { ...product, stock: 0, variants });
  expect(created).toMatchObject({ status: 201, body: { product: { variants: [{ tax_code: '0902' }] } } });
  const cup = { name: 'Cup', quantity: 1, price: '100', tax_code: '6912' };
  const placed = await order({
    items: [{ sku: 'TEA', quantity: 1 }, cup],
    billing_address: { company: 'Rao Traders', tax_number: '29AAGCB7383J1Z4', country: 'IN' },
  });
  expect(placed).toMatchObject({
    tax_total: '23.00',
    items: [
      { tax_class: 'gst-5', tax_code: '0902', tax_total: '5.00' },
      { tax_class: 'standard', tax_code: '6912', tax_total: '18.00' },
    ],
  });
  const [line] = created.body.product.variants;
  await merchant.patch(`/api/v1/products/${created.body.product.id}/variants/${line.id}`, { tax_code: null });
  const invoice = await issue(placed);
  expect(invoice).toMatchObject({
    buyer: { company: 'Rao Traders', tax_number: '29AAGCB7383J1Z4' },
    ship_to: { tax_number: null },
    lines: [
      { tax_code: '0902', tax_rate: '5' },
      { tax_code: '6912', tax_rate: '18' },
    ],
  });
  const page = (await print(`/invoices/${invoice.id}/document?format=html`)).data.toString();
  for (const text of ['Tax number 29AAGCB7383J1Z4', 'Tax code 0902', 'Tax code 6912']) expect(page).toContain(text);
});
