import { sql } from '@chowk/kit';
import { expect, test } from 'vitest';
import { auditEntries } from '../../server/testing/audit-entries.ts';
import { startPlatform } from '../../server/testing/platform.ts';
import { withShop } from '../../server/testing/shop-module.ts';

const platform = await startPlatform({ modules: await withShop() });
const acme = await platform.tenant();
const rights = ['customers.view', 'customers.create', 'customers.edit', 'customers.delete'];
const merchant = acme.caller(...rights);
const unknownId = '0190a000-0000-7000-8000-000000000000';
const url = '/api/v1/customers/bulk/tags';

const create = async (tags: string[] = []) =>
  (await merchant.post('/api/v1/customers', { first_name: 'Asha', tags })).body.customer;
const show = async (id: string) => (await merchant.get(`/api/v1/customers/${id}`)).body.customer;
const changes = (id: string) =>
  acme.db.rows(sql`
    SELECT payload -> 'changed' AS changed, payload -> 'customer' -> 'tags' AS tags FROM shop_events
    WHERE name = 'customer.updated' AND payload -> 'customer' ->> 'id' = ${id} ORDER BY seq`);

test('tags are added once and in order', async () => {
  const [one, other] = [await create(['b', 'a']), await create()];
  const { status, body } = await merchant.post(url, {
    customer_ids: [one.id, other.id, one.id.toUpperCase()],
    tags: ['c', ' a ', 'c', 'd'],
  });
  expect({ status, body }).toEqual({
    status: 200,
    body: { message: 'Tags added.', updated: 2, changed: [one.id, other.id].toSorted(), not_found: [] },
  });
  expect((await show(one.id)).tags).toEqual(['b', 'a', 'c', 'd']);
  expect((await show(other.id)).tags).toEqual(['c', 'a', 'd']);
  expect(await changes(one.id)).toEqual([{ changed: ['tags'], tags: ['b', 'a', 'c', 'd'] }]);
});

test('tags are removed and the rest keeps its order', async () => {
  const [one, other] = [await create(['b', 'a', 'c']), await create(['x'])];
  const { body } = await merchant.delete(url, { customer_ids: [one.id, other.id], tags: ['a', 'none'] });
  expect(body).toEqual({ message: 'Tags removed.', updated: 2, changed: [one.id], not_found: [] });
  expect((await show(one.id)).tags).toEqual(['b', 'c']);
  expect((await show(other.id)).tags).toEqual(['x']);
});

test('a customer whose tags do not change is not updated and emits nothing', async () => {
  const customer = await create(['a', 'b']);
  await merchant.post(url, { customer_ids: [customer.id], tags: ['b', 'a'] });
  await merchant.delete(url, { customer_ids: [customer.id], tags: ['c'] });
  expect(await show(customer.id)).toMatchObject({ tags: ['a', 'b'], updated_at: customer.updated_at });
  expect(await changes(customer.id)).toEqual([]);
});

test('unknown ids, deleted customers and customers of other tenants are reported', async () => {
  const [one, gone] = [await create(), await create()];
  await merchant.delete(`/api/v1/customers/${gone.id}`);
  const elsewhere = (await platform.tenant()).caller(...rights);
  const stranger = (await elsewhere.post('/api/v1/customers', { first_name: 'Other' })).body.customer;
  const ids = [unknownId, gone.id, one.id, stranger.id];
  const { body } = await merchant.post(url, { customer_ids: ids, tags: ['a'] });
  expect(body).toMatchObject({ updated: 1, not_found: [unknownId, gone.id, stranger.id] });
  expect((await elsewhere.get(`/api/v1/customers/${stranger.id}`)).body.customer.tags).toEqual([]);
});

test.each([
  ['customer_ids', { customer_ids: [], tags: ['a'] }],
  ['customer_ids', { customer_ids: Array(1_001).fill(unknownId), tags: ['a'] }],
  ['customer_ids.0', { customer_ids: ['asha'], tags: ['a'] }],
  ['customer_ids', { tags: ['a'] }],
  ['tags', { customer_ids: [unknownId], tags: [] }],
  ['tags.0', { customer_ids: [unknownId], tags: ['x'.repeat(51)] }],
  ['tags.0', { customer_ids: [unknownId], tags: ['a,b'] }],
])('an invalid %s is reported', async (field, wrong) => {
  for (const { status, body } of [await merchant.post(url, wrong), await merchant.delete(url, wrong)]) {
    expect({ status, fields: Object.keys(body.errors) }).toEqual({ status: 422, fields: [field] });
  }
});

test('if a customer would have more than fifty tags, no customer is changed', async () => {
  const [one, full] = [await create(), await create(Array.from({ length: 49 }, (_, index) => `${index}`))];
  const ids = [one.id, full.id];
  const { status, body } = await merchant.post(url, { customer_ids: ids, tags: ['x', 'y'] });
  expect({ status, fields: Object.keys(body.errors) }).toEqual({ status: 422, fields: ['tags'] });
  expect(body.message).toContain(full.id);
  expect((await show(one.id)).tags).toEqual([]);
  expect(await changes(one.id)).toEqual([]);
  expect((await merchant.post(url, { customer_ids: ids, tags: ['x', '7'] })).body.updated).toBe(2);
});

test('bulk tags write one audit entry with the number of changed customers', async () => {
  const [one, other] = [await create(), await create(['x'])];
  const { body: added } = await merchant.post(url, { customer_ids: [one.id, other.id], tags: ['x'] });
  expect(added.updated).toBe(2);
  const [line] = await auditEntries(platform, acme.caller('audit.view'), 'customers.addTags');
  expect(line).toMatchObject({ outcome: 'ok', changes: { customers: [0, 1] } });
});

test('tags can be added to a thousand customers at once', async () => {
  const shop = await platform.tenant();
  const caller = shop.caller(...rights);
  const rows = await shop.db.rows<{ id: string }>(sql`
    INSERT INTO customers (id, first_name, created_at, updated_at)
    SELECT gen_random_uuid(), 'Asha', now(), now() FROM generate_series(1, 1000) RETURNING id`);
  const ids = rows.map(({ id }) => id);
  expect((await caller.post(url, { customer_ids: ids, tags: ['all'] })).body).toMatchObject({ updated: 1_000 });
  const [{ tagged, emitted }] = (await shop.db.rows<{ tagged: number; emitted: number }>(sql`
    SELECT (SELECT count(*) FROM customers WHERE tags = '{all}') AS tagged,
      (SELECT count(*) FROM shop_events WHERE name = 'customer.updated') AS emitted`)) as [
    { tagged: number; emitted: number },
  ];
  expect({ tagged, emitted }).toEqual({ tagged: 1_000, emitted: 1_000 });
});

test('concurrent bulk changes in any order of ids neither fail nor lose tags', async () => {
  const customers = await Promise.all(Array.from({ length: 12 }, () => create(['old'])));
  const ids = customers.map(({ id }) => id);
  const tags = Array.from({ length: 10 }, (_, index) => `t${index}`);
  const answers = await Promise.all([
    ...tags.map((tag, index) => merchant.post(url, { customer_ids: index % 2 ? ids : ids.toReversed(), tags: [tag] })),
    merchant.delete(url, { customer_ids: ids.toReversed(), tags: ['old'] }),
  ]);
  expect(answers.map(({ status }) => status)).toEqual(Array(11).fill(200));
  for (const id of ids) expect((await show(id)).tags.toSorted()).toEqual(tags);
});

test('the tags in use are listed, most used first', async () => {
  const shop = await platform.tenant();
  const caller = shop.caller(...rights);
  const add = (...tags: string[]) => caller.post('/api/v1/customers', { first_name: 'Asha', tags });
  const url = '/api/v1/customers/tags';
  expect((await caller.get(url)).body).toEqual({ tags: [] });
  await add('wholesale', 'pune');
  await add('थोक', 'pune');
  const { body } = await add('gone');
  await caller.delete(`/api/v1/customers/${body.customer.id}`);
  expect((await caller.get(url)).body.tags).toEqual([
    { name: 'pune', count: 2 },
    { name: 'wholesale', count: 1 },
    { name: 'थोक', count: 1 },
  ]);
});
