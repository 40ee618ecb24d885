import { sql } from '@chowk/kit';
import { expect, test } from 'vitest';
import { Context } from '../../server/src/context/context.ts';
import { startPlatform } from '../../server/testing/platform.ts';
import { jobs } from './reservations.ts';

const now = new Date('2026-11-15T10:00:00.000Z');
const platform = await startPlatform({ now: () => now });
const acme = await platform.tenant();
const merchant = acme.caller('products.view', 'products.create', 'products.edit');

let sequence = 0;
async function create(stock: number) {
  const { body } = await merchant.post('/api/v1/products', { sku: `S-${++sequence}`, title: 'Tea', price: 1, stock });
  const url = `/api/v1/products/${body.product.id}`;
  return {
    id: body.product.id as string,
    read: async () => (await merchant.get(url)).body.product,
    adjust: (change: number, more = {}) => merchant.post(`${url}/stock`, { change, ...more }),
    reserve: (quantity: number, more = {}) => merchant.post(`${url}/reservations`, { quantity, ...more }),
    renew: (reservation: string, more = {}) => merchant.post(`${url}/reservations/${reservation}/renew`, more),
    release: (reservation: string) => merchant.delete(`${url}/reservations/${reservation}`),
    commit: (reservation: string) => merchant.post(`${url}/reservations/${reservation}/commit`),
    movements: async (query = '') => (await merchant.get(`${url}/movements${query}`)).body,
  };
}
const releaseExpired = () =>
  jobs['products.release_expired'].run(
    new Context(platform.kernel, { requestId: 'job', module: 'products', tenant: acme, system: true }),
    {},
  );
const counts = (answers: readonly { status: number }[]) =>
  Object.fromEntries([...Map.groupBy(answers, ({ status }) => status)].map(([status, all]) => [status, all.length]));

/** The invariant: movements and reservations add up to the values of the product. */
async function expectBalanced(id: string): Promise<void> {
  const row = await acme.db.row(sql`
    SELECT stock = (SELECT sum(change) FROM stock_movements WHERE product_id = p.id) AS stock,
      reserved = (SELECT sum(reserved_change) FROM stock_movements WHERE product_id = p.id) AS reserved,
      reserved = (SELECT coalesce(sum(quantity), 0) FROM stock_reservations WHERE product_id = p.id) AS held
    FROM products p WHERE id = ${id}`);
  expect(row).toEqual({ stock: true, reserved: true, held: true });
}

test('stock can be added and removed, and each change is logged', async () => {
  const tea = await create(5);
  const { status, body } = await tea.adjust(-2, { reason: 'broken', reference: 'box 7' });
  expect({ status, body }).toMatchObject({
    status: 200,
    body: { message: 'Stock changed.', product: { stock: 3, reserved: 0, available: 3 } },
  });
  await tea.adjust(10);
  const { movements, pagination } = await tea.movements();
  const common = {
    reserved_change: 0,
    user_id: merchant.user.id,
    at: now.toISOString(),
    reference: null,
    variant_id: tea.id,
    location_id: null,
    order_id: null,
  };
  expect(movements).toEqual([
    { ...common, id: expect.any(String), change: 10, reason: 'adjusted' },
    { ...common, id: expect.any(String), change: -2, reason: 'broken', reference: 'box 7' },
    { ...common, id: expect.any(String), change: 5, reason: 'initial' },
  ]);
  expect(pagination).toEqual({ current_page: 1, last_page: 1, per_page: 20, total: 3 });
  expect(await tea.movements('?per_page=2&page=2')).toMatchObject({
    movements: [{ reason: 'initial' }],
    pagination: { current_page: 2, last_page: 2, per_page: 2, total: 3 },
  });
});

test('removing more than is available fails and changes nothing', async () => {
  const tea = await create(2);
  const before = await tea.read();
  const { status, body } = await tea.adjust(-3);
  expect({ status, body }).toMatchObject({
    status: 409,
    body: {
      code: 'products.insufficient_stock',
      message: `Insufficient stock for ${before.sku}: requested 3, available 2.`,
      available: 2,
    },
  });
  expect(await tea.read()).toEqual(before);
  expect((await tea.movements()).pagination.total).toBe(1);
});

test.each([
  ['change', '/stock', {}],
  ['change', '/stock', { change: 1.5 }],
  ['change', '/stock', { change: '1' }],
  ['reason', '/stock', { change: 1, reason: '' }],
  ['reference', '/stock', { change: 1, reference: 'x'.repeat(256) }],
  ['quantity', '/reservations', {}],
  ['quantity', '/reservations', { quantity: 0 }],
  ['expires_in', '/reservations', { quantity: 1, expires_in: 0 }],
  ['expires_in', '/reservations', { quantity: 1, expires_in: 2_592_001 }],
])('an invalid %s of %s is reported: %j', async (field, path, wrong) => {
  const { id } = await create(1);
  const { status, body } = await merchant.post(`/api/v1/products/${id}${path}`, wrong);
  expect({ status, fields: Object.keys(body.errors) }).toEqual({ status: 422, fields: [field] });
});

test('stock above the maximum is rejected, and a reservation of more than exists is refused as insufficient', async () => {
  const tea = await create(2_147_483_647);
  expect((await tea.adjust(1)).body).toMatchObject({
    errors: { change: ['The stock must be at most 2147483647.'] },
    error_codes: { change: ['too_large'] },
  });
  await tea.reserve(1);
  expect(await tea.reserve(2_147_483_647)).toMatchObject({
    status: 409,
    body: { code: 'products.insufficient_stock', available: 2_147_483_646 },
  });
  expect(await tea.read()).toMatchObject({ stock: 2_147_483_647, reserved: 1 });
});

test('reserved units are not available until they are released or sold', async () => {
  const tea = await create(5);
  const first = await tea.reserve(3, { reference: 'order 1', expires_in: 60 });
  expect(first).toMatchObject({
    status: 201,
    body: {
      product: { stock: 5, reserved: 3, available: 2 },
      reservation: {
        product_id: tea.id,
        quantity: 3,
        reference: 'order 1',
      },
    },
  });
  const { created_at, expires_at } = first.body.reservation;
  expect(Date.parse(expires_at) - Date.parse(created_at)).toBe(60_000);
  expect((await tea.reserve(3)).body).toMatchObject({ code: 'products.insufficient_stock', available: 2 });
  expect((await tea.adjust(-3)).status).toBe(409);
  const second = await tea.reserve(2);
  expect((await tea.release(second.body.reservation.id)).body.product).toMatchObject({ stock: 5, reserved: 3 });
  expect((await tea.commit(first.body.reservation.id)).body.product).toMatchObject({
    stock: 2,
    reserved: 0,
    available: 2,
  });
  expect((await tea.movements()).movements.map((one: { reason: string }) => one.reason)).toEqual([
    'sold',
    'released',
    'reserved',
    'reserved',
    'initial',
  ]);
  await expectBalanced(tea.id);
});

test('a reservation ends once, and only for its own product', async () => {
  const tea = await create(5);
  const other = await create(5);
  const { reservation } = (await tea.reserve(1)).body;
  expect((await other.release(reservation.id)).body.code).toBe('products.reservation_not_found');
  const ends = await Promise.all([...Array(6)].map((_, n) => (n % 2 ? tea.release : tea.commit)(reservation.id)));
  expect(counts(ends)).toEqual({ 200: 1, 404: 5 });
  await expectBalanced(tea.id);
});

test('of fifty concurrent reservations of the last ten units ten succeed', async () => {
  const tea = await create(10);
  const answers = await Promise.all(Array.from({ length: 50 }, () => tea.reserve(1)));
  expect(counts(answers)).toEqual({ 201: 10, 409: 40 });
  expect(await tea.read()).toMatchObject({ stock: 10, reserved: 10, available: 0 });
  await expectBalanced(tea.id);
});

test('concurrent stock changes lose nothing and never go below zero', async () => {
  const tea = await create(20);
  const held: string[] = (await Promise.all([1, 2, 3, 4].map((quantity) => tea.reserve(quantity)))).map(
    ({ body }) => body.reservation.id,
  );
  const answers = await Promise.all([
    ...Array.from({ length: 25 }, (_, n) => tea.adjust(n % 3 === 0 ? 2 : -2)),
    ...Array.from({ length: 15 }, () => tea.reserve(2)),
    ...held.map((id, n) => (n % 2 ? tea.release(id) : tea.commit(id))),
    merchant.patch(`/api/v1/products/${tea.id}`, { title: 'Changed meanwhile' }),
  ]);
  expect(answers.every(({ status }) => [200, 201, 409].includes(status))).toBe(true);
  const { stock, reserved } = await tea.read();
  expect(stock).toBeGreaterThanOrEqual(reserved);
  expect(reserved).toBeGreaterThanOrEqual(0);
  await expectBalanced(tea.id);
});

test('expired reservations are released once, however often the job runs', async () => {
  const tea = await create(5);
  await tea.reserve(2, { expires_in: 60, reference: 'cart' });
  await tea.reserve(1, { expires_in: 60 });
  const later = await tea.reserve(1, { expires_in: 3_600 });
  await releaseExpired();
  expect(await tea.read()).toMatchObject({ reserved: 4 });
  await acme.db.run(sql`UPDATE stock_reservations SET expires_at = now() WHERE id <> ${later.body.reservation.id}`);
  await Promise.all([releaseExpired(), releaseExpired(), releaseExpired()]);
  expect(await tea.read()).toMatchObject({ stock: 5, reserved: 1, available: 4 });
  const { movements } = await tea.movements();
  const expired = movements.filter(({ reason }: { reason: string }) => reason === 'expired');
  expect(expired.map((one: { reserved_change: number }) => one.reserved_change).toSorted()).toEqual([-1, -2]);
  expect(expired).toMatchObject([{ user_id: null }, { user_id: null }]);
  await expectBalanced(tea.id);
  expect((await tea.commit(later.body.reservation.id)).status).toBe(200);
});

test('a reservation is renewed until it has expired, by the clock of the database alone', async () => {
  const tea = await create(5);
  const { reservation } = (await tea.reserve(2, { expires_in: 60 })).body;
  const left = async (id: string) =>
    (
      await acme.db.row<{ seconds: number }>(sql`
        SELECT extract(epoch FROM expires_at - now())::integer AS seconds FROM stock_reservations WHERE id = ${id}`)
    )?.seconds;
  // The clock of this server is days away from the database's.
  const { status, body } = await tea.renew(reservation.id, { expires_in: 3_600 });
  expect({ status, body }).toMatchObject({ status: 200, body: { reservation: { id: reservation.id, quantity: 2 } } });
  expect(await left(reservation.id)).toBeGreaterThan(3_500);
  expect((await tea.renew(reservation.id)).status).toBe(200);
  expect(await left(reservation.id)).toBeLessThanOrEqual(900);
  await releaseExpired();
  expect(await tea.read()).toMatchObject({ stock: 5, reserved: 2 });

  const other = await create(5);
  expect((await other.renew(reservation.id)).body).toMatchObject({ code: 'products.reservation_not_found' });
  expect((await tea.renew(reservation.id, { expires_in: 0 })).status).toBe(422);
  await acme.db.run(
    sql`UPDATE stock_reservations SET expires_at = now() - interval '1 second' WHERE id = ${reservation.id}`,
  );
  expect((await tea.renew(reservation.id)).status).toBe(404);
  await releaseExpired();
  expect(await tea.read()).toMatchObject({ stock: 5, reserved: 0 });
  await expectBalanced(tea.id);
});

test('a renewal and the end of a reservation at once release its units once or keep them', async () => {
  const tea = await create(20);
  const held = await Promise.all(Array.from({ length: 10 }, () => tea.reserve(1, { expires_in: 60 })));
  await acme.db.run(sql`UPDATE stock_reservations SET expires_at = now() + interval '30 milliseconds'`);
  const renewals = Promise.all(held.map(({ body }) => tea.renew(body.reservation.id, { expires_in: 600 })));
  await Promise.all([renewals, ...held.map(() => releaseExpired())]);
  const kept = counts(await renewals)[200] ?? 0;
  await acme.db.run(sql`SELECT pg_sleep(0.05)`);
  await releaseExpired();
  expect(await tea.read()).toMatchObject({ stock: 20, reserved: kept });
  await expectBalanced(tea.id);
});

test('expired reservations beyond one batch are all released', async () => {
  const tea = await create(1_200);
  await acme.db.run(sql`
    INSERT INTO stock_reservations (id, product_id, quantity, created_at, expires_at)
    SELECT gen_random_uuid(), ${tea.id}, 1, ${now}, ${now} FROM generate_series(1, 1100)`);
  // As an older server does.
  await acme.db.run(sql`UPDATE products SET reserved = 1100 WHERE id = ${tea.id}`);
  await releaseExpired();
  expect(await tea.read()).toMatchObject({ reserved: 0, available: 1_200 });
});

test('a reservation adds the task that ends it, in its transaction', async () => {
  const tea = await create(5);
  const before = await platform.kernel.jobs.list();
  await tea.reserve(2, { expires_in: 7_200 });
  await expect.poll(async () => (await platform.kernel.jobs.list()).total).toBe(before.total + 1);
  expect((await platform.kernel.jobs.list()).rows.at(-1)).toMatchObject({
    job: 'products.release_expired',
    tenant: acme.id,
    state: 'created',
  });
});

test('the schedule releases reservations by the clock of the database, whatever that of the server says', async () => {
  const tea = await create(5);
  // The clock of this server is days behind.
  await tea.reserve(2, { expires_in: 60 });
  await releaseExpired();
  expect(await tea.read()).toMatchObject({ reserved: 2 });
  await acme.db.run(sql`UPDATE stock_reservations SET expires_at = now() - interval '1 second'`);
  await releaseExpired();
  expect(await tea.read()).toMatchObject({ reserved: 0, available: 5 });
  expect(jobs['products.release_expired'].schedule).toBe('3-59/15 * * * *');
});
