import { sql } from '@chowk/kit';
import { expect, test } from 'vitest';
import { startPlatform } from '../../server/testing/platform.ts';

const platform = await startPlatform();
const permissions = [
  ...['view', 'create', 'edit', 'cancel', 'refund', 'delete'].map((verb) => `orders.${verb}`),
  ...['view', 'create', 'edit'].map((verb) => `products.${verb}`),
  'settings.edit',
];

async function shop() {
  const tenant = await platform.tenant();
  const caller = tenant.caller(...permissions);
  const product = { sku: 'TEA', title: 'Tea', price: '10.00', stock: 10 };
  expect((await caller.post('/api/v1/products', product)).status).toBe(201);
  const order = async (fields: object) => {
    const { status, body } = await caller.post('/api/v1/orders', { payments: [{ method: 'cash' }], ...fields });
    expect({ status, body }).toMatchObject({ status: 201 });
    const url = `/api/v1/orders/${body.order.id}`;
    const ids: string[] = body.order.items.map(({ id }: { id: string }) => id);
    return {
      url,
      placed: body.order,
      read: async () => (await caller.get(url)).body.order,
      refund: (refund: object) => caller.post(`${url}/refund`, refund),
      refundUnits: (quantity: number, more: object = {}) =>
        caller.post(`${url}/refund`, { items: [{ item_id: ids[0], quantity }], ...more }),
      setStatus: (status: string) => caller.post(`${url}/status`, { status }),
    };
  };
  const stock = async () => {
    const { body } = await caller.get('/api/v1/variants?sku=TEA');
    const [{ stock, reserved }] = body.variants;
    return { stock, reserved };
  };
  return { tenant, caller, order, stock };
}

test('units are refunded with their share of discounts and taxes, which adds up to the cent', async () => {
  const { caller, order } = await shop();
  for (const name of ['CGST', 'SGST']) {
    expect((await caller.post('/api/v1/tax-rates', { name, country: 'IN', rate: '9' })).status).toBe(201);
  }
  const { placed, read, refundUnits } = await order({
    status: 'delivered',
    items: [
      { sku: 'TEA', quantity: 3, discount: { kind: 'fixed', value: '1.00' } },
      { name: 'Card', quantity: 1, price: '0.05' },
    ],
    shipping: { title: 'Courier', price: 5 },
  });
  // 30.00 less 1.00 and 2 × 2.61 of tax are 34.22: 11.41 (11.4067), 11.40 and 11.41.
  expect(placed.items[0]).toMatchObject({ total: '34.22' });
  const amounts: string[] = [];
  for (let unit = 0; unit < 3; unit += 1) {
    const { status, body } = await refundUnits(1);
    expect({ status, body }).toMatchObject({ status: 200, body: { order: { status: 'delivered' } } });
    amounts.push((await read()).refunds.at(-1).amount);
  }
  expect(amounts).toEqual(['11.41', '11.40', '11.41']);
  expect(await read()).toMatchObject({ refunded_total: '34.22' });
  expect(await refundUnits(1)).toMatchObject({
    status: 422,
    body: { errors: { 'items.0.quantity': [expect.stringContaining('At most 0 of Tea')] } },
  });
});

test.each([
  ['JPY', '100', 3, ['33.00', '34.00', '33.00']],
  ['KWD', '1.000', 3, ['0.333', '0.334', '0.333']],
  ['INR', '0.01', 2, ['0.01', null]],
  ['INR', '1.00', 7, ['0.14', '0.15', '0.14', '0.14', '0.14', '0.15', '0.14']],
])(
  'units of %s %s for %i are refunded one by one to the last minor unit',
  async (currency, total, quantity, expected) => {
    const { order } = await shop();
    const discount = { kind: 'fixed', value: String(100 * quantity - Number(total)) };
    const items = [{ name: 'Tea', quantity, price: '100.00', discount }];
    const { placed, read, refundUnits } = await order({ currency, status: 'delivered', items });
    expect(placed.items[0].total).toBe(currency === 'KWD' ? '1.00' : Number(total).toFixed(2));
    for (const amount of expected) {
      const { status } = await refundUnits(1);
      if (amount === null) expect(status).toBe(422);
      else expect((await read()).refunds.at(-1).amount).toBe(amount);
    }
    expect(await read()).toMatchObject({ status: 'refunded', refunded_total: placed.total });
  },
);

test('an amount of your own counts, and a refund by items is at most what was paid', async () => {
  const { order } = await shop();
  const items = [{ sku: 'TEA', quantity: 4 }];
  const { read, refundUnits } = await order({ status: 'shipped', items, payments: [{ method: 'cash', amount: 25 }] });
  await refundUnits(1, { amount: '2.50' });
  expect((await refundUnits(3)).body.order).toMatchObject({ status: 'refunded', refunded_total: '25.00' });
  expect((await read()).refunds).toMatchObject([
    { amount: '2.50', items: [{ quantity: 1 }] },
    { amount: '22.50', items: [{ quantity: 3 }] },
  ]);
});

test('unknown items, items twice and too many units are refused', async () => {
  const { order } = await shop();
  const { placed, refund, read } = await order({ status: 'shipped', items: [{ sku: 'TEA', quantity: 3 }] });
  const before = await read();
  const item_id = placed.items[0].id;
  const unknown = '0190a000-0000-7000-8000-000000000000';
  const { status, body } = await refund({
    items: [
      { item_id, quantity: 2 },
      { item_id, quantity: 2 },
      { item_id: unknown, quantity: 1 },
    ],
  });
  expect({ status, codes: body.error_codes }).toEqual({
    status: 422,
    codes: { 'items.1.quantity': ['too_large'], 'items.2.item_id': ['unknown'] },
  });
  for (const items of [[], [{ item_id, quantity: 0 }], [{ item_id }]]) {
    expect((await refund({ items })).status).toBe(422);
  }
  expect(await refund({ payment_id: unknown })).toMatchObject({
    status: 422,
    body: { error_codes: { payment_id: ['unknown'] } },
  });
  expect(await refund({ restock: true, items: [{ item_id, quantity: 1 }], location_id: unknown })).toMatchObject({
    status: 422,
    body: { errors: { location_id: [expect.any(String)] } },
  });
  expect(await refund({ restock: true, amount: 1 })).toMatchObject({
    status: 422,
    body: { errors: { items: ['Name the items that go back into the stock.'] } },
  });
  expect(await read()).toEqual(before);
});

test('shipped units go back into the stock if asked, units that were not shipped are released', async () => {
  const { order, stock } = await shop();
  const shipped = await order({ status: 'shipped', items: [{ sku: 'TEA', quantity: 4 }] });
  expect(await stock()).toEqual({ stock: 6, reserved: 0 });
  await shipped.refundUnits(1);
  expect(await stock()).toEqual({ stock: 6, reserved: 0 });
  await shipped.refundUnits(2, { restock: true });
  expect(await stock()).toEqual({ stock: 8, reserved: 0 });
  expect((await shipped.read()).refunds).toMatchObject([{ restocked: false }, { restocked: true }]);
  await shipped.setStatus('delivered');
  expect(await stock()).toEqual({ stock: 8, reserved: 0 });

  const open = await order({ status: 'confirmed', items: [{ sku: 'TEA', quantity: 4 }] });
  expect(await stock()).toEqual({ stock: 8, reserved: 4 });
  await open.refundUnits(1, { restock: true });
  expect(await stock()).toEqual({ stock: 8, reserved: 3 });
  await open.setStatus('shipped');
  expect(await stock()).toEqual({ stock: 5, reserved: 0 });
  await open.refund({ restock: true });
  expect(await stock()).toEqual({ stock: 8, reserved: 0 });
  expect(await open.read()).toMatchObject({
    status: 'refunded',
    refunds: [{ items: [{ quantity: 1 }] }, { amount: '30.00', items: [{ quantity: 3 }], restocked: true }],
  });
});

test('a refund is divided over the payments, the newest first, or taken from the one that is named', async () => {
  const { order } = await shop();
  const payments = [
    { method: 'upi', amount: 5 },
    { method: 'card', amount: 15 },
    { method: 'cash', amount: 10 },
  ];
  const { refund, read } = await order({ status: 'delivered', items: [{ sku: 'TEA', quantity: 3 }], payments });
  const [upi, card, cash] = (await read()).payments;
  await refund({ amount: 12, reason: 'Broken' });
  await refund({ amount: 4, payment_id: upi.id });
  expect((await read()).refunds).toMatchObject([
    { payment_id: cash.id, amount: '10.00', reason: 'Broken' },
    { payment_id: card.id, amount: '2.00', reason: 'Broken' },
    { payment_id: upi.id, amount: '4.00', reason: null },
  ]);
  expect(await refund({ payment_id: upi.id, amount: 2 })).toMatchObject({
    status: 422,
    body: { errors: { amount: ['The amount must be at most 1.00, the amount that is not refunded yet.'] } },
  });
  expect((await refund({ payment_id: cash.id })).body.errors).toEqual({
    payment_id: ['This payment is already refunded.'],
  });
  expect((await refund({})).body.order).toMatchObject({ status: 'refunded', refunded_total: '30.00' });
  expect((await read()).payments.map(({ refunded_total }: never) => refunded_total)).toEqual([
    '5.00',
    '15.00',
    '10.00',
  ]);
});

test('a paid order that is cancelled keeps its status when it is refunded', async () => {
  const { order } = await shop();
  const { refund, setStatus, read } = await order({ items: [{ sku: 'TEA', quantity: 1 }] });
  await setStatus('cancelled');
  expect((await refund({})).body.order).toMatchObject({ status: 'cancelled', payment_status: 'refunded' });
  expect((await refund({})).body.errors).toEqual({ status: ['The order is already refunded.'] });
  expect((await read()).refunds).toMatchObject([{ amount: '10.00' }]);
});

test('an order of before payments were recorded is refunded without a payment', async () => {
  const { tenant, order } = await shop();
  const items = [{ sku: 'TEA', quantity: 1 }];
  const { placed, refund, read } = await order({ items, status: 'delivered', payments: [] });
  await tenant.db.run(sql`UPDATE orders SET paid_total = total WHERE id = ${placed.id}`);
  expect((await refund({ amount: 4 })).status).toBe(200);
  expect(await read()).toMatchObject({ refunded_total: '4.00', refunds: [{ payment_id: null, amount: '4.00' }] });
});

test('units that were refunded stay in the order when it is edited', async () => {
  const { caller, order, stock } = await shop();
  const { url, placed, refundUnits } = await order({ items: [{ sku: 'TEA', quantity: 4 }] });
  const [{ id }] = placed.items;
  await refundUnits(2, { restock: true });
  const edit = (items: object[]) => caller.patch(url, { items });
  expect(await edit([{ id, quantity: 1 }])).toMatchObject({
    status: 422,
    body: { errors: { 'items.0.quantity': [expect.stringContaining('at least 2')] } },
  });
  expect(await edit([{ name: 'Card', quantity: 1, price: 40 }])).toMatchObject({
    status: 422,
    body: { errors: { items: [expect.any(String)] } },
  });
  await caller.post(`${url}/shipments`, { items: [{ item_id: id, quantity: 1 }] });
  expect((await edit([{ id, quantity: 2 }])).status).toBe(422);
  expect((await edit([{ id, quantity: 3 }])).body.order).toMatchObject({
    status: 'shipped',
    items: [{ quantity: 3, shipped_quantity: 1 }],
  });
  expect(await stock()).toEqual({ stock: 9, reserved: 0 });
});
