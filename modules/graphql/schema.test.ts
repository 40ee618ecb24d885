import { buildSchema, isEnumType, isInputObjectType, isObjectType } from 'graphql';
import { expect, test } from 'vitest';
import { startAccounts } from '../../server/testing/accounts.ts';

/* What clients can rely on in the derived schema, with the modules that come with the platform. */

const platform = await startAccounts({ environment: { RATE_LIMIT_PER_MINUTE: '0' } });
const acme = await platform.tenant();
const owner = await platform.person({ tenant: acme });
const schema = buildSchema(platform.kernel.services.graphql.composeAll());

async function run(query: string, variables: object = {}) {
  const { body } = await owner.post('/api/v1/graphql', { query, variables });
  expect(body.errors).toBeUndefined();
  return body.data;
}

async function createCustomers(...names: string[]) {
  const created = [];
  for (const first_name of names) {
    const { body } = await owner.post('/api/v1/customers', { first_name });
    created.push(body.customer);
  }
  return created;
}

const typesNamed = (name: string) =>
  Object.values(schema.getTypeMap()).flatMap((type) =>
    isObjectType(type) || isInputObjectType(type)
      ? Object.values(type.getFields()).filter((field) => field.name === name)
      : [],
  );

test('an id is an ID, also that of a user', async () => {
  for (const name of ['id', 'user_id', 'customer_id', 'order_id', 'assignee_id']) {
    const types = new Set(typesNamed(name).map(({ type }) => String(type).replace('!', '')));
    expect([...types], name).toEqual(['ID']);
  }
  const { me } = await run('{ me { id } }');
  expect(me.id).toBe(String(owner.id));
  const { teamMember } = await run('query ($id: ID!) { teamMember(id: $id) { id email } }', { id: me.id });
  expect(teamMember.id).toBe(me.id);
  const audit = 'query ($filter: AuditLogFilter) { auditLog(filter: $filter) { nodes { user_id } } }';
  await createCustomers('Audited');
  const { auditLog } = await run(audit, { filter: { user_id: me.id } });
  expect(auditLog.nodes).toContainEqual({ user_id: me.id });
  const { body } = await owner.post('/api/v1/graphql', { query: '{ teamMember(id: "x") { id } }' });
  expect(body.errors[0].extensions).toMatchObject({ code: 'BAD_INPUT', error_codes: { id: ['wrong_type'] } });
});

test('filters have enums and times, and null is no condition', async () => {
  const filter = schema.getType('OrdersFilter');
  const fields = isInputObjectType(filter) ? filter.getFields() : {};
  expect(String(fields.status?.type)).toBe('[OrderStatus!]');
  expect(String(fields.placed_from?.type)).toBe('DateTime');
  expect(isEnumType(schema.getType('OrderStatus'))).toBe(true);
  const [asha] = await createCustomers('Filtered Asha', 'Filtered Ravi');
  const query = 'query ($filter: CustomersFilter) { customers(filter: $filter) { nodes { id } totalCount } }';
  const search = 'Filtered Asha';
  const found = { customers: { nodes: [{ id: asha.id }], totalCount: 1 } };
  expect(await run(query, { filter: { search, vip: null } })).toEqual(found);
  expect(await run(query, { filter: { search, created_from: '2020-01-31' } })).toEqual(found);
  expect(await run(`{ customers(filter: { search: "${search}" }) { nodes { id } totalCount } }`)).toEqual(found);
  // As before there were filters.
  expect(await run(`{ customers(search: "${search}") { nodes { id } totalCount } }`)).toEqual(found);
});

test('flat filters and untyped fields are deprecated in favour of typed ones', () => {
  const { customers, orders_get } = schema.getQueryType()?.getFields() ?? {};
  const reasons = Object.fromEntries((customers?.args ?? []).map((one) => [one.name, one.deprecationReason]));
  expect(reasons).toMatchObject({ search: 'Use `filter`.', filter: undefined, sort_by: undefined, first: undefined });
  expect(orders_get?.deprecationReason).toBe('Use `order`.');
  expect(String(orders_get?.type)).toBe('JSON');
});

test('a list can be read backwards, page by page, and gives every record once', async () => {
  const names = ['A', 'B', 'C', 'D', 'E'].map((letter) => `Backward ${letter}`);
  await createCustomers(...names);
  const query = `query ($last: Int, $before: String) {
    customers(last: $last, before: $before, sort_by: first_name, sort_order: asc, filter: { search: "Backward" }) {
      nodes { first_name } edges { cursor node { first_name } }
      pageInfo { hasPreviousPage hasNextPage startCursor endCursor }
    }
  }`;
  const pages: string[][] = [];
  let before: string | undefined;
  for (let hasMore = true; hasMore; ) {
    const { nodes, edges, pageInfo } = (await run(query, { last: 2, before })).customers;
    pages.push(nodes.map(({ first_name }: { first_name: string }) => first_name));
    expect(edges.map(({ node }: { node: object }) => node)).toEqual(nodes);
    expect([pageInfo.startCursor, pageInfo.endCursor]).toEqual([edges[0].cursor, edges.at(-1).cursor]);
    expect(pageInfo.hasNextPage).toBe(before !== undefined);
    before = pageInfo.startCursor;
    hasMore = pageInfo.hasPreviousPage;
  }
  expect(pages).toEqual([names.slice(3), names.slice(1, 3), names.slice(0, 1)]);
});

test('forward and backward paging cannot be mixed', async () => {
  const query = '{ customers(after: "x", last: 2) { nodes { id } } }';
  const { body } = await owner.post('/api/v1/graphql', { query });
  expect(body.errors[0].extensions).toMatchObject({ code: 'BAD_INPUT', errors: { after: [expect.any(String)] } });
});

async function createOrder() {
  const items = [{ name: 'Tea', quantity: 2, price: '4.50' }];
  const { body } = await owner.post('/api/v1/orders', { items, customer: { first_name: 'Buyer' } });
  return body.order;
}

test('an amount has its currency, also where a list does not have all fields', async () => {
  const { id, currency } = await createOrder();
  const total_money = { amount: '9.00', currency };
  expect(await run(`{ order(id: "${id}") { total_money { amount currency } } }`)).toEqual({ order: { total_money } });
  const { orders } = await run(
    '{ orders(first: 1) { nodes { total_money { amount currency } paid_total_money { amount } } } }',
  );
  expect(orders.nodes).toEqual([{ total_money, paid_total_money: { amount: '0.00' } }]);
});

test('a deletion returns the id', async () => {
  const [{ id }] = await createCustomers('Gone');
  expect(await run(`mutation { deleteCustomer(id: "${id}") }`)).toEqual({ deleteCustomer: id });
});

test('a change of another version of the record is refused', async () => {
  const [{ id, updated_at }] = await createCustomers('Version');
  const change = (name: string, ifMatch: string) =>
    `mutation { updateCustomer(id: "${id}", input: { first_name: "${name}" }, ifMatch: ${JSON.stringify(ifMatch)}) { updated_at } }`;
  const { updateCustomer } = await run(change('First', updated_at));
  const { body } = await owner.post('/api/v1/graphql', { query: change('Second', updated_at) });
  expect(body.errors[0].extensions.reason).toBe('http.precondition_failed');
  expect((await run(`{ customer(id: "${id}") { first_name } }`)).customer).toEqual({ first_name: 'First' });
  const { headers } = await owner.get(`/api/v1/customers/${id}`);
  expect(updateCustomer.updated_at).not.toBe(updated_at);
  await run(change('Third', headers.etag as string));
});

test('errors of the input can be data, with their codes and fields', async () => {
  const create =
    'mutation ($input: NewCustomerInput) { tryCreateCustomer(input: $input) { result { id email addresses { id } } user_errors { message code field } } }';
  const input = { email: 'tried@example.com' };
  const { tryCreateCustomer: created } = await run(create, { input });
  expect(created).toEqual({
    result: { id: expect.any(String), email: input.email, addresses: [] },
    user_errors: [],
  });
  const { tryCreateCustomer: refused } = await run(create, { input });
  expect(refused).toEqual({
    result: null,
    user_errors: [{ message: expect.any(String), code: 'taken', field: ['email'] }],
  });
  const absent = '0190a000-0000-7000-8000-000000000000';
  const { tryDeleteOrder } = await run(
    `mutation { tryDeleteOrder(id: "${absent}") { result user_errors { code field } } }`,
  );
  expect(tryDeleteOrder).toEqual({ result: null, user_errors: [{ code: 'orders.not_found', field: null }] });
});

test('missing rights are an error of the operation, not of the input', async () => {
  const viewer = await platform.person({ tenant: acme, role: 'Viewer' });
  const query = 'mutation { tryCreateCustomer(input: { first_name: "No" }) { user_errors { code } } }';
  const { body } = await viewer.post('/api/v1/graphql', { query });
  expect(body).toMatchObject({ data: { tryCreateCustomer: null }, errors: [{ extensions: { code: 'FORBIDDEN' } }] });
});

test('records, pages and events have descriptions', () => {
  for (const type of ['Customer', 'Order', 'OrderConnection', 'OrderEdge', 'OrdersFilter', 'OrderCreatedEvent']) {
    expect(schema.getType(type)?.description, type).toMatch(/^[A-Z].*\.$/);
  }
});
