import { randomUUID } from 'node:crypto';
import { afterCommit, type Ctx, sql } from '@chowk/kit';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { startPlatform } from '../../server/testing/platform.ts';
import { repositoryModules } from '../../server/testing/repository-modules.ts';
import { testModule } from '../../server/testing/test-module.ts';
import type { Product } from './schemas.ts';
import type { Variant } from './variant-schemas.ts';

const names = [
  'resolveLines',
  'reserveForOrder',
  'commitForOrder',
  'releaseForOrder',
  'returnForOrder',
  'uncommitForOrder',
] as const;
const lowStock: { sku: string; available: number; threshold: number }[] = [];
/** A module that does with the stock what orders do. */
const till = testModule({
  alias: 'till',
  consumes: names.map((name) => `products.${name}`),
  listeners: [
    afterCommit('product.low_stock', 'remember', async (_: Ctx, { sku, available, threshold }) => {
      lowStock.push({ sku, available, threshold });
    }),
  ],
});
const platform = await startPlatform({ modules: [...(await repositoryModules()), till] });
const acme = await platform.tenant();
const merchant = acme.caller('products.view', 'products.create', 'products.edit', 'products.delete');
const ctx = acme.context('till');

let sequence = 0;
/** A product with a variant for each stock. */
async function create(...stocks: readonly number[]): Promise<Variant[]> {
  sequence += 1;
  const { status, body } = await merchant.post('/api/v1/products', {
    sku: `O-${sequence}`,
    title: `Tea ${sequence}`,
    price: '5.00',
    options: [{ name: 'Size' }],
    variants: stocks.map((stock, index) => ({ stock, options: { Size: `${index}` }, weight_grams: 100 })),
  });
  expect({ status, body }).toMatchObject({ status: 201 });
  return (body.product as Product).variants;
}
const read = async ({ id }: { id: string }): Promise<Variant> =>
  (await merchant.get(`/api/v1/variants/${id}`)).body.variant;

function order() {
  const key = { order_id: randomUUID(), order_number: `${1_000 + sequence}` };
  return {
    ...key,
    reserve: (lines: { line_id: string; variant_id: string; quantity: number }[], as = ctx) =>
      as.bus.call('products.reserveForOrder', { ...key, lines }),
    commit: (lines: { line_id: string; quantity: number }[], location_id?: string) =>
      ctx.bus.call('products.commitForOrder', { ...key, lines, ...(location_id ? { location_id } : {}) }),
    release: (lines?: string[]) => ctx.bus.call('products.releaseForOrder', { ...key, ...(lines ? { lines } : {}) }),
    keep: (lines: { line_id: string; quantity: number }[]) =>
      ctx.bus.call('products.returnForOrder', { ...key, lines }),
    uncommit: (lines: { line_id: string; quantity: number }[], location_id?: string) =>
      ctx.bus.call('products.uncommitForOrder', { ...key, lines, ...(location_id ? { location_id } : {}) }),
  };
}
const line = ({ id }: { id: string }, quantity: number) => ({ line_id: randomUUID(), variant_id: id, quantity });

/** Movements, lines of orders and products agree with the variants. */
async function expectBalanced(ids: readonly string[]): Promise<void> {
  const wrong = await acme.db.rows(sql`
    SELECT v.sku, v.stock, v.reserved FROM product_variants v JOIN products p ON p.id = v.product_id
    WHERE v.id = ANY(${ids}::uuid[]) AND (
      v.stock <> (SELECT coalesce(sum(change), 0) FROM stock_movements WHERE variant_id = v.id)
      OR v.reserved <> (SELECT coalesce(sum(reserved_change), 0) FROM stock_movements WHERE variant_id = v.id)
      OR v.reserved <> (SELECT coalesce(sum(quantity - committed), 0) FROM order_stock WHERE variant_id = v.id)
      OR (NOT v.continue_selling AND v.reserved > v.stock)
      OR p.stock <> (SELECT sum(stock) FROM product_variants WHERE product_id = p.id AND deleted_at IS NULL)
      OR p.reserved <> (SELECT sum(reserved) FROM product_variants WHERE product_id = p.id AND deleted_at IS NULL))`);
  expect(wrong).toEqual([]);
}

test('lines are found by variant or SKU, and unknown ones reported', async () => {
  const [small, large] = (await create(3, 4)) as [Variant, Variant];
  const { lines } = await ctx.bus.call('products.resolveLines', {
    lines: [{ sku: large.sku.toLowerCase() }, { variant_id: small.id }, { sku: 'nothing' }, {}],
  });
  expect(lines).toEqual([
    expect.objectContaining({ variant_id: large.id, price: '5.00', available: 4, weight_grams: 100, taxable: true }),
    expect.objectContaining({ variant_id: small.id, title: `Tea ${sequence}`, variant_title: '0', status: 'active' }),
    null,
    null,
  ]);
});

test('units of an order are reserved, shipped in parts, released and returned, each once', async () => {
  const [small, large] = (await create(5, 5)) as [Variant, Variant];
  const one = order();
  const [first, second] = [line(small, 3), line(large, 2)];
  for (let times = 0; times < 2; times += 1) await one.reserve([first, second]);
  expect(await read(small)).toMatchObject({ stock: 5, reserved: 3, available: 2 });
  for (let times = 0; times < 2; times += 1) await one.commit([{ line_id: first.line_id, quantity: 1 }]);
  expect(await read(small)).toMatchObject({ stock: 4, reserved: 2 });
  await one.commit([{ line_id: first.line_id, quantity: 3 }]);
  expect(await read(small)).toMatchObject({ stock: 2, reserved: 0 });
  for (let times = 0; times < 2; times += 1) await one.keep([{ line_id: first.line_id, quantity: 1 }]);
  expect(await read(small)).toMatchObject({ stock: 4, reserved: 0 });
  for (let times = 0; times < 2; times += 1) await one.release();
  expect(await read(large)).toMatchObject({ stock: 5, reserved: 0 });
  const { movements } = (await merchant.get(`/api/v1/products/${small.product_id}/movements?order=${one.order_id}`))
    .body;
  expect(
    movements.map(({ reason, change, reserved_change }: never) => [reason, change, reserved_change]).sort(),
  ).toEqual(
    [
      ['reserved', 0, 3],
      ['reserved', 0, 2],
      ['sold', -1, -1],
      ['sold', -2, -2],
      ['restocked', 2, 0],
      ['released', 0, -2],
    ].sort(),
  );
  expect(movements[0]).toMatchObject({ reference: one.order_number, order_id: one.order_id });
  await expectBalanced([small.id, large.id]);
});

test('units that an order gives back are released, or restocked if they were shipped, each once', async () => {
  const [tea] = (await create(9)) as [Variant];
  const one = order();
  const first = line(tea, 5);
  const keep = async (quantity: number) => {
    for (let times = 0; times < 2; times += 1) await one.keep([{ line_id: first.line_id, quantity }]);
    const { stock, reserved } = await read(tea);
    return { stock, reserved };
  };
  await one.reserve([first]);
  await one.commit([{ line_id: first.line_id, quantity: 3 }]);
  expect(await keep(4)).toEqual({ stock: 6, reserved: 1 });
  expect(await keep(2)).toEqual({ stock: 7, reserved: 0 });
  expect(await keep(0)).toEqual({ stock: 9, reserved: 0 });
  await expectBalanced([tea.id]);
});

test('units that did not leave after all are reserved again, without those that were restocked meanwhile', async () => {
  const [tea] = (await create(9)) as [Variant];
  const one = order();
  const { line_id, ...first } = line(tea, 5);
  const units = async () => {
    const { stock, reserved } = await read(tea);
    return { stock, reserved };
  };
  await one.reserve([{ ...first, line_id }]);
  await one.commit([{ line_id, quantity: 4 }]);
  for (let times = 0; times < 2; times += 1) await one.uncommit([{ line_id, quantity: 3 }]);
  expect(await units()).toEqual({ stock: 6, reserved: 2 });
  await one.commit([{ line_id, quantity: 5 }]);
  await one.keep([{ line_id, quantity: 4 }]);
  expect(await units()).toEqual({ stock: 5, reserved: 0 });
  // The unit that was restocked is one of the three; four are kept.
  for (let times = 0; times < 2; times += 1) await one.uncommit([{ line_id, quantity: 2 }]);
  expect(await units()).toEqual({ stock: 7, reserved: 2 });
  await expectBalanced([tea.id]);
});

test('units of a deleted product do not come back, and those of a deleted location go to the default one', async () => {
  const [gone, tea] = (await create(3, 3)) as [Variant, Variant];
  const { id: location } = (await merchant.post('/api/v1/stock-locations', { name: 'Kiosk' })).body.location;
  await merchant.post(`/api/v1/variants/${tea.id}/stock`, { change: 1, location_id: location });
  const one = order();
  const [first, second] = [line(gone, 1), line(tea, 1)];
  await one.reserve([first, second]);
  await one.commit([{ line_id: first.line_id, quantity: 1 }]);
  await one.commit([{ line_id: second.line_id, quantity: 1 }], location);
  expect((await merchant.delete(`/api/v1/stock-locations/${location}`)).status).toBe(200);
  expect((await merchant.delete(`/api/v1/products/${gone.product_id}/variants/${gone.id}`)).status).toBe(200);
  const none = [first, second].map(({ line_id }) => ({ line_id, quantity: 0 }));
  await one.uncommit(none, location);
  expect(await read(tea)).toMatchObject({ stock: 4, reserved: 1 });
  await one.keep(none);
  expect(await read(tea)).toMatchObject({ stock: 4, reserved: 0 });
});

test('an order is reserved as a whole or not at all, and each short SKU is named', async () => {
  const [small, large, full] = (await create(1, 2, 9)) as [Variant, Variant, Variant];
  const refused = order().reserve([line(small, 2), line(large, 3), line(full, 1)]);
  await expect(refused).rejects.toMatchObject({
    status: 409,
    message: `Insufficient stock for ${small.sku} (requested 2, available 1), ${large.sku} (requested 3, available 2).`,
    extras: {
      body: {
        short: [
          { variant_id: small.id, sku: small.sku, requested: 2, available: 1 },
          { variant_id: large.id, sku: large.sku, requested: 3, available: 2 },
        ],
      },
    },
  });
  expect(await read(full)).toMatchObject({ reserved: 0 });
  const missing = order().reserve([line({ id: randomUUID() }, 1)]);
  await expect(missing).rejects.toMatchObject({ status: 404, code: 'products.variant_not_found' });
});

test('two lines of one variant share its stock', async () => {
  const [only] = (await create(3)) as [Variant];
  await expect(order().reserve([line(only, 2), line(only, 2)])).rejects.toMatchObject({ status: 409 });
  await order().reserve([line(only, 2), line(only, 1)]);
  await expectBalanced([only.id]);
});

test('changing an order reserves the difference', async () => {
  const [small, large] = (await create(5, 5)) as [Variant, Variant];
  const one = order();
  const first = line(small, 3);
  await one.reserve([first]);
  await one.reserve([{ ...first, quantity: 5 }]);
  expect(await read(small)).toMatchObject({ reserved: 5 });
  await one.reserve([{ ...first, variant_id: large.id, quantity: 2 }]);
  expect([(await read(small)).reserved, (await read(large)).reserved]).toEqual([0, 2]);
  await one.reserve([line(small, 1)]);
  expect([(await read(small)).reserved, (await read(large)).reserved]).toEqual([1, 0]);
  await expectBalanced([small.id, large.id]);
});

test('of 32 buyers of the last unit one gets it', async () => {
  const [last] = (await create(1, 0)) as [Variant];
  const buyers = Array.from({ length: 32 }, () => order().reserve([line(last, 1)]));
  const results = await Promise.allSettled(buyers);
  expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  expect(await read(last)).toMatchObject({ stock: 1, reserved: 1, available: 0 });
  await expectBalanced([last.id]);
});

test('a variant that continues selling can be ordered and shipped beyond its stock', async () => {
  const [only] = (await create(1)) as [Variant];
  const url = `/api/v1/products/${only.product_id}`;
  await merchant.patch(`${url}/variants/${only.id}`, { continue_selling: true });
  const one = order();
  const many = line(only, 4);
  await one.reserve([many]);
  expect(await read(only)).toMatchObject({ stock: 1, reserved: 4, available: -3 });
  await one.commit([{ line_id: many.line_id, quantity: 4 }]);
  expect(await read(only)).toMatchObject({ stock: -3, reserved: 0 });
  expect((await merchant.get(url)).body.product).toMatchObject({ stock: -3, available: -3 });
  await expectBalanced([only.id]);
});

test('more than was ordered cannot be shipped', async () => {
  const [only] = (await create(5)) as [Variant];
  const one = order();
  const two = line(only, 2);
  await one.reserve([two]);
  await expect(one.commit([{ line_id: two.line_id, quantity: 3 }])).rejects.toMatchObject({ status: 422 });
  await one.commit([{ line_id: randomUUID(), quantity: 3 }]);
  expect(await read(only)).toMatchObject({ stock: 5, reserved: 2 });
});

test('a reservation is undone with the transaction of the order', async () => {
  const [only] = (await create(5)) as [Variant];
  const work = ctx.tx(async (tx) => {
    await order().reserve([line(only, 2)], tx);
    throw new Error('no order');
  });
  await expect(work).rejects.toThrow('no order');
  expect(await read(only)).toMatchObject({ reserved: 0 });
});

test('a location other than the default one has units of its own', async () => {
  const [only] = (await create(5)) as [Variant];
  const created = await merchant.post('/api/v1/stock-locations', { name: 'Warehouse' });
  expect(created).toMatchObject({ status: 201, body: { location: { is_default: false } } });
  const { id } = created.body.location;
  expect((await merchant.post('/api/v1/stock-locations', { name: 'warehouse' })).status).toBe(422);
  const change = (units: number, location_id = id) =>
    merchant.post(`/api/v1/variants/${only.id}/stock`, { change: units, location_id });
  expect(await change(3)).toMatchObject({ status: 200, body: { variant: { stock: 8 } } });
  const levels = async () => (await merchant.get(`/api/v1/variants/${only.id}/levels`)).body.levels;
  const [main] = await levels();
  expect(await levels()).toMatchObject([
    { name: 'Main', stock: 5 },
    { name: 'Warehouse', stock: 3 },
  ]);
  const short = { status: 409, body: { code: 'products.insufficient_at_location' } };
  expect(await change(-4)).toMatchObject(short);
  expect(await change(-6, main.location_id)).toMatchObject(short);
  expect(await merchant.patch(`/api/v1/products/${only.product_id}`, { stock: 2 })).toMatchObject(short);
  expect((await change(1, randomUUID())).status).toBe(422);
  const one = order();
  const two = line(only, 2);
  await one.reserve([two]);
  await one.commit([{ line_id: two.line_id, quantity: 2 }], id);
  expect(await levels()).toMatchObject([{ stock: 5 }, { stock: 1 }]);
  expect((await merchant.delete(`/api/v1/stock-locations/${id}`)).body.code).toBe('products.location_in_use');
  expect((await merchant.delete(`/api/v1/stock-locations/${main.location_id}`)).body.code).toBe(
    'products.location_in_use',
  );
  await change(-1);
  expect((await merchant.delete(`/api/v1/stock-locations/${id}`)).status).toBe(200);
  expect((await merchant.get('/api/v1/stock-locations')).body.locations).toMatchObject([{ name: 'Main' }]);
});

test('low stock is reported once each time a variant falls to the threshold', async () => {
  const [only] = (await create(8)) as [Variant];
  await platform.kernel.work(['events']);
  const one = order();
  const first = line(only, 2);
  for (const quantity of [2, 3, 4, 2, 4]) await one.reserve([{ ...first, quantity }]);
  const mine = () => lowStock.filter(({ sku }) => sku === only.sku);
  await expect.poll(() => mine().length, { timeout: 15_000 }).toBe(2);
  expect(mine()).toEqual([
    { sku: only.sku, available: 5, threshold: 5 },
    { sku: only.sku, available: 4, threshold: 5 },
  ]);
  const low = (await merchant.get(`/api/v1/variants?low_stock=true&product=${only.product_id}`)).body.variants;
  expect(low).toMatchObject([{ id: only.id }]);
});

const step = fc.record({
  kind: fc.constantFrom('reserve', 'commit', 'release', 'uncommit', 'keep', 'adjust', 'set'),
  order: fc.nat(3),
  line: fc.nat(2),
  quantity: fc.nat(4),
});

test('stock and reserved units equal the movements after random histories of concurrent orders', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 15, maxLength: 30 }), async (steps) => {
      const variants = [...(await create(6, 3)), ...(await create(4))];
      const orders = Array.from({ length: 4 }, () => ({
        ...order(),
        lines: variants.map((variant) => ({ line_id: randomUUID(), variant_id: variant.id })),
      }));
      const run = async ({
        kind,
        order: at,
        line: index,
        quantity,
      }: typeof step extends fc.Arbitrary<infer S> ? S : never) => {
        const { lines, reserve, commit, release, uncommit, keep } = orders[at] as (typeof orders)[0];
        const { line_id, variant_id } = lines[index] as (typeof lines)[0];
        if (kind === 'reserve') await reserve(lines.map((one, n) => ({ ...one, quantity: (quantity + n) % 4 })));
        else if (kind === 'commit') await commit([{ line_id, quantity }]);
        else if (kind === 'release') await release(quantity % 2 ? [line_id] : undefined);
        else if (kind === 'uncommit') await uncommit([{ line_id, quantity }]);
        else if (kind === 'keep') await keep([{ line_id, quantity }]);
        else if (kind === 'adjust') {
          await merchant.post(`/api/v1/variants/${variant_id}/stock`, { change: quantity - 2 });
        } else {
          const { product_id } = variants[index] as Variant;
          await merchant.patch(`/api/v1/products/${product_id}/variants/${variant_id}`, { stock: quantity + 3 });
        }
      };
      const results = await Promise.allSettled(steps.map(run));
      const refused = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
      for (const { status } of refused) expect([409, 422]).toContain(status);
      await expectBalanced(variants.map(({ id }) => id));
    }),
    { numRuns: 8, endOnFailure: true },
  );
});
