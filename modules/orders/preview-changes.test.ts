import { expect, test } from 'vitest';
import { startPlatform } from '../../server/testing/platform.ts';

const platform = await startPlatform();
const acme = await platform.tenant();
const merchant = acme.caller('orders.view', 'orders.create', 'orders.edit', 'products.edit');
const tea = { name: 'Tea', sku: 'T-1', quantity: 2, price: '100.00' };
const cup = { name: 'Cup', quantity: 1, price: '30.00' };

async function create(fields: object = {}) {
  const { status, body } = await merchant.post('/api/v1/orders', { items: [tea, cup], ...fields });
  expect({ status, body }).toMatchObject({ status: 201 });
  const url = `/api/v1/orders/${body.order.id}`;
  return {
    order: body.order,
    url,
    read: async () => (await merchant.get(url)).body.order,
    preview: (changes: object) => merchant.post(`${url}/preview`, changes),
  };
}

test('a preview of changes is what the update makes of them, and changes nothing', async () => {
  const once = { code: 'ONCE', kind: 'percent', value: '10', usage_limit: 1 };
  expect((await merchant.post('/api/v1/discounts', once)).status).toBe(201);
  const { order, url, read, preview } = await create({ discount_codes: ['ONCE'], shipping: { price: '40' } });
  expect(order.total).toBe('247.00');
  const [kept, removed] = order.items;
  for (const [items, total, difference] of [
    [[{ id: kept.id, quantity: 3 }], '310.00', '63.00'],
    [[{ id: kept.id, quantity: 1 }], '130.00', '-117.00'],
    [
      [
        { id: kept.id, quantity: 2 },
        { id: removed.id, quantity: 1 },
      ],
      '247.00',
      '0.00',
    ],
  ] as const) {
    const before = await read();
    const { status, body } = await preview({ items });
    expect({ status, ...body.preview }).toMatchObject({ status: 200, currency: order.currency, total, difference });
    expect(await read()).toEqual(before);
  }
  const { body } = await preview({ items: [{ id: kept.id, quantity: 5 }] });
  const { difference: _, currency: __, ...money } = body.preview;
  const saved = await merchant.patch(url, { items: [{ id: kept.id, quantity: 5 }] });
  expect(saved.body.order).toMatchObject(money);
});

test('a preview reports what the update would refuse', async () => {
  const { order, url, preview } = await create();
  const { status, body } = await preview({ items: [{ ...cup, id: crypto.randomUUID(), quantity: 0 }] });
  expect({ status, fields: Object.keys(body.errors).sort() }).toEqual({
    status: 422,
    fields: ['items.0.id', 'items.0.quantity'],
  });
  await merchant.post(`${url}/status`, { status: 'shipped' });
  const closed = await preview({ items: [{ id: order.items[0].id, quantity: 1 }] });
  expect(closed).toMatchObject({ status: 409, body: { code: 'orders.closed' } });
  const viewer = acme.caller('orders.view');
  expect((await viewer.post(`${url}/preview`, {})).status).toBe(403);
  expect((await merchant.post(`/api/v1/orders/${crypto.randomUUID()}/preview`, {})).status).toBe(404);
});
