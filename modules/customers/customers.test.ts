import { sql } from '@chowk/kit';
import { expect, onTestFinished, test } from 'vitest';
import { Context } from '../../server/src/context/context.ts';
import { startPlatform } from '../../server/testing/platform.ts';
import { buildOrder, withShop } from '../../server/testing/shop-module.ts';
import { getCustomers } from './customers.ts';

const platform = await startPlatform({ modules: await withShop() });
const acme = await platform.tenant();
const rights = [
  'customers.view',
  'customers.create',
  'customers.edit',
  'customers.delete',
  'orders.create',
  'shop.use',
];
const merchant = acme.caller(...rights, 'customers.view_sensitive');
const agent = acme.caller(...rights);
const unknownId = '0190a000-0000-7000-8000-000000000000';

let sequence = 0;
const phone = () => `+9198${String(++sequence).padStart(8, '0')}`;
const create = async (fields: object = {}) => {
  const { status, body } = await merchant.post('/api/v1/customers', { first_name: 'Asha', ...fields });
  expect({ status, body }).toMatchObject({ status: 201 });
  return body.customer;
};
const show = async (id: string) => (await merchant.get(`/api/v1/customers/${id}`)).body.customer;
const eventsAbout = (id: string) =>
  acme.db.rows<{ name: string; payload: Record<string, unknown> }>(sql`
    SELECT name, payload FROM shop_events WHERE coalesce(payload -> 'customer' ->> 'id', payload ->> 'id') = ${id}
    ORDER BY seq`);

test('a customer gets defaults', async () => {
  const { status, body } = await merchant.post('/api/v1/customers', { first_name: 'Asha' });
  expect(status).toBe(201);
  expect(body).toEqual({
    message: 'Customer created.',
    customer: {
      id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7/),
      external_ids: {},
      email: null,
      phone: null,
      first_name: 'Asha',
      last_name: null,
      accepts_marketing: false,
      total_orders: 0,
      total_spent: '0.00',
      avg_order_value: '0.00',
      first_order_at: null,
      last_order_at: null,
      currency: null,
      other_currencies: [],
      tags: [],
      notes: null,
      anonymized_at: null,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      updated_at: expect.stringMatching(/Z$/),
    },
  });
  const detail = await merchant.get(`/api/v1/customers/${body.customer.id}`);
  expect(detail.body.customer).toMatchObject({ ...body.customer, addresses: [], recent_orders: [], metadata: [] });
  expect(detail.body.customer.segments).toBeInstanceOf(Array);
});

test('all fields are stored, trimmed and normalized', async () => {
  const customer = await create({
    email: '  Asha.Rao@Example.COM ',
    phone: ' 098765 43210 ',
    first_name: '  Äsha ',
    last_name: ' राव ',
    accepts_marketing: true,
    tags: ['gold', ' gold ', 'new'],
    notes: 'Two\nlines',
    external_ids: { shopify: ' 77 ' },
  });
  expect(customer).toMatchObject({
    email: 'asha.rao@example.com',
    phone: '+919876543210',
    first_name: 'Äsha',
    last_name: 'राव',
    accepts_marketing: true,
    tags: ['gold', 'new'],
    notes: 'Two\nlines',
    external_ids: { shopify: '77' },
  });
});

test.each([
  ['9876500001', 'IN', '+919876500001'],
  ['+44 20 7946 0958', 'IN', '+442079460958'],
  ['0044 (20) 7946-0959', 'IN', '+442079460959'],
  ['212-555-0101', 'US', '+12125550101'],
  ['12345', 'IN', '12345'],
])('the phone %s of a tenant in %s is stored as %s', async (sent, country, stored) => {
  const elsewhere = await platform.tenant();
  await elsewhere.caller('settings.edit').patch('/api/v1/settings', { 'general.country': country });
  const caller = elsewhere.caller(...rights, 'customers.view_sensitive');
  const { body } = await caller.post('/api/v1/customers', { phone: sent });
  expect(body.customer.phone).toBe(stored);
});

test.each([{}, { last_name: 'Rao' }, { email: ' ', phone: '', first_name: '  ' }, { email: null, tags: ['x'] }])(
  'a customer has an email, a phone or a first name: not %j',
  async (body) => {
    const answer = await merchant.post('/api/v1/customers', body);
    expect({ status: answer.status, fields: Object.keys(answer.body.errors) }).toEqual({
      status: 422,
      fields: ['email', 'phone', 'first_name'],
    });
    expect(answer.body.message).toBe('At least an email, a phone or a first name is required.');
  },
);

test.each([
  ['email', { email: 'nobody' }],
  ['email', { email: 'a@b@c.example' }],
  ['email', { email: `${'x'.repeat(250)}@example.com` }],
  ['email', { email: 5 }],
  ['phone', { phone: 'call me' }],
  ['phone', { phone: '********10' }],
  ['phone', { phone: '1' }],
  ['phone', { phone: '9'.repeat(16) }],
  ['phone', { phone: 9876543210 }],
  ['first_name', { first_name: 'x'.repeat(256) }],
  ['first_name', { first_name: 'a\u0000b' }],
  ['last_name', { last_name: 'a\nb' }],
  ['notes', { notes: 'a\u0000b' }],
  ['notes', { notes: 'x'.repeat(20_001) }],
  ['tags.0', { tags: ['x'.repeat(51)] }],
  ['tags.1', { tags: ['fine', 'a,b'] }],
  ['tags', { tags: Array.from({ length: 51 }, String) }],
  ['tags', { tags: 'gold' }],
  ['accepts_marketing', { accepts_marketing: 'yes' }],
  ['external_ids.shopify', { external_ids: { shopify: '' } }],
  ['external_ids.shopify', { external_ids: { shopify: ' ' } }],
  ['external_ids.shopify', { external_ids: { shopify: 5 } }],
  ['external_ids', { external_ids: null }],
  ['external_ids', { external_ids: { ['x'.repeat(51)]: '77' } }],
  ['external_ids', { external_ids: { '': '77' } }],
  ['external_ids', { external_ids: { 'shop\u0000ify': '77' } }],
])('an invalid %s is reported on creation and on update: %j', async (field, wrong) => {
  const { id } = await create();
  for (const { status, body } of [
    await merchant.post('/api/v1/customers', { first_name: 'Asha', ...wrong }),
    await merchant.patch(`/api/v1/customers/${id}`, wrong),
  ]) {
    expect({ status, fields: Object.keys(body.errors ?? {}) }).toEqual({ status: 422, fields: [field] });
  }
  expect(await eventsAbout(id)).toHaveLength(1);
});

test('read-only fields cannot be set, and unknown fields are ignored', async () => {
  const forged = {
    id: unknownId,
    total_spent: '99.00',
    total_orders: 9,
    avg_order_value: '9.00',
    last_order_at: '2020-01-01',
    created_at: '2000-01-01T00:00:00.000Z',
    deleted_at: 'now',
    anonymized_at: '2000-01-01T00:00:00Z',
    x: 1,
  };
  const customer = await create(forged);
  expect(customer).toMatchObject({ total_spent: '0.00', total_orders: 0, last_order_at: null, anonymized_at: null });
  expect(customer.id).not.toBe(unknownId);
  expect(customer.created_at > '2020').toBe(true);
  const { status, body } = await merchant.patch(`/api/v1/customers/${customer.id}`, forged);
  expect({ status, customer: body.customer }).toEqual({ status: 200, customer });
});

test('email and phone are unique among customers that are not deleted', async () => {
  const number = phone();
  const { id } = await create({ email: 'One@example.com', phone: number });
  const other = await create();
  for (const [field, fields] of [
    ['email', { email: 'oNE@example.com' }],
    ['phone', { phone: number.slice(3) }],
  ] as const) {
    for (const { status, body } of [
      await merchant.post('/api/v1/customers', fields),
      await merchant.patch(`/api/v1/customers/${other.id}`, fields),
    ]) {
      expect({ status, errors: body.errors }).toEqual({
        status: 422,
        errors: { [field]: [`Another customer has this ${field}.`] },
      });
    }
  }
  expect((await merchant.patch(`/api/v1/customers/${id}`, { email: 'ONE@example.com' })).status).toBe(200);
  await merchant.delete(`/api/v1/customers/${id}`);
  await create({ email: 'one@example.com', phone: number });
});

test.each(['email', 'phone'])('of eight concurrent creations with the same %s one succeeds', async (field) => {
  const value = field === 'email' ? 'race@example.com' : phone();
  const answers = await Promise.all(
    Array.from({ length: 8 }, () => merchant.post('/api/v1/customers', { [field]: value })),
  );
  expect(answers.map(({ status }) => status).toSorted()).toEqual([201, ...Array(7).fill(422)]);
  const refused = answers.filter(({ status }) => status === 422);
  expect(new Set(refused.flatMap(({ body }) => Object.keys(body.errors)))).toEqual(new Set([field]));
  const ids = answers.flatMap(({ body }) => body.customer?.id ?? []);
  expect(await eventsAbout(ids[0])).toHaveLength(1);
});

test('of eight concurrent changes to the same email one succeeds', async () => {
  const customers = await Promise.all(Array.from({ length: 8 }, () => create()));
  const answers = await Promise.all(
    customers.map(({ id }) => merchant.patch(`/api/v1/customers/${id}`, { email: 'contested@example.com' })),
  );
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, ...Array(7).fill(422)]);
});

test('concurrent requests with crossing emails and phones do not fail with 500', async () => {
  const [one, two] = [phone(), phone()];
  const bodies = Array.from({ length: 12 }, (_, index) => ({
    email: `cross${index % 3}@example.com`,
    phone: index % 2 ? one : two,
  }));
  const answers = await Promise.all(bodies.map((body) => merchant.post('/api/v1/customers', body)));
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(2);
  expect(answers.filter(({ status }) => status === 422)).toHaveLength(10);
});

test('an update changes only the fields that are sent; null clears, external ids change by platform', async () => {
  const customer = await create({
    email: 'change@example.com',
    phone: phone(),
    last_name: 'Rao',
    notes: 'Old',
    tags: ['a'],
    external_ids: { shopify: '1', amazon: '2' },
  });
  const { status, body } = await merchant.patch(`/api/v1/customers/${customer.id}`, {
    last_name: null,
    notes: '',
    tags: [],
    external_ids: { amazon: null, ebay: '3' },
  });
  expect(status).toBe(200);
  const { updated_at } = body.customer;
  expect(body).toEqual({
    message: 'Customer saved.',
    customer: {
      ...customer,
      last_name: null,
      notes: null,
      tags: [],
      external_ids: { shopify: '1', ebay: '3' },
      updated_at,
    },
  });
  expect(await show(customer.id)).toMatchObject(body.customer);
  expect((await eventsAbout(customer.id)).at(-1)).toEqual({
    name: 'customer.updated',
    payload: { customer: body.customer, changed: ['last_name', 'notes', 'tags', 'external_ids'] },
  });
});

test('an update of one field emits customer.updated', async () => {
  const customer = await create({ external_ids: { shopify: 'E-1', ' amazon ': 'E-2' } });
  for (const [field, value] of [
    ['notes', 'Called'],
    ['external_ids', { amazon: null }],
  ] as const) {
    await merchant.patch(`/api/v1/customers/${customer.id}`, { [field]: value });
    expect((await eventsAbout(customer.id)).at(-1)).toMatchObject({
      name: 'customer.updated',
      payload: { changed: [field], customer: { id: customer.id } },
    });
  }
  expect(await show(customer.id)).toMatchObject({ notes: 'Called', external_ids: { shopify: 'E-1' } });
});

test('a customer has at most 50 external ids, also after several updates', async () => {
  const ids = (first: number, count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, n) => [`platform-${first + n}`, '1']));
  const customer = await create({ external_ids: ids(1, 49) });
  const patch = (external_ids: object) => merchant.patch(`/api/v1/customers/${customer.id}`, { external_ids });
  expect((await patch(ids(50, 2))).body.error_codes).toEqual({ external_ids: ['too_many'] });
  expect((await patch({ ...ids(50, 2), 'platform-1': null })).status).toBe(200);
});

test('an update without changes emits nothing', async () => {
  const customer = await create({ email: 'same@example.com', tags: ['a'], external_ids: { b: '1', a: '2' } });
  for (const body of [{}, { email: 'SAME@example.com', tags: ['a', 'a'], external_ids: { a: '2', b: '1' } }]) {
    const answer = await merchant.patch(`/api/v1/customers/${customer.id}`, body);
    expect(answer).toMatchObject({ status: 200, body: { customer } });
  }
  expect((await eventsAbout(customer.id)).map(({ name }) => name)).toEqual(['customer.created']);
});

test('an update does not leave a customer without email, phone and first name', async () => {
  const { id } = await create({ email: 'last@example.com' });
  expect((await merchant.patch(`/api/v1/customers/${id}`, { first_name: null })).status).toBe(200);
  const { status, body } = await merchant.patch(`/api/v1/customers/${id}`, { email: '', notes: 'Never' });
  expect({ status, fields: Object.keys(body.errors) }).toEqual({
    status: 422,
    fields: ['email', 'phone', 'first_name'],
  });
  expect(await show(id)).toMatchObject({ email: 'last@example.com', notes: null });
  const moved = await merchant.patch(`/api/v1/customers/${id}`, { email: null, phone: phone() });
  expect(moved.status).toBe(200);
});

test('concurrent updates of different fields are both stored', async () => {
  const { id } = await create();
  const edits = Array.from({ length: 10 }, (_, index) => (index % 2 ? { last_name: 'Both' } : { notes: 'Both' }));
  await Promise.all(edits.map((edit) => merchant.patch(`/api/v1/customers/${id}`, edit)));
  expect(await show(id)).toMatchObject({ last_name: 'Both', notes: 'Both' });
});

test('phones are masked in all responses without the permission; events are not masked', async () => {
  const number = phone();
  const masked = `+**********${number.slice(-2)}`;
  const { body } = await agent.post('/api/v1/customers', { first_name: 'Asha', phone: number });
  const { id } = body.customer;
  const changed = await agent.patch(`/api/v1/customers/${id}`, { notes: 'Called' });
  const shown = await agent.get(`/api/v1/customers/${id}`);
  expect([body, changed.body, shown.body].map(({ customer }) => customer.phone)).toEqual([masked, masked, masked]);
  const phones = (await eventsAbout(id)).map(({ payload }) => (payload.customer as { phone: string }).phone);
  expect(phones).toEqual([number, number]);
  expect((await show(id)).phone).toBe(number);
  // Sending the masked value back changes nothing.
  const back = await agent.patch(`/api/v1/customers/${id}`, { phone: masked, last_name: 'Rao' });
  expect(back).toMatchObject({ status: 200, body: { customer: { phone: masked, last_name: 'Rao' } } });
  expect((await agent.patch(`/api/v1/customers/${id}`, { phone: '+**********99' })).status).toBe(422);
});

test('unknown ids and ids of other tenants are 404, invalid ones 422', async () => {
  const elsewhere = (await platform.tenant()).caller(...rights);
  const { body } = await elsewhere.post('/api/v1/customers', { first_name: 'Other' });
  for (const id of [unknownId, body.customer.id]) {
    for (const answer of await Promise.all([
      merchant.get(`/api/v1/customers/${id}`),
      merchant.patch(`/api/v1/customers/${id}`, { notes: 'Mine' }),
      merchant.delete(`/api/v1/customers/${id}`),
      merchant.get(`/api/v1/customers/${id}/orders`),
      merchant.get(`/api/v1/customers/${id}/addresses`),
    ])) {
      expect(answer).toMatchObject({ status: 404, body: { code: 'customers.not_found' } });
    }
  }
  const { status, body: answer } = await merchant.get('/api/v1/customers/asha');
  expect({ status, fields: Object.keys(answer.errors) }).toEqual({ status: 422, fields: ['id'] });
});

test('an id may be written in upper case', async () => {
  const { id } = await create();
  const { status, body } = await merchant.patch(`/api/v1/customers/${id.toUpperCase()}`, { notes: 'Loud' });
  expect({ status, id: body.customer.id, notes: body.customer.notes }).toEqual({ status: 200, id, notes: 'Loud' });
});

test('the detail of a customer has the metadata of other modules', async () => {
  const { id } = await create();
  await merchant.post('/api/v1/shop/ask/setMetadata', { customer_id: id, key: 'size', value: 'L' });
  expect((await show(id)).metadata).toEqual([
    { id: expect.any(String), customer_id: id, key: 'size', value: 'L', module_source: 'shop' },
  ]);
});

test('statistics include new orders at once and exclude cancelled and failed ones', async () => {
  const { id, updated_at } = await create();
  for (const [total, status, placed_at] of [
    ['10.00', 'pending', '2026-02-01T00:00:00Z'],
    ['99.00', 'cancelled', '2026-01-01T00:00:00Z'],
    ['5.01', 'delivered', '2026-03-01T00:00:00Z'],
    ['99.00', 'failed', '2026-04-01T00:00:00Z'],
  ] as const) {
    await merchant.post('/api/v1/orders', buildOrder({ id }, total, { status, placed_at }));
  }
  expect(await show(id)).toMatchObject({
    total_orders: 2,
    total_spent: '15.01',
    avg_order_value: '7.51',
    first_order_at: '2026-02-01T00:00:00.000Z',
    last_order_at: '2026-03-01T00:00:00.000Z',
  });
  expect((await show(id)).updated_at > updated_at).toBe(true);
});

test('concurrent orders are all counted', async () => {
  const { id } = await create();
  const orders = Array.from({ length: 8 }, () => merchant.post('/api/v1/orders', buildOrder({ id }, '1.50')));
  expect((await Promise.all(orders)).every(({ status }) => status === 201)).toBe(true);
  expect(await show(id)).toMatchObject({ total_orders: 8, total_spent: '12.00' });
});

test('customers work without the orders module', async () => {
  const { id } = await create();
  await platform.kernel.installations.set(acme.id, 'orders', 'disabled');
  onTestFinished(() => platform.kernel.installations.set(acme.id, 'orders', 'enabled'));
  expect((await show(id)).recent_orders).toEqual([]);
  expect((await merchant.get(`/api/v1/customers/${id}/orders`)).body).toEqual({
    orders: [],
    pagination: { current_page: 1, last_page: 1, per_page: 20, total: 0 },
  });
});

test('all problems of a customer are reported at once, with codes', async () => {
  await create({ email: 'owner@example.com', phone: '+919812345678' });
  const wrong = {
    email: 'owner@example.com',
    phone: '98123 45678',
    first_name: 5,
    tags: ['a,b'],
    notes: 'x'.repeat(20_001),
  };
  const { id } = await create();
  for (const { status, body } of [
    await merchant.post('/api/v1/customers', wrong),
    await merchant.patch(`/api/v1/customers/${id}`, wrong),
  ]) {
    expect({ status, codes: body.error_codes }).toEqual({
      status: 422,
      codes: {
        email: ['taken'],
        phone: ['taken'],
        first_name: ['wrong_type'],
        'tags.0': ['invalid'],
        notes: ['too_long'],
      },
    });
    expect(body.errors).toMatchObject({
      email: ['Another customer has this email.'],
      phone: ['Another customer has this phone.'],
    });
  }
});

test('a taken email and a taken phone are both reported', async () => {
  const [one, other] = [await create({ email: 'both@example.com' }), await create({ phone: '+919811111111' })];
  const taken = { email: 'both@example.com', phone: '+919811111111' };
  for (const { status, body } of [
    await merchant.post('/api/v1/customers', taken),
    await merchant.patch(`/api/v1/customers/${(await create()).id}`, taken),
  ]) {
    expect({ status, codes: body.error_codes }).toEqual({ status: 422, codes: { email: ['taken'], phone: ['taken'] } });
  }
  const { body } = await merchant.patch(`/api/v1/customers/${one.id}`, taken);
  expect(body.error_codes).toEqual({ phone: ['taken'] });
  expect((await merchant.patch(`/api/v1/customers/${other.id}`, { phone: taken.phone })).status).toBe(200);
});

test('an invalid phone and a wrong type are reported together', async () => {
  const { id } = await create({ first_name: null, email: 'rules@example.com' });
  const { body } = await merchant.post('/api/v1/customers', {
    email: 'nobody',
    phone: 'call me',
    accepts_marketing: 1,
  });
  expect(body.error_codes).toEqual({ email: ['invalid'], phone: ['invalid'], accepts_marketing: ['wrong_type'] });
  const { body: changed } = await merchant.patch(`/api/v1/customers/${id}`, { email: null, tags: 'gold' });
  expect(changed.error_codes).toEqual({
    tags: ['wrong_type'],
    email: ['required'],
    phone: ['required'],
    first_name: ['required'],
  });
});

test('a change of an older version is rejected', async () => {
  const { id } = await create();
  const url = `/api/v1/customers/${id}`;
  const version = { 'if-match': (await merchant.get(url)).headers.etag as string };
  expect((await merchant.patch(url, { last_name: 'Rao' }, version)).status).toBe(200);
  for (const answer of [
    await merchant.patch(url, { last_name: 'Iyer' }, version),
    await merchant.delete(url, undefined, version),
    await merchant.delete(`${url}?mode=hard`, undefined, version),
  ]) {
    expect(answer).toMatchObject({ status: 412, body: { code: 'http.precondition_failed' } });
  }
  const { headers, body } = await merchant.get(url);
  expect(body.customer.last_name).toBe('Rao');
  expect((await merchant.get(url, { 'if-none-match': headers.etag as string })).status).toBe(304);
});

test('the version of a customer changes with its addresses, metadata and orders', async () => {
  const { id } = await create();
  const url = `/api/v1/customers/${id}`;
  const versions = [(await merchant.get(url)).headers.etag];
  for (const change of [
    () => merchant.post(`${url}/addresses`, { city: 'Pune' }),
    () => merchant.post('/api/v1/shop/ask/setMetadata', { customer_id: id, key: 'size', value: 'L' }),
    () => merchant.post('/api/v1/orders', buildOrder({ id }, '5.00')),
  ]) {
    await change();
    versions.push((await merchant.get(url)).headers.etag);
  }
  expect(new Set(versions).size).toBe(4);
});

test('changes and deletions are in the audit log without personal values', async () => {
  const { id } = await create({ email: 'audited@example.com' });
  await merchant.patch(`/api/v1/customers/${id}`, { accepts_marketing: true, email: 'other@example.com' });
  await merchant.patch(`/api/v1/customers/${id}`, { accepts_marketing: true });
  await merchant.delete(`/api/v1/customers/${id}?mode=anonymize`);
  await merchant.delete(`/api/v1/customers/${id}`);
  await platform.kernel.audit.flush();
  const { body } = await acme.caller('audit.view').get(`/api/v1/audit?resource=customers&resource_id=${id}`);
  expect(body.audit).toMatchObject([
    { action: 'customers.delete', changes: { mode: [null, 'soft'], id: [id, null] } },
    { action: 'customers.delete', changes: { mode: [null, 'anonymize'], accepts_marketing: [true, null] } },
    { action: 'customers.update', changes: null },
    { action: 'customers.update', changes: { accepts_marketing: [false, true], email: '••••' } },
    { action: 'customers.create', outcome: 'ok', transport: 'rest', user_id: merchant.user.id },
  ]);
  expect(JSON.stringify(body)).not.toMatch(/audited@|other@|Asha/);
});

test('a customer is found by external id, of several from before ids were unique the oldest', async () => {
  const external_ids = { 'my shop': 'A/1', ebay: '2' };
  const [first, second] = [await create({ external_ids }), await create()];
  await acme.db.run(sql`UPDATE customers SET external_ids = ${external_ids}::jsonb WHERE id = ${second.id}`);
  const renamed = await merchant.patch(`/api/v1/customers/${second.id}`, { last_name: 'Rao', external_ids });
  expect(renamed.status).toBe(200);
  const url = `/api/v1/customers/lookup?platform=my+shop&external_id=A/1`;
  const { status, body } = await agent.get(url);
  expect({ status, customer: body.customer }).toEqual({ status: 200, customer: await show(first.id) });
  await merchant.delete(`/api/v1/customers/${first.id}`);
  expect((await agent.get(url)).body.customer.id).not.toBe(first.id);
  for (const query of ['platform=my+shop&external_id=2', 'platform=ebay&external_id=A/1', 'platform=x&external_id=2']) {
    const answer = await agent.get(`/api/v1/customers/lookup?${query}`);
    expect(answer).toMatchObject({ status: 404, body: { code: 'customers.not_found' } });
  }
  const { body: refused } = await agent.get('/api/v1/customers/lookup?id=2');
  expect(refused.error_codes).toEqual({ platform: ['required'], external_id: ['required'], id: ['unknown'] });
});

test('many customers are read at once, in order, with a failure for each missing one', async () => {
  const [one, other] = [await create({ phone: phone() }), await create()];
  await merchant.post(`/api/v1/customers/${one.id}/addresses`, { city: 'Pune' });
  await merchant.post('/api/v1/orders', buildOrder({ id: other.id }, '5.00'));
  const ctx = new Context(platform.kernel, { requestId: 'test', module: 'customers', tenant: acme, system: true });
  const keys = [other.id.toUpperCase(), unknownId, one.id, other.id].map((id) => ({ id }));
  const [second, missing, first, again] = await getCustomers(ctx, keys);
  expect([first, second, again]).toEqual([await show(one.id), await show(other.id), await show(other.id)]);
  expect(missing).toMatchObject({ code: 'customers.not_found' });
});
