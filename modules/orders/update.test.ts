import { sql } from '@chowk/kit';
import { expect, test } from 'vitest';
import { startPlatform } from '../../server/testing/platform.ts';
import { transitions } from './rules.ts';
import type { Status } from './schemas.ts';

const platform = await startPlatform();
const acme = await platform.tenant();
const all = ['view', 'create', 'edit', 'cancel', 'refund', 'delete'].map((verb) => `orders.${verb}`);
const merchant = acme.caller(...all, 'customers.view_sensitive');
const agent = acme.caller('orders.view', 'orders.create', 'orders.edit');
const unknownId = '0190a000-0000-7000-8000-000000000000';
const tea = { name: 'Tea', sku: 'T-1', quantity: 2, price: '4.50' };
const payments = [{ method: 'cash' }];
const cup = { name: 'Cup', quantity: 1, price: '3.00' };

async function create(fields: object = {}) {
  const { status, body } = await merchant.post('/api/v1/orders', { items: [tea], ...fields });
  expect({ status, body }).toMatchObject({ status: 201 });
  const url = `/api/v1/orders/${body.order.id}`;
  return {
    order: body.order,
    url,
    read: async (as = merchant) => (await as.get(url)).body.order,
    patch: (changes: object, as = merchant) => as.patch(url, changes),
    setStatus: (status: string, more = {}, as = merchant) => as.post(`${url}/status`, { status, ...more }),
    cancel: (more = {}) => merchant.post(`${url}/cancel`, more),
    refund: (more = {}) => merchant.post(`${url}/refund`, more),
    statistics: () =>
      acme.db.row(sql`
        SELECT total_orders, total_spent, avg_order_value, first_order_at, last_order_at FROM customers
        WHERE id = ${body.order.customer_id}`),
  };
}
const refusal = ({ status, body }: { status: number; body: { errors?: object } }) => ({
  status,
  fields: Object.keys(body.errors ?? {}),
});

test('an update changes only the fields that are sent', async () => {
  const { order, patch, read } = await create({ note: 'Old', shipping_address: { city: 'Pune' } });
  const changes = { note: 'New', placed_at: '2026-01-02T03:04:05.000Z' };
  const { status, body } = await patch(changes);
  expect({ status, message: body.message }).toEqual({ status: 200, message: 'Order saved.' });
  expect(body.order).toEqual({ ...order, ...changes, updated_at: expect.any(String) });
  expect(await read()).toMatchObject(body.order);
  expect((await patch({ note: null, shipping_address: null })).body.order).toMatchObject({
    note: null,
    shipping_address: null,
  });
});

test('items are replaced as a whole and determine the total unless it is sent', async () => {
  const { patch, statistics, order } = await create({ total: 50 });
  const replaced = (await patch({ items: [cup, { ...tea, quantity: 3 }] })).body.order;
  expect(replaced).toMatchObject({ total: '16.50', items: [cup, { ...tea, quantity: 3, total: '13.50' }] });
  expect(replaced.items).toHaveLength(2);
  expect(await statistics()).toMatchObject({ total_orders: 1, total_spent: '16.50', avg_order_value: '16.50' });
  expect((await patch({ items: [cup], total: '7' })).body.order).toMatchObject({ total: '7.00' });
  expect((await patch({ total: 8.5 })).body.order).toMatchObject({ total: '8.50', items: [cup] });
  const placed_at = '2020-05-06T07:08:09.000Z';
  await patch({ placed_at });
  expect(await statistics()).toMatchObject({
    total_spent: '8.50',
    first_order_at: placed_at,
    last_order_at: placed_at,
  });
  const { rows } = (await acme.db.row<{ rows: number }>(
    sql`SELECT count(*) AS rows FROM order_items WHERE order_id = ${order.id}`,
  )) as { rows: number };
  expect(rows).toBe(1);
});

test('the discount of an item is set, kept, changed and removed', async () => {
  const { order, patch, read } = await create();
  const [{ id }] = order.items;
  const change = async (item: object) => {
    const { status, body } = await patch({ items: [{ id, quantity: 2, ...item }] });
    expect({ status, body }).toMatchObject({ status: 200 });
    const [{ discount }] = (await read()).items;
    return { discount, total: body.order.total };
  };
  const discount = { title: 'Discount', kind: 'fixed', value: '1.50' };
  expect(await change({ discount: { kind: 'fixed', value: 1.5 } })).toEqual({ discount, total: '7.50' });
  expect(await change({ quantity: 1 })).toEqual({ discount, total: '3.00' });
  const half = { title: 'Friend', kind: 'percent', value: '50.00' };
  expect(await change({ discount: half })).toEqual({ discount: half, total: '4.50' });
  expect(await change({ discount: null })).toEqual({ discount: null, total: '9.00' });
  const tooMuch = await patch({ items: [{ id, quantity: 2, discount: { kind: 'percent', value: 101 } }] });
  expect(refusal(tooMuch)).toEqual({ status: 422, fields: ['items.0.discount.value'] });
});

test('an update without changes writes nothing', async () => {
  const { order, patch, setStatus, read } = await create({ note: 'Same' });
  const before = await read();
  const { status, body } = await patch({ note: 'Same', items: [tea], total: 9, status: 'pending' });
  expect({ status, order: body.order }).toEqual({ status: 200, order });
  expect((await setStatus('pending', { reason: 'again' })).status).toBe(200);
  expect(await read()).toEqual(before);
});

test.each([
  ['items', { items: [] }],
  ['items.0.quantity', { items: [{ ...tea, quantity: -1 }] }],
  ['total', { total: 'much' }],
  ['total', { items: [{ ...tea, quantity: 1_000_000, price: '99999' }] }],
  ['status', { status: 'gone' }],
  ['status', { status: null }],
  ['currency', { currency: null }],
  ['currency', { currency: 'USD' }],
  ['placed_at', { placed_at: '2026-13-01T00:00:00Z' }],
  ['note', { note: 5 }],
  ['status', { note: 'Half', status: 'refunded' }],
])('an invalid %s is rejected and nothing is saved (%#)', async (field, changes) => {
  const { patch, read } = await create();
  const before = await read();
  expect(refusal(await patch(changes))).toEqual({ status: 422, fields: [field] });
  expect(await read()).toEqual(before);
});

test('unknown and deleted orders are 404', async () => {
  const { order, url, read } = await create();
  expect((await merchant.delete(url)).body).toEqual({ message: 'Order deleted.' });
  expect(await read()).toBeUndefined();
  for (const gone of [url, `/api/v1/orders/${unknownId}`]) {
    const answers = await Promise.all([
      merchant.get(gone),
      merchant.patch(gone, { note: 'x' }),
      merchant.delete(gone),
      merchant.post(`${gone}/status`, { status: 'confirmed' }),
      merchant.post(`${gone}/cancel`),
      merchant.post(`${gone}/refund`),
      merchant.post(`${gone}/payments`, { method: 'cash' }),
      merchant.patch(`${gone}/payments/${unknownId}`, { status: 'failed' }),
    ]);
    for (const { status, body } of answers) {
      expect({ status, code: body.code }).toEqual({ status: 404, code: 'orders.not_found' });
    }
  }
  expect(Number((await create()).order.order_number)).toBeGreaterThan(Number(order.order_number));
  expect(refusal(await merchant.get('/api/v1/orders/1001'))).toEqual({ status: 422, fields: ['id'] });
});

const statuses = Object.keys(transitions) as Status[];
const table: Record<Status, string> = {
  pending: 'confirmed processing shipped delivered cancelled failed',
  confirmed: 'processing shipped delivered cancelled failed refunded',
  processing: 'shipped delivered cancelled failed refunded',
  shipped: 'delivered failed refunded',
  delivered: 'refunded',
  failed: 'pending confirmed cancelled',
  cancelled: '',
  refunded: '',
};

test.each(statuses)('a %s order accepts only its allowed transitions', async (from) => {
  for (const to of statuses) {
    // Free of charge: nothing has to be paid before a refund.
    const { setStatus, patch, read } = await create({ status: from, items: [{ ...tea, price: 0 }] });
    const answer = statuses.indexOf(to) % 2 ? await setStatus(to) : await patch({ status: to });
    const possible = from === to || table[from].split(' ').includes(to);
    expect({ to, status: answer.status }).toEqual({ to, status: possible ? 200 : 422 });
    const { status, history, next_statuses } = await read();
    expect({ status, steps: history.length, next_statuses }).toEqual({
      status: possible ? to : from,
      steps: possible && from !== to ? 2 : 1,
      next_statuses: table[possible ? to : from].split(' ').filter(Boolean),
    });
    if (possible) continue;
    const advice = table[from] ? `Allowed: ${table[from].replaceAll(' ', ', ')}.` : `A ${from} order is final.`;
    expect(answer.body.errors.status).toEqual([`The status cannot change from ${from} to ${to}. ${advice}`]);
  }
});

test('an order that was never paid cannot become refunded', async () => {
  const { setStatus, patch, read } = await create({ status: 'delivered' });
  const errors = { status: ['The order was never paid, so it cannot be refunded.'] };
  expect(await setStatus('refunded')).toMatchObject({ status: 422, body: { errors } });
  expect(await patch({ status: 'refunded' })).toMatchObject({ status: 422, body: { errors } });
  expect(await read()).toMatchObject({ status: 'delivered', refunded_total: '0.00', next_statuses: [] });
});

test('the history has the user and reason of each status', async () => {
  const { setStatus, cancel, read } = await create();
  await setStatus('confirmed', {}, agent);
  const { status, body } = await cancel({ reason: 'Out of tea' });
  expect({ status, body }).toMatchObject({
    status: 200,
    body: { message: 'Order cancelled.', order: { status: 'cancelled' } },
  });
  expect((await read()).history).toMatchObject([
    { status: 'pending', previous_status: null, reason: null, user_id: merchant.user.id },
    { status: 'confirmed', previous_status: 'pending', reason: null, user_id: agent.user.id },
    { status: 'cancelled', previous_status: 'confirmed', reason: 'Out of tea', user_id: merchant.user.id },
  ]);
});

test('cancelling and refunding need their own permissions', async () => {
  const { setStatus, patch, read } = await create({ status: 'confirmed' });
  for (const [status, permission] of [
    ['cancelled', 'orders.cancel'],
    ['refunded', 'orders.refund'],
  ] as const) {
    for (const answer of [await setStatus(status, {}, agent), await patch({ note: 'x', status }, agent)]) {
      expect(answer).toMatchObject({ status: 403, body: { message: `This needs the permission ${permission}.` } });
    }
  }
  expect(await read()).toMatchObject({ status: 'confirmed', note: null });
  // The current status needs no permission.
  const closed = await create({ status: 'cancelled' });
  expect((await closed.patch({ status: 'cancelled', note: 'Called' }, agent)).status).toBe(200);
});

test('statistics exclude cancelled and failed orders and include refunded ones', async () => {
  const { setStatus, cancel, statistics } = await create({ placed_at: '2026-01-01T00:00:00.000Z' });
  const moment = '2026-01-01T00:00:00.000Z';
  const counted = {
    total_orders: 1,
    total_spent: '9.00',
    avg_order_value: '9.00',
    first_order_at: moment,
    last_order_at: moment,
  };
  const none = {
    total_orders: 0,
    total_spent: '0.00',
    avg_order_value: '0.00',
    first_order_at: null,
    last_order_at: null,
  };
  expect(await statistics()).toEqual(counted);
  await setStatus('failed');
  expect(await statistics()).toEqual(none);
  await setStatus('confirmed');
  expect(await statistics()).toEqual(counted);
  await cancel();
  expect(await statistics()).toEqual(none);
  const refunded = await create({ status: 'delivered', payments });
  await refunded.refund();
  expect(await refunded.statistics()).toMatchObject({ total_orders: 1, total_spent: '9.00' });
  await merchant.delete(refunded.url);
  expect(await refunded.statistics()).toEqual(none);
});

test('statistics cover all orders of the customer', async () => {
  const customer = { phone: '9000000001' };
  const at = (day: string) => `2026-01-${day}T00:00:00.000Z`;
  const first = await create({ customer, total: 10, placed_at: at('02') });
  const second = await create({ customer, total: '10.01', placed_at: at('05') });
  await create({ customer, total: 5, placed_at: at('03'), status: 'cancelled' });
  expect(await first.statistics()).toEqual({
    total_orders: 2,
    total_spent: '20.01',
    avg_order_value: '10.01',
    first_order_at: at('02'),
    last_order_at: at('05'),
  });
  await merchant.delete(second.url);
  expect(await first.statistics()).toEqual({
    total_orders: 1,
    total_spent: '10.00',
    avg_order_value: '10.00',
    first_order_at: at('02'),
    last_order_at: at('02'),
  });
});

test('items, total and date of a shipped or closed order cannot change, its note can', async () => {
  for (const status of ['shipped', 'delivered', 'cancelled', 'refunded']) {
    const { patch, read } = await create({ status });
    const changed = [
      { total: 1 },
      { items: [cup] },
      { items: [cup], note: 'x' },
      { placed_at: '2026-01-01T00:00:00Z' },
    ];
    for (const changes of changed) {
      const answer = await patch(changes);
      expect(answer).toMatchObject({
        status: 409,
        body: {
          code: 'orders.closed',
          message: `Items, total and date of a ${status} order cannot change.`,
        },
      });
    }
    expect((await patch({ items: [tea], total: '9.00', note: 'Kept' })).status).toBe(200);
    expect(await read()).toMatchObject({ total: '9.00', items: [tea], note: 'Kept' });
  }
});

test('an order can be corrected and shipped in one step', async () => {
  const { patch } = await create();
  const { status, body } = await patch({ total: 8, status: 'shipped' });
  expect({ status, order: body.order }).toMatchObject({ status: 200, order: { status: 'shipped', total: '8.00' } });
});

test('the currency of an order never changes, and sending it back changes nothing', async () => {
  const { patch, read } = await create({ currency: 'USD' });
  expect((await patch({ currency: 'EUR' })).body.errors).toEqual({
    currency: ['The currency is set when an order is created; it stays USD.'],
  });
  expect((await patch({ currency: 'USD', note: 'Same' })).status).toBe(200);
  expect(await read()).toMatchObject({ currency: 'USD', note: 'Same' });
});

test('every change of items, total or date is in the history with the values before and after', async () => {
  const { order, patch, read } = await create();
  const placed_at = '2026-01-02T03:04:05.000Z';
  await patch({ items: [cup] }, agent);
  await patch({ total: 5, placed_at, status: 'confirmed' }, agent);
  await patch({ note: 'Ring twice' }, agent);
  const plain = { ...tea };
  const edited = { user_id: agent.user.id, status: 'pending', previous_status: 'pending' };
  expect((await read()).history).toMatchObject([
    { status: 'pending', changes: null },
    { ...edited, changes: { items: [[plain], [{ ...cup, sku: null }]], total: ['9.00', '3.00'] } },
    { ...edited, changes: { total: ['3.00', '5.00'], placed_at: [order.placed_at, placed_at] } },
    { status: 'confirmed', previous_status: 'pending', changes: null },
  ]);
});

test('streets are masked without the permission, and sending them back keeps them', async () => {
  const shipping_address = {
    first_name: 'Asha',
    address1: '1 High St',
    address2: 'Flat 2',
    city: 'Pune',
    phone: '98765',
  };
  const { url, order, read, patch } = await create({
    shipping_address,
    customer: { phone: '+919876543299', first_name: 'Asha', email: 'street@example.com' },
  });
  const hidden = { first_name: 'Asha', address1: null, address2: null, city: 'Pune', phone: null };
  expect(await read()).toMatchObject({ shipping_address, customer: { phone: '+919876543299' } });
  const shown = await read(agent);
  expect(shown.shipping_address).toEqual(hidden);
  expect(shown.customer).toEqual({
    id: order.customer_id,
    first_name: 'Asha',
    last_name: '',
    email: 'street@example.com',
    phone: '+**********99',
  });
  const body = { items: [tea], shipping_address };
  expect((await agent.post('/api/v1/orders', body)).body.order.shipping_address).toEqual(hidden);
  const { body: saved } = await patch({ shipping_address: { ...shown.shipping_address, city: 'Mumbai' } }, agent);
  expect(saved.order.shipping_address).toEqual({ ...hidden, city: 'Mumbai' });
  expect((await agent.post(`${url}/status`, { status: 'confirmed' })).body.order.shipping_address.address1).toBeNull();
  expect((await read()).shipping_address).toEqual({ ...shipping_address, city: 'Mumbai' });
  const moved = { address1: '2 Low St', city: 'Delhi' };
  await patch({ shipping_address: moved }, agent);
  expect((await read()).shipping_address).toMatchObject(moved);
});

test('a fully masked address is kept when sent back and removed by null', async () => {
  const shipping_address = { address1: '1 High St', phone: '98765' };
  const { read, patch } = await create({ shipping_address });
  const { shipping_address: shown } = await read(agent);
  expect(shown).toEqual({ address1: null, phone: null });
  expect((await patch({ shipping_address: shown, note: 'Ring' }, agent)).status).toBe(200);
  expect(await read()).toMatchObject({ shipping_address, note: 'Ring' });
  await patch({ shipping_address: null }, agent);
  expect((await read()).shipping_address).toBeNull();
});

test('all problems of a change are reported at once: fields, total and status', async () => {
  const { patch, refund, setStatus } = await create({ status: 'confirmed', payments });
  await refund({ amount: 4 });
  const wrong = await patch({
    note: 7,
    currency: 'rupees',
    items: [{ ...tea, quantity: 0 }],
    total: 1,
    status: 'pending',
  });
  expect({ status: wrong.status, codes: wrong.body.error_codes }).toEqual({
    status: 422,
    codes: {
      note: ['wrong_type'],
      currency: ['invalid'],
      'items.0.quantity': ['too_small'],
      total: ['invalid'],
      status: ['invalid'],
    },
  });
  expect(refusal(await patch({ total: 1, status: 'pending' }))).toEqual({ status: 422, fields: ['total', 'status'] });
  expect(refusal(await setStatus('pending', { reason: ' ' }))).toEqual({ status: 422, fields: ['reason', 'status'] });
  const delivered = await create({ status: 'delivered' });
  expect(refusal(await delivered.cancel({ reason: 7 }))).toEqual({
    status: 422,
    fields: ['reason', 'status'],
  });
});

test('every change of an older version is rejected', async () => {
  const { url, patch, read } = await create({ status: 'confirmed' });
  const { headers } = await merchant.get(url);
  const version = { 'if-match': headers.etag as string };
  expect((await merchant.patch(url, { note: 'First' }, version)).status).toBe(200);
  const answers = [
    await merchant.patch(url, { note: 'Second' }, version),
    await merchant.post(`${url}/status`, { status: 'shipped' }, version),
    await merchant.post(`${url}/cancel`, {}, version),
    await merchant.post(`${url}/refund`, {}, version),
    await merchant.delete(url, undefined, version),
  ];
  for (const { status, body } of answers) {
    expect({ status, code: body.code }).toEqual({ status: 412, code: 'http.precondition_failed' });
  }
  const current = await patch({ note: 'Third' });
  expect(await read()).toMatchObject({ note: 'Third', status: 'confirmed' });
  const { status } = await merchant.delete(url, undefined, { 'if-match': current.headers.etag as string });
  expect(status).toBe(200);
});

test('changes, refunds and deletions are in the audit log with their values', async () => {
  const fields = { shipping_address: { city: 'Pune' }, payment_method: 'cash_on_delivery' };
  const { order, url, patch, refund, setStatus } = await create(fields);
  await patch({ items: [cup], note: 'Ring twice', shipping_address: { city: 'Delhi' } });
  await setStatus('delivered', { reason: 'Asha was at home' });
  await refund({ amount: 1 });
  await refund();
  await merchant.delete(url);
  const { body } = await acme.caller('audit.view').get(`/api/v1/audit?resource=orders&resource_id=${order.id}`);
  const hidden = '••••';
  const { name, sku, quantity, price } = order.items[0];
  const item = { name, sku, quantity, price };
  expect(body.audit).toMatchObject([
    { action: 'orders.delete', changes: { order_number: [order.order_number, null], total: ['3.00', null] } },
    { action: 'orders.refund', changes: { status: ['delivered', 'refunded'], refunded_total: ['1.00', '3.00'] } },
    { action: 'orders.refund', changes: { refunded_total: ['0.00', '1.00'] } },
    { action: 'orders.updateStatus', changes: { status: ['pending', 'delivered'], paid_total: ['0.00', '3.00'] } },
    {
      action: 'orders.update',
      changes: { total: ['9.00', '3.00'], items: [[item], [{ ...cup, sku: null }]], note: hidden },
    },
    { action: 'orders.create', outcome: 'ok', transport: 'rest', user_id: merchant.user.id },
  ]);
  expect(body.audit[4].changes.shipping_address).toBe(hidden);
});
