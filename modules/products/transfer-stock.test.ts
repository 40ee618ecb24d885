import { randomUUID } from 'node:crypto';
import { sql } from '@chowk/kit';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { startPlatform } from '../../server/testing/platform.ts';

const platform = await startPlatform();
const acme = await platform.tenant();
const merchant = acme.caller('products.view', 'products.create', 'products.edit', 'products.delete');

async function place(name: string): Promise<string> {
  const { status, body } = await merchant.post('/api/v1/stock-locations', { name });
  expect(status).toBe(201);
  return body.location.id;
}
const [shop, depot] = [await place('Shop'), await place('Depot')];

let sequence = 0;
async function create(stock: number, fields: object = {}): Promise<{ id: string; product_id: string }> {
  sequence += 1;
  const variants = [{ sku: `T-${sequence}`, stock, ...fields }];
  const body = { sku: `T-${sequence}`, title: 'Tea', price: '5', variants };
  const answer = await merchant.post('/api/v1/products', body);
  expect(answer).toMatchObject({ status: 201 });
  return answer.body.product.variants[0];
}
const transfer = (variant_id: string, quantity: number, to: string | null, from: string | null = null) =>
  merchant.post('/api/v1/stock-transfers', {
    ...(from ? { from_location_id: from } : {}),
    ...(to ? { to_location_id: to } : {}),
    items: [{ variant_id, quantity }],
    reference: 'Van 7',
  });
/** The units at the default location, at the depot and in the shop. */
const levels = async (id: string): Promise<number[]> =>
  (await merchant.get(`/api/v1/variants/${id}/levels`)).body.levels.map(({ stock }: { stock: number }) => stock);

test('units are transferred between locations, with a movement at each', async () => {
  const { id, product_id } = await create(10);
  expect(await transfer(id.toUpperCase(), 6, shop)).toMatchObject({
    status: 200,
    body: { message: 'Stock transferred.', variants: [{ id, stock: 10, available: 10 }] },
  });
  expect(await levels(id)).toEqual([4, 0, 6]);
  expect((await transfer(id, 2, depot, shop)).status).toBe(200);
  expect((await transfer(id, 1, null, shop)).status).toBe(200);
  expect(await levels(id)).toEqual([5, 2, 3]);
  const { movements } = (await merchant.get(`/api/v1/products/${product_id}/movements`)).body;
  const moved = movements.filter(({ reason }: { reason: string }) => reason === 'transferred');
  expect(moved).toHaveLength(6);
  expect(moved).toContainEqual(expect.objectContaining({ change: -2, location_id: shop, reference: 'Van 7' }));
  expect(moved).toContainEqual(expect.objectContaining({ change: 2, location_id: depot, reserved_change: 0 }));
});

test('too many units, unknown places and variants are refused, and nothing is moved', async () => {
  const [{ id }, { id: other }] = [await create(3), await create(3, { continue_selling: true })];
  const short = { status: 409, body: { code: 'products.insufficient_at_location' } };
  expect(await transfer(id, 4, shop)).toMatchObject(short);
  expect(await transfer(other, 4, shop)).toMatchObject(short);
  expect(await transfer(id, 1, null, shop)).toMatchObject(short);
  const refused = async (...sent: Parameters<typeof transfer>) => {
    const { status, body } = await transfer(...sent);
    return [status, ...Object.keys(body.errors ?? {})];
  };
  expect(await refused(id, 1, randomUUID())).toEqual([422, 'to_location_id']);
  expect(await refused(id, 1, null, randomUUID())).toEqual([422, 'from_location_id']);
  expect(await refused(id, 1, shop, shop)).toEqual([422, 'to_location_id']);
  expect(await refused(id, 1, null)).toEqual([422, 'to_location_id']);
  expect(await refused(id, 0, shop)).toEqual([422, 'items.0.quantity']);
  expect((await transfer(randomUUID(), 1, shop)).status).toBe(404);
  const items = [id, other, id].map((variant_id) => ({ variant_id, quantity: 1 }));
  const send = (list: object[]) => merchant.post('/api/v1/stock-transfers', { to_location_id: shop, items: list });
  expect((await send(items)).body.error_codes).toEqual({ 'items.2.variant_id': ['taken'] });
  expect(await send([items[0] as object, { variant_id: other, quantity: 9 }])).toMatchObject(short);
  expect([await levels(id), await levels(other)]).toEqual([
    [3, 0, 0],
    [3, 0, 0],
  ]);
});

test('of 16 transfers of the last units at a location as many succeed as it has', { timeout: 60_000 }, async () => {
  const { id } = await create(5);
  const answers = await Promise.all(Array.from({ length: 16 }, (_, n) => transfer(id, 1, n % 2 ? shop : depot)));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(5);
  const [main, ...others] = await levels(id);
  expect([main, others.reduce((sum, units) => sum + units, 0)]).toEqual([0, 5]);
});

test('no location has fewer than no units, and movements add up, after transfers at once', {
  timeout: 60_000,
}, async () => {
  const Step = fc.record({ from: fc.nat(2), to: fc.nat(2), quantity: fc.integer({ min: 1, max: 4 }) });
  await fc.assert(
    fc.asyncProperty(fc.array(Step, { minLength: 8, maxLength: 16 }), async (steps) => {
      const { id } = await create(6);
      const places = [null, depot, shop];
      const answers = await Promise.all(
        steps.map(({ from, to, quantity }) => transfer(id, quantity, places[to] as string, places[from] as string)),
      );
      for (const { status } of answers) expect([200, 409, 422]).toContain(status);
      const units = await levels(id);
      expect(units.every((count) => count >= 0)).toBe(true);
      expect(units.reduce((sum, count) => sum + count, 0)).toBe(6);
      const rows = await acme.db.rows<{ location_id: string | null; units: number }>(sql`
        SELECT location_id, sum(change)::integer AS units FROM stock_movements WHERE variant_id = ${id} GROUP BY 1`);
      const moved = new Map(rows.map((row) => [row.location_id, row.units]));
      expect(places.map((one) => moved.get(one) ?? 0)).toEqual(units);
    }),
    { numRuns: 6 },
  );
});
