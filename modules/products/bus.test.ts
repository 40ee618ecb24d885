import { join } from 'node:path';
import {
  type Action,
  afterCommit,
  type Ctx,
  type Delivery,
  defineModule,
  inTransaction,
  type Sent,
} from '@chowk/kit/kernel';
import { expect, onTestFinished, test } from 'vitest';
import { Context } from '../../server/src/context/context.ts';
import { type LoadedModule, loadModule } from '../../server/src/loader/load-modules.ts';
import { readManifest } from '../../server/src/loader/manifest.ts';
import { startPlatform } from '../../server/testing/platform.ts';
import { actions } from './actions.ts';
import type { NewProduct, ProductRecord } from './schemas.ts';

const folder = import.meta.dirname;
const products = await loadModule(folder, await readManifest(join(folder, 'module.json')));

const receivedInTransaction: string[] = [];
const receivedAfterCommit: { name: string; payload: unknown }[] = [];
let refuseWithin = false;

const listenWithin = async (_: Ctx, payload: { product: ProductRecord }, { name }: Delivery) => {
  if (refuseWithin) throw new Error('the listener refuses');
  receivedInTransaction.push(`${name} ${payload.product.sku}`);
};
const listenAfter = async (_: Ctx, payload: unknown, { name }: Delivery) => {
  receivedAfterCommit.push({ name, payload });
};

const onBus = Object.entries<Action>(actions).flatMap(([name, { bus }]) => (bus ? [name] : []));
const events = ['product.created', 'product.updated', 'product.deleted', 'product.stock_changed'] as const;
/** A module that calls products over the bus. */
const shop: LoadedModule = {
  alias: 'shop',
  folder,
  manifest: {
    name: 'Shop',
    alias: 'shop',
    version: '1.0.0',
    description: 'Uses products.',
    compatibility: { platform: '^1.0.0' },
    auto_install: true,
    api: { consumes: onBus.filter((name) => name !== 'products.search') },
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

const platform = await startPlatform({ modules: [products, shop] });
const acme = await platform.tenant();

function createContext(...permissions: string[]): Ctx {
  const { caller: user } = platform.identity.mint();
  const membership = { role: 'Test', permissions: new Set(permissions) };
  return new Context(platform.kernel, { requestId: 'test', module: 'shop', tenant: acme, user, membership });
}
const ctx = createContext('products.view', 'products.create', 'products.edit');

let sequence = 0;
const draft = (fields: Partial<Sent<typeof NewProduct>> = {}) => ({
  sku: `B-${++sequence}`,
  title: 'Tea',
  price: '1.00',
  ...fields,
});

test('another module can create, read, change and list products', async () => {
  const product = await ctx.bus.call('products.create', draft({ sku: 'Bus-1', price: '5', stock: 2 }));
  expect(product).toMatchObject({ sku: 'Bus-1', price: '5.00', status: 'active', available: 2 });
  expect(await ctx.bus.call('products.get', { id: product.id })).toEqual(product);
  expect(await ctx.bus.call('products.getBySku', { sku: 'BUS-1' })).toEqual(product);
  const changed = await ctx.bus.call('products.update', { id: product.id, title: 'Coffee' });
  expect(changed).toMatchObject({ title: 'Coffee', price: '5.00' });
  const { products: found, pagination } = await ctx.bus.call('products.list', { search: 'coffee' });
  expect({ found, pagination }).toEqual({
    found: [changed],
    pagination: { current_page: 1, last_page: 1, per_page: 20, total: 1 },
  });
});

const change = (id: string, units: number, as = ctx) => as.bus.call('products.changeStock', { id, change: units });
const reserve = async (id: string, quantity: number, as = ctx) =>
  (await as.bus.call('products.reserve', { id, quantity, reference: 'O-1' })).reservation.id;

test('stock can be changed, reserved, released and sold over the bus', async () => {
  const { id } = await ctx.bus.call('products.create', draft({ stock: 5 }));
  expect(await change(id, 5)).toMatchObject({ stock: 10 });
  const [sold, kept] = [await reserve(id, 4), await reserve(id, 3)];
  expect(await ctx.bus.call('products.get', { id })).toMatchObject({ stock: 10, reserved: 7, available: 3 });
  expect(await ctx.bus.call('products.commit', { id, reservation: sold })).toMatchObject({ stock: 6, reserved: 3 });
  expect(await ctx.bus.call('products.release', { id, reservation: kept })).toMatchObject({ stock: 6, reserved: 0 });
  for (const name of ['products.release', 'products.commit'] as const) {
    const again = ctx.bus.call(name, { id, reservation: sold });
    await expect(again).rejects.toMatchObject({ code: 'products.reservation_not_found' });
  }
  await expect(change(id, -7)).rejects.toMatchObject({ code: 'products.insufficient_stock', status: 409 });
  await expect(reserve(id, 7)).rejects.toMatchObject({ code: 'products.insufficient_stock' });
  expect(await ctx.bus.call('products.get', { id })).toMatchObject({ stock: 6, reserved: 0 });
});

test("a call joins the caller's transaction and is rolled back with it", async () => {
  const { id } = await ctx.bus.call('products.create', draft({ stock: 5 }));
  const work = ctx.tx(async (tx) => {
    await change(id, -5, tx);
    await tx.bus.call('products.create', draft({ sku: 'UNDONE' }));
    // A refused call is rolled back alone.
    await expect(change(id, -1, tx)).rejects.toMatchObject({ status: 409 });
    expect(await tx.bus.call('products.get', { id })).toMatchObject({ stock: 0 });
    throw new Error('undo');
  });
  await expect(work).rejects.toThrow('undo');
  expect(await ctx.bus.call('products.get', { id })).toMatchObject({ stock: 5 });
  await expect(ctx.bus.call('products.getBySku', { sku: 'UNDONE' })).rejects.toMatchObject({ status: 404 });
});

test('many products are read in one call, with a failure for each missing one', async () => {
  const [one, other] = [await ctx.bus.call('products.create', draft()), await ctx.bus.call('products.create', draft())];
  const missing = ctx.newId();
  const found = await actions['products.get'].runBatch?.(ctx, [{ id: other.id }, { id: missing }, { id: one.id }]);
  expect(found).toEqual([other, expect.objectContaining({ code: 'products.not_found' }), one]);
});

test('the bus requires the permission, the declaration and the module', async () => {
  const { id } = await ctx.bus.call('products.create', draft({ stock: 5 }));
  const viewer = createContext('products.view');
  await expect(change(id, 1, viewer)).rejects.toMatchObject({ code: 'auth.forbidden' });
  await expect(viewer.bus.call('products.create', draft())).rejects.toMatchObject({ code: 'auth.forbidden' });
  await expect(createContext().bus.call('products.get', { id })).rejects.toMatchObject({ code: 'auth.forbidden' });
  const undeclared = ctx.bus.call('products.search', { q: 'tea' });
  await expect(undeclared).rejects.toMatchObject({ code: 'bus.not_declared' });
  await platform.kernel.installations.set(acme.id, 'products', 'disabled');
  onTestFinished(() => platform.kernel.installations.set(acme.id, 'products', 'enabled'));
  await expect(ctx.bus.call('products.get', { id })).rejects.toMatchObject({ code: 'modules.not_installed' });
});

test('users who create orders can reserve and sell units but not change the stock', async () => {
  const { id } = await ctx.bus.call('products.create', draft({ stock: 5 }));
  const agent = createContext('products.view', 'orders.create');
  await expect(change(id, 1, agent)).rejects.toMatchObject({ code: 'auth.forbidden', status: 403 });
  const reservation = await reserve(id, 2, agent);
  const sold = await agent.bus.call('products.commit', { id, reservation });
  expect(sold).toMatchObject({ stock: 3, reserved: 0 });
  await expect(reserve(id, 1, createContext('products.view'))).rejects.toMatchObject({ code: 'auth.forbidden' });
});

test('in-transaction listeners receive all events in order and can reject a change', async () => {
  const merchant = acme.caller('products.view', 'products.create', 'products.edit', 'products.delete');
  receivedInTransaction.length = 0;
  const { body } = await merchant.post('/api/v1/products', draft({ sku: 'EVENTS', stock: 1 }));
  const url = `/api/v1/products/${body.product.id}`;
  await merchant.patch(url, { title: 'New', stock: 2 });
  await merchant.patch(url, { title: 'New' });
  await merchant.post(`${url}/stock`, { change: 1 });
  await merchant.post(`${url}/stock`, { change: -100 });
  await merchant.delete(url);
  expect(receivedInTransaction).toEqual([
    'product.created EVENTS',
    'product.updated EVENTS',
    'product.stock_changed EVENTS',
    'product.stock_changed EVENTS',
    'product.deleted EVENTS',
  ]);
  refuseWithin = true;
  onTestFinished(() => {
    refuseWithin = false;
  });
  expect((await merchant.post('/api/v1/products', draft({ sku: 'REFUSED' }))).status).toBe(500);
  await expect(ctx.bus.call('products.getBySku', { sku: 'REFUSED' })).rejects.toMatchObject({ status: 404 });
});

test('after-commit listeners receive events in order, with the changes', async () => {
  const { id } = await ctx.bus.call('products.create', draft({ sku: 'LATER', stock: 8 }));
  await ctx.bus.call('products.update', { id, title: 'New', price: '2' });
  await ctx.bus.call('products.changeStock', { id, change: -2, reason: 'counted', reference: 'r' });
  await ctx.bus.call('products.reserve', { id, quantity: 1 });
  await platform.kernel.work(['events']);
  const isForProduct = ({ payload }: { payload: unknown }) => (payload as { product: ProductRecord }).product.id === id;
  await expect.poll(() => receivedAfterCommit.filter(isForProduct).length, { timeout: 15_000 }).toBe(4);
  const byName = (name: string) => receivedAfterCommit.filter((one) => isForProduct(one) && one.name === name);
  expect(byName('product.created')).toMatchObject([{ payload: { product: { sku: 'LATER', stock: 8 } } }]);
  expect(byName('product.updated')).toMatchObject([{ payload: { changed: ['title', 'price'] } }]);
  expect(byName('product.stock_changed')).toMatchObject([
    { payload: { change: -2, reserved_change: 0, reason: 'counted', reference: 'r', low_stock: false } },
    { payload: { change: 0, reserved_change: 1, reason: 'reserved', reference: null, low_stock: true } },
  ]);
});
