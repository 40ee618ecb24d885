import { sql } from '@chowk/kit';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { startPlatform, type TestCaller } from '../../server/testing/platform.ts';
import { withShop } from '../../server/testing/shop-module.ts';
import type { Address } from './schemas.ts';

const platform = await startPlatform({ modules: await withShop() });
const acme = await platform.tenant();
const rights = ['customers.view', 'customers.create', 'customers.edit', 'customers.delete'];
const merchant = acme.caller(...rights, 'customers.view_sensitive');
const agent = acme.caller(...rights);
const unknownId = '0190a000-0000-7000-8000-000000000000';

const home = {
  first_name: 'Asha',
  last_name: 'Rao',
  company: 'Rao & Co',
  address1: '12 MG Road',
  address2: 'Flat 3',
  city: 'Pune',
  state: 'MH',
  pincode: '411001',
  country: 'IN',
  phone: '+919876543210',
};
const newCustomer = async (): Promise<string> =>
  (await merchant.post('/api/v1/customers', { first_name: 'Asha' })).body.customer.id;
const list = async (id: string, caller: TestCaller = merchant): Promise<Address[]> =>
  (await caller.get(`/api/v1/customers/${id}/addresses`)).body.addresses;
const add = async (id: string, fields: object = {}): Promise<Address> => {
  const { status, body } = await merchant.post(`/api/v1/customers/${id}/addresses`, { ...home, ...fields });
  expect({ status, body }).toMatchObject({ status: 201 });
  return body.address;
};
const patch = (id: string, addr: string, changes: object) =>
  merchant.patch(`/api/v1/customers/${id}/addresses/${addr}`, changes);
const defaults = async (id: string) => (await list(id)).filter((one) => one.is_default).map((one) => one.id);

test('an address is added, listed, changed and deleted', async () => {
  const id = await newCustomer();
  const { status, body } = await merchant.post(`/api/v1/customers/${id}/addresses`, { ...home, city: ' Pune ' });
  const created = {
    id: expect.any(String),
    customer_id: id,
    type: 'shipping',
    is_default: true,
    ...home,
    created_at: expect.stringMatching(/Z$/),
    updated_at: expect.stringMatching(/Z$/),
  };
  expect({ status, body }).toEqual({ status: 201, body: { message: 'Address added.', address: created } });
  const { id: addr } = body.address;
  expect(await list(id)).toEqual([body.address]);
  expect((await merchant.get(`/api/v1/customers/${id}`)).body.customer.addresses).toEqual([body.address]);
  const changed = await patch(id, addr, { city: 'Nashik', address2: null, company: '  ' });
  expect(changed.body).toEqual({
    message: 'Address saved.',
    address: { ...created, city: 'Nashik', address2: null, company: null },
  });
  const gone = await merchant.delete(`/api/v1/customers/${id}/addresses/${addr}`);
  expect(gone).toMatchObject({ status: 200, body: { message: 'Address deleted.' } });
  expect(await list(id)).toEqual([]);
});

test('a change of addresses emits customer.updated, an update without changes does not', async () => {
  const id = await newCustomer();
  const { id: addr } = await add(id);
  await patch(id, addr, { city: 'Pune' });
  await merchant.post(`/api/v1/customers/${id}/addresses/${addr}/default`);
  await merchant.delete(`/api/v1/customers/${id}/addresses/${addr}`);
  const events = await acme.db.rows(sql`
    SELECT payload -> 'changed' AS changed FROM shop_events
    WHERE name = 'customer.updated' AND payload -> 'customer' ->> 'id' = ${id}`);
  expect(events).toEqual([{ changed: ['addresses'] }, { changed: ['addresses'] }]);
});

test('the first address of a type is always the default', async () => {
  const id = await newCustomer();
  expect(await add(id, { is_default: false })).toMatchObject({ type: 'shipping', is_default: true });
  expect(await add(id)).toMatchObject({ type: 'shipping', is_default: false });
  expect(await add(id, { type: 'billing' })).toMatchObject({ type: 'billing', is_default: true });
});

test('another address can become the default on creation, on update and by its own endpoint', async () => {
  const id = await newCustomer();
  const first = await add(id);
  const billing = await add(id, { type: 'billing' });
  const second = await add(id, { is_default: true });
  expect((await defaults(id)).toSorted()).toEqual([billing.id, second.id].toSorted());
  await patch(id, first.id, { is_default: true });
  expect((await defaults(id)).toSorted()).toEqual([billing.id, first.id].toSorted());
  const { status, body } = await merchant.post(`/api/v1/customers/${id}/addresses/${second.id}/default`);
  expect({ status, body }).toMatchObject({
    status: 200,
    body: { message: 'Address is now the default.', address: { id: second.id, is_default: true } },
  });
  expect((await list(id)).map((one) => one.is_default)).toEqual([true, true, false]);
});

test('the default address cannot be unset, only replaced', async () => {
  const id = await newCustomer();
  const first = await add(id);
  const second = await add(id);
  const { status, body } = await patch(id, first.id, { is_default: false, city: 'Never' });
  expect({ status, fields: Object.keys(body.errors) }).toEqual({ status: 422, fields: ['is_default'] });
  expect(body.message).toBe('One address of each type must be the default. Make another address the default instead.');
  expect((await list(id)).map((one) => one.city)).toEqual(['Pune', 'Pune']);
  expect((await patch(id, second.id, { is_default: false })).status).toBe(200);
});

test('after the default address is deleted, the newest of its type becomes the default', async () => {
  const id = await newCustomer();
  const [first, , third] = [await add(id), await add(id), await add(id)];
  await merchant.delete(`/api/v1/customers/${id}/addresses/${first.id}`);
  expect(await defaults(id)).toEqual([third.id]);
  await patch(id, third.id, { type: 'billing' });
  const [billing, shipping] = (await list(id)).toSorted((one, other) => one.type.localeCompare(other.type));
  expect([billing, shipping]).toMatchObject([
    { id: third.id, type: 'billing', is_default: true },
    { type: 'shipping', is_default: true },
  ]);
});

test('street lines and phones of addresses are hidden without the permission', async () => {
  const id = await newCustomer();
  const { body } = await agent.post(`/api/v1/customers/${id}/addresses`, home);
  const { id: addr } = body.address;
  const changed = await agent.patch(`/api/v1/customers/${id}/addresses/${addr}`, { city: 'Nashik' });
  const set = await agent.post(`/api/v1/customers/${id}/addresses/${addr}/default`);
  const [listed] = await list(id, agent);
  const detail = (await agent.get(`/api/v1/customers/${id}`)).body.customer.addresses[0];
  for (const address of [body.address, changed.body.address, set.body.address, listed, detail]) {
    expect(address).toMatchObject({
      first_name: 'Asha',
      address1: null,
      address2: null,
      phone: null,
      pincode: '411001',
    });
  }
  expect(await list(id)).toMatchObject([{ ...home, city: 'Nashik' }]);
});

test('sending hidden fields back empty does not change them', async () => {
  const id = await newCustomer();
  const { id: addr } = await add(id);
  const url = `/api/v1/customers/${id}/addresses/${addr}`;
  const [shown] = await list(id, agent);
  const { status, body } = await agent.patch(url, { ...shown, city: 'Nashik' });
  expect({ status, body }).toMatchObject({ status: 200, body: { address: { address1: null, city: 'Nashik' } } });
  await agent.patch(url, { address1: '', address2: ' ', phone: '', state: null });
  expect(await list(id)).toMatchObject([{ ...home, city: 'Nashik', state: null }]);
  await agent.patch(url, { address1: '2 Low St' });
  expect(await list(id)).toMatchObject([{ ...home, city: 'Nashik', state: null, address1: '2 Low St' }]);
  await patch(id, addr, { address1: null, phone: null });
  expect(await list(id)).toMatchObject([{ address1: null, address2: 'Flat 3', phone: null }]);
});

test.each([
  ['98765 43210', '+919876543210'],
  ['+44 20 7946 0958', '+442079460958'],
  ['98765 43210 (after 6, ext. 12)', '9876543210612'],
  ['', null],
  [null, null],
])('the phone %j of an address is stored as %j', async (sent, stored) => {
  expect((await add(await newCustomer(), { phone: sent })).phone).toBe(stored);
});

test.each([
  ['address1', {}],
  ['address1', { city: ' ', phone: '' }],
  ['phone', { ...home, phone: 'call me' }],
  ['phone', { ...home, phone: '********10' }],
  ['type', { ...home, type: 'home' }],
  ['is_default', { ...home, is_default: 'yes' }],
  ['city', { ...home, city: 'a\u0000b' }],
  ['pincode', { ...home, pincode: 'x'.repeat(21) }],
  ['address1', { ...home, address1: 'x'.repeat(256) }],
])('an invalid %s is reported: %j', async (field, wrong) => {
  const id = await newCustomer();
  const { status, body } = await merchant.post(`/api/v1/customers/${id}/addresses`, wrong);
  expect({ status, fields: Object.keys(body.errors) }).toEqual({ status: 422, fields: [field] });
  expect(await list(id)).toEqual([]);
});

test('all problems of an address are reported at once, with codes', async () => {
  const id = await newCustomer();
  const { id: addr } = await add(id);
  const wrong = { type: 'home', city: 5, pincode: 'x'.repeat(21), phone: 'call me' };
  const codes = { type: ['not_allowed'], city: ['wrong_type'], pincode: ['too_long'], phone: ['invalid'] };
  const { status, body } = await merchant.post(`/api/v1/customers/${id}/addresses`, wrong);
  expect({ status, codes: body.error_codes }).toEqual({ status: 422, codes });
  const changed = await patch(id, addr, { ...wrong, is_default: false });
  expect(changed.body.error_codes).toEqual({ ...codes, is_default: ['invalid'] });
  const empty = await merchant.post(`/api/v1/customers/${id}/addresses`, { type: 'home', city: '  ' });
  expect(empty.body.error_codes).toEqual({ type: ['not_allowed'], address1: ['required'] });
  const emptied = Object.fromEntries(Object.keys(home).map((name) => [name, null]));
  const without = await patch(id, addr, { ...emptied, type: 'home' });
  expect(without.body.error_codes).toEqual({ type: ['not_allowed'], address1: ['required'] });
});

test('a change of an older version of an address is rejected', async () => {
  const id = await newCustomer();
  const { id: addr } = await add(id);
  await add(id);
  const url = `/api/v1/customers/${id}/addresses/${addr}`;
  const created = await merchant.patch(url, { city: 'Nashik' });
  const version = { 'if-match': created.headers.etag as string };
  expect((await merchant.patch(url, { city: 'Mumbai' }, version)).status).toBe(200);
  for (const answer of [
    await merchant.patch(url, { city: 'Never' }, version),
    await merchant.post(`${url}/default`, undefined, version),
    await merchant.delete(url, undefined, version),
  ]) {
    expect(answer).toMatchObject({ status: 412, body: { code: 'http.precondition_failed' } });
  }
  expect((await list(id)).find((one) => one.id === addr)?.city).toBe('Mumbai');
});

test('changes and deletions of addresses are in the audit log', async () => {
  const id = await newCustomer();
  const { id: addr } = await add(id);
  await add(id);
  await patch(id, addr, { type: 'billing', address1: 'Elsewhere' });
  await merchant.delete(`/api/v1/customers/${id}/addresses/${addr}`);
  const { body } = await acme.caller('audit.view').get(`/api/v1/audit?resource=customers&resource_id=${id}`);
  expect(body.audit).toMatchObject([
    { action: 'customers.deleteAddress', changes: { id: [addr, null], type: ['billing', null] } },
    { action: 'customers.updateAddress', changes: { type: ['shipping', 'billing'], address1: '••••' } },
    { action: 'customers.addAddress' },
    { action: 'customers.addAddress' },
    { action: 'customers.create' },
  ]);
  expect(JSON.stringify(body)).not.toMatch(/Elsewhere|MG Road/);
});

test('unknown addresses and addresses of other or deleted customers are 404', async () => {
  const [id, other] = [await newCustomer(), await newCustomer()];
  const { id: addr } = await add(other);
  const calls = (customer: string, address: string) => [
    patch(customer, address, { city: 'Mine' }),
    merchant.delete(`/api/v1/customers/${customer}/addresses/${address}`),
    merchant.post(`/api/v1/customers/${customer}/addresses/${address}/default`),
  ];
  for (const answer of await Promise.all([...calls(id, addr), ...calls(id, unknownId)])) {
    expect(answer).toMatchObject({ status: 404, body: { code: 'customers.address_not_found' } });
  }
  expect(await list(other)).toMatchObject([{ id: addr, city: 'Pune' }]);
  await merchant.delete(`/api/v1/customers/${other}`);
  const gone = [
    ...calls(other, addr),
    merchant.get(`/api/v1/customers/${other}/addresses`),
    merchant.post(`/api/v1/customers/${other}/addresses`, home),
  ];
  for (const answer of await Promise.all(gone)) {
    expect(answer).toMatchObject({ status: 404, body: { code: 'customers.not_found' } });
  }
});

type Known = Pick<Address, 'id' | 'type' | 'is_default'>;
const addressType = fc.constantFrom('billing' as const, 'shipping' as const);
const which = fc.nat({ max: 20 });
const step = fc.oneof(
  fc.record({
    do: fc.constant('add' as const),
    type: addressType,
    is_default: fc.option(fc.boolean(), { nil: undefined }),
  }),
  fc.record({
    do: fc.constant('change' as const),
    which,
    type: fc.option(addressType, { nil: undefined }),
    is_default: fc.option(fc.boolean(), { nil: undefined }),
  }),
  fc.record({ do: fc.constant('choose' as const), which }),
  fc.record({ do: fc.constant('delete' as const), which }),
);
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

/** Sends the request of a step and returns its status. `number` modulo the number of addresses selects one. */
async function send(
  id: string,
  known: readonly { id: string }[],
  { do: verb, ...rest }: Step,
): Promise<{
  status: number;
  addr: string;
}> {
  const url = `/api/v1/customers/${id}/addresses`;
  if (!('which' in rest)) {
    const { status, body } = await merchant.post(url, { ...home, ...rest });
    return { status, addr: body.address?.id };
  }
  const { which: number, ...changes } = rest;
  const addr = known[number % Math.max(1, known.length)]?.id ?? unknownId;
  if (verb === 'change') return { status: (await patch(id, addr, changes)).status, addr };
  if (verb === 'choose') return { status: (await merchant.post(`${url}/${addr}/default`)).status, addr };
  return { status: (await merchant.delete(`${url}/${addr}`)).status, addr };
}

/** The expected default addresses, oldest first. */
function apply(known: readonly Known[], one: Step, addr: string): Known[] {
  const others = known.filter(({ id }) => id !== addr);
  const current = known.find(({ id }) => id === addr);
  if (one.do === 'delete') return promote(others);
  if (one.do !== 'add' && !current) return [...known];
  const wants = one.do === 'choose' ? { is_default: true } : { type: one.type, is_default: one.is_default };
  const type = ('type' in wants ? wants.type : undefined) ?? (current as Known).type;
  const stays = current?.type === type && current.is_default;
  if (stays && wants.is_default === false) return [...known];
  const next = { id: addr, type, is_default: wants.is_default ?? stays };
  const cleared = (all: readonly Known[]) =>
    all.map((each) =>
      each.id !== addr && each.type === type && next.is_default ? { ...each, is_default: false } : each,
    );
  return promote(cleared(current ? known.map((each) => (each.id === addr ? next : each)) : [...known, next]));
}

function promote(all: readonly Known[]): Known[] {
  const lacking = (['billing', 'shipping'] as const).filter(
    (type) => !all.some((one) => one.type === type && one.is_default),
  );
  const newest = new Set(lacking.map((type) => all.findLast((one) => one.type === type)?.id));
  return all.map((one) => (newest.has(one.id) ? { ...one, is_default: true } : one));
}

test('any sequence of changes leaves one default address of each type', async () => {
  const run = async (steps: Step[]) => {
    const id = await newCustomer();
    let known: Known[] = [];
    for (const one of steps) {
      const { addr } = await send(id, known, one);
      known = apply(known, one, addr);
      const there = await list(id);
      const oldestFirst = there
        .toSorted((a, b) => (a.id < b.id ? -1 : 1))
        .map(({ id: each, type, is_default }) => ({ id: each, type, is_default }));
      expect(oldestFirst).toEqual(known);
    }
  };
  await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 12 }), run), { numRuns: 20 });
});

test('eight concurrent changes leave one default address of each type', async () => {
  const run = async (steps: Step[]) => {
    const id = await newCustomer();
    const known = [await add(id), await add(id), await add(id, { type: 'billing' })];
    const answers = await Promise.all(steps.map((one) => send(id, known, one)));
    for (const { status } of answers) expect([200, 201, 404, 422]).toContain(status);
    const there = await list(id);
    for (const type of ['billing', 'shipping'] as const) {
      const sameType = there.filter((one) => one.type === type);
      expect(sameType.filter((one) => one.is_default)).toHaveLength(Math.min(1, sameType.length));
    }
  };
  await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 8, maxLength: 8 }), run), { numRuns: 15 });
});
