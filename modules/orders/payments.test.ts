import { expect, test } from 'vitest';
import { startPlatform, type TestCaller } from '../../server/testing/platform.ts';

const platform = await startPlatform();
const acme = await platform.tenant();
const verbs = ['view', 'create', 'edit', 'cancel', 'refund', 'delete'];
const merchant = acme.caller(...verbs.map((verb) => `orders.${verb}`), 'audit.view');

async function create(total: string, fields: object = {}, caller: TestCaller = merchant) {
  const items = [{ name: 'Tea', quantity: 1, price: total }];
  const { status, body } = await caller.post('/api/v1/orders', { items, ...fields });
  expect({ status, body }).toMatchObject({ status: 201 });
  const url = `/api/v1/orders/${body.order.id}`;
  return {
    order: body.order,
    url,
    read: async () => (await caller.get(url)).body.order,
    pay: (payment: object = {}) => caller.post(`${url}/payments`, { method: 'cash', ...payment }),
    change: (payment: string, changes: object) => caller.patch(`${url}/payments/${payment}`, changes),
    refund: (refund: object = {}) => caller.post(`${url}/refund`, refund),
    setStatus: (to: string) => caller.post(`${url}/status`, { status: to }),
  };
}

test('payments add up until nothing is due', async () => {
  const { pay, read } = await create('100.00', { payment_method: 'upi' });
  expect(await read()).toMatchObject({ payment_status: 'unpaid', payment_method: 'upi', payments: [], refunds: [] });
  const first = await pay({ method: 'upi', amount: 40, reference: 'UTR 1', paid_at: '2026-01-02T03:04:05Z' });
  expect(first).toMatchObject({
    status: 201,
    body: {
      message: 'Payment recorded.',
      payment: {
        method: 'upi',
        amount: '40.00',
        excess: '0.00',
        refunded_total: '0.00',
        reference: 'UTR 1',
        status: 'succeeded',
        provider: null,
        paid_at: '2026-01-02T03:04:05.000Z',
        user_id: merchant.user.id,
      },
    },
  });
  expect(await read()).toMatchObject({ paid_total: '40.00', due_total: '60.00', payment_status: 'partly_paid' });
  expect(await pay({ amount: '60.01' })).toMatchObject({
    status: 422,
    body: { errors: { amount: ['The amount must be at most 60.00, the amount that is due.'] } },
  });
  expect((await pay()).body.payment).toMatchObject({ method: 'cash', amount: '60.00' });
  const paid = await read();
  expect(paid).toMatchObject({ paid_total: '100.00', due_total: '0.00', payment_status: 'paid' });
  expect(paid.payments).toEqual([first.body.payment, expect.objectContaining({ amount: '60.00' })]);
  expect(paid.history).toMatchObject([
    { changes: null },
    {
      changes: { paid_total: ['0.00', '40.00'], payments: [[], [{ id: paid.payments[0].id, amount: '40.00' }]] },
      user_id: merchant.user.id,
    },
    { changes: { paid_total: ['40.00', '100.00'], payments: [[], [{ method: 'cash', status: 'succeeded' }]] } },
  ]);
  expect(await pay({ amount: 1 })).toMatchObject({
    status: 422,
    body: { errors: { amount: ['Nothing is due: the order is paid.'] } },
  });
  expect((await merchant.get('/api/v1/orders?payment_status=paid')).body.orders).toMatchObject([{ id: paid.id }]);
});

test.each([
  ['method', { method: '' }],
  ['method', { method: undefined }],
  ['amount', { amount: 0 }],
  ['amount', { amount: -1 }],
  ['amount', { amount: '1.234' }],
  ['amount', { amount: '99999999999' }],
  ['status', { status: 'lost' }],
  ['paid_at', { paid_at: 'yesterday' }],
  ['reference', { reference: 'x'.repeat(256) }],
])('an invalid %s of a payment is rejected (%#)', async (field, payment) => {
  const { pay, read, url } = await create('10.00');
  const before = await read();
  const answer = await pay(payment);
  expect({ status: answer.status, fields: Object.keys(answer.body.errors) }).toEqual({ status: 422, fields: [field] });
  const atCreation = await merchant.post('/api/v1/orders', {
    items: [{ name: 'Tea', quantity: 1, price: 10 }],
    payments: [{ method: 'cash', ...payment }],
  });
  expect(Object.keys(atCreation.body.errors)).toEqual([`payments.0.${field}`]);
  expect(await read()).toEqual(before);
  expect((await merchant.get(url)).status).toBe(200);
});

test('cancelled and failed orders take no payments', async () => {
  for (const status of ['cancelled', 'failed']) {
    const { pay } = await create('10.00', { status });
    expect(await pay()).toMatchObject({ status: 422, body: { errors: { status: [expect.stringContaining(status)] } } });
  }
});

test('recording payments needs orders.edit', async () => {
  const { url, pay } = await create('10.00');
  const { payment } = (await pay({ amount: 1 })).body;
  const clerk = acme.caller('orders.view', 'orders.create');
  expect((await clerk.post(`${url}/payments`, { method: 'cash' })).status).toBe(403);
  expect((await clerk.patch(`${url}/payments/${payment.id}`, { status: 'failed' })).status).toBe(403);
});

test('a pending payment counts when it succeeds', async () => {
  const { pay, change, read } = await create('10.00');
  const cheque = (await pay({ method: 'cheque', status: 'pending' })).body.payment;
  const other = (await pay({ method: 'cheque', status: 'pending' })).body.payment;
  expect(cheque).toMatchObject({ amount: '10.00', status: 'pending', paid_at: null });
  expect(await read()).toMatchObject({ paid_total: '0.00', payment_status: 'unpaid' });
  const cleared = await change(cheque.id, { status: 'succeeded', reference: '000123' });
  expect(cleared).toMatchObject({
    status: 200,
    body: { payment: { status: 'succeeded', reference: '000123', paid_at: expect.any(String) } },
  });
  expect(await read()).toMatchObject({ paid_total: '10.00', payment_status: 'paid' });
  expect(await change(other.id, { status: 'succeeded' })).toMatchObject({
    status: 422,
    body: { errors: { status: [expect.stringContaining('0.00')] } },
  });
  expect((await change(other.id, { status: 'failed' })).status).toBe(200);
  expect((await change(other.id, { status: 'succeeded' })).status).toBe(422);
  const listed = ({ id }: { id: string }, status: string) => [{ id, method: 'cheque', amount: '10.00', status }];
  expect((await read()).history.map(({ changes }: { changes: object }) => changes)).toEqual([
    null,
    { payments: [[], listed(cheque, 'pending')] },
    { payments: [[], listed(other, 'pending')] },
    { paid_total: ['0.00', '10.00'], payments: [listed(cheque, 'pending'), listed(cheque, 'succeeded')] },
    { payments: [listed(other, 'pending'), listed(other, 'failed')] },
  ]);
});

test('a payment that bounced no longer counts, unless it was refunded', async () => {
  const { pay, change, read, refund } = await create('10.00', { status: 'confirmed' });
  const cheque = (await pay({ method: 'cheque' })).body.payment;
  expect((await change(cheque.id, { status: 'failed' })).status).toBe(200);
  expect(await read()).toMatchObject({ paid_total: '0.00', due_total: '10.00', payments: [{ status: 'failed' }] });
  const cash = (await pay()).body.payment;
  await refund({ amount: 1 });
  expect(await change(cash.id, { status: 'failed' })).toMatchObject({
    status: 422,
    body: { errors: { status: ['A payment that was refunded cannot fail.'] } },
  });
});

test('payments of other orders and unknown ones are 404', async () => {
  const [one, other] = [await create('10.00'), await create('10.00')];
  const { payment } = (await other.pay()).body;
  for (const id of [payment.id, '0190a000-0000-7000-8000-000000000000']) {
    const answer = await one.change(id, { status: 'failed' });
    expect(answer).toMatchObject({ status: 404, body: { code: 'orders.payment_not_found' } });
  }
});

test('an order can be created with its payments', async () => {
  const payments = [{ method: 'voucher', amount: 3 }, { method: 'cash' }];
  const { order, read } = await create('10.00', { payments });
  expect(order).toMatchObject({ paid_total: '10.00', due_total: '0.00', payment_status: 'paid' });
  expect((await read()).payments).toMatchObject([
    { method: 'voucher', amount: '3.00', user_id: merchant.user.id },
    { method: 'cash', amount: '7.00', status: 'succeeded' },
  ]);
  expect((await read()).history).toMatchObject([
    { previous_status: null, changes: { payments: [[], [{ amount: '3.00' }, { amount: '7.00' }]] } },
  ]);
  const items = [{ name: 'Tea', quantity: 1, price: 10 }];
  const tooMuch = await merchant.post('/api/v1/orders', { items, payments: [{ method: 'cash', amount: 11 }] });
  expect(tooMuch).toMatchObject({ status: 422, body: { errors: { 'payments.0.amount': [expect.any(String)] } } });
  const cancelled = await merchant.post('/api/v1/orders', { items, payments, status: 'cancelled' });
  expect(cancelled).toMatchObject({ status: 422, body: { errors: { status: [expect.any(String)] } } });
});

test('cash on delivery is paid when the order is delivered, and the history says so', async () => {
  const { pay, setStatus, read } = await create('10.00', { payment_method: 'cash_on_delivery', status: 'shipped' });
  await pay({ method: 'upi', amount: 4 });
  await setStatus('delivered');
  const delivered = await read();
  expect(delivered).toMatchObject({
    payment_status: 'paid',
    payments: [{ method: 'upi' }, { method: 'cash_on_delivery', amount: '6.00', status: 'succeeded' }],
  });
  expect(delivered.history.at(-1)).toMatchObject({
    status: 'delivered',
    previous_status: 'shipped',
    changes: { paid_total: ['4.00', '10.00'], payments: [[], [{ method: 'cash_on_delivery', amount: '6.00' }]] },
    reason: 'Paid in cash on delivery',
  });
  const imported = await create('10.00', { payment_method: 'cash_on_delivery', status: 'delivered' });
  expect(imported.order).toMatchObject({ paid_total: '10.00' });
  const onAccount = await create('10.00', { status: 'delivered' });
  expect(onAccount.order).toMatchObject({ paid_total: '0.00', payment_method: null });
});

test('16 concurrent payments of the amount due: one wins', async () => {
  const { pay, read } = await create('10.00');
  const answers = await Promise.all(Array.from({ length: 16 }, () => pay()));
  expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array.from({ length: 15 }, () => 422)]);
  expect(await read()).toMatchObject({ paid_total: '10.00', payments: [{ amount: '10.00' }] });
});

test('what was paid beyond a lower total is excess, counts again if the total rises, and can be refunded', async () => {
  const { pay, url, read, refund } = await create('10.00', { status: 'confirmed' });
  const { payment } = (await pay()).body;
  const edit = (total: string) => merchant.patch(url, { total });
  expect((await edit('8.00')).body.order).toMatchObject({
    paid_total: '8.00',
    due_total: '0.00',
    payment_status: 'paid',
  });
  expect(await read()).toMatchObject({ payments: [{ amount: '10.00', excess: '2.00' }] });
  expect((await edit('9.00')).body.order).toMatchObject({ paid_total: '9.00', due_total: '0.00' });
  const { body } = await refund({ payment_id: payment.id, amount: 1 });
  expect(body.order).toMatchObject({ status: 'confirmed', paid_total: '9.00', refunded_total: '0.00' });
  expect(await read()).toMatchObject({
    payments: [{ excess: '1.00', refunded_total: '1.00' }],
    refunds: [{ amount: '1.00', excess: '1.00', payment_id: payment.id, status: 'succeeded' }],
  });
  expect((await edit('10.00')).body.order).toMatchObject({ paid_total: '9.00', due_total: '1.00' });
});

test('amounts have the decimals of the currency', async () => {
  const { pay, read } = await create('1.235', { currency: 'KWD', status: 'confirmed' });
  expect((await pay({ amount: '0.235' })).status).toBe(201);
  expect((await pay()).body.payment.amount).toBe('1.00');
  expect(await read()).toMatchObject({ paid_total: '1.235', payment_status: 'paid' });
});

test('payments are in the audit log', async () => {
  const { order, pay } = await create('10.00');
  await pay({ amount: 4 });
  const { body } = await merchant.get(`/api/v1/audit?resource=orders&resource_id=${order.id}`);
  expect(body.audit[0]).toMatchObject({ action: 'orders.addPayment', changes: { paid_total: ['0.00', '4.00'] } });
});

test('a change of payments changes the version of the order', async () => {
  const { url, pay, read } = await create('10.00');
  const { headers } = await merchant.get(url);
  await pay({ status: 'pending' });
  const version = { 'if-match': String(headers.etag) };
  expect((await merchant.post(`${url}/payments`, { method: 'cash' }, version)).status).toBe(412);
  expect(await read()).toMatchObject({ payments: [{ status: 'pending' }] });
});
