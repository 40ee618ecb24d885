import { sql } from '@chowk/kit';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { startPlatform } from '../../server/testing/platform.ts';
import { buildOrder, withShop } from '../../server/testing/shop-module.ts';

const platform = await startPlatform({ modules: await withShop() });
const acme = await platform.tenant();
const rights = ['view', 'create', 'edit', 'delete', 'merge'].map((verb) => `customers.${verb}`);
const merchant = acme.caller(...rights, 'customers.view_sensitive', 'orders.create', 'orders.cancel', 'shop.use');
const agent = acme.caller(...rights);
const unknownId = '0190a000-0000-7000-8000-000000000000';

let sequence = 0;
const phone = () => `+9197${String(++sequence).padStart(8, '0')}`;
const create = async (fields: object = {}) => {
  const { status, body } = await merchant.post('/api/v1/customers', { first_name: 'Asha', ...fields });
  expect({ status, body }).toMatchObject({ status: 201 });
  return body.customer;
};
type Some = { id: string };
const merge = (primary: Some, secondary: Some, caller = merchant) =>
  caller.post('/api/v1/customers/merge', { primary_id: primary.id, secondary_id: secondary.id });
const preview = (primary: Some, secondary: Some, caller = merchant) =>
  caller.post('/api/v1/customers/merge/preview', { primary_id: primary.id, secondary_id: secondary.id });
const order = async ({ id }: Some, total = '10.00', more: object = {}) =>
  (await merchant.post('/api/v1/orders', buildOrder({ id }, total, more))).body.order;
const address = async ({ id }: Some, fields: object = {}) =>
  (await merchant.post(`/api/v1/customers/${id}/addresses`, { city: 'Pune', ...fields })).body.address;
const metadata = ({ id }: Some, key: string, value: string) =>
  merchant.post('/api/v1/shop/ask/setMetadata', { customer_id: id, key, value });
const show = async ({ id }: Some) => (await merchant.get(`/api/v1/customers/${id}`)).body.customer;
const listOrderIds = async ({ id }: Some) =>
  (await acme.db.rows<Some>(sql`SELECT id FROM orders WHERE customer_id = ${id} ORDER BY id`)).map((row) => row.id);
const eventsAbout = (id: string) =>
  acme.db.rows<{ name: string; payload: Record<string, unknown> }>(sql`
    SELECT name, payload FROM shop_events WHERE payload -> 'customer' ->> 'id' = ${id} AND name <> 'customer.created'
    ORDER BY seq`);

test('merging fills missing fields of the primary and keeps the others', async () => {
  const number = phone();
  const primary = await create({
    email: 'own@example.com',
    first_name: 'Asha',
    tags: ['a', 'b'],
    notes: 'Own note',
    external_ids: { shopify: '1', amazon: '2' },
    accepts_marketing: true,
  });
  const secondary = await create({
    email: 'other@example.com',
    phone: number,
    first_name: 'A.',
    last_name: 'Rao',
    tags: ['c', 'a'],
    external_ids: { shopify: '9', ebay: '3' },
    notes: 'Other note\nsecond line',
  });
  const { status, body } = await merge(primary, secondary);
  expect({ status, body }).toEqual({
    status: 200,
    body: {
      message: 'Customers merged.',
      customer: {
        ...primary,
        phone: number,
        last_name: 'Rao',
        tags: ['a', 'b', 'c'],
        external_ids: { shopify: '1', amazon: '2', ebay: '3' },
        notes: expect.stringMatching(
          /^Own note\n\n\[Merged from A\. Rao on \d{4}-\d\d-\d\d\]\nOther note\nsecond line$/,
        ),
        updated_at: expect.any(String),
      },
    },
  });
  expect(await show(primary)).toMatchObject(body.customer);
  expect(
    (await eventsAbout(primary.id)).map(({ name, payload: { customer, ...rest } }) => ({ name, ...rest })),
  ).toEqual([
    { name: 'customer.merged', removed_id: secondary.id },
    { name: 'customer.updated', changed: ['external_ids', 'tags', 'phone', 'last_name', 'notes'] },
  ]);
  // The secondary's email was not used, and no customer has it now.
  await create({ email: 'other@example.com' });
});

test.each([
  [{ first_name: 'Guest' }, { first_name: 'Asha', last_name: 'Rao' }, { first_name: 'Asha', last_name: 'Rao' }],
  [{ first_name: null }, { first_name: 'Asha', last_name: 'Rao' }, { first_name: 'Asha', last_name: 'Rao' }],
  [{ first_name: 'Guest', last_name: 'House' }, { first_name: 'Asha' }, { first_name: 'Guest', last_name: 'House' }],
  [{ first_name: 'Asha' }, { first_name: 'Guest' }, { first_name: 'Asha', last_name: null }],
  [{ first_name: 'Guest' }, { first_name: 'Guest' }, { first_name: 'Guest', last_name: null }],
  [{ first_name: null, last_name: 'Rao' }, { first_name: 'Asha' }, { first_name: 'Asha', last_name: 'Rao' }],
])('merging the names %j and %j results in %j', async (own, other, name) => {
  const primary = await create({ email: `p${++sequence}@example.com`, ...own });
  const secondary = await create({ email: `s${sequence}@example.com`, ...other });
  expect((await merge(primary, secondary)).body.customer).toMatchObject(name);
});

test('a merge is in the audit log with the removed id', async () => {
  const [primary, secondary] = [await create(), await create({ accepts_marketing: true })];
  await merge(primary, secondary);
  const { body } = await acme.caller('audit.view').get(`/api/v1/audit?resource=customers&resource_id=${primary.id}`);
  expect(body.audit[0]).toMatchObject({ action: 'customers.merge', changes: { removed_id: [secondary.id, null] } });
});

test('the primary can take over the unique email and phone of the secondary', async () => {
  const [primary, secondary] = [await create(), await create({ email: 'moves@example.com', phone: phone() })];
  expect((await merge(primary, secondary)).body.customer).toMatchObject({
    email: 'moves@example.com',
    phone: secondary.phone,
  });
});

test('merged notes of a customer without a name are marked with its id', async () => {
  const [primary, secondary, silent] = [
    await create(),
    await create({ first_name: null, email: 'nameless@example.com', notes: 'Note' }),
    await create(),
  ];
  expect((await merge(primary, silent)).body.customer.notes).toBe(null);
  expect((await merge(primary, secondary)).body.customer.notes).toMatch(
    new RegExp(`^\\[Merged from ${secondary.id} on .+\\]\nNote$`),
  );
});

test.each(['Pacific/Kiritimati', 'Pacific/Pago_Pago'])(
  'notes of a merge are dated in the time zone of the tenant: %s',
  async (timeZone) => {
    // The two zones are 25 hours apart: at any time one of them has another date than UTC.
    const tenant = await platform.tenant();
    const by = tenant.caller(...rights, 'settings.edit');
    await by.patch('/api/v1/settings', { 'general.timezone': timeZone });
    const [primary_id, secondary_id] = await Promise.all(
      ['First', 'Second'].map(async (first_name) => {
        return (await by.post('/api/v1/customers', { first_name, notes: 'Old' })).body.customer.id;
      }),
    );
    const { customer } = (await by.post('/api/v1/customers/merge', { primary_id, secondary_id })).body;
    const day = new Date(customer.updated_at).toLocaleDateString('sv-SE', { timeZone });
    expect(customer.notes).toBe(`Old\n\n[Merged from Second on ${day}]\nOld`);
  },
);

test('a merge that changes one field of the primary emits customer.updated, one that changes none does not', async () => {
  const primary = await create();
  await merge(primary, await create({ last_name: 'Rao' }));
  await merge(primary, await create());
  expect((await eventsAbout(primary.id)).map(({ name, payload }) => [name, payload.changed])).toEqual([
    ['customer.merged', undefined],
    ['customer.updated', ['last_name']],
    ['customer.merged', undefined],
  ]);
});

test('merging moves orders, addresses and metadata and adds up statistics', async () => {
  const [primary, secondary] = [await create(), await create()];
  const orders = [
    await order(primary, '10.00', { placed_at: '2026-02-01T00:00:00Z' }),
    await order(secondary, '5.01', { placed_at: '2026-01-01T00:00:00Z' }),
    await order(secondary, '99.00', { placed_at: '2025-01-01T00:00:00Z', status: 'cancelled' }),
  ];
  const own = await address(primary);
  const [other, billing] = [await address(secondary), await address(secondary, { type: 'billing' })];
  await metadata(primary, 'size', 'L');
  await metadata(secondary, 'size', 'S');
  await metadata(secondary, 'colour', 'red');
  const { body } = await merge(primary, secondary);
  expect(body.customer).toMatchObject({
    total_orders: 2,
    total_spent: '15.01',
    avg_order_value: '7.51',
    first_order_at: '2026-01-01T00:00:00.000Z',
    last_order_at: '2026-02-01T00:00:00.000Z',
  });
  expect(await listOrderIds(primary)).toEqual(orders.map(({ id }) => id).toSorted());
  const detail = await show(primary);
  const marks = Object.fromEntries(
    detail.addresses.map(({ id, is_default }: { id: string; is_default: boolean }) => [id, is_default]),
  );
  expect(marks).toEqual({ [own.id]: true, [other.id]: false, [billing.id]: true });
  expect(detail.metadata.map(({ key, value }: { key: string; value: string }) => ({ key, value }))).toEqual([
    { key: 'colour', value: 'red' },
    { key: 'size', value: 'L' },
  ]);
});

test('without the orders module merging adds up the stored statistics', async () => {
  const [primary, secondary] = [await create(), await create()];
  await order(primary, '10.00');
  await order(secondary, '2.00');
  await order(secondary, '3.01');
  await platform.kernel.installations.set(acme.id, 'orders', 'disabled');
  onTestFinished(() => platform.kernel.installations.set(acme.id, 'orders', 'enabled'));
  expect((await merge(primary, secondary)).body.customer).toMatchObject({
    total_orders: 3,
    total_spent: '15.01',
    avg_order_value: '5.00',
  });
  expect(await listOrderIds(primary)).toHaveLength(3);
});

test('requests for a merged customer return merged_into, also after further merges', async () => {
  const [first, second, third] = [await create(), await create(), await create()];
  await merge(second, first);
  await merge(third, second);
  for (const { id } of [first, second]) {
    for (const answer of await Promise.all([
      merchant.get(`/api/v1/customers/${id}`),
      merchant.patch(`/api/v1/customers/${id}`, { notes: 'Late' }),
      merchant.delete(`/api/v1/customers/${id}`),
      merchant.delete(`/api/v1/customers/${id}?mode=hard`),
      merchant.post(`/api/v1/customers/${id}/addresses`, { city: 'Pune' }),
      merge({ id }, third),
      merge(third, { id }),
      preview(third, { id }),
    ])) {
      expect(answer).toMatchObject({ status: 404, body: { code: 'customers.merged', merged_into: third.id } });
    }
  }
  const { id } = await order(first);
  expect(await listOrderIds(third)).toEqual([id]);
  const [row] = await acme.db.rows(sql`SELECT user_id, merged_into FROM customer_merges WHERE id = ${second.id}`);
  expect(row).toEqual({ user_id: merchant.user.id, merged_into: third.id });
});

test('a customer cannot be merged with itself, an unknown or a deleted one', async () => {
  const [one, gone] = [await create(), await create()];
  await merchant.delete(`/api/v1/customers/${gone.id}`);
  for (const call of [merge, preview]) {
    for (const same of [one, { id: one.id.toUpperCase() }]) {
      const { status, body } = await call(one, same);
      expect({ status, fields: Object.keys(body.errors) }).toEqual({ status: 422, fields: ['secondary_id'] });
    }
    for (const absent of [gone, { id: unknownId }]) {
      expect(await call(one, absent)).toMatchObject({ status: 404, body: { code: 'customers.not_found' } });
      expect(await call(absent, one)).toMatchObject({ status: 404, body: { code: 'customers.not_found' } });
    }
  }
  expect(await show(one)).toMatchObject({ updated_at: one.updated_at });
  const { status, body } = await merchant.post('/api/v1/customers/merge', { primary_id: 'asha' });
  expect({ status, fields: Object.keys(body.errors).toSorted() }).toEqual({
    status: 422,
    fields: ['primary_id', 'secondary_id'],
  });
});

test('a preview shows the result of a merge and changes nothing', async () => {
  const [primary, secondary] = [await create(), await create({ phone: phone(), tags: ['x'] })];
  await order(secondary, '7.00');
  await address(secondary);
  const before = [await show(primary), await show(secondary)];
  const { status, body } = await preview(primary, secondary);
  expect({ status, changed: body.changed, moved: body.moved }).toEqual({
    status: 200,
    changed: [
      'tags',
      'phone',
      'total_orders',
      'total_spent',
      'avg_order_value',
      'first_order_at',
      'last_order_at',
      'currency',
    ],
    moved: expect.arrayContaining([
      { module: 'orders', table: 'orders', rows: 1 },
      { module: 'customers', table: 'customer_addresses', rows: 1 },
    ]),
  });
  expect([await show(primary), await show(secondary)]).toEqual(before);
  const merged = (await merge(primary, secondary)).body.customer;
  expect({ ...merged, updated_at: '' }).toEqual({ ...body.customer, updated_at: '' });
});

test('merging does not reveal a masked phone', async () => {
  const [primary, secondary] = [await create(), await create({ phone: phone() })];
  const masked = `+**********${secondary.phone.slice(-2)}`;
  expect((await preview(primary, secondary, agent)).body.customer.phone).toBe(masked);
  expect((await merge(primary, secondary, agent)).body.customer.phone).toBe(masked);
});

test('of two opposite concurrent merges one succeeds, and nothing is lost', async () => {
  for (let round = 0; round < 5; round += 1) {
    const [one, other] = [await create(), await create()];
    const orders = [await order(one), await order(other)].map(({ id }) => id).toSorted();
    const answers = await Promise.all([merge(one, other), merge(other, one)]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 404]);
    const left = answers.find(({ status }) => status === 200)?.body.customer;
    expect(await listOrderIds(left)).toEqual(orders);
    expect(await show(left)).toMatchObject({ total_orders: 2, total_spent: '20.00' });
  }
});

/** Sums over all customers, and the number of rows without a customer. */
async function balance(ids: readonly string[]) {
  return acme.db.row<{
    orders: number;
    counted: number;
    spent: string;
    addresses: number;
    lost: number;
    bad: number;
  }>(sql`
    WITH mine AS (
      SELECT id FROM customers WHERE id = ANY(${ids}::uuid[])),
    became AS (SELECT id, merged_into FROM customer_merges WHERE id = ANY(${ids}::uuid[]))
    SELECT (SELECT count(*) FROM orders WHERE customer_id IN (SELECT id FROM mine)) AS orders,
      (SELECT sum(total_orders)::integer FROM customers WHERE id IN (SELECT id FROM mine)) AS counted,
      (SELECT sum(total_spent) FROM customers WHERE id IN (SELECT id FROM mine)) AS spent,
      (SELECT count(*) FROM customer_addresses WHERE customer_id IN (SELECT id FROM mine)) AS addresses,
      (SELECT count(*) FROM orders WHERE customer_id NOT IN (SELECT id FROM customers)) AS lost,
      (SELECT count(*) FROM became WHERE merged_into NOT IN (SELECT id FROM mine)) AS bad`);
}

test('eight concurrent merges in a ring lose nothing, and merged_into leads to existing customers', async () => {
  for (let round = 0; round < 3; round += 1) {
    const ring = await Promise.all(Array.from({ length: 8 }, () => create()));
    await Promise.all(ring.flatMap((one) => [order(one), address(one)]));
    const answers = await Promise.all(ring.map((one, index) => merge(ring[(index + 1) % ring.length], one)));
    for (const { status } of answers) expect([200, 404]).toContain(status);
    const ids = ring.map(({ id }) => id);
    expect(await balance(ids)).toEqual({ orders: 8, counted: 8, spent: '80.00', addresses: 8, lost: 0, bad: 0 });
    const gone = await acme.db.rows(sql`SELECT id FROM customer_merges WHERE id = ANY(${ids}::uuid[])`);
    expect(gone).toHaveLength(answers.filter(({ status }) => status === 200).length);
  }
});

const who = fc.nat({ max: 4 });
const arbitraryStep = fc.oneof(
  { weight: 2, arbitrary: fc.record({ do: fc.constant('merge' as const), who, with: who }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('order' as const), who, by: fc.constantFrom('id', 'phone') }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('address' as const), who }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('tag' as const), who, with: who }) },
);
type Step = typeof arbitraryStep extends fc.Arbitrary<infer Value> ? Value : never;

test('concurrent merges, orders, addresses and tags lose nothing and keep statistics correct', async () => {
  const run = async (things: Step[]) => {
    const people = await Promise.all(Array.from({ length: 5 }, () => create({ phone: phone() })));
    const send = (one: Step) => {
      const person = people[one.who];
      if (one.do === 'merge') return merge(person, people[one.with]);
      if (one.do === 'address') return merchant.post(`/api/v1/customers/${person.id}/addresses`, { city: 'Pune' });
      if (one.do === 'tag') {
        const customer_ids = [person.id, people[one.with].id];
        return merchant.post('/api/v1/customers/bulk/tags', { customer_ids, tags: ['t'] });
      }
      const customer = one.by === 'id' ? { id: person.id } : { phone: person.phone };
      return merchant.post('/api/v1/orders', buildOrder(customer, '1.00'));
    };
    const answers = await Promise.all(things.map(async (one) => ({ do: one.do, answer: await send(one) })));
    for (const { do: what, answer } of answers) {
      // An id or a phone always finds a customer: the remaining one or a new one.
      expect(what === 'order' ? [201] : [200, 201, 404, 422]).toContain(answer.status);
    }
    const done = (what: string) => answers.filter((one) => one.do === what && one.answer.status < 300);
    const orders = done('order');
    const ids = [...people.map(({ id }) => id), ...orders.map(({ answer }) => answer.body.order.customer_id)];
    const count = orders.length;
    expect(await balance(ids)).toEqual({
      orders: count,
      counted: count,
      spent: `${count}.00`,
      addresses: done('address').length,
      lost: 0,
      bad: 0,
    });
  };
  await fc.assert(fc.asyncProperty(fc.array(arbitraryStep, { minLength: 8, maxLength: 16 }), run), { numRuns: 15 });
});

test('external ids of both customers find the merged one, also those on the same platform', async () => {
  const primary = await create({ first_name: 'Asha', external_ids: { shopify: 'S-1', ebay: 'E-1' } });
  const secondary = await create({ first_name: 'Asha', external_ids: { shopify: 'S-2', amazon: 'A-2' } });
  // Both have it from before ids were unique.
  await acme.db.run(sql`
    UPDATE customers SET external_ids = external_ids || '{"ebay": "E-1"}' WHERE id = ${secondary.id}`);
  const { body } = await merge(primary, secondary);
  expect(body.customer.external_ids).toEqual({ shopify: 'S-1', ebay: 'E-1', amazon: 'A-2' });
  const third = await create({ first_name: 'Asha', external_ids: { shopify: 'S-3' } });
  expect((await merge(third, primary)).status).toBe(200);
  for (const key of ['shopify=S-1', 'shopify=S-2', 'shopify=S-3', 'ebay=E-1', 'amazon=A-2']) {
    const [platform, external_id] = key.split('=');
    const found = await merchant.get(`/api/v1/customers/lookup?platform=${platform}&external_id=${external_id}`);
    expect({ key, id: found.body.customer?.id }).toEqual({ key, id: third.id });
  }
});

const numbered = (prefix: string, count: number) => Array.from({ length: count }, (_, n) => `${prefix}${n}`);

test.each<[string, (prefix: string) => object, string]>([
  ['tags', (prefix) => ({ tags: numbered(prefix, 30) }), '60 tags, and a customer has at most 50. Remove 10 first.'],
  [
    'external ids',
    (prefix) => ({ external_ids: Object.fromEntries(numbered(prefix, 26).map((name) => [name, name])) }),
    '52 external ids, and a customer has at most 50. Remove 2 first.',
  ],
  ['notes', (prefix) => ({ notes: prefix.repeat(15_000) }), 'characters of notes, and a customer has at most 20000.'],
])('a merge with too many %s is refused and changes nothing', async (_, fields, message) => {
  const primary = await create({ first_name: 'Asha', ...fields('a') });
  const secondary = await create({ first_name: 'Asha', ...fields('b') });
  const pair = { primary_id: primary.id, secondary_id: secondary.id };
  const previewed = await merchant.post('/api/v1/customers/merge/preview', pair);
  for (const { status, body } of [previewed, await merge(primary, secondary)]) {
    expect({ status, codes: body.error_codes }).toEqual({ status: 422, codes: { secondary_id: ['too_many'] } });
    expect(body.errors.secondary_id[0]).toContain(message);
  }
  expect((await merchant.get(`/api/v1/customers/${secondary.id}`)).status).toBe(200);
});
