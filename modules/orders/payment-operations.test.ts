import { randomUUID } from 'node:crypto';
import { afterCommit, type Ctx, inTransaction } from '@chowk/kit';
import { expect, test } from 'vitest';
import { startPlatform } from '../../server/testing/platform.ts';
import { repositoryModules } from '../../server/testing/repository-modules.ts';
import { testModule } from '../../server/testing/test-module.ts';

const refunds: { id: string; amount: string; provider: string | null; provider_payment_id: string | null }[] = [];
const settled: { id: string; status: string; provider: string | null; refunded: string }[] = [];
const names = ['getForPayment', 'recordPayment', 'settleRefund'] as const;
/** A module that takes payments. */
const gateway = testModule({
  alias: 'gateway',
  consumes: names.map((name) => `orders.${name}`),
  listeners: [
    afterCommit('order.refunded', 'remember', async (_: Ctx, { refund }) => {
      refunds.push(refund);
    }),
    inTransaction('order.refund_settled', 'remember-settled', async (_: Ctx, { order, refund }) => {
      settled.push({ id: refund.id, status: refund.status, provider: refund.provider, refunded: order.refunded_total });
    }),
  ],
});
const platform = await startPlatform({ modules: [...(await repositoryModules()), gateway] });
const acme = await platform.tenant();
const merchant = acme.caller(
  ...['view', 'create', 'edit', 'cancel', 'refund', 'delete'].map((verb) => `orders.${verb}`),
);
const ctx = acme.context('gateway');

async function create(fields: object = {}) {
  const items = [{ name: 'Tea', quantity: 1, price: '10.00' }];
  const { body } = await merchant.post('/api/v1/orders', { items, status: 'confirmed', ...fields });
  const url = `/api/v1/orders/${body.order.id}`;
  const key = { order_id: body.order.id as string, method: 'card', provider: 'stripe' };
  const provider_payment_id = randomUUID();
  return {
    id: body.order.id as string,
    url,
    provider_payment_id,
    read: async () => (await merchant.get(url)).body.order,
    report: (
      status: 'pending' | 'succeeded' | 'failed',
      more: { amount?: string; provider_payment_id?: string } = {},
    ) => ctx.bus.call('orders.recordPayment', { ...key, amount: '10.00', provider_payment_id, status, ...more }),
    refund: (refund: object = {}) => merchant.post(`${url}/refund`, refund),
  };
}

test('a module reads what a payment needs, with nothing masked', async () => {
  const { id, url } = await create({
    customer: { first_name: 'Asha', phone: '9876543210', email: 'asha@example.com' },
  });
  const { order } = (await merchant.get(url)).body;
  expect(await ctx.bus.call('orders.getForPayment', { order_id: id })).toEqual({
    id,
    customer_id: order.customer_id,
    order_number: order.order_number,
    status: 'confirmed',
    currency: 'INR',
    total: '10.00',
    due_total: '10.00',
    contact: { first_name: 'Asha', last_name: null, email: 'asha@example.com', phone: '+919876543210' },
  });
  const unknown = ctx.bus.call('orders.getForPayment', { order_id: randomUUID() });
  await expect(unknown).rejects.toMatchObject({ code: 'orders.not_found' });
});

test('reports that arrive five times, out of order and at once pay once', async () => {
  const { report, read, provider_payment_id } = await create();
  const statuses = ['pending', 'failed', 'succeeded', 'pending', 'failed', 'succeeded'] as const;
  const results = await Promise.all([...statuses, ...statuses].map((status) => report(status)));
  expect(results.filter(({ is_new }) => is_new)).toHaveLength(1);
  expect(new Set(results.map(({ payment_id }) => payment_id)).size).toBe(1);
  for (const status of ['failed', 'pending'] as const) await report(status);
  expect(await read()).toMatchObject({
    paid_total: '10.00',
    payments: [{ status: 'succeeded', amount: '10.00', provider: 'stripe', provider_payment_id, user_id: null }],
  });
});

test('a pending payment that fails does not count, and may succeed at last', async () => {
  const { report, read } = await create();
  await report('pending');
  expect(await read()).toMatchObject({ paid_total: '0.00', payments: [{ status: 'pending', paid_at: null }] });
  await report('failed');
  expect(await read()).toMatchObject({ paid_total: '0.00', payments: [{ status: 'failed' }] });
  await report('succeeded');
  expect(await read()).toMatchObject({
    paid_total: '10.00',
    payments: [{ status: 'succeeded', paid_at: expect.any(String) }],
  });
});

test('money beyond what is due is kept as excess, also of a closed order, and can be refunded', async () => {
  const { report, read, refund } = await create();
  await report('succeeded', { amount: '12.00' });
  const { payment_id } = await report('succeeded', { amount: '5.00', provider_payment_id: randomUUID() });
  expect(await read()).toMatchObject({
    paid_total: '10.00',
    payments: [
      { amount: '12.00', excess: '2.00' },
      { amount: '5.00', excess: '5.00' },
    ],
  });
  expect((await refund({ payment_id })).body.order).toMatchObject({ status: 'confirmed', refunded_total: '0.00' });
  expect((await read()).refunds).toMatchObject([{ payment_id, amount: '5.00', excess: '5.00', status: 'pending' }]);
  const closed = await create({ status: 'cancelled' });
  await closed.report('succeeded');
  expect(await closed.read()).toMatchObject({ status: 'cancelled', paid_total: '10.00' });
  expect((await closed.refund()).body.order).toMatchObject({ status: 'cancelled', refunded_total: '10.00' });
});

test('when one of two payments fails, the excess of the other counts', async () => {
  const { url, report, read } = await create();
  const { payment } = (await merchant.post(`${url}/payments`, { method: 'cheque' })).body;
  await report('succeeded');
  expect(await read()).toMatchObject({ paid_total: '10.00', payments: [{ excess: '0.00' }, { excess: '10.00' }] });
  await merchant.patch(`${url}/payments/${payment.id}`, { status: 'failed' });
  expect(await read()).toMatchObject({ paid_total: '10.00', payments: [{ status: 'failed' }, { excess: '0.00' }] });
});

test('a payment belongs to one order, and its status is set by its provider', async () => {
  const [one, other] = [await create(), await create()];
  const { payment_id } = await one.report('pending');
  const { provider_payment_id } = one;
  await expect(other.report('succeeded', { provider_payment_id })).rejects.toMatchObject({
    status: 422,
    extras: { errors: { provider_payment_id: [{ code: 'taken' }] } },
  });
  await expect(other.report('succeeded', { amount: '0.00' })).rejects.toMatchObject({ status: 422 });
  expect(await merchant.patch(`${one.url}/payments/${payment_id}`, { status: 'succeeded' })).toMatchObject({
    status: 422,
    body: { errors: { status: ['The status of this payment is set by stripe.'] } },
  });
});

test('the refund of a payment by a provider is pending until it is settled; one that failed can be repeated', async () => {
  const { report, read, refund, provider_payment_id } = await create();
  await report('succeeded');
  expect((await refund()).body.order).toMatchObject({ status: 'refunded', refunded_total: '10.00' });
  const [first] = (await read()).refunds;
  expect(first).toMatchObject({ status: 'pending', amount: '10.00' });
  await platform.kernel.work(['events']);
  await expect
    .poll(() => refunds.find(({ id }) => id === first.id))
    .toMatchObject({
      amount: '10.00',
      provider: 'stripe',
      provider_payment_id,
    });
  expect((await refund()).status).toBe(422);
  const settle = (refund_id: string, status: 'succeeded' | 'failed') =>
    ctx.bus.call('orders.settleRefund', { refund_id, status, provider_refund_id: 're_1' });
  for (let times = 0; times < 2; times += 1) await settle(first.id, 'failed');
  const failed = await read();
  expect(failed).toMatchObject({ refunded_total: '0.00', payment_status: 'paid', refunds: [{ status: 'failed' }] });
  expect(failed.history.at(-1)).toMatchObject({
    reason: 'The refund failed',
    changes: { refunded_total: ['10.00', '0.00'] },
    refunded: null,
  });
  await settle(first.id, 'succeeded');
  expect((await refund()).body.order).toMatchObject({ refunded_total: '10.00' });
  const second = (await read()).refunds[1];
  for (let times = 0; times < 2; times += 1) await settle(second.id, 'succeeded');
  expect(await read()).toMatchObject({
    refunded_total: '10.00',
    payment_status: 'refunded',
    refunds: [{ status: 'failed' }, { status: 'succeeded', provider_refund_id: 're_1' }],
  });
  // Each outcome once, though it is reported twice.
  expect(settled.filter(({ id }) => [first.id, second.id].includes(id))).toEqual([
    { id: first.id, status: 'failed', provider: 'stripe', refunded: '0.00' },
    { id: second.id, status: 'succeeded', provider: 'stripe', refunded: '10.00' },
  ]);
  await expect(settle(randomUUID(), 'failed')).rejects.toMatchObject({ code: 'orders.refund_not_found' });
});
