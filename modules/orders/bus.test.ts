import { join } from 'node:path';
import { afterCommit, type Ctx, type Delivery, defineModule, inTransaction, sql } from '@chowk/kit';
import { expect, onTestFinished, test } from 'vitest';
import { Context } from '../../server/src/context/context.ts';
import { type LoadedModule, loadModule } from '../../server/src/loader/load-modules.ts';
import { readManifest } from '../../server/src/loader/manifest.ts';
import { startPlatform } from '../../server/testing/platform.ts';
import { actions } from './actions.ts';
import { operations } from './operations.ts';
import type { Order } from './schemas.ts';

const folder = import.meta.dirname;
const load = async (path: string) => loadModule(path, await readManifest(join(path, 'module.json')));
const [orders, customers] = [await load(folder), await load(join(folder, '../customers'))];

const receivedInTransaction: { name: string; payload: { order: Order } }[] = [];
const receivedAfterCommit: { name: string; payload: { order: Order } }[] = [];
let refuseWithin = false;

const listenWithin = async (_: Ctx, payload: { order: Order }, { name }: Delivery) => {
  if (refuseWithin) throw new Error('the listener refuses');
  receivedInTransaction.push({ name, payload });
};
const listenAfter = async (_: Ctx, payload: { order: Order }, { name }: Delivery) => {
  receivedAfterCommit.push({ name, payload });
};

const events = [
  'order.created',
  'order.updated',
  'order.status_changed',
  'order.payment_added',
  'order.payment_updated',
  'order.refunded',
  'order.refund_settled',
  'order.deleted',
] as const;
/** A module that calls orders over the bus. */
const shop: LoadedModule = {
  alias: 'shop',
  folder,
  manifest: {
    name: 'Shop',
    alias: 'shop',
    version: '1.0.0',
    description: 'Uses orders.',
    compatibility: { platform: '^1.0.0' },
    auto_install: true,
    api: { consumes: Object.keys({ ...actions, ...operations }).filter((name) => name !== 'orders.count') },
    events: { listens: [...events] },
  },
  definition: defineModule({
    listeners: events.flatMap((event) => [
      inTransaction(event, `${event} within`, listenWithin),
      afterCommit(event, `${event} after`, listenAfter),
    ]),
  }),
  migrations: { owner: 'shop', migrations: [] },
};

const platform = await startPlatform({ modules: [orders, customers, shop] });
const acme = await platform.tenant();

function createContext(module: string, ...permissions: string[]): Ctx {
  const { caller: user } = platform.identity.mint();
  const membership = { role: 'Test', permissions: new Set(permissions) };
  return new Context(platform.kernel, { requestId: 'test', module, tenant: acme, user, membership });
}
const all = ['view', 'create', 'edit', 'cancel', 'refund', 'delete'].map((verb) => `orders.${verb}`);
const ctx = createContext('shop', ...all, 'customers.view_sensitive');
const agent = createContext('shop', 'orders.view', 'orders.create', 'orders.edit');
const items = [{ name: 'Tea', quantity: 2, price: '4.50' }];
const shipping_address = { address1: '1 High St', city: 'Pune', phone: '98765' };

test('another module can create, read, change, list and count orders', async () => {
  const order = await ctx.bus.call('orders.create', { items, customer: { email: 'bus@example.com' }, note: 'By bus' });
  expect(order).toMatchObject({ order_number: '1001', status: 'pending', total: '9.00' });
  const found = await ctx.bus.call('orders.get', { id: order.id });
  expect(found).toMatchObject({ ...order, customer: { email: 'bus@example.com' }, history: [{ status: 'pending' }] });
  expect(await ctx.bus.call('orders.getByNumber', { order_number: '1001' })).toEqual(found);
  const changed = await ctx.bus.call('orders.update', { id: order.id, total: '5' });
  expect(changed).toMatchObject({ total: '5.00', note: 'By bus' });
  const shipped = await ctx.bus.call('orders.updateStatus', { id: order.id, status: 'shipped', reason: 'Packed' });
  expect(shipped).toMatchObject({ status: 'shipped', total: '5.00' });
  expect(await ctx.bus.call('orders.list', { search: 'bus', status: ['shipped'] })).toMatchObject({
    orders: [shipped],
    pagination: { current_page: 1, last_page: 1, per_page: 20, total: 1 },
  });
  const own = createContext('orders', 'orders.view');
  expect(await own.bus.call('orders.count', {})).toEqual({ count: 1 });
  expect(await own.bus.call('orders.count', { customer_id: order.customer_id, max_total: '4' })).toEqual({ count: 0 });
  expect(await own.bus.call('orders.count', { status: ['pending'] })).toEqual({ count: 0 });
});

test('another module can have an order paid, shipped in parts, refunded and cancelled', async () => {
  const order = await ctx.bus.call('orders.create', { items, status: 'confirmed' });
  const [{ id: item_id } = { id: '' }] = order.items;
  const { id } = order;
  const priced = await ctx.bus.call('orders.previewChanges', { id, items: [{ id: item_id, quantity: 3 }] });
  expect(priced).toMatchObject({ total: '13.50', difference: '4.50' });
  const payment = await ctx.bus.call('orders.addPayment', { id, method: 'cheque', amount: '9.00', status: 'pending' });
  const paid = await ctx.bus.call('orders.updatePayment', { id, payment: payment.id, status: 'succeeded' });
  expect(paid).toMatchObject({ status: 'succeeded', amount: '9.00' });

  const parcel = { id, items: [{ item_id, quantity: 1 }] };
  const lost = await ctx.bus.call('orders.createShipment', { ...parcel, carrier: 'India Post' });
  await ctx.bus.call('orders.cancelShipment', { id, shipment: lost.id });
  const sent = await ctx.bus.call('orders.createShipment', parcel);
  await ctx.bus.call('orders.updateShipment', { id, shipment: sent.id, status: 'delivered' });
  const refunded = await ctx.bus.call('orders.refund', { id, items: [{ item_id, quantity: 1 }] });
  expect(refunded).toMatchObject({ status: 'processing', refunded_total: '4.50' });
  expect(await ctx.bus.call('orders.get', { id })).toMatchObject({
    paid_total: '9.00',
    shipments: [{ status: 'cancelled' }, { status: 'delivered' }],
    refunds: [{ amount: '4.50', status: 'succeeded' }],
  });

  const other = await ctx.bus.call('orders.create', { items });
  for (const name of ['orders.cancel', 'orders.refund'] as const) {
    await expect(agent.bus.call(name, { id: other.id })).rejects.toMatchObject({ code: 'auth.forbidden' });
  }
  const cancelled = await ctx.bus.call('orders.cancel', { id: other.id, reason: 'Changed their mind' });
  expect(cancelled).toMatchObject({ status: 'cancelled' });
});

test.each(['1', '01001', 'x1001', '', 'x', '9'.repeat(80)])(
  'the order number %s does not exist',
  async (order_number) => {
    const reading = ctx.bus.call('orders.getByNumber', { order_number });
    await expect(reading).rejects.toMatchObject({ code: 'orders.not_found', status: 404 });
  },
);

test('phones and streets are masked over the bus without the permission', async () => {
  const created = await agent.bus.call('orders.create', { items, shipping_address, customer: { phone: '9876543219' } });
  const hidden = { address1: null, city: 'Pune', phone: null };
  expect(created.shipping_address).toEqual(hidden);
  const { id } = created;
  const found = await agent.bus.call('orders.get', { id });
  expect(found).toMatchObject({ shipping_address: hidden, customer: { phone: '+**********19' } });
  expect((await agent.bus.call('orders.update', { id, note: 'x' })).shipping_address).toEqual(hidden);
  const moved = await agent.bus.call('orders.updateStatus', { id, status: 'confirmed' });
  expect(moved.shipping_address).toEqual(hidden);
  const { orders: listed } = await agent.bus.call('orders.list', { customer_id: created.customer_id });
  expect(listed).toMatchObject([{ shipping_address: hidden, customer: { phone: '+**********19' } }]);
  expect(await ctx.bus.call('orders.get', { id })).toMatchObject({ shipping_address });
});

test('the bus requires the permission, the declaration and the module', async () => {
  const { id } = await ctx.bus.call('orders.create', { items, status: 'confirmed' });
  const viewer = createContext('shop', 'orders.view');
  await expect(viewer.bus.call('orders.create', { items })).rejects.toMatchObject({ code: 'auth.forbidden' });
  await expect(viewer.bus.call('orders.update', { id, note: 'x' })).rejects.toMatchObject({ code: 'auth.forbidden' });
  for (const status of ['cancelled', 'refunded'] as const) {
    await expect(agent.bus.call('orders.updateStatus', { id, status })).rejects.toMatchObject({ status: 403 });
    await expect(agent.bus.call('orders.update', { id, status })).rejects.toMatchObject({ status: 403 });
  }
  await expect(ctx.bus.call('orders.count', {})).rejects.toMatchObject({ code: 'bus.not_declared' });
  await expect(ctx.bus.call('orders.create', { items: [] })).rejects.toMatchObject({ code: 'http.validation_failed' });
  await platform.kernel.installations.set(acme.id, 'orders', 'disabled');
  onTestFinished(() => platform.kernel.installations.set(acme.id, 'orders', 'enabled'));
  await expect(ctx.bus.call('orders.get', { id })).rejects.toMatchObject({ code: 'modules.not_installed' });
});

test("a call joins the caller's transaction and is rolled back with it", async () => {
  const { last } = (await acme.db.row<{ last: number }>(sql`SELECT last FROM order_numbers`)) as { last: number };
  const work = ctx.tx(async (tx) => {
    await tx.bus.call('orders.create', { items, customer: { email: 'undone@example.com' } });
    throw new Error('undo');
  });
  await expect(work).rejects.toThrow('undo');
  expect(await acme.db.row(sql`SELECT last FROM order_numbers`)).toEqual({ last });
  expect(await acme.db.rows(sql`SELECT FROM customers WHERE email = 'undone@example.com'`)).toEqual([]);
});

test('other modules can list the orders of a customer by page, most recent first', async () => {
  const customer = { email: 'pages@example.com' };
  const created: Order[] = [];
  for (const day of [3, 1, 2]) {
    const placed_at = `2026-01-0${day}T00:00:00.000Z`;
    created.push(await ctx.bus.call('orders.create', { items, customer, placed_at, shipping_address }));
  }
  const { customer_id } = created[0] as Order;
  const list = (as: Ctx, page: number) => as.bus.call('orders.listByCustomer', { customer_id, page, per_page: 2 });
  const pagination = { last_page: 2, per_page: 2, total: 3 };
  expect(await list(ctx, 1)).toEqual({
    orders: [created[0], created[2]],
    pagination: { current_page: 1, ...pagination },
  });
  expect(await list(ctx, 2)).toEqual({ orders: [created[1]], pagination: { current_page: 2, ...pagination } });
  expect((await list(agent, 2)).orders[0]?.shipping_address).toMatchObject({ address1: null, city: 'Pune' });
});

test('other modules can list the orders of a customer by cursor', async () => {
  const customer = { email: 'cursor@example.com' };
  const created: string[] = [];
  for (let n = 0; n < 3; n += 1) created.push((await ctx.bus.call('orders.create', { items, customer })).id);
  const { customer_id } = await ctx.bus.call('orders.get', { id: created[0] as string });
  const read: string[] = [];
  let cursor: { cursor?: string } = {};
  for (const size of [2, 1]) {
    const page = await ctx.bus.call('orders.listByCustomer', {
      customer_id,
      page: 1,
      per_page: 20,
      limit: 2,
      ...cursor,
    });
    read.push(...page.orders.map(({ id }) => id));
    expect({ size: page.orders.length, pagination: page.pagination }).toMatchObject({
      size,
      pagination: { has_more: size === 2 },
    });
    cursor = { cursor: (page.pagination as { next_cursor: string }).next_cursor ?? '' };
  }
  expect(read).toEqual(created.toReversed());
});

test('many orders are read at once, in order, with a failure for each missing one', async () => {
  const [one, other] = [await ctx.bus.call('orders.create', { items }), await ctx.bus.call('orders.create', { items })];
  const ids = [other.id, '0190a000-0000-7000-8000-000000000000', one.id.toUpperCase()];
  const read = await actions['orders.get'].runBatch?.(
    createContext('orders', 'orders.view'),
    ids.map((id) => ({ id })),
  );
  expect(read).toMatchObject([{ id: other.id }, { code: 'orders.not_found' }, { id: one.id, history: [{}] }]);
});

test('in-transaction listeners receive all events in order and can reject a change', async () => {
  const merchant = acme.caller(...all);
  receivedInTransaction.length = 0;
  const { body } = await merchant.post('/api/v1/orders', { items, shipping_address });
  const url = `/api/v1/orders/${body.order.id}`;
  await merchant.patch(url, { note: 'New', total: 12, status: 'confirmed' });
  await merchant.patch(url, { note: 'New', status: 'confirmed' });
  await merchant.patch(url, { note: 'Half', status: 'pending' });
  const cheque = await merchant.post(`${url}/payments`, { method: 'cheque', status: 'pending' });
  const pending = `${url}/payments/${cheque.body.payment.id}`;
  await merchant.patch(pending, { status: 'succeeded' });
  await merchant.patch(pending, { status: 'succeeded', reference: '000123' });
  await merchant.post(`${url}/refund`, { amount: 2 });
  await merchant.post(`${url}/refund`, { reason: 'Cold' });
  await merchant.post(`${url}/cancel`);
  await merchant.delete(url);
  expect(
    receivedInTransaction.map(({ name, payload: { order, ...rest } }) => ({ name, status: order.status, ...rest })),
  ).toEqual([
    { name: 'order.created', status: 'pending' },
    { name: 'order.updated', status: 'pending', changed: ['note', 'total'] },
    { name: 'order.status_changed', status: 'confirmed', previous_status: 'pending', reason: null },
    { name: 'order.updated', status: 'confirmed', changed: ['payments'] },
    { name: 'order.payment_added', status: 'confirmed', payment: expect.objectContaining({ amount: '12.00' }) },
    { name: 'order.updated', status: 'confirmed', changed: ['paid_total'] },
    {
      name: 'order.payment_updated',
      status: 'confirmed',
      payment: expect.objectContaining({ id: cheque.body.payment.id, status: 'succeeded' }),
      previous_status: 'pending',
    },
    { name: 'order.updated', status: 'confirmed', changed: ['payments'] },
    { name: 'order.updated', status: 'confirmed', changed: ['refunded_total'] },
    {
      name: 'order.refunded',
      status: 'confirmed',
      refund: expect.objectContaining({ amount: '2.00', provider: null }),
    },
    {
      name: 'order.refund_settled',
      status: 'confirmed',
      refund: expect.objectContaining({ amount: '2.00', status: 'succeeded' }),
    },
    { name: 'order.status_changed', status: 'refunded', previous_status: 'confirmed', reason: 'Cold' },
    {
      name: 'order.refunded',
      status: 'refunded',
      refund: expect.objectContaining({ amount: '10.00', reason: 'Cold' }),
    },
    {
      name: 'order.refund_settled',
      status: 'refunded',
      refund: expect.objectContaining({ amount: '10.00', status: 'succeeded' }),
    },
    { name: 'order.deleted', status: 'refunded' },
  ]);
  for (const { payload } of receivedInTransaction) {
    expect(payload.order).toMatchObject({ id: body.order.id, customer_id: body.order.customer_id, shipping_address });
  }
  refuseWithin = true;
  onTestFinished(() => {
    refuseWithin = false;
  });
  const count = () => acme.db.row(sql`SELECT count(*) FROM orders`);
  const before = await count();
  expect((await merchant.post('/api/v1/orders', { items })).status).toBe(500);
  expect(await count()).toEqual(before);
});

test('after-commit listeners receive events', async () => {
  const { id } = await ctx.bus.call('orders.create', { items });
  await ctx.bus.call('orders.update', { id, note: 'New', status: 'shipped' });
  await platform.kernel.work(['events']);
  const receivedForOrder = () => receivedAfterCommit.filter(({ payload }) => payload.order.id === id);
  await expect.poll(() => receivedForOrder().length).toBe(3);
  // Listeners run independently, so the events are sorted.
  expect(receivedForOrder().toSorted((one, other) => (one.name < other.name ? -1 : 1))).toMatchObject([
    { name: 'order.created', payload: { order: { total: '9.00', items } } },
    { name: 'order.status_changed', payload: { order: { status: 'shipped' }, previous_status: 'pending' } },
    { name: 'order.updated', payload: { changed: ['note'] } },
  ]);
});

test('anonymizing a customer clears personal fields of its orders, removing it deletes them', async () => {
  const customer = { email: 'gone@example.com' };
  const created = await ctx.bus.call('orders.create', { items, customer, shipping_address, note: 'Ask for Asha' });
  const { id, customer_id } = created;
  await ctx.bus.call('orders.updateStatus', { id, status: 'confirmed', reason: 'Asha has called' });
  await ctx.tx((tx) => tx.personalData.anonymize(customer_id));
  const { customer: _, history, ...order } = await ctx.bus.call('orders.get', { id });
  expect(order).toMatchObject({ total: '9.00', items, note: null, shipping_address: null, status: 'confirmed' });
  expect(history).toMatchObject([{ status: 'pending' }, { status: 'confirmed', reason: null }]);
  expect((await ctx.bus.call('orders.list', { search: 'asha' })).orders).toEqual([]);
  const counts = (as: Ctx) => as.bus.call('orders.count', {});
  const { count } = await counts(createContext('orders', 'orders.view'));
  await ctx.tx((tx) => tx.personalData.remove(customer_id));
  await expect(ctx.bus.call('orders.get', { id })).rejects.toMatchObject({ status: 404 });
  expect(await counts(createContext('orders', 'orders.view'))).toEqual({ count: count - 1 });
});
