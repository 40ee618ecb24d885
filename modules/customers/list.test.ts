import { type Db, raw, type Sql, sql } from '@chowk/kit';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Context } from '../../server/src/context/context.ts';
import { startPlatform } from '../../server/testing/platform.ts';
import { readByCursor } from '../../server/testing/read-by-cursor.ts';
import { buildOrder } from '../../server/testing/shop-module.ts';
import { customerList } from './list.ts';
import type { Customer } from './schemas.ts';

const platform = await startPlatform();

/** Inserts customers; missing fields get the defaults of the database. */
async function add(db: Db, customers: readonly object[]): Promise<void> {
  await db.run(sql`
    INSERT INTO customers (id, external_ids, email, phone, first_name, last_name, accepts_marketing, total_orders,
      total_spent, avg_order_value, first_order_at, last_order_at, currency, other_currencies, tags, created_at, updated_at)
    SELECT coalesce(id, gen_random_uuid()), coalesce(external_ids, '{}'), email, phone, first_name, last_name,
      coalesce(accepts_marketing, false), coalesce(total_orders, 0), coalesce(total_spent, 0), 0, first_order_at,
      last_order_at, currency, coalesce(other_currencies, '{}'), coalesce(tags, '{}'), coalesce(created_at, '2026-03-01T10:00:00Z'), now()
    FROM jsonb_populate_recordset(NULL::customers, ${JSON.stringify(customers)}::jsonb)`);
}

async function shop() {
  const tenant = await platform.tenant();
  const caller = tenant.caller('customers.view', 'customers.view_sensitive', 'settings.edit');
  const list = async (query = '', path = '') => {
    const answer = await caller.get(`/api/v1/customers${path}${query}`);
    expect(answer).toMatchObject({ status: 200 });
    return answer.body as { customers: Customer[]; pagination: Record<string, number> };
  };
  const names = async (query: string, path = '') =>
    (await list(query, path)).customers.map(({ first_name }) => first_name);
  return { tenant, db: tenant.db, caller, list, names, add: (...customers: object[]) => add(tenant.db, customers) };
}

test('without customers there is one empty page', async () => {
  const { list } = await shop();
  const empty = { customers: [], pagination: { current_page: 1, last_page: 1, per_page: 20, total: 0 } };
  expect(await list()).toEqual(empty);
  expect(await list('', '/vip')).toEqual(empty);
  expect(await list('?page=9000&sort_order=asc')).toMatchObject({ customers: [], pagination: { total: 0 } });
});

test('customers are listed with all fields, newest first, by page', async () => {
  const { add, list, caller } = await shop();
  const customer = {
    id: '01890000-0000-7000-8000-000000000001',
    external_ids: { shopify: '7' },
    email: 'asha@example.com',
    phone: '+919876543210',
    first_name: 'Asha "é"',
    last_name: '茶',
    accepts_marketing: true,
    total_orders: 2,
    total_spent: '10.50',
    first_order_at: '2026-01-02T03:04:05.678Z',
    last_order_at: '2026-01-03T03:04:05.000Z',
    currency: 'INR',
    other_currencies: ['USD'],
    tags: ['a', 'b'],
    created_at: '2026-01-01T00:00:00.000Z',
  };
  await add(customer, { created_at: '2026-01-02' }, { created_at: '2026-01-03' });
  const { headers, body } = await caller.get('/api/v1/customers?per_page=2&page=2');
  expect(headers['content-type']).toBe('application/json; charset=utf-8');
  expect(body).toEqual({
    customers: [{ ...customer, avg_order_value: '0.00', updated_at: expect.stringMatching(/^\d{4}-.*Z$/) }],
    pagination: { current_page: 2, last_page: 2, per_page: 2, total: 3 },
  });
  expect((await list('?page=9')).customers).toEqual([]);
});

test('some customers are listed by their ids', async () => {
  const { list, add } = await shop();
  await add({ first_name: 'Asha' }, { first_name: 'Ravi' }, { first_name: 'Meera' });
  const { customers } = await list('?sort_by=first_name&sort_order=asc');
  const [asha, meera] = customers;
  const found = await list(`?ids=${asha?.id}&ids=${meera?.id}&sort_by=first_name&sort_order=asc`);
  expect(found).toMatchObject({
    customers: [{ first_name: 'Asha' }, { first_name: 'Meera' }],
    pagination: { total: 2 },
  });
});

test.each([
  ['per_page', 'per_page=101'],
  ['page', 'page=0'],
  ['sort_by', 'sort_by=phone'],
  ['sort_by', 'sort_by=id;DROP TABLE customers'],
  ['sort_order', 'sort_order=sideways'],
  ['accepts_marketing', 'accepts_marketing=perhaps'],
  ['vip', 'vip=very'],
  ['ids.0', 'ids=1'],
  ['min_orders', 'min_orders=-1'],
  ['min_orders', 'min_orders=2147483648'],
  ['min_spent', 'min_spent=much'],
  ['min_spent', 'min_spent=1.2345'],
  ['created_from', 'created_from=yesterday'],
  ['created_to', 'created_to=2026-02-30'],
  ['updated_from', 'updated_from=lately'],
  ['limit', 'limit=101'],
  ['page', 'page=2&limit=10'],
  ['name', 'name=asha'],
])('an invalid %s is rejected: %s', async (field, query) => {
  const { caller } = await refusing;
  const { status, body } = await caller.get(`/api/v1/customers?${query}`);
  expect({ status, fields: Object.keys(body.errors) }).toEqual({ status: 422, fields: [field] });
});
const refusing = shop();

const firstNames = [null, '', 'Asha', 'ÁSHA', 'asha', 'Ravi', '100%', 'a_b', 'Чай', 'चाय', 'O\\K'];
const tagNames = ['hot', 'new', 'sale'];
const days = ['1969-12-31T23:59:59Z', '2026-01-01T00:00:00Z', '2026-01-01T18:45:00Z', '2026-01-02T00:00:00Z'];

const arbitraryCustomer = fc.record({
  first_name: fc.constantFrom(...firstNames),
  last_name: fc.constantFrom(null, 'Rao', 'Thé'),
  accepts_marketing: fc.boolean(),
  total_orders: fc.constantFrom(0, 0, 1, 4, 5, 9, 10, 16_382, 16_383, 20_000),
  total_spent: fc.constantFrom('0.00', '0.00', '0.01', '49999.99', '50000.00', '9999999999.99'),
  last_order_at: fc.constantFrom(null, ...days),
  created_at: fc.constantFrom(...days),
  tags: fc.subarray(tagNames),
});
const optional = <Value>(values: fc.Arbitrary<Value>) => fc.option(values, { nil: undefined });
const arbitraryQuery = fc.record({
  search: optional(
    fc.constantFrom('ASHA', 'rao the', 'asha rao', '%', '_', 'ЧАЙ', 'चाय', 'o\\k', 'p7@', '98765-4321', '7', ' '),
  ),
  tags: optional(fc.subarray(tagNames, { minLength: 1 }).map((tags) => tags.join(','))),
  accepts_marketing: optional(fc.boolean()),
  vip: optional(fc.boolean()),
  min_orders: optional(fc.constantFrom('0', '1', '5', '16382', '16383', '2147483647')),
  min_spent: optional(fc.constantFrom('0', '0.01', '50000', '9999999999.99')),
  created_from: optional(fc.constantFrom('2026-01-01', '2026-01-02')),
  created_to: optional(fc.constantFrom('2025-12-31', '2026-01-01')),
  sort_by: optional(fc.constantFrom('created_at', 'first_name', 'total_orders', 'total_spent', 'last_order_at')),
  sort_order: optional(fc.constantFrom('asc', 'desc')),
});
type Query = typeof arbitraryQuery extends fc.Arbitrary<infer Value> ? Value : never;

const fold = (text: string) =>
  text
    .normalize('NFD')
    .replace(/[\u0300-\u036f]/g, '')
    .toLowerCase();
const isVip = ({ total_orders, total_spent }: Customer) => total_orders >= 10 || Number(total_spent) >= 50_000;
/** The day in the tenant's time zone, UTC+05:30. */
const localDay = (moment: string) => new Date(Date.parse(moment) + 5.5 * 3_600_000).toISOString().slice(0, 10);

function matches(customer: Customer, query: Query): boolean {
  const { search = '', tags = '', accepts_marketing, vip, created_from, created_to } = query;
  const { min_orders = 0, min_spent = 0 } = query;
  const text = fold([customer.first_name, customer.last_name, customer.email].map((part) => part ?? '').join('\n'));
  const isPhone = /^[\d-]{3,}$/.test(search) && customer.phone?.includes(search.replaceAll('-', ''));
  return (
    (isPhone || search.split(' ').every((word) => text.includes(fold(word)))) &&
    tags.split(',').every((tag) => tag === '' || customer.tags.includes(tag)) &&
    (accepts_marketing === undefined || customer.accepts_marketing === accepts_marketing) &&
    (vip === undefined || isVip(customer) === vip) &&
    customer.total_orders >= Number(min_orders) &&
    Number(customer.total_spent) >= Number(min_spent) &&
    (created_from === undefined || localDay(customer.created_at) >= created_from) &&
    (created_to === undefined || localDay(customer.created_at) <= created_to)
  );
}

function sorted(customers: readonly Customer[], { sort_by = 'created_at', sort_order = 'desc' }: Query): Customer[] {
  const key = (customer: Customer) => {
    if (sort_by === 'first_name') return fold(customer.first_name ?? '');
    if (sort_by === 'total_orders' || sort_by === 'total_spent') return Number(customer[sort_by]);
    return Date.parse(customer[sort_by as 'created_at' | 'last_order_at'] ?? '-200000-01-01T00:00:00Z');
  };
  const compare = (a: string | number, b: string | number) =>
    typeof a === 'number' ? a - Number(b) : Buffer.compare(Buffer.from(a), Buffer.from(String(b)));
  const ascending = customers.toSorted((a, b) => compare(key(a), key(b)) || compare(a.id, b.id));
  return sort_order === 'asc' ? ascending : ascending.reverse();
}

test('any combination of filters and sorts lists the same customers as a naive query', async () => {
  const { add, db, list } = await shop();
  const drafts = fc.sample(arbitraryCustomer, { numRuns: 60, seed: 7 });
  await add(...drafts.map((draft, n) => ({ ...draft, email: `p${n}@example.com`, phone: `+9198765${43_200 + n}` })), {
    first_name: 'Asha',
    email: 'gone@example.com',
    total_orders: 10,
    tags: tagNames,
  });
  await db.run(sql`UPDATE customers SET deleted_at = now() WHERE email = 'gone@example.com'`);
  const { customers } = await list('?per_page=100');
  await fc.assert(
    fc.asyncProperty(arbitraryQuery, async (query) => {
      const parameters = new URLSearchParams({ per_page: '100' });
      for (const [name, value] of Object.entries(query)) if (value !== undefined) parameters.set(name, String(value));
      const { customers: found, pagination } = await list(`?${parameters}`);
      const expected = sorted(
        customers.filter((customer) => matches(customer, query)),
        query,
      );
      expect(found.map(({ email }) => email)).toEqual(expected.map(({ email }) => email));
      expect(pagination.total).toBe(expected.length);
    }),
    { numRuns: 150 },
  );
});

test('tags may be repeated or separated by commas, and all must match', async () => {
  const { add, names, list } = await shop();
  await add({ first_name: 'both', tags: ['a', 'b'] }, { first_name: 'one', tags: ['a'] });
  for (const query of ['?tags=a,b', '?tags=a&tags=b', '?tags=b,%20a']) expect(await names(query)).toEqual(['both']);
  expect((await list('?tags=a')).pagination.total).toBe(2);
  expect((await list('?tags=,')).pagination.total).toBe(2);
});

test('changed VIP settings apply at once, also to the counter', async () => {
  const { add, caller, list, names, db } = await shop();
  await add(
    { first_name: 'spends', total_spent: 60_000, total_orders: 1 },
    { first_name: 'orders', total_spent: 5, total_orders: 12 },
    { first_name: 'neither', total_spent: 49_999.99, total_orders: 9 },
  );
  expect(await names('', '/vip')).toEqual(['spends', 'orders']);
  const set = (orders: number, spend: number) =>
    caller.patch('/api/v1/settings', {
      'customers.vip_order_threshold': orders,
      'customers.vip_spend_threshold': spend,
    });
  await set(9, 49_999.995);
  for (const _ of ['counted', 'kept']) {
    const { customers, pagination } = await list('', '/vip');
    expect(customers.map(({ first_name }) => first_name)).toEqual(['spends', 'neither', 'orders']);
    expect(pagination).toEqual({ current_page: 1, last_page: 1, per_page: 20, total: 3 });
  }
  expect(await db.row(sql`SELECT order_threshold, spend_threshold FROM customer_vip_rule`)).toEqual({
    order_threshold: 9,
    spend_threshold: '49999.995',
  });
  expect(await list('?per_page=2&page=2', '/vip')).toMatchObject({
    customers: [{ first_name: 'orders' }],
    pagination: { last_page: 2, total: 3 },
  });
  await set(13, 0);
  expect(await names('?vip=false')).toEqual([]);
  expect((await list('?vip=true')).pagination.total).toBe(3);
});

const sorts = {
  created_at: 'created_at',
  first_name: 'lower(unaccent(coalesce(first_name, \'\'))) COLLATE "C"',
  total_orders: 'total_orders',
  total_spent: 'total_spent',
  last_order_at: "coalesce(last_order_at, '-infinity')",
  updated_at: 'updated_at',
};

/** The same page by a naive query. */
function plainPage(db: Db, key: string, direction: string, { limit, offset }: { limit: number; offset: number }) {
  return db.rows<{ id: string }>(sql`
    SELECT id FROM customers WHERE deleted_at IS NULL
    ORDER BY ${raw(key)} ${raw(direction)}, id ${raw(direction)} LIMIT ${limit} OFFSET ${offset}`);
}

/** Customers with insertCustomers equal values, created at different times; half of the ids are UUIDv7, as those of the platform. */
const insertCustomers = (count: number) => sql`
  INSERT INTO customers (id, first_name, total_orders, total_spent, last_order_at, created_at, updated_at)
  SELECT CASE WHEN random() < 0.5 THEN uuidv7(-random() * interval '3 years') ELSE gen_random_uuid() END,
    (ARRAY[NULL, '', 'a', 'Asha', 'Ashák', 'ashanti', 'Zoë', 'चाय', '李', '李明', '😀'])[1 + floor(random() * 11)],
    (ARRAY[0, 0, 0, 1, 2, 16382, 16383, 16384])[1 + floor(random() * 8)],
    (ARRAY[0, 0, 0, 0.01, 0.02, 100, 100.01, 50000, 9999999999999999.99])[1 + floor(random() * 9)],
    CASE WHEN random() < 0.6 THEN timestamptz '1969-12-01' + floor(random() * 40) * interval '17 hours' END,
    timestamptz '1969-12-20' + floor(random() * 40) * interval '11 hours', now() - floor(random() * 40) * interval '1 hour'
  FROM generate_series(1, ${count}::integer)`;

/** Changes of every kind to some of them. */
const shuffles = [
  insertCustomers(40),
  sql`UPDATE customers SET total_orders = total_orders + 1, total_spent = total_spent / 2 + 1,
    last_order_at = coalesce(last_order_at, created_at) + interval '20 hours' WHERE random() < 0.1`,
  sql`UPDATE customers SET first_name = (ARRAY[NULL, 'Ash', 'Omar'])[1 + floor(random() * 3)] WHERE random() < 0.1`,
  sql`UPDATE customers SET deleted_at = CASE WHEN deleted_at IS NULL THEN now() END WHERE random() < 0.1`,
  sql`DELETE FROM customers WHERE random() < 0.05`,
  sql`UPDATE customers SET total_orders = 0, total_spent = 0, last_order_at = NULL WHERE random() < 0.05`,
];

test('deep pages are correct for all sorts and directions', async () => {
  const { db, list } = await shop();
  await db.run(insertCustomers(1_500));
  for (const [round, settle] of [sql`SELECT`, sql`SELECT compact_counters()`, sql`SELECT`].entries()) {
    for (const statement of shuffles) await db.run(statement);
    await db.run(settle);
    for (const [sort, key] of Object.entries(sorts)) {
      for (const order of ['asc', 'desc']) {
        const { total = 0 } = (await list()).pagination;
        for (const page of [10, 11, 12 + round, Math.ceil(total / 100), Math.ceil(total / 100) + 1]) {
          const { customers } = await list(`?sort_by=${sort}&sort_order=${order}&per_page=100&page=${page}`);
          const expected = await plainPage(db, key, order, { limit: 100, offset: (page - 1) * 100 });
          expect({ sort, order, page, ids: customers.map(({ id }) => id) }).toEqual({
            sort,
            order,
            page,
            ids: expected.map(({ id }) => id),
          });
        }
      }
    }
  }
});

test.each(Object.entries(sorts))('a cursor visits every customer once, sorted by %s', async (sort, key) => {
  const { db, caller } = await shop();
  await db.run(insertCustomers(40));
  for (const order of ['asc', 'desc']) {
    const found = await readByCursor<Customer>(caller, `/api/v1/customers?sort_by=${sort}&sort_order=${order}`);
    const expected = await plainPage(db, key, order, { limit: 1_000, offset: 0 });
    expect(found.map(({ id }) => id)).toEqual(expected.map(({ id }) => id));
  }
});

test('a cursor neither skips nor repeats customers while others are created', async () => {
  const { add, caller } = await shop();
  const ids = Array.from({ length: 15 }, (_, n) => `01890000-0000-7000-8000-0000000000${String(n).padStart(2, '0')}`);
  await add(...ids.map((id) => ({ id })));
  const found = await readByCursor<Customer>(caller, '/api/v1/customers?created_from=2026-03-01', () =>
    add({ created_at: '2026-03-02T00:00:00Z' }, { created_at: '2026-02-01T00:00:00Z' }),
  );
  expect(found.map(({ id }) => id)).toEqual(ids.toReversed());
  const { status, body } = await caller.get('/api/v1/customers?cursor=nonsense');
  expect({ status, fields: Object.keys(body.errors) }).toEqual({ status: 422, fields: ['cursor'] });
});

test('VIPs can be listed by cursor', async () => {
  const { add, caller } = await shop();
  await add(...[1, 2, 3].map((n) => ({ first_name: `vip${n}`, total_spent: 60_000 * n })), { first_name: 'other' });
  const found = await readByCursor<Customer>(caller, '/api/v1/customers/vip');
  expect(found.map(({ first_name }) => first_name)).toEqual(['vip3', 'vip2', 'vip1']);
});

test('updated_from finds changed customers, including those with new orders', async () => {
  const { tenant, add, db, names } = await shop();
  await add({ first_name: 'still' }, { first_name: 'orders' }, { first_name: 'renamed' });
  await db.run(sql`UPDATE customers SET updated_at = '2026-01-01T00:00:00Z'`);
  const by = tenant.caller('customers.edit', 'orders.create');
  const findId = async (name: string) =>
    (await db.row<{ id: string }>(sql`SELECT id FROM customers WHERE first_name = ${name}`))?.id;
  await by.patch(`/api/v1/customers/${await findId('renamed')}`, { last_name: 'Rao' });
  await by.post('/api/v1/orders', buildOrder({ id: await findId('orders') }, '5.00'));
  expect(await names('?updated_from=2026-01-02&sort_by=updated_at')).toEqual(['orders', 'renamed']);
  expect(await names('?sort_by=updated_at&sort_order=asc')).toEqual(['still', 'renamed', 'orders']);
});

test.each(['', 'customers.view_sensitive'])(
  'the first page is one statement without parameters, which PostgreSQL plans once; rights: %j',
  async (...rights) => {
    const { tenant } = await shop();
    const statements: Sql[] = [];
    const row = (query: Sql) => {
      statements.push(query);
      return tenant.db.row(query);
    };
    const db = Object.assign(Object.create(tenant.db), { row });
    const membership = { role: 'agent', permissions: new Set(rights) };
    const parts = { requestId: 'test', module: 'customers', tenant: { ...tenant, db }, membership };
    const ctx = new Context(platform.kernel, parts as never);
    for (const filter of [{}, { vip: true }]) {
      await customerList.page(ctx, { sort_by: 'created_at', sort_order: 'desc', page: 1, per_page: 20, ...filter });
    }
    expect(statements.map(({ values }) => values)).toEqual([[], []]);
  },
);

test('customers are found by whole email, whole phone, external id and metadata', async () => {
  const tenant = await platform.tenant();
  const caller = tenant.caller('customers.view', 'customers.create', 'customers.merge', 'customers.view_sensitive');
  const create = async (fields: object) => (await caller.post('/api/v1/customers', fields)).body.customer.id;
  const asha = await create({
    first_name: 'Asha',
    email: 'asha@example.com',
    phone: '98765 43210',
    external_ids: { erp: '1:2' },
    metadata: { tier: 'gold', city: 'Pune' },
  });
  const ravi = await create({ first_name: 'Ravi', external_ids: { erp: '2' }, metadata: { tier: 'gold' } });
  const find = async (query: string) => {
    const { status, body } = await caller.get(`/api/v1/customers?sort_by=first_name&sort_order=asc&${query}`);
    expect({ status, body }).toMatchObject({ status: 200 });
    return body.customers.map(({ id }: { id: string }) => id);
  };
  expect(await find('email=Asha@Example.com')).toEqual([asha]);
  expect(await find('email=asha@example.co')).toEqual([]);
  expect(await find('phone=%2B91%2098765%2043210')).toEqual([asha]);
  expect(await find('phone=9876543211')).toEqual([]);
  expect(await find('external_id=erp:1:2')).toEqual([asha]);
  expect(await find('metadata[tier]=gold')).toEqual([asha, ravi]);
  expect(await find('metadata[tier]=gold&metadata[city]=Pune')).toEqual([asha]);
  expect(await find('metadata[tier]=silver')).toEqual([]);
  const exported = await caller.get('/api/v1/customers?external_id=erp');
  expect(exported.body.errors).toEqual({ external_id: ['Write platform and id, separated by a colon: shopify:7712.'] });
  await caller.post('/api/v1/customers/merge', { primary_id: asha, secondary_id: ravi });
  expect(await find('external_id=erp:2')).toEqual([asha]);
  const viewer = tenant.caller('customers.view');
  expect((await viewer.get('/api/v1/customers?phone=9876543210')).status).toBe(403);
  expect((await viewer.get('/api/v1/customers?email=asha@example.com')).body.customers).toHaveLength(1);
  for (const wrong of [
    'metadata=gold',
    'metadata[tier]=a&metadata[tier]=b',
    'tags[x]=1',
    `metadata[${'k'.repeat(101)}]=1`,
  ]) {
    expect((await caller.get(`/api/v1/customers?${wrong}`)).status).toBe(422);
  }
});
