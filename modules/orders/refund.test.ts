import fc from 'fast-check';
import { expect, test } from 'vitest';
import { startPlatform } from '../../server/testing/platform.ts';

const platform = await startPlatform();
const acme = await platform.tenant();
const merchant = acme.caller(...['view', 'create', 'edit', 'cancel', 'refund'].map((verb) => `orders.${verb}`));

async function create(total: string, status = 'delivered', payments: readonly object[] = [{ method: 'cash' }]) {
  const items = [{ name: 'Tea', quantity: 1, price: total }];
  const { body } = await merchant.post('/api/v1/orders', { items, status, payments });
  const url = `/api/v1/orders/${body.order.id}`;
  return {
    url,
    read: async () => (await merchant.get(url)).body.order,
    refund: (body: object = {}) => merchant.post(`${url}/refund`, body),
  };
}

test('partial refunds add up until the order is refunded', async () => {
  const { refund, read } = await create('10.00');
  const part = await refund({ amount: '2.50', reason: 'One was broken' });
  expect(part).toMatchObject({
    status: 200,
    body: { message: 'Refund recorded.', order: { status: 'delivered', refunded_total: '2.50' } },
  });
  expect(await refund({ amount: 7.51 })).toMatchObject({
    status: 422,
    body: { errors: { amount: ['The amount must be at most 7.50, the amount that is not refunded yet.'] } },
  });
  expect((await refund({ amount: 7.5 })).body.order).toMatchObject({ status: 'refunded', refunded_total: '10.00' });
  const common = { user_id: merchant.user.id };
  expect((await read()).history).toMatchObject([
    { ...common, status: 'delivered', previous_status: null, refunded: null },
    { ...common, status: 'delivered', previous_status: 'delivered', refunded: '2.50', reason: 'One was broken' },
    { ...common, status: 'refunded', previous_status: 'delivered', refunded: '7.50', reason: null },
  ]);
});

test('a refund without an amount refunds the rest, and only once', async () => {
  const { refund, read } = await create('10.00', 'confirmed');
  await refund({ amount: 4 });
  expect((await refund()).body.order).toMatchObject({ status: 'refunded', refunded_total: '10.00' });
  const before = await read();
  expect(await refund()).toMatchObject({ status: 422, body: { errors: { status: [expect.any(String)] } } });
  expect(await refund({ amount: 1 })).toMatchObject({
    status: 422,
    body: { errors: { status: [expect.any(String)] } },
  });
  expect(await read()).toEqual(before);
});

test('the status refunded refunds the rest', async () => {
  const { url, refund, read } = await create('10.00', 'shipped');
  await refund({ amount: 4 });
  await merchant.post(`${url}/status`, { status: 'refunded', reason: 'Lost' });
  expect(await read()).toMatchObject({
    refunded_total: '10.00',
    history: [{}, { refunded: '4.00' }, { refunded: '6.00', reason: 'Lost' }],
  });
  expect(await (await create('3.00', 'refunded', [])).read()).toMatchObject({
    paid_total: '3.00',
    refunded_total: '3.00',
    payments: [{ amount: '3.00', refunded_total: '3.00' }],
    refunds: [{ amount: '3.00' }],
    history: [{ status: 'refunded', refunded: '3.00' }],
  });
});

test.each([
  ['amount', 'delivered', { amount: 0 }],
  ['amount', 'delivered', { amount: -1 }],
  ['amount', 'delivered', { amount: '1.234' }],
  ['amount', 'delivered', { amount: null }],
  ['amount', 'delivered', { amount: '99999999999' }],
  ['reason', 'delivered', { reason: '' }],
  ['status', 'pending', {}],
  ['status', 'pending', { amount: 1 }],
  ['status', 'cancelled', { amount: 1 }],
  ['status', 'failed', {}],
  ['status', 'confirmed', {}],
  ['status', 'shipped', { amount: 1 }],
])('an invalid %s of a %s order is rejected (%#)', async (field, status, body) => {
  const { refund, read } = await create('10.00', status, status === 'delivered' ? [{ method: 'cash' }] : []);
  const before = await read();
  const answer = await refund(body);
  expect({ status: answer.status, fields: Object.keys(answer.body.errors) }).toEqual({ status: 422, fields: [field] });
  expect(await read()).toEqual(before);
});

test('the total cannot be less than the refunded amount', async () => {
  const { url, refund } = await create('10.00', 'confirmed');
  await refund({ amount: 4 });
  const { status, body } = await merchant.patch(url, { total: '3.99' });
  expect({ status, errors: body.errors }).toEqual({
    status: 422,
    errors: { total: ['The total must be at least 4.00, the amount refunded.'] },
  });
  expect((await merchant.patch(url, { total: 5 })).status).toBe(200);
  expect((await refund({ amount: 1 })).body.order).toMatchObject({ status: 'refunded', refunded_total: '5.00' });
});

test('concurrent refunds never exceed the total and none is lost', async () => {
  const cents = fc.integer({ min: 1, max: 400 });
  await fc.assert(
    fc.asyncProperty(fc.array(cents, { minLength: 8, maxLength: 8 }), async (amounts) => {
      const { refund, read } = await create('10.00');
      const answers = await Promise.all(amounts.map((amount) => refund({ amount: (amount / 100).toFixed(2) })));
      const refunded = amounts.filter((_, index) => answers[index]?.status === 200).reduce((sum, one) => sum + one, 0);
      for (const { status } of answers) expect([200, 422]).toContain(status);
      const { refunded_total, status, history } = await read();
      expect(Math.round(refunded_total * 100)).toBe(refunded);
      expect(refunded).toBeLessThanOrEqual(1000);
      expect(status).toBe(refunded === 1000 ? 'refunded' : 'delivered');
      const logged = history.reduce(
        (sum: number, { refunded }: { refunded: string | null }) => sum + Number(refunded),
        0,
      );
      expect(Math.round(logged * 100)).toBe(refunded);
    }),
    { numRuns: 8 },
  );
});

test('all problems of a refund are reported at once', async () => {
  const { refund } = await create('10.00');
  const { status, body } = await refund({ amount: '10.01', reason: '' });
  expect({ status, codes: body.error_codes }).toEqual({
    status: 422,
    codes: { amount: ['too_large'], reason: ['too_short'] },
  });
});
