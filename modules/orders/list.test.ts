import { sql } from '@chowk/kit';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { startPlatform } from '../../server/testing/platform.ts';
import { statuses as known, type ListedOrder } from './schemas.ts';

const platform = await startPlatform();
const all = ['view', 'create', 'edit', 'cancel', 'refund', 'delete'].map((verb) => `orders.${verb}`);
const tea = { name: 'Tea', sku: 'T-1', quantity: 2, price: '4.50' };

async function shop() {
  const tenant = await platform.tenant();
  const caller = tenant.caller(...all, 'customers.view_sensitive');
  const list = async (query = '', as = caller) => {
    const answer = await as.get(`/api/v1/orders${query}`);
    expect(answer).toMatchObject({ status: 200 });
    return answer.body as { orders: ListedOrder[]; pagination: Record<string, number> };
  };
  const create = async (fields: object = {}) => {
    const { status, body } = await caller.post('/api/v1/orders', { items: [tea], ...fields });
    expect({ status, body }).toMatchObject({ status: 201 });
    return body.order as ListedOrder;
  };
  return { tenant, caller, list, create };
}

test('without orders there is one empty page', async () => {
  const { list } = await shop();
  expect(await list()).toEqual({
    orders: [],
    pagination: { current_page: 1, last_page: 1, per_page: 20, total: 0 },
  });
});

test('orders are listed with items and customer, newest first, by page', async () => {
  const { tenant, list, create } = await shop();
  const created: ListedOrder[] = [];
  const shipping_address = { address1: '1 High St', city: 'Pune' };
  for (let day = 1; day <= 5; day += 1) {
    const customer = { phone: `+91987654320${day % 2}`, first_name: 'Asha', last_name: `R${day % 2}` };
    const order = await create({ customer, shipping_address, placed_at: `2026-01-0${day}T00:00:00.000Z` });
    const { phone, first_name, last_name } = customer;
    created.push({ ...order, customer: { id: order.customer_id, first_name, last_name, email: null, phone } });
  }
  expect(await list('?per_page=2&page=2')).toEqual({
    orders: [created[2], created[1]],
    pagination: { current_page: 2, last_page: 3, per_page: 2, total: 5 },
  });
  expect(await list('?page=9')).toMatchObject({ orders: [], pagination: { total: 5 } });
  const { orders } = await list('?per_page=1', tenant.caller('orders.view'));
  expect(orders[0]).toMatchObject({
    customer: { phone: '+**********01' },
    shipping_address: { address1: null, city: 'Pune' },
  });
});

test.each([
  ['per_page', 'per_page=101'],
  ['page', 'page=0'],
  ['sort_by', 'sort_by=note'],
  ['sort_by', 'sort_by=total;DROP TABLE orders'],
  ['sort_order', 'sort_order=up'],
  ['status', 'status=sold'],
  ['status', 'status='],
  ['status', 'status=pending&status=sold'],
  ['customer_id', 'customer_id=1'],
  ['min_total', 'min_total=cheap'],
  ['max_total', 'max_total=1.2345'],
  ['placed_from', 'placed_from=yesterday'],
  ['placed_to', 'placed_to=2026-02-30'],
  ['search', `search=${'x'.repeat(201)}`],
])('an invalid %s is rejected: %s', async (field, query) => {
  const { caller } = await refusing;
  const { status, body } = await caller.get(`/api/v1/orders?${query}`);
  expect({ status, fields: Object.keys(body.errors) }).toEqual({ status: 422, fields: [field] });
});
const refusing = shop();

const statuses = ['pending', 'confirmed', 'shipped', 'cancelled'];
const notes = [null, 'Ring twice', 'Déjà vu 100%', 'a_b चाय', 'twice'];
const arbitraryOrder = fc.record({
  total: fc.integer({ min: 0, max: 500 }).map((cents) => (cents / 100).toFixed(2)),
  status: fc.constantFrom(...statuses),
  note: fc.constantFrom(...notes),
  placed_at: fc.integer({ min: 1, max: 9 }).map((day) => `2026-01-0${day}T12:00:00.000Z`),
  customer: fc.constantFrom(...['a', 'b', 'c'].map((name) => ({ email: `${name}@example.com` }))),
});
const optional = <Value>(values: fc.Arbitrary<Value>) => fc.option(values, { nil: undefined });
const arbitraryQuery = fc.record({
  search: optional(fc.constantFrom('TWICE', 'deja', '%', '_', 'चाय', 'ring twice', '100', '#1003', 'zzz', ' ')),
  status: optional(fc.subarray(statuses, { minLength: 1 }).map((names) => names.join(','))),
  customer: optional(fc.constantFrom(0, 1, 2)),
  placed_from: optional(fc.constantFrom('2026-01-03', '2026-01-04T12:00:00Z')),
  placed_to: optional(fc.constantFrom('2026-01-07', '2026-01-06T12:00:00Z')),
  min_total: optional(fc.constantFrom('0', '1.50', '3')),
  max_total: optional(fc.constantFrom('1', '2.5', '5.00')),
  sort_by: optional(fc.constantFrom('placed_at', 'total', 'order_number')),
  sort_order: optional(fc.constantFrom('asc', 'desc')),
});
type Query = typeof arbitraryQuery extends fc.Arbitrary<infer Value> ? Value : never;

const fold = (text: string) =>
  text
    .normalize('NFD')
    .replace(/[\u0300-\u036f]/g, '')
    .toLowerCase();
/** The end of the day, or the time itself. */
const last = (moment: string) => (moment.length === 10 ? `${moment}T23:59:59Z` : moment);

function matches(order: ListedOrder, customers: readonly string[], query: Query): boolean {
  const { search = '', status, customer, placed_from, placed_to, min_total, max_total } = query;
  const text = fold(`${order.order_number}\n${order.note ?? ''}`);
  const at = Date.parse(order.placed_at);
  return (
    search.split(' ').every((word) => text.includes(fold(word.replace('#', '')))) &&
    (status === undefined || status.split(',').includes(order.status)) &&
    (customer === undefined || order.customer_id === customers[customer]) &&
    (placed_from === undefined || at >= Date.parse(placed_from)) &&
    (placed_to === undefined || at <= Date.parse(last(placed_to))) &&
    (min_total === undefined || Number(order.total) >= Number(min_total)) &&
    (max_total === undefined || Number(order.total) <= Number(max_total))
  );
}

function sorted(orders: readonly ListedOrder[], { sort_by = 'placed_at', sort_order = 'desc' }: Query): ListedOrder[] {
  const keys = {
    placed_at: (order: ListedOrder) => Date.parse(order.placed_at),
    total: (order: ListedOrder) => Number(order.total),
    order_number: (order: ListedOrder) => Number(order.order_number),
  };
  const key = keys[sort_by as keyof typeof keys];
  const ascending = orders.toSorted((a, b) => key(a) - key(b) || (a.id < b.id ? -1 : 1));
  return sort_order === 'asc' ? ascending : ascending.reverse();
}

test('any combination of filters and sorts lists the same orders as a naive query', async () => {
  const { list, create, caller } = await shop();
  const orders: ListedOrder[] = [];
  for (const draft of fc.sample(arbitraryOrder, { numRuns: 40, seed: 7 })) orders.push(await create(draft));
  await caller.delete(`/api/v1/orders/${(await create({ note: 'twice' })).id}`);
  const customers = [...new Set(orders.map(({ customer_id }) => customer_id))];
  await fc.assert(
    fc.asyncProperty(arbitraryQuery, async ({ customer, ...query }) => {
      const parameters = new URLSearchParams({ per_page: '100' });
      for (const [name, value] of Object.entries(query)) if (value !== undefined) parameters.set(name, value);
      if (customer !== undefined) parameters.set('customer_id', customers[customer] as string);
      const { orders: found, pagination } = await list(`?${parameters}`);
      const expected = sorted(
        orders.filter((order) => matches(order, customers, { customer, ...query })),
        { customer, ...query },
      );
      expect(found.map(({ order_number }) => order_number)).toEqual(expected.map(({ order_number }) => order_number));
      expect(pagination.total).toBe(expected.length);
    }),
    { numRuns: 100 },
  );
});

test('an order is found by name and email of its customer', async () => {
  const { list, create } = await shop();
  const order = await create({ customer: { email: 'zoe@example.com', first_name: 'Zoë', last_name: 'Müller' } });
  await create({ note: 'For nobody in particular' });
  for (const text of ['zoe', 'Muller zoë', 'zoe@example.com']) {
    const { orders, pagination } = await list(`?search=${encodeURIComponent(text)}`);
    expect({ text, ids: orders.map(({ id }) => id), total: pagination.total }).toEqual({
      text,
      ids: [order.id],
      total: 1,
    });
  }
});

test('an order is found by name and SKU of an item, with all words in one of them', async () => {
  const { list, create } = await shop();
  const tea = { name: 'Jasmine pearls, 250 g', sku: 'TEA-JP-250', quantity: 1, price: '9.00' };
  const order = await create({ items: [{ name: 'Mug', quantity: 2, price: '3.00' }, tea] });
  await create({ items: [{ name: 'Mug', quantity: 1, price: '3.00' }] });
  const find = async (text: string) =>
    (await list(`?search=${encodeURIComponent(text)}`)).orders.map(({ id }: ListedOrder) => id);
  for (const text of ['jasmine', 'PEARLS jasmine', 'tea-jp']) {
    expect({ text, ids: await find(text) }).toEqual({ text, ids: [order.id] });
  }
  expect(await find('mug')).toHaveLength(2);
  expect(await find('mug jasmine')).toEqual([]);
});

test('a search finds the orders of all matching customers, however many', async () => {
  const { tenant, list, create } = await shop();
  await tenant.db.run(sql`
    INSERT INTO customers (id, first_name, created_at, updated_at)
    SELECT gen_random_uuid(), 'Asha', now(), now() FROM generate_series(1, 300)`);
  await tenant.db.run(sql`
    INSERT INTO orders (id, number, order_number, customer_id, status, currency, total, placed_at, created_at, updated_at)
    SELECT gen_random_uuid(), row_number() OVER (), '', id, 'pending', 'INR', 1, now(), now(), now() FROM customers`);
  await create({ note: 'From Asha', customer: { first_name: 'Asha' } });
  await create({ note: 'For Asha' });
  await create();
  const { orders, pagination } = await list('?search=asha&page=4&per_page=100');
  expect({ shown: orders.length, total: pagination.total }).toEqual({ shown: 2, total: 302 });
});

test('a search by phone finds no orders without the permission', async () => {
  const { tenant, list, create } = await shop();
  await create({ customer: { phone: '+919876543210' }, shipping_address: { phone: '9876543210', address1: 'Hill 7' } });
  for (const text of ['9876543210', '543210', 'Hill']) {
    const { body } = await tenant.caller('orders.view').get(`/api/v1/orders?search=${text}`);
    expect(body.pagination.total).toBe(0);
  }
  expect((await list('?search=9876543210')).pagination.total).toBe(1);
});

async function expectTrueCounts({ tenant, caller }: Pick<Awaited<ReturnType<typeof shop>>, 'tenant' | 'caller'>) {
  const counted = await tenant.db.rows<{ status: string; count: number }>(sql`
    SELECT status, count(*) FROM orders WHERE deleted_at IS NULL GROUP BY status`);
  const { body } = await caller.get('/api/v1/orders/counts');
  const kept = Object.entries(body.counts).filter(([, count]) => count !== 0);
  expect(Object.fromEntries(kept)).toEqual(Object.fromEntries(counted.map(({ status, count }) => [status, count])));
  expect(body.total).toBe(counted.reduce((sum, { count }) => sum + count, 0));
}

test('orders are counted for every status', async () => {
  const { caller, create, list } = await shop();
  for (const status of ['shipped', 'shipped', 'failed']) await create({ status });
  const none = { pending: 0, confirmed: 0, processing: 0, delivered: 0, cancelled: 0, refunded: 0 };
  expect((await caller.get('/api/v1/orders/counts')).body).toEqual({
    total: 3,
    counts: { ...none, shipped: 2, failed: 1 },
  });
  expect((await list('?status=shipped,pending')).pagination.total).toBe(2);
  expect((await list('?status=failed&status=shipped')).pagination.total).toBe(3);
});

test('counters are correct under concurrent writes', async () => {
  const { tenant, caller, create, list } = await shop();
  await Promise.all(
    Array.from({ length: 40 }, async (_, index) => {
      const { id } = await create({ customer: { email: `c${index % 5}@example.com` } });
      if (index % 3 === 0) await caller.delete(`/api/v1/orders/${id}`);
      if (index % 3 === 1) await caller.post(`/api/v1/orders/${id}/cancel`);
      if (index % 7 === 0) await tenant.db.row(sql`SELECT compact_counters()`);
    }),
  );
  await expectTrueCounts({ tenant, caller });
  expect((await list()).pagination.total).toBe(26);
});

test('counters are correct after any history, including rollbacks', async () => {
  const { tenant, caller } = await shop();
  const step = fc.record({
    kind: fc.constantFrom('insert', 'hide', 'show', 'remove', 'ship', 'edit', 'compact'),
    count: fc.integer({ min: 1, max: 4 }),
    undone: fc.boolean(),
    inTwo: fc.boolean(),
  });
  const statements = {
    insert: (count: number) => sql`
      INSERT INTO orders (id, number, order_number, customer_id, status, currency, total, placed_at, created_at, updated_at)
      SELECT gen_random_uuid(), n, n::text, gen_random_uuid(),
        CASE WHEN n % 2 = 0 THEN 'pending' ELSE 'failed' END, 'INR', 1, now(), now(), now()
      FROM (SELECT coalesce((SELECT max(number) FROM orders), 0) + g AS n FROM generate_series(1, ${count}::integer) g) s`,
    hide: (count: number) => sql`
      UPDATE orders SET deleted_at = now() WHERE id IN (SELECT id FROM orders ORDER BY id LIMIT ${count})`,
    show: (count: number) => sql`
      UPDATE orders SET deleted_at = NULL, status = 'confirmed' WHERE id IN (SELECT id FROM orders ORDER BY id LIMIT ${count})`,
    remove: (count: number) => sql`
      DELETE FROM orders WHERE id IN (SELECT id FROM orders ORDER BY id DESC LIMIT ${count})`,
    ship: (count: number) => sql`UPDATE orders SET status = 'shipped' WHERE number % 4 < ${count}`,
    edit: (count: number) => sql`UPDATE orders SET total = ${count}`,
    compact: () => sql`SELECT compact_counters()`,
  };
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 8 }), async (steps) => {
      for (const { kind, count, undone, inTwo } of steps) {
        const work = tenant.db.tx(async (tx) => {
          await tx.run(statements[kind](count));
          if (inTwo) await tx.run(statements[kind](count));
          if (undone) throw new Error('undone');
        });
        await work.catch((error: Error) => expect(error.message).toBe('undone'));
      }
      await expectTrueCounts({ tenant, caller });
    }),
    { numRuns: 30 },
  );
});

test('a cursor visits every order exactly once while orders are created', async () => {
  const { create, caller } = await shop();
  const ids = new Set<string>();
  for (let n = 0; n < 23; n += 1) {
    ids.add((await create({ total: n % 4, placed_at: `2026-01-0${1 + (n % 6)}T00:00:00Z`, note: 'Early' })).id);
  }
  const orders = ['sort_by=placed_at', 'sort_by=total&sort_order=asc', 'sort_by=order_number', 'sort_by=updated_at'];
  for (const order of orders) {
    const found: string[] = [];
    let after: string | null = '';
    while (after !== null) {
      const query: string = `search=early&limit=4&${order}${after && `&cursor=${after}`}`;
      const { status, body } = await caller.get(`/api/v1/orders?${query}`);
      expect({ status, more: body.pagination.has_more }).toEqual({
        status: 200,
        more: body.pagination.next_cursor !== null,
      });
      found.push(...body.orders.map(({ id }: ListedOrder) => id));
      await create({ total: 2, placed_at: '2026-01-03T00:00:00Z', note: 'Late' });
      after = body.pagination.next_cursor;
    }
    expect({ order, count: found.length, ids: new Set(found) }).toEqual({ order, count: 23, ids });
  }
});

test('updated_from lists changed orders, the latest change last', async () => {
  const { create, caller, list } = await shop();
  const [first, second, third] = [await create(), await create(), await create()];
  const { body } = await caller.patch(`/api/v1/orders/${first.id}`, { note: 'Called' });
  await caller.post(`/api/v1/orders/${second.id}/cancel`);
  const changed = await list(`?updated_from=${body.order.updated_at}&sort_by=updated_at&sort_order=asc`);
  expect(changed.orders.map(({ id }) => id).filter((id) => id !== third.id)).toEqual([first.id, second.id]);
  expect((await list('?updated_from=2999-01-01')).pagination.total).toBe(0);
});

test('all problems of a query are reported at once, including unknown parameters', async () => {
  const { caller } = await refusing;
  const { status, body } = await caller.get('/api/v1/orders?colour=red&page=0&status=sold&min_total=cheap&_trace=1');
  expect({ status, codes: body.error_codes }).toEqual({
    status: 422,
    codes: { colour: ['unknown'], page: ['too_small'], status: ['not_allowed'], min_total: ['invalid'] },
  });
  expect(body.errors.status).toEqual([`The status must be one of ${known.join(', ')}.`]);
});

test('orders are found by metadata', async () => {
  const { list, create } = await shop();
  const first = await create({ metadata: { source: 'instagram', campaign: 'x' } });
  await create({ metadata: { source: 'web' } });
  await create();
  const find = async (query: string) => (await list(`?${query}`)).orders.map(({ id }) => id);
  expect(await find('metadata[source]=instagram')).toEqual([first.id]);
  expect(await find('metadata[source]=instagram&metadata[campaign]=y')).toEqual([]);
});
