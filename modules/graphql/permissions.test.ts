import { permissionsFor } from '@chowk/kit/kernel';
import { buildSchema, type GraphQLField, getNamedType, isCompositeType } from 'graphql';
import { expect, test } from 'vitest';
import { pathParameters, type RegisteredAction } from '../../server/src/actions/registry.ts';
import { takesBody } from '../../server/src/http/read-input.ts';
import { type Person, startAccounts } from '../../server/testing/accounts.ts';
import { makeClient } from '../../server/testing/oauth.ts';
import type { TestResponse } from '../../server/testing/platform.ts';
import { addMember } from '../identity/accounts/users.ts';

/* GraphQL refuses exactly when REST refuses the same action to the same caller. */

const platform = await startAccounts({ environment: { RATE_LIMIT_PER_MINUTE: '0' } });
const { kernel } = platform;
const acme = await platform.tenant();
const globex = await platform.tenant();
const schema = buildSchema(kernel.services.graphql.composeAll());

interface RootField {
  readonly name: string;
  readonly root: 'query' | 'mutation';
  readonly field: GraphQLField<unknown, unknown>;
  readonly action: RegisteredAction;
}

/** `createOrder`, for `tryCreateOrder` too. */
function plainName(field: string): string {
  return field.replace(/^try([A-Z])/, (_, letter: string) => letter.toLowerCase());
}

function findAction(field: string): RegisteredAction {
  const found = kernel.actions.find(
    ({ name, graphql }) => graphql === plainName(field) || name.replaceAll('.', '_') === field,
  );
  if (!found) throw new Error(`no action has the GraphQL field ${field}`);
  return found;
}

/** All fields except `tenant`, which every member may read. */
const fields = (['query', 'mutation'] as const).flatMap((root): RootField[] => {
  const all = Object.values(schema.getRootType(root as never)?.getFields() ?? {});
  return all
    .filter(({ name }) => name !== 'tenant')
    .map((field) => ({ name: field.name, root, field, action: findAction(field.name) }));
});

type Send = (options: Parameters<typeof platform.request>[0]) => Promise<TestResponse>;

/** The code of a refusal for lack of rights; `undefined` if the action was allowed to run. */
type Refusal = string | undefined;

async function overRest({ method, path, ...action }: RegisteredAction, input: Input, send: Send): Promise<Refusal> {
  const inPath = pathParameters(path);
  const url = path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(String(input[name])));
  const rest = Object.entries(input).filter(([name]) => !inPath.includes(name));
  const hasBody = takesBody({ method, path, ...action } as RegisteredAction);
  const query = hasBody
    ? ''
    : `?${new URLSearchParams(rest.map(([name, value]): [string, string] => [name, String(value)]))}`;
  const { status, body } = await send({
    method: method as NonNullable<typeof method>,
    url: url + query,
    ...(hasBody && { payload: Object.fromEntries(rest) }),
  });
  expect(status, JSON.stringify(body)).toBeLessThan(500);
  return status === 401 || status === 403 ? body.code : undefined;
}

async function overGraphql({ name, root, field, action }: RootField, input: Input, send: Send): Promise<Refusal> {
  const inPath = pathParameters(action.path);
  const isTyped = action.graphql === plainName(name);
  const rest = Object.fromEntries(Object.entries(input).filter(([key]) => !inPath.includes(key)));
  const variables = isTyped && root === 'query' ? input : isTyped ? { ...input, input: rest } : { input };
  const used = field.args.filter((argument) => argument.name in variables);
  const declared = used.map((argument) => `$${argument.name}: ${argument.type}`).join(', ');
  const passed = used.map((argument) => `${argument.name}: $${argument.name}`).join(', ');
  const selection = isCompositeType(getNamedType(field.type)) ? '{ __typename }' : '';
  const head = used.length > 0 ? `${root} (${declared}) { ${name}(${passed})` : `${root} { ${name}`;
  const own = Object.fromEntries(used.map((argument) => [argument.name, variables[argument.name as never]]));
  const payload = { query: `${head} ${selection} }`, variables: own };
  const { status, body } = await send({ method: 'POST', url: '/api/v1/graphql', payload });
  if (status === 403 || status === 401) return body.code;
  expect(status, JSON.stringify(body)).toBe(200);
  const [error] = body.errors ?? [];
  expect(['GRAPHQL_VALIDATION_FAILED', 'INTERNAL'], JSON.stringify(body)).not.toContain(error?.extensions.code);
  return error?.extensions.code === 'FORBIDDEN' ? error.extensions.reason : undefined;
}

type Input = Record<string, unknown>;
interface Schema {
  readonly type?: string;
  readonly format?: string;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Record<string, Schema>;
  readonly required?: readonly string[];
  readonly default?: unknown;
}

/** The required fields, with values that match nothing. */
function createDummy(schema: Schema): unknown {
  if (schema.anyOf) return createDummy(schema.anyOf[0] as Schema);
  if (schema.enum) return schema.enum[0];
  if (schema.type === 'array') return [createDummy(schema.items ?? {})];
  if (schema.type === 'integer' || schema.type === 'number') return 999_999_999;
  if (schema.type === 'boolean') return true;
  if (schema.properties || schema.type === 'object') {
    const { required = [], properties = {} } = schema;
    return Object.fromEntries(
      required
        .filter((name) => properties[name]?.default === undefined)
        .map((name) => [name, createDummy(properties[name] as Schema)]),
    );
  }
  if (schema.format === 'uuid') return '0190a000-0000-7000-8000-000000000000';
  return schema.format === 'email' ? 'nobody@example.com' : 'nothing-of-this-name';
}

const callers: Record<string, Send> = {};
for (const role of ['Owner', 'Admin', 'Manager', 'Agent', 'Viewer']) {
  callers[role] = (await platform.person({ tenant: acme, role })).request;
}
const outsider = await platform.person({ tenant: globex });
callers['member of another tenant'] = (options) => outsider.request({ ...options, headers: { 'x-tenant': acme.id } });
const maker = await platform.person({ tenant: acme });
const scopes = ['customers.view', 'orders.view', 'orders.create', 'settings.view'];
const { body: grant } = await (await makeClient(maker, scopes)).token(platform);
const asClient = { authorization: `Bearer ${grant.access_token}`, 'x-tenant': acme.id };
callers['API client'] = (options) => platform.request({ ...options, headers: asClient });
callers.anonymous = (options) => platform.request({ ...options, headers: { 'x-tenant': acme.id } });

test('every field but the tenant belongs to an action', () => {
  expect(fields.length).toBeGreaterThan(90);
  expect(fields.filter(({ action, name }) => action.graphql === name).length).toBeGreaterThan(70);
});

test.each(Object.keys(callers))('%s is refused by GraphQL exactly where REST refuses', async (who) => {
  const send = callers[who] as Send;
  const refusals = new Set<Refusal>();
  for (const root of fields) {
    const input = createDummy((root.action.input ?? {}) as Schema) as Input;
    const byGraphql = await overGraphql(root, input ?? {}, send);
    const byRest = root.action.method ? await overRest(root.action, input ?? {}, send) : byGraphql;
    expect({ field: root.name, refusal: byGraphql }).toEqual({ field: root.name, refusal: byRest });
    refusals.add(byRest);
  }
  const expected: Record<string, Refusal[]> = {
    Owner: [undefined],
    Admin: [undefined],
    'member of another tenant': ['auth.not_a_member'],
    anonymous: ['auth.unauthenticated'],
  };
  if (expected[who]) expect([...refusals]).toEqual(expected[who]);
  else expect([...refusals]).toEqual(expect.arrayContaining([undefined, 'auth.forbidden']));
});

test('an operation without a REST path needs its permission in GraphQL too', async () => {
  const onlyOnBus = fields.filter(({ action }) => !action.method);
  for (const root of onlyOnBus) {
    expect(permissionsFor(root.action).length, root.name).toBeGreaterThan(0);
    for (const role of ['Owner', 'Viewer']) {
      const { body } = await (callers[role] as Send)({ method: 'GET', url: '/api/v1/auth/me' });
      const mayCall = permissionsFor(root.action).some((permission) => body.permissions.includes(permission));
      const refusal = await overGraphql(root, createDummy(root.action.input as Schema) as Input, callers[role] as Send);
      expect({ field: root.name, role, refusal }).toEqual({
        field: root.name,
        role,
        refusal: mayCall ? undefined : 'auth.forbidden',
      });
    }
  }
});

test('phones and streets are masked in GraphQL as over REST', async () => {
  const owner = await platform.person({ tenant: acme });
  const agent = await platform.person({ tenant: acme, role: 'Agent' });
  const { body: created } = await owner.post('/api/v1/customers', { first_name: 'Asha', phone: '+919812345678' });
  const { id } = created.customer;
  await owner.post(`/api/v1/customers/${id}/addresses`, {
    type: 'billing',
    address1: '1 Road',
    phone: '+919800000001',
  });
  const order = { customer_id: id, items: [{ name: 'Tea', quantity: 1, price: '2.00' }] };
  const address = { address1: '2 Road', city: 'Pune', phone: '+919800000002' };
  await owner.post('/api/v1/orders', { ...order, shipping_address: address });
  const query = `{ customer(id: "${id}") {
    phone addresses { address1 phone }
    orders { nodes { shipping_address { address1 phone } customer { phone } } }
  } customers(first: 1) { nodes { phone } } searchCustomers(q: "asha") { phone } }`;
  for (const person of [owner, agent]) {
    const { customer } = (await person.get(`/api/v1/customers/${id}`)).body;
    const [overRest] = (await person.get(`/api/v1/orders?customer_id=${id}`)).body.orders;
    const shipping = (await person.get(`/api/v1/orders/${overRest.id}`)).body.order.shipping_address;
    const { data, errors } = (await person.post('/api/v1/graphql', { query })).body;
    expect(errors).toBeUndefined();
    const { phone } = customer;
    expect(phone).toBe(person === owner ? '+919812345678' : '+**********78');
    expect(data.customer.phone).toBe(phone);
    expect(data.customer.addresses).toEqual(
      customer.addresses.map(({ address1, phone }: never) => ({ address1, phone })),
    );
    expect(data.customer.orders.nodes).toEqual([
      { shipping_address: { address1: shipping.address1, phone: shipping.phone }, customer: { phone } },
    ]);
    expect([data.customers.nodes, data.searchCustomers]).toEqual([[{ phone }], [{ phone }]]);
  }
});

test('a member of two tenants has in each the rights and the data of that one', async () => {
  const both = await platform.person({ tenant: acme, role: 'Viewer' });
  await addMember(kernel.central.db, { userId: both.id, tenantId: globex.id, role: 'Owner' });
  const create = { query: 'mutation { createCustomer(input: { first_name: "Ravi" }) { id } }' };
  const refused = (await both.post('/api/v1/graphql', create)).body;
  expect(refused).toMatchObject({ data: { createCustomer: null }, errors: [{ extensions: { code: 'FORBIDDEN' } }] });
  const { data } = (await both.post('/api/v1/graphql', create, { 'x-tenant': globex.id })).body;
  const read = { query: `{ tenant { id } customer(id: "${data.createCustomer.id}") { first_name } }` };
  expect((await both.post('/api/v1/graphql', read, { 'x-tenant': globex.id })).body).toMatchObject({
    data: { tenant: { id: globex.id }, customer: { first_name: 'Ravi' } },
  });
  expect((await both.post('/api/v1/graphql', read)).body).toMatchObject({
    data: { tenant: { id: acme.id }, customer: null },
    errors: [{ path: ['customer'], extensions: { code: 'NOT_FOUND' } }],
  });
});

test('a field of another module within a record needs the permission of that module, orders as over REST', async () => {
  const owner = await platform.person({ tenant: acme });
  await owner.post('/api/v1/roles', { name: 'Care', permissions: ['customers.view'] });
  const care = await platform.person({ tenant: acme, role: 'Viewer' });
  await owner.patch(`/api/v1/team/${care.id}`, { role: 'Care' });
  const { id } = (await owner.post('/api/v1/customers', { first_name: 'Meera' })).body.customer;
  const query = `{ customer(id: "${id}") { first_name orders { totalCount } conversations { totalCount } } }`;
  const { body } = await care.post('/api/v1/graphql', { query });
  expect(body.data).toEqual({ customer: { first_name: 'Meera', orders: { totalCount: 0 }, conversations: null } });
  expect(body.errors.map(({ path, extensions }: never) => [path, extensions])).toEqual([
    [['customer', 'conversations'], { code: 'FORBIDDEN', reason: 'auth.forbidden' }],
  ]);
});

test('who sees only customers or only orders sees the same of the other over REST and GraphQL', async () => {
  const owner = await platform.person({ tenant: acme });
  const items = [{ name: 'Tea', quantity: 1, price: '5.00' }];
  const { order } = (await owner.post('/api/v1/orders', { items, customer: { first_name: 'Meera' } })).body;
  const withRole = async (permission: string) => {
    await owner.post('/api/v1/roles', { name: permission, permissions: [permission] });
    const person = await platform.person({ tenant: acme, role: 'Viewer' });
    await owner.patch(`/api/v1/team/${person.id}`, { role: permission });
    return person;
  };
  const ask = async (person: Person, query: string) => (await person.post('/api/v1/graphql', { query })).body;

  const care = await withRole('customers.view');
  const nodes = [{ order_number: order.order_number, customer: { first_name: 'Meera' } }];
  expect(
    await ask(
      care,
      `{ customer(id: "${order.customer_id}") { orders { nodes { order_number customer { first_name } } } } }`,
    ),
  ).toMatchObject({ data: { customer: { orders: { nodes } } } });
  expect((await care.get(`/api/v1/customers/${order.customer_id}/orders`)).body.orders).toMatchObject([
    { order_number: order.order_number },
  ]);
  expect(await ask(care, '{ orders { nodes { id } } }')).toMatchObject({ errors: [{ path: ['orders'] }] });

  const shipping = await withRole('orders.view');
  const contact = { customer: { first_name: 'Meera' } };
  expect(await ask(shipping, `{ order(id: "${order.id}") { customer { first_name } } }`)).toMatchObject({
    data: { order: contact },
  });
  expect((await shipping.get(`/api/v1/orders/${order.id}`)).body.order).toMatchObject(contact);
  expect(await ask(shipping, `{ order(id: "${order.id}") { customer { total_spent } } }`)).toMatchObject({
    data: { order: { customer: null } },
    errors: [{ extensions: { code: 'FORBIDDEN' } }],
  });
});

test('settings can be changed as over REST', async () => {
  const owner = await platform.person({ tenant: acme });
  const query = 'mutation ($input: JSON!) { updateSettings(input: $input) }';
  const send = async (input: object) => (await owner.post('/api/v1/graphql', { query, variables: { input } })).body;
  expect(await send({ 'graphql.limits.depth': 6 })).toMatchObject({
    data: { updateSettings: { 'graphql.limits.depth': 6 } },
  });
  expect(await send({ 'graphql.limits.depth': 8 })).toMatchObject({
    errors: [{ extensions: { code: 'BAD_INPUT', errors: { 'graphql.limits.depth': [expect.any(String)] } } }],
  });
  expect(await send({ 'graphql.limits.depth': null })).toMatchObject({
    data: { updateSettings: { 'graphql.limits.depth': 7 } },
  });
});
