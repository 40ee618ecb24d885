import { randomUUID } from 'node:crypto';
import { afterCommit, type Ctx, sql } from '@chowk/kit';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { eventually } from '../../server/testing/eventually.ts';
import { startPlatform } from '../../server/testing/platform.ts';
import { repositoryModules } from '../../server/testing/repository-modules.ts';
import { testModule } from '../../server/testing/test-module.ts';

const cancelled: { order: string; status: string; shipment: string }[] = [];
const shipped: { order: string; status: string; shipment: string; notify: boolean }[] = [];
const watcher = testModule({
  alias: 'watcher',
  listeners: [
    afterCommit('order.shipped', 'remember', async (_: Ctx, { order, shipment, notify }) => {
      shipped.push({ order: order.id, status: order.status, shipment: shipment.id, notify });
    }),
    afterCommit('order.shipment_cancelled', 'remember_cancelled', async (_: Ctx, { order, shipment }) => {
      cancelled.push({ order: order.id, status: order.status, shipment: shipment.id });
    }),
  ],
});
const platform = await startPlatform({ modules: [...(await repositoryModules()), watcher] });
await platform.kernel.work(['events']);
const permissions = [
  ...['view', 'create', 'edit', 'cancel', 'refund', 'delete'].map((verb) => `orders.${verb}`),
  ...['view', 'create', 'edit'].map((verb) => `products.${verb}`),
  'customers.view_sensitive',
];

async function shop() {
  const tenant = await platform.tenant();
  const caller = tenant.caller(...permissions);
  const create = async (path: string, body: object) => {
    const answer = await caller.post(`/api/v1${path}`, body);
    expect(answer).toMatchObject({ status: 201 });
    return answer.body;
  };
  const product = async (sku: string, fields: object = {}) =>
    (await create('/products', { sku, title: sku, price: '10.00', stock: 10, ...fields })).product;
  const order = async (quantities: Record<string, number>, fields: object = {}) => {
    const items = Object.entries(quantities).map(([sku, quantity]) => ({ sku, quantity }));
    return (await create('/orders', { items, ...fields })).order;
  };
  const ship = (id: string, body: object = {}) => caller.post(`/api/v1/orders/${id}/shipments`, body);
  const cancel = (id: string, shipment: string, body: object = {}) =>
    caller.post(`/api/v1/orders/${id}/shipments/${shipment}/cancel`, body);
  const read = async (id: string) => (await caller.get(`/api/v1/orders/${id}`)).body.order;
  const setStatus = (id: string, status: string) => caller.post(`/api/v1/orders/${id}/status`, { status });
  const stock = async (sku = 'TEA') => {
    const [{ stock, reserved }] = (await caller.get(`/api/v1/variants?sku=${sku}`)).body.variants;
    return [stock, reserved];
  };
  return { tenant, caller, create, product, order, ship, cancel, read, setStatus, stock };
}

test('an order is shipped in two parcels, which stock and status follow', async () => {
  const { product, order, ship, read, stock, caller } = await shop();
  await product('TEA');
  await product('CUP');
  const placed = await order({ TEA: 3, CUP: 1 });
  expect(placed).toMatchObject({ fulfillment_status: 'unfulfilled', items: [{ shipped_quantity: 0 }, {}] });
  const [tea] = placed.items;
  const parcel = { carrier: 'Delhivery', tracking_number: '1490', tracking_url: 'https://track.example/1490' };
  const first = await ship(placed.id, { ...parcel, items: [{ item_id: tea.id, quantity: 2 }] });
  expect(first).toMatchObject({
    status: 201,
    body: {
      shipment: { ...parcel, status: 'shipped', delivered_at: null, items: [{ item_id: tea.id, quantity: 2 }] },
    },
  });
  expect(await read(placed.id)).toMatchObject({
    status: 'processing',
    fulfillment_status: 'partly_fulfilled',
    items: [{ shipped_quantity: 2 }, { shipped_quantity: 0 }],
    shipments: [first.body.shipment],
  });
  expect([await stock(), await stock('CUP')]).toEqual([
    [8, 1],
    [10, 1],
  ]);

  const second = await ship(placed.id);
  expect(second.body.shipment.items).toHaveLength(2);
  const full = await read(placed.id);
  expect(full).toMatchObject({
    status: 'shipped',
    fulfillment_status: 'fulfilled',
    items: [{ shipped_quantity: 3 }, { shipped_quantity: 1 }],
  });
  const sent = ({ body }: { body: { shipment: { id: string } } }) => ({
    shipments: [[], [{ id: body.shipment.id, status: 'shipped' }]],
  });
  expect(full.history).toMatchObject([
    { status: 'pending', changes: null },
    { status: 'processing', previous_status: 'pending' },
    { status: 'processing', previous_status: 'processing', changes: sent(first) },
    { status: 'shipped', previous_status: 'processing' },
    { status: 'shipped', previous_status: 'shipped', changes: sent(second) },
  ]);
  expect([await stock(), await stock('CUP')]).toEqual([
    [7, 0],
    [9, 0],
  ]);
  expect(await ship(placed.id)).toMatchObject({ status: 409, body: { code: 'orders.nothing_to_ship' } });

  const patch = (id: string, changes: object) => caller.patch(`/api/v1/orders/${placed.id}/shipments/${id}`, changes);
  const delivered = await patch(first.body.shipment.id, { status: 'delivered' });
  expect(delivered.body.shipment).toMatchObject({ status: 'delivered', delivered_at: expect.any(String), ...parcel });
  expect(await read(placed.id)).toMatchObject({ status: 'shipped' });
  await patch(second.body.shipment.id, { status: 'delivered', tracking_number: '1491' });
  expect(await read(placed.id)).toMatchObject({
    status: 'delivered',
    fulfillment_status: 'fulfilled',
    shipments: [{ tracking_number: '1490' }, { tracking_number: '1491', status: 'delivered' }],
  });
  expect(await patch(second.body.shipment.id, { status: 'shipped' })).toMatchObject({ status: 422 });
  expect(await patch(randomUUID(), {})).toMatchObject({ status: 404, body: { code: 'orders.shipment_not_found' } });

  const mine = () => shipped.filter((event) => event.order === placed.id);
  await eventually(() => expect(mine()).toHaveLength(2));
  expect(mine()).toMatchObject([
    { shipment: first.body.shipment.id, status: 'processing', notify: true },
    { shipment: second.body.shipment.id, status: 'shipped', notify: true },
  ]);
});

test('changes of shipments change the order for those who follow it', async () => {
  const { product, order, ship, read, caller } = await shop();
  await product('TEA');
  const placed = await order({ TEA: 3 });
  const [{ id: item_id }] = placed.items;
  const times = [(await read(placed.id)).updated_at];
  const steps = [
    () => ship(placed.id, { items: [{ item_id, quantity: 1 }] }),
    () => ship(placed.id, { items: [{ item_id, quantity: 1 }] }),
    async () => {
      const [{ id }] = (await read(placed.id)).shipments;
      return caller.patch(`/api/v1/orders/${placed.id}/shipments/${id}`, { carrier: 'India Post' });
    },
  ];
  for (const step of steps) {
    expect((await step()).status).toBeLessThan(300);
    times.push((await read(placed.id)).updated_at);
  }
  expect(new Set(times).size).toBe(4);
  expect(times.toSorted()).toEqual(times);
});

test.each(['shipped', 'delivered'])('the status %s ships what is left', async (status) => {
  const { product, order, ship, read, setStatus, stock } = await shop();
  await product('TEA');
  const placed = await order({ TEA: 3 });
  await ship(placed.id, { items: [{ item_id: placed.items[0].id, quantity: 1 }], notify: false });
  expect((await setStatus(placed.id, status)).body.order).toMatchObject({ fulfillment_status: 'fulfilled' });
  expect((await read(placed.id)).shipments).toMatchObject([
    { status, items: [{ quantity: 1 }] },
    { status, items: [{ quantity: 2 }] },
  ]);
  expect(await stock()).toEqual([7, 0]);
  const notified = () => shipped.filter((event) => event.order === placed.id).map(({ notify }) => notify);
  // What was handed over needs no message that it is on its way.
  await eventually(() => expect(notified()).toEqual([false, status === 'shipped']));
});

test('an order that is created as shipped has a shipment of the day it was placed, and nobody is told', async () => {
  const { tenant, product, order, read, stock } = await shop();
  await product('TEA');
  const placed_at = '2024-03-01T10:00:00.000Z';
  const placed = await order({ TEA: 3 }, { status: 'shipped', placed_at });
  expect(placed).toMatchObject({ fulfillment_status: 'fulfilled', items: [{ shipped_quantity: 3 }] });
  expect((await read(placed.id)).shipments).toMatchObject([{ shipped_at: placed_at, items: [{ quantity: 3 }] }]);
  expect(await stock()).toEqual([7, 0]);
  await eventually(async () => expect(await tenant.db.rows(sql`SELECT FROM event_deliveries`)).toEqual([]));
  expect(shipped.filter((event) => event.order === placed.id)).toEqual([]);
});

test('orders that were shipped before there were shipments are fulfilled, also after a refund', async () => {
  const { tenant, order, read, setStatus, caller, ship, product } = await shop();
  await product('TEA');
  const old = await order({ TEA: 2 });
  await tenant.db.run(sql`UPDATE orders SET status = 'delivered', paid_total = total WHERE id = ${old.id}`);
  const fulfilled = { fulfillment_status: 'fulfilled', items: [{ shipped_quantity: 2 }], shipments: [] };
  expect(await read(old.id)).toMatchObject(fulfilled);
  const open = await order({ TEA: 2 });
  await ship((await order({ TEA: 2 })).id);
  const found = async (filter: string) => {
    const { orders } = (await caller.get(`/api/v1/orders?fulfillment_status=${filter}`)).body;
    return orders.map(({ id }: { id: string }) => id);
  };
  expect(await found('unfulfilled')).toEqual([open.id]);
  expect(await found('fulfilled')).toHaveLength(2);
  expect((await setStatus(old.id, 'refunded')).status).toBe(200);
  expect(await read(old.id)).toMatchObject({ ...fulfilled, status: 'refunded' });
});

test.each(['cancelled', 'failed', 'refunded'])('a %s order cannot be shipped', async (status) => {
  const { tenant, product, order, ship, setStatus } = await shop();
  await product('TEA');
  const placed = await order({ TEA: 1 }, { status: 'confirmed' });
  await tenant.db.run(sql`UPDATE orders SET paid_total = total WHERE id = ${placed.id}`);
  expect((await setStatus(placed.id, status)).status).toBe(200);
  expect(await ship(placed.id)).toMatchObject({
    status: 409,
    body: { code: 'orders.not_shippable', message: `A ${status} order cannot be shipped.` },
  });
});

test('an order cannot be cancelled once units have been shipped, and its items cannot shrink below them', async () => {
  const { product, order, ship, read, setStatus, caller, stock } = await shop();
  await product('TEA');
  await product('CUP');
  const placed = await order({ TEA: 3, CUP: 2 });
  const [tea, cup] = placed.items;
  await ship(placed.id, { items: [{ item_id: tea.id, quantity: 2 }] });
  expect((await read(placed.id)).next_statuses).not.toContain('cancelled');
  for (const refused of [
    await setStatus(placed.id, 'cancelled'),
    await caller.post(`/api/v1/orders/${placed.id}/cancel`, {}),
  ]) {
    expect(refused).toMatchObject({ status: 422, body: { errors: { status: [expect.stringContaining('shipped')] } } });
  }
  const edit = (items: object[]) => caller.patch(`/api/v1/orders/${placed.id}`, { items });
  const keep = { id: cup.id, quantity: 2 };
  expect(await edit([{ id: tea.id, quantity: 1 }, keep])).toMatchObject({
    status: 422,
    body: { errors: { 'items.0.quantity': [expect.stringContaining('at least 2')] } },
  });
  expect(await edit([keep])).toMatchObject({ status: 422, body: { errors: { items: [expect.any(String)] } } });
  expect(await edit([{ id: tea.id, sku: 'CUP', quantity: 3 }, keep])).toMatchObject({
    status: 422,
    body: { errors: { 'items.0.variant_id': [expect.any(String)] } },
  });
  expect(await read(placed.id)).toMatchObject({ status: 'processing', items: [{ quantity: 3 }, { quantity: 2 }] });
  // What was not shipped can go; then nothing is left to ship.
  expect((await edit([{ id: tea.id, quantity: 2 }])).body.order).toMatchObject({
    status: 'shipped',
    fulfillment_status: 'fulfilled',
    total: '20.00',
  });
  expect([await stock(), await stock('CUP')]).toEqual([
    [8, 0],
    [10, 0],
  ]);
});

test('bad shipments are refused as a whole', async () => {
  const { product, order, ship, read, stock } = await shop();
  await product('TEA');
  const placed = await order({ TEA: 3 });
  const [{ id: item_id }] = placed.items;
  const bad: [object, string][] = [
    [{ items: [{ item_id, quantity: 4 }] }, 'items.0.quantity'],
    [{ items: [{ item_id, quantity: 0 }] }, 'items.0.quantity'],
    [{ items: [{ item_id: randomUUID(), quantity: 1 }] }, 'items.0.item_id'],
    [{ items: [] }, 'items'],
    [
      {
        items: [
          { item_id, quantity: 2 },
          { item_id, quantity: 1 },
        ],
      },
      'items.1.item_id',
    ],
    [{ tracking_url: 'http://track.example/1' }, 'tracking_url'],
    [{ tracking_url: 'javascript:alert(1)' }, 'tracking_url'],
    [{ tracking_url: 'https://' }, 'tracking_url'],
    [{ location_id: randomUUID() }, 'location_id'],
  ];
  for (const [body, field] of bad) {
    const answer = await ship(placed.id, body);
    expect(answer, JSON.stringify(body)).toMatchObject({
      status: 422,
      body: { errors: { [field]: [expect.any(String)] } },
    });
  }
  expect(await ship(randomUUID())).toMatchObject({ status: 404 });
  expect(await read(placed.id)).toMatchObject({ status: 'pending', shipments: [] });
  expect(await stock()).toEqual([10, 3]);
  const untracked = await order({ TEA: 1 }, { track_stock: false });
  expect(await ship(untracked.id, { location_id: randomUUID() })).toMatchObject({ status: 422 });
});

test('units leave the location of the shipment', async () => {
  const { product, order, ship, caller, create, read } = await shop();
  const { variants } = await product('TEA', { stock: 5 });
  const { location } = await create('/stock-locations', { name: 'Warehouse' });
  const url = `/api/v1/variants/${variants[0].id}`;
  await caller.post(`${url}/stock`, { change: 2, location_id: location.id });
  const placed = await order({ TEA: 3 });
  const [{ id: item_id }] = placed.items;
  const send = (quantity: number) => ship(placed.id, { location_id: location.id, items: [{ item_id, quantity }] });
  expect(await send(3)).toMatchObject({ status: 409, body: { code: 'products.insufficient_at_location' } });
  expect((await send(2)).status).toBe(201);
  const levels = async () =>
    (await caller.get(`${url}/levels`)).body.levels.map(({ stock }: { stock: number }) => stock);
  expect(await levels()).toEqual([5, 0]);
  await ship(placed.id);
  expect(await levels()).toEqual([4, 0]);
  expect((await read(placed.id)).shipments).toMatchObject([{ location_id: location.id }, { location_id: null }]);
});

test('of 16 shipments of the last unit one is created', { timeout: 60_000 }, async () => {
  const { product, order, ship, read, stock } = await shop();
  await product('TEA');
  const placed = await order({ TEA: 2 });
  const [{ id: item_id }] = placed.items;
  await ship(placed.id, { items: [{ item_id, quantity: 1 }] });
  const bodies = Array.from({ length: 16 }, (_, n) => (n % 2 ? {} : { items: [{ item_id, quantity: 1 }] }));
  const answers = await Promise.all(bodies.map((body) => ship(placed.id, body)));
  expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array.from({ length: 15 }, () => 409)]);
  expect(await read(placed.id)).toMatchObject({ status: 'shipped', items: [{ shipped_quantity: 2 }] });
  expect(await stock()).toEqual([8, 0]);
});

const paid = { payments: [{ method: 'cash' }] };

test('units refunded and restocked before shipping are not left to ship', async () => {
  const { product, order, ship, read, stock, caller } = await shop();
  await product('TEA');
  const { id, items } = await order({ TEA: 4 }, paid);
  const [{ id: item_id }] = items;
  const refund = (quantity: number, more: object = {}) =>
    caller.post(`/api/v1/orders/${id}/refund`, { items: [{ item_id, quantity }], ...more });
  expect((await refund(1, { restock: true })).status).toBe(200);
  // A unit that is refunded and not restocked is still shipped.
  expect((await refund(1)).status).toBe(200);
  expect(await ship(id, { items: [{ item_id, quantity: 4 }] })).toMatchObject({
    status: 422,
    body: { errors: { 'items.0.quantity': [expect.any(String)] } },
  });
  expect((await ship(id)).body.shipment.items).toEqual([{ item_id, quantity: 3 }]);
  expect(await read(id)).toMatchObject({
    status: 'shipped',
    fulfillment_status: 'fulfilled',
    items: [{ quantity: 4, shipped_quantity: 3 }],
  });
  expect(await stock()).toEqual([7, 0]);
});

test.each([
  ['shipped', 'shipped'],
  ['delivered', 'delivered'],
])('refunding the last units of an order whose parcel is %s makes it %s', async (parcel, status) => {
  const { product, order, ship, read, stock, caller } = await shop();
  await product('TEA');
  await product('CUP');
  const { id, items } = await order({ TEA: 3, CUP: 1 }, paid);
  const [tea, cup] = items;
  const { shipment } = (await ship(id, { items: [{ item_id: tea.id, quantity: 2 }] })).body;
  await caller.patch(`/api/v1/orders/${id}/shipments/${shipment.id}`, { status: parcel });
  const refund = (item_id: string) =>
    caller.post(`/api/v1/orders/${id}/refund`, { items: [{ item_id, quantity: 1 }], restock: true });
  expect((await refund(cup.id)).body.order).toMatchObject({ status: 'processing', refunded_total: '10.00' });
  expect((await refund(tea.id)).body.order).toMatchObject({ status, fulfillment_status: 'fulfilled' });
  expect(await read(id)).toMatchObject({
    items: [{ shipped_quantity: 2 }, { shipped_quantity: 0 }],
    shipments: [{ id: shipment.id, status }],
    refunded_total: '20.00',
  });
  expect([await stock(), await stock('CUP')]).toEqual([
    [8, 0],
    [10, 0],
  ]);
});

test('an order whose units are all restocked without a shipment is not shipped', async () => {
  const { product, order, caller } = await shop();
  await product('TEA');
  const { id, items } = await order({ TEA: 2 }, { ...paid, status: 'confirmed' });
  const refund = { items: [{ item_id: items[0].id, quantity: 2 }], amount: '5.00', restock: true };
  const { body } = await caller.post(`/api/v1/orders/${id}/refund`, refund);
  expect(body.order).toMatchObject({ status: 'confirmed', fulfillment_status: 'unfulfilled' });
});

test('a shipment that is cancelled gives its units back to the order, once', { timeout: 60_000 }, async () => {
  const { product, order, create, ship, cancel, read, stock, caller } = await shop();
  const { variants } = await product('TEA');
  const { location } = await create('/stock-locations', { name: 'Warehouse' });
  await caller.post(`/api/v1/variants/${variants[0].id}/stock`, { change: 2, location_id: location.id });
  const { id, items } = await order({ TEA: 3 });
  const part = [{ item_id: items[0].id, quantity: 2 }];
  const { shipment } = (await ship(id, { items: part, location_id: location.id })).body;
  await ship(id);
  expect(await stock()).toEqual([9, 0]);
  const answers = await Promise.all(Array.from({ length: 16 }, () => cancel(id, shipment.id, { reason: 'Lost' })));
  for (const answer of answers) {
    expect(answer).toMatchObject({
      status: 200,
      body: { shipment: { status: 'cancelled', cancelled_at: expect.any(String), items: part } },
    });
  }
  const after = await read(id);
  expect(after).toMatchObject({
    status: 'processing',
    fulfillment_status: 'partly_fulfilled',
    items: [{ shipped_quantity: 1 }],
    shipments: [{ status: 'cancelled' }, { status: 'shipped' }],
  });
  expect(after.history.slice(-2)).toMatchObject([
    { previous_status: 'shipped', status: 'processing', reason: 'Lost' },
    { changes: { shipments: [[{ status: 'shipped' }], [{ id: shipment.id, status: 'cancelled' }]] }, reason: null },
  ]);
  expect(await stock()).toEqual([11, 2]);
  const movements = `/api/v1/products/${variants[0].product_id}/movements?order=${id}`;
  expect((await caller.get(movements)).body.movements[0]).toMatchObject({
    change: 2,
    reserved_change: 2,
    reason: 'shipment cancelled',
    location_id: location.id,
  });
  await eventually(() =>
    expect(cancelled.filter((event) => event.order === id)).toEqual([
      { order: id, status: 'processing', shipment: shipment.id },
    ]),
  );
  const patch = (changes: object) => caller.patch(`/api/v1/orders/${id}/shipments/${shipment.id}`, changes);
  expect(await patch({ status: 'delivered' })).toMatchObject({ status: 422 });
  expect((await ship(id)).body.shipment.items).toEqual(part);
  expect(await read(id)).toMatchObject({ status: 'shipped' });
  expect(await stock()).toEqual([9, 0]);
});

test('without its only shipment an order can be cancelled, and delivered shipments stay', async () => {
  const { product, order, ship, cancel, read, setStatus, stock, caller } = await shop();
  await product('TEA');
  const { id } = await order({ TEA: 3 }, { status: 'shipped' });
  const [{ id: shipment }] = (await read(id)).shipments;
  expect((await cancel(id, shipment)).status).toBe(200);
  expect(await read(id)).toMatchObject({
    fulfillment_status: 'unfulfilled',
    next_statuses: expect.arrayContaining(['cancelled']),
  });
  expect((await setStatus(id, 'cancelled')).status).toBe(200);
  expect(await stock()).toEqual([10, 0]);

  const other = await order({ TEA: 1 });
  const sent = (await ship(other.id)).body.shipment.id;
  await caller.patch(`/api/v1/orders/${other.id}/shipments/${sent}`, { status: 'delivered' });
  const delivered = { shipments: [[{ id: sent, status: 'shipped' }], [{ id: sent, status: 'delivered' }]] };
  expect((await read(other.id)).history.at(-1)).toMatchObject({ status: 'delivered', changes: delivered });
  expect(await cancel(other.id, sent)).toMatchObject({ status: 409, body: { code: 'orders.shipment_delivered' } });
  expect(await cancel(other.id, randomUUID())).toMatchObject({ status: 404 });
  expect(await cancel(id, sent)).toMatchObject({ status: 404, body: { code: 'orders.shipment_not_found' } });
  expect(await stock()).toEqual([9, 0]);
});

test('the parcel of an order that failed returns to the stock and is not reserved', async () => {
  const { product, order, ship, cancel, read, setStatus, stock } = await shop();
  await product('TEA');
  const { id } = await order({ TEA: 3 });
  const { shipment } = (await ship(id)).body;
  await setStatus(id, 'failed');
  expect(await stock()).toEqual([7, 0]);
  expect((await cancel(id, shipment.id)).status).toBe(200);
  expect(await stock()).toEqual([10, 0]);
  expect(await read(id)).toMatchObject({ status: 'failed', fulfillment_status: 'unfulfilled' });
});

test('tracking is erased with the customer, and the shipment stays', async () => {
  const { tenant, product, order, ship } = await shop();
  await product('TEA');
  const placed = await order({ TEA: 1 }, { customer: { first_name: 'Asha', phone: '98765 43210' } });
  await ship(placed.id, { carrier: 'Delhivery', tracking_number: '1490', tracking_url: 'https://track.example/1490' });
  const eraser = tenant.caller('customers.view', 'customers.delete', 'customers.view_sensitive');
  const { status } = await eraser.delete(`/api/v1/customers/${placed.customer_id}?mode=anonymize`);
  expect(status).toBe(200);
  const rows = await tenant.db.rows(sql`SELECT carrier, tracking_number, tracking_url FROM order_shipments`);
  expect(rows).toEqual([{ carrier: 'Delhivery', tracking_number: null, tracking_url: null }]);
});

const Step = fc.record({
  kind: fc.constantFrom(
    'place',
    'edit',
    'ship',
    'shipRest',
    'deliver',
    'cancel',
    'status',
    'refund',
    'restock',
    'delete',
  ),
  at: fc.nat(3),
  item: fc.nat(1),
  quantities: fc.tuple(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max: 5 })),
  status: fc.constantFrom('confirmed', 'shipped', 'cancelled', 'failed', 'pending', 'delivered', 'refunded'),
});

test('shipped units never exceed ordered ones, and stock equals its movements', { timeout: 120_000 }, async () => {
  type Shop = Awaited<ReturnType<typeof shop>> & { readonly orders: string[] };
  const run = async (
    { caller, ship, cancel, read, setStatus, orders }: Shop,
    { kind, at, item, quantities: [tea, cup], status }: typeof Step extends fc.Arbitrary<infer S> ? S : never,
  ) => {
    const items = [
      { sku: 'TEA', quantity: tea },
      { sku: 'CUP', quantity: cup },
    ];
    const id = orders.at(-1 - at);
    if (kind === 'place' || id === undefined) {
      const answer = await caller.post('/api/v1/orders', { items, ...paid });
      if (answer.status === 201) orders.push(answer.body.order.id);
      return answer.status;
    }
    const url = `/api/v1/orders/${id}`;
    if (kind === 'edit') return (await caller.patch(url, { items: items.slice(0, 1 + item) })).status;
    if (kind === 'shipRest') return (await ship(id)).status;
    if (kind === 'status') return (await setStatus(id, status)).status;
    if (kind === 'refund') return (await caller.post(`${url}/refund`, item ? { amount: '1.00' } : {})).status;
    if (kind === 'delete') return (await caller.delete(url)).status;
    const current = await read(id);
    if (!current) return 404;
    const unit = current.items[item];
    if (kind === 'restock') {
      const units = unit && { items: [{ item_id: unit.id, quantity: cup }], restock: true };
      return units ? (await caller.post(`${url}/refund`, units)).status : 404;
    }
    if (kind === 'ship') return unit ? (await ship(id, { items: [{ item_id: unit.id, quantity: tea }] })).status : 404;
    const parcel = current.shipments[item];
    if (kind === 'cancel') return parcel ? (await cancel(id, parcel.id)).status : 404;
    return parcel ? (await caller.patch(`${url}/shipments/${parcel.id}`, { status: 'delivered' })).status : 404;
  };
  await fc.assert(
    fc.asyncProperty(fc.array(Step, { minLength: 12, maxLength: 24 }), async (steps) => {
      const one = { ...(await shop()), orders: [] };
      for (const sku of ['TEA', 'CUP']) await one.product(sku, { stock: 40 });
      for (const step of steps) expect([200, 201, 404, 409, 422], JSON.stringify(step)).toContain(await run(one, step));
      expect(await findContradictions(one.tenant)).toEqual([]);
    }),
    { numRuns: 8, endOnFailure: true },
  );
});

/** What orders, shipments, stock and movements say differently. */
function findContradictions({ db }: { db: { rows(query: ReturnType<typeof sql>): Promise<object[]> } }) {
  return db.rows(sql`
    WITH sent AS (
      SELECT p.item_id, sum(p.quantity) AS units FROM order_shipment_items p JOIN order_shipments s ON s.id = p.shipment_id
      WHERE s.status <> 'cancelled' GROUP BY p.item_id),
    returned AS (
      SELECT u.item_id, sum(u.quantity) AS units FROM order_refunds r, jsonb_to_recordset(r.items) AS u (item_id uuid, quantity integer)
      WHERE r.restocked GROUP BY u.item_id),
    item AS (
      SELECT i.*, coalesce(sent.units, 0) AS sent, i.quantity - coalesce(returned.units, 0) AS kept
      FROM order_items i LEFT JOIN sent ON sent.item_id = i.id LEFT JOIN returned ON returned.item_id = i.id)
    SELECT 'item' AS what, i.id::text FROM item i LEFT JOIN order_stock s ON s.line_id = i.id
    WHERE i.shipped_quantity > i.quantity OR i.sent <> i.shipped_quantity OR coalesce(s.committed, 0) <> i.sent
      OR coalesce(s.restocked, 0) <> greatest(i.sent - i.kept, 0)
    UNION ALL
    SELECT 'order', o.id::text FROM orders o,
      LATERAL (SELECT bool_and(shipped_quantity >= kept) AS is_full, bool_or(shipped_quantity > 0) AS is_started
        FROM item WHERE order_id = o.id) i
    WHERE o.deleted_at IS NULL AND o.status NOT IN ('refunded', 'failed', 'cancelled') AND (
      o.fulfillment_status <> CASE WHEN NOT is_started THEN 'unfulfilled' WHEN is_full THEN 'fulfilled' ELSE 'partly_fulfilled' END
      OR (o.status IN ('shipped', 'delivered') AND NOT is_full))
    UNION ALL
    SELECT 'variant', v.sku FROM product_variants v,
      LATERAL (SELECT sum(change) AS stock, sum(reserved_change) AS reserved FROM stock_movements WHERE variant_id = v.id) m,
      LATERAL (SELECT coalesce(sum(quantity - committed), 0) AS reserved, coalesce(sum(committed - restocked), 0) AS gone
        FROM order_stock WHERE variant_id = v.id) s
    WHERE (m.stock, m.reserved) IS DISTINCT FROM (v.stock, v.reserved)
      OR (40 - s.gone, s.reserved) IS DISTINCT FROM (v.stock, v.reserved)`);
}
