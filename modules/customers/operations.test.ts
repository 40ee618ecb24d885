import { isAmong, sql } from '@chowk/kit';
import { expect, test } from 'vitest';
import { startPlatform } from '../../server/testing/platform.ts';
import { buildOrder, withShop } from '../../server/testing/shop-module.ts';

const platform = await startPlatform({ modules: await withShop() });
const acme = await platform.tenant();
// Operations need no permission on customers.
const shop = acme.caller('shop.use', 'orders.create');
const merchant = acme.caller(
  ...['view', 'create', 'edit', 'delete', 'merge', 'view_sensitive'].map((verb) => `customers.${verb}`),
);
const unknownId = '0190a000-0000-7000-8000-000000000000';

let sequence = 0;
const phone = () => `+9195${String(++sequence).padStart(8, '0')}`;
const email = () => `someone${++sequence}@example.com`;
const call = (operation: string, input: object) => shop.post(`/api/v1/shop/ask/${operation}`, input);
const result = async (operation: string, input: object) => {
  const { status, body } = await call(operation, input);
  expect({ status, body }).toMatchObject({ status: 200 });
  return body.result;
};
/** The ids in the set that `customers.findMatching` returns. */
const matching = async (text: string) => {
  const set = await acme.context('shop').bus.call('customers.findMatching', { text });
  const [condition] = isAmong(sql`id`, set);
  return (
    condition &&
    (await acme.db.rows<{ id: string }>(sql`SELECT id FROM customers WHERE ${condition}`)).map(({ id }) => id)
  );
};
const create = async (fields: object = {}) =>
  (await merchant.post('/api/v1/customers', { first_name: 'Asha', ...fields })).body.customer;
const merge = (primary: { id: string }, secondary: { id: string }) =>
  merchant.post('/api/v1/customers/merge', { primary_id: primary.id, secondary_id: secondary.id });
const events = (id: string) =>
  acme.db.rows(sql`
    SELECT name, payload -> 'changed' AS changed FROM shop_events WHERE payload -> 'customer' ->> 'id' = ${id} ORDER BY seq`);

test('findOrCreate looks for the id, then the phone, then the email, and leaves an existing customer unchanged', async () => {
  const [byId, byPhone, byEmail] = [await create(), await create({ phone: phone() }), await create({ email: email() })];
  const names = { first_name: 'New', last_name: 'Name' };
  const all = { id: byId.id, phone: byPhone.phone, email: byEmail.email, ...names };
  expect(await result('findOrCreate', all)).toEqual(byId);
  expect(await result('findOrCreate', { ...all, id: undefined })).toEqual(byPhone);
  expect(await result('findOrCreate', { email: byEmail.email, ...names })).toEqual(byEmail);
  expect(await result('findOrCreate', { email: ` ${byEmail.email.toUpperCase()} `, phone: ' ' })).toEqual(byEmail);
  expect(await result('findOrCreate', { phone: byPhone.phone.slice(3) })).toEqual(byPhone);
});

test('findOrCreate creates an unknown customer, as Guest without a name', async () => {
  const [number, address] = [phone(), email()];
  const guest = await result('findOrCreate', { phone: number, email: address });
  expect(guest).toMatchObject({ phone: number, email: address, first_name: 'Guest', last_name: '', total_orders: 0 });
  expect(await events(guest.id)).toEqual([{ name: 'customer.created', changed: null }]);
  const named = await result('findOrCreate', { email: email(), first_name: ' Asha ', last_name: 'Rao' });
  expect(named).toMatchObject({ phone: null, first_name: 'Asha', last_name: 'Rao' });
  const [one, other] = [await result('findOrCreate', {}), await result('findOrCreate', { phone: '', email: '' })];
  expect([one, other]).toMatchObject([{ first_name: 'Guest' }, { first_name: 'Guest' }]);
  expect(one.id).not.toBe(other.id);
});

test('a new phone with the email of another customer creates a customer without that email', async () => {
  const known = await create({ email: email() });
  const number = phone();
  const guest = await result('findOrCreate', { phone: number, email: known.email, first_name: 'Ravi' });
  expect(guest).toMatchObject({ phone: number, email: null, first_name: 'Ravi' });
  expect(await result('findOrCreate', { phone: number, email: known.email })).toEqual(guest);
});

test('findOrCreate rejects invalid phones and unknown ids by field', async () => {
  const deleted = await create();
  await merchant.delete(`/api/v1/customers/${deleted.id}`);
  for (const [field, identity] of [
    ['customer.phone', { phone: 'call me' }],
    ['customer.email', { email: 'nobody' }],
    ['customer.id', { id: 'asha' }],
    ['customer.id', { id: unknownId }],
    ['customer.id', { id: deleted.id }],
  ] as const) {
    const { status, body } = await call('findOrCreate', identity);
    expect({ status, fields: Object.keys(body.errors) }).toEqual({ status: 422, fields: [field] });
  }
});

test('checkIdentity reports everything that findOrCreate would reject and creates no customer', async () => {
  const [known, deleted] = [await create(), await create()];
  await merchant.delete(`/api/v1/customers/${deleted.id}`);
  const count = () => acme.db.row(sql`SELECT count(*) AS customers FROM customers`);
  const before = await count();
  for (const [customer, codes] of [
    [
      { phone: 'call me', email: 'nobody' },
      { 'customer.phone': 'invalid', 'customer.email': 'invalid' },
    ],
    [{ id: unknownId, phone: 'call me' }, { 'customer.id': 'unknown' }],
    [{ id: deleted.id }, { 'customer.id': 'unknown' }],
    [{ id: 'asha' }, { 'customer.id': 'invalid' }],
    [{ id: known.id }, {}],
    [{ phone: phone(), email: email() }, {}],
    [{}, {}],
  ] as const) {
    const errors: Record<string, { code: string }[]> = await result('checkIdentity', { customer });
    expect(Object.fromEntries(Object.entries(errors).map(([field, [one]]) => [field, one?.code]))).toEqual(codes);
  }
  expect(await count()).toEqual(before);
});

test('the id of a merged customer finds the customer it was merged into', async () => {
  const [first, second, third] = [await create(), await create(), await create()];
  await merge(second, first);
  await merge(third, second);
  for (const { id } of [first, second, third]) {
    expect((await result('findOrCreate', { id })).id).toBe(third.id);
    expect(await result('lock', { id })).toBe(third.id);
  }
});

test.each(['phone', 'email'])(
  'eight concurrent calls with the same %s create one customer, which all of them return',
  async (field) => {
    const value = field === 'phone' ? phone() : email();
    const found = await Promise.all(Array.from({ length: 8 }, () => result('findOrCreate', { [field]: value })));
    expect(new Set(found.map(({ id }) => id)).size).toBe(1);
    expect(await events(found[0].id)).toHaveLength(1);
  },
);

test('concurrent calls with the same email and different phones find customers by phone', async () => {
  const [phones, address] = [[phone(), phone(), phone()], email()];
  const identities = Array.from({ length: 12 }, (_, index) => ({ phone: phones[index % 3], email: address }));
  const found = await Promise.all(identities.map((identity) => result('findOrCreate', identity)));
  expect(found.map((one) => one.phone)).toEqual(identities.map((one) => one.phone));
  expect(new Set(found.map(({ id }) => id)).size).toBe(3);
  expect(new Set(found.filter((one) => one.email).map(({ id }) => id)).size).toBe(1);
});

test('orders created during a merge all belong to the primary customer', async () => {
  const [primary, secondary] = [await create(), await create({ phone: phone() })];
  const [, ...taken] = await Promise.all([
    merge(primary, secondary),
    ...Array.from({ length: 6 }, (_, index) =>
      shop.post('/api/v1/orders', buildOrder(index % 2 ? { id: secondary.id } : { phone: secondary.phone }, '1.00')),
    ),
  ]);
  expect(taken.map(({ status }) => status)).toEqual(Array(6).fill(201));
  const { body } = await merchant.get(`/api/v1/customers/${primary.id}`);
  expect(body.customer).toMatchObject({ phone: secondary.phone, total_orders: 6, total_spent: '6.00' });
});

test('a deleted customer can be locked, an unknown one cannot', async () => {
  const { id } = await create();
  await merchant.delete(`/api/v1/customers/${id}`);
  expect(await result('lock', { id })).toBe(id);
  expect(await result('lock', { id: unknownId })).toBe(null);
});

test('contacts have masked phones unless the user may see them or the code sends messages', async () => {
  const one = await create({ phone: phone(), email: email(), last_name: 'Rao' });
  const { id, first_name, last_name } = one;
  expect(await result('listContacts', { ids: [id, unknownId], unmasked: true })).toEqual([
    { id, first_name, last_name, email: one.email, phone: one.phone },
  ]);
  expect(await result('listContacts', { ids: [] })).toEqual([]);
  const masked = `+**********${one.phone.slice(-2)}`;
  expect((await result('listContacts', { ids: [id] }))[0].phone).toBe(masked);
  const manager = acme.caller('shop.use', 'customers.view_sensitive');
  const { body } = await manager.post('/api/v1/shop/ask/listContacts', { ids: [id] });
  expect(body.result[0].phone).toBe(one.phone);
});

test('an external id is stored by platform and emits one event for each change', async () => {
  const customer = await create({ external_ids: { amazon: '1' } });
  const key = { customer_id: customer.id, platform: 'shopify' };
  expect(await result('getExternalId', key)).toBe(null);
  for (const external_id of ['77', ' 77 ', '78']) await result('setExternalId', { ...key, external_id });
  expect(await result('getExternalId', key)).toBe('78');
  const { body } = await merchant.get(`/api/v1/customers/${customer.id}`);
  expect(body.customer.external_ids).toEqual({ amazon: '1', shopify: '78' });
  expect(await events(customer.id)).toEqual([
    { name: 'customer.created', changed: null },
    ...Array(2).fill({ name: 'customer.updated', changed: ['external_ids'] }),
  ]);
  await result('setExternalId', { ...key, external_id: null });
  expect(await result('getExternalId', key)).toBeNull();
  const { status, body: refused } = await call('setExternalId', { ...key, external_id: ' ' });
  expect({ status, fields: Object.keys(refused.errors) }).toEqual({ status: 422, fields: ['external_id'] });
});

test('external ids that are set concurrently are all stored', async () => {
  const { id } = await create();
  const platforms = Array.from({ length: 8 }, (_, index) => `p${index}`);
  await Promise.all(
    platforms.map((platform) => result('setExternalId', { customer_id: id, platform, external_id: platform })),
  );
  const { body } = await merchant.get(`/api/v1/customers/${id}`);
  expect(Object.keys(body.customer.external_ids).toSorted()).toEqual(platforms);
});

test('metadata belongs to the module that wrote it and can be read by other modules', async () => {
  const { id: customer_id } = await create();
  const key = { customer_id, key: 'size' };
  expect(await result('getMetadata', key)).toBe(null);
  await Promise.all(Array.from({ length: 8 }, (_, index) => result('setMetadata', { ...key, value: `${index}` })));
  await result('setMetadata', { ...key, value: 'L' });
  await acme.db.run(sql`
    INSERT INTO customer_metadata (id, customer_id, key, value, module_source, created_at, updated_at)
    VALUES (gen_random_uuid(), ${customer_id}, 'size', 'XL', 'tailor', now(), now())`);
  expect(await result('getMetadata', key)).toBe('L');
  expect(await result('getMetadata', { ...key, module_source: 'shop' })).toBe('L');
  expect(await result('getMetadata', { ...key, module_source: 'tailor' })).toBe('XL');
  // A module cannot write metadata of another one.
  await result('setMetadata', { ...key, value: 'M', module_source: 'tailor' });
  expect(await result('getMetadata', { ...key, module_source: 'tailor' })).toBe('XL');
  await result('setMetadata', { ...key, value: null });
  expect(await result('getMetadata', key)).toBeNull();
  expect(await result('getMetadata', { ...key, module_source: 'tailor' })).toBe('XL');
});

test('external ids and metadata of a merged customer are those of the primary; deleted customers are not found', async () => {
  const [primary, secondary, deleted] = [await create(), await create(), await create()];
  await merge(primary, secondary);
  await result('setExternalId', { customer_id: secondary.id, platform: 'shopify', external_id: '5' });
  await result('setMetadata', { customer_id: secondary.id, key: 'size', value: 'L' });
  for (const customer_id of [primary.id, secondary.id]) {
    expect(await result('getExternalId', { customer_id, platform: 'shopify' })).toBe('5');
    expect(await result('getMetadata', { customer_id, key: 'size' })).toBe('L');
  }
  await merchant.delete(`/api/v1/customers/${deleted.id}`);
  for (const customer_id of [unknownId, deleted.id]) {
    for (const answer of await Promise.all([
      call('setExternalId', { customer_id, platform: 'shopify', external_id: '5' }),
      call('getExternalId', { customer_id, platform: 'shopify' }),
      call('setMetadata', { customer_id, key: 'size', value: 'L' }),
      call('getMetadata', { customer_id, key: 'size' }),
    ])) {
      expect(answer).toMatchObject({ status: 404, body: { code: 'customers.not_found' } });
    }
  }
});

test('get fails with merged_into for a merged customer and with 404 for a deleted one', async () => {
  const [primary, secondary, deleted] = [await create({ phone: phone() }), await create(), await create()];
  await merge(primary, secondary);
  await merchant.delete(`/api/v1/customers/${deleted.id}`);
  expect(await result('getRecord', primary)).toMatchObject({
    id: primary.id,
    phone: `+**********${primary.phone.slice(-2)}`,
  });
  expect(await call('getRecord', secondary)).toMatchObject({
    status: 404,
    body: { code: 'customers.merged', merged_into: primary.id },
  });
  expect(await call('getRecord', deleted)).toMatchObject({ status: 404, body: { code: 'customers.not_found' } });
});

test('contacts and searches leave out deleted customers', async () => {
  const customer = await create({ email: email() });
  expect(await matching(customer.email)).toEqual([customer.id]);
  expect(await matching(' ')).toBeUndefined();
  await merchant.delete(`/api/v1/customers/${customer.id}`);
  expect(await result('listContacts', { ids: [customer.id] })).toEqual([]);
  expect(await matching(customer.email)).toEqual([]);
});

test('an operation rejects an input that its schema does not allow', async () => {
  for (const [name, input, field] of [
    ['getRecord', { id: 'asha' }, 'id'],
    ['lock', {}, 'id'],
    ['listContacts', { ids: 'all' }, 'ids'],
    ['setMetadata', { customer_id: unknownId, key: 'size' }, 'value'],
  ] as const) {
    const { status, body } = await call(name, input);
    expect({ status, fields: Object.keys(body.errors ?? {}) }).toEqual({ status: 422, fields: [field] });
  }
});

test('operations that are called in a transaction run in it, and leave the objects of the caller unchanged', async () => {
  const [ctx, outside] = [acme.context('shop'), acme.context('shop')];
  const identity = { email: ` ${email().toUpperCase()} ` };
  const sent = { ...identity };
  const undone = ctx.tx(async (tx) => {
    const { id } = await tx.bus.call('customers.findOrCreate', identity);
    expect(await tx.bus.call('customers.getRecord', { id })).toMatchObject({ id });
    expect(await outside.bus.call('customers.listContacts', { ids: [id] })).toEqual([]);
    throw new Error('roll back');
  });
  await expect(undone).rejects.toThrow('roll back');
  expect(identity).toEqual(sent);
  expect(await matching(identity.email.trim())).toEqual([]);
});
