import { route, sql, Type } from '@chowk/kit';
import { expect, test } from 'vitest';
import { startPlatform, type TestAnswer } from '../../testing/platform.ts';

const common = { tag: 'Test', summary: '', needs: 'orders.edit' } as const;
/** What the routes were given, the latest last. */
const seen: unknown[] = [];

const platform = await startPlatform({
  modules: [],
  settings: [{ key: 'test.note', schema: Type.String(), default: '', description: '' }],
  routes: [
    route({
      ...common,
      method: 'POST',
      path: '/orders',
      body: Type.Object({
        customer: Type.Object({ email: Type.String({ format: 'email' }) }),
        items: Type.Array(
          Type.Object({ sku: Type.String({ minLength: 1 }), quantity: Type.Integer({ minimum: 1, maximum: 1000 }) }),
          { minItems: 1 },
        ),
        tags: Type.Optional(Type.Array(Type.String({ maxLength: 10 }))),
        status: Type.Optional(Type.Enum(['pending', 'shipped'])),
        notes: Type.Optional(Type.Union([Type.String(), Type.Null()])),
        marks: Type.Optional(Type.Array(Type.Union([Type.String(), Type.Boolean(), Type.Null()]))),
      }),
      run: async (_, { body }) => {
        seen.push(body);
        return {};
      },
    }),
    route({
      ...common,
      method: 'GET',
      path: '/orders',
      query: Type.Object({
        page: Type.Integer({ minimum: 1, default: 1 }),
        per_page: Type.Integer({ minimum: 1, maximum: 100, default: 20 }),
        sort_by: Type.Enum(['created_at', 'total'], { default: 'created_at' }),
        paid: Type.Optional(Type.Boolean()),
        tags: Type.Optional(Type.Array(Type.String())),
      }),
      run: async (_, { query }) => query,
    }),
    route({
      ...common,
      method: 'GET',
      path: '/orders/:id',
      params: Type.Object({ id: Type.Integer({ minimum: 1 }) }),
      run: async (_, { params }) => params,
    }),
    route({
      ...common,
      method: 'POST',
      path: '/sql',
      body: Type.Object({ text: Type.Optional(Type.String()), number: Type.Optional(Type.Number()) }),
      run: (ctx, { body }) =>
        ctx.db.rows(sql`SELECT ${body.text ?? ''}::text AS text, ${body.number ?? 0}::bigint AS number`),
    }),
    route({ ...common, method: 'POST', path: '/unchecked', run: async (_, { body }) => ({ body }) }),
  ],
});
const caller = (await platform.tenant()).caller('orders.edit', 'settings.edit');
const order = { customer: { email: 'a@example.com' }, items: [{ sku: 'A', quantity: 1 }] };

/** As text, for values that no serialiser writes. */
function postText(url: string, payload: string): Promise<TestAnswer> {
  return caller.request({ method: 'POST', url, payload, headers: { 'content-type': 'application/json' } });
}

test('what is wrong is told field by field, nested fields with dots', async () => {
  const { status, body } = await caller.post('/api/v1/orders', {
    customer: { email: 'nobody' },
    items: [{ sku: 'A', quantity: 1 }, { sku: '', quantity: 0 }, { quantity: 1001 }],
    tags: ['short', 'far too long'],
    status: 'lost',
    notes: 5,
  });
  expect(status).toBe(422);
  expect(body).toEqual({
    message: 'The email must be a valid email. (and 7 more)',
    code: 'http.validation_failed',
    errors: {
      'customer.email': ['The email must be a valid email.'],
      'items.1.sku': ['The sku must not be empty.'],
      'items.1.quantity': ['The quantity must be at least 1.'],
      'items.2.sku': ['The sku is required.'],
      'items.2.quantity': ['The quantity must be at most 1000.'],
      'tags.1': ['The tags.1 must have at most 10 characters.'],
      status: ['The status must be one of pending, shipped.'],
      notes: ['The notes must be of type string.'],
    },
  });
});

test.each([
  ['a number as text', { ...order, items: [{ sku: 'A', quantity: '1' }] }, 'items.0.quantity'],
  ['text as a number', { ...order, customer: { email: 5 } }, 'customer.email'],
  ['an object as a list', { ...order, items: { 0: {} } }, 'items'],
  ['a list as an object', { ...order, customer: [] }, 'customer'],
  ['null', { ...order, items: null }, 'items'],
  ['a fraction as an integer', { ...order, items: [{ sku: 'A', quantity: 1.5 }] }, 'items.0.quantity'],
])('a wrong type is not read as the right one: %s', async (_, wrong, field) => {
  const { status, body } = await caller.post('/api/v1/orders', wrong);
  expect({ status, fields: Object.keys(body.errors) }).toEqual({ status: 422, fields: [field] });
});

test.each(['[]', 'null', '5', '"text"', 'true'])('a body that is no object is 422: %s', async (text) => {
  const { status, body } = await postText('/api/v1/orders', text);
  expect({ status, errors: body.errors }).toEqual({
    status: 422,
    errors: { body: ['The body must be of type object.'] },
  });
});

test('an unknown field is ignored and never reaches the route, at any depth', async () => {
  const { status } = await caller.post('/api/v1/orders', {
    ...order,
    total_spent: 1_000_000,
    customer: { ...order.customer, is_admin: true },
    items: [{ sku: 'A', quantity: 1, price: 0 }],
  });
  expect({ status, seen: seen.at(-1) }).toEqual({ status: 200, seen: order });
});

test('a query is read as its schema wants it, with defaults and without what is unknown', async () => {
  expect((await caller.get('/api/v1/orders')).body).toEqual({ page: 1, per_page: 20, sort_by: 'created_at' });
  const { body } = await caller.get('/api/v1/orders?page=2&per_page=100&paid=true&tags=a&tags=b&admin=1&sort_by=total');
  expect(body).toEqual({ page: 2, per_page: 100, sort_by: 'total', paid: true, tags: ['a', 'b'] });
  expect((await caller.get('/api/v1/orders?tags=a')).body.tags).toEqual(['a']);
  expect((await caller.get('/api/v1/orders?tags[]=a&tags%5B%5D=b')).body.tags).toEqual(['a', 'b']);
});

test.each([
  ['per_page=101', 'per_page', 'The per page must be at most 100.'],
  ['per_page=0', 'per_page', 'The per page must be at least 1.'],
  ['per_page=ten', 'per_page', 'The per page must be of type integer.'],
  ['per_page=', 'per_page', 'The per page must be of type integer.'],
  ['per_page=1&per_page=2', 'per_page', 'The per page must be of type integer.'],
  ['page=Infinity', 'page', 'The page must be of type integer.'],
  ['sort_by=id;drop%20table%20orders', 'sort_by', 'The sort by must be one of created_at, total.'],
  ['sort_by=__proto__', 'sort_by', 'The sort by must be one of created_at, total.'],
])('a query out of range or of the wrong kind is 422: %s', async (query, field, message) => {
  const { status, body } = await caller.get(`/api/v1/orders?${query}`);
  expect({ status, errors: body.errors }).toEqual({ status: 422, errors: { [field]: [message] } });
});

test('path parameters are checked like everything else', async () => {
  expect((await caller.get('/api/v1/orders/7')).body).toEqual({ id: 7 });
  expect((await caller.get('/api/v1/orders/seven')).status).toBe(422);
  expect((await caller.get('/api/v1/orders/-1')).status).toBe(422);
});

test('a route without a schema is given the body as it came', async () => {
  expect((await caller.post('/api/v1/unchecked', { any: ['thing'] })).body).toEqual({ body: { any: ['thing'] } });
});

test('text that PostgreSQL cannot hold is the caller’s mistake, not ours', async () => {
  expect((await caller.post('/api/v1/sql', { text: 'a\u0000b' })).status).toBe(422);
  expect((await caller.patch('/api/v1/settings', { 'test.note': 'a\u0000b' })).status).toBe(422);
  expect((await caller.post('/api/v1/sql', { text: 'plain' })).body).toEqual([{ text: 'plain', number: 0 }]);
});

test.each(['9223372036854775808', '-9223372036854775809', '1e30', '1e999', '-1e999', '0.5'])(
  'a number that no bigint can hold is 422: %s',
  async (number) => {
    expect((await postText('/api/v1/sql', `{"number":${number}}`)).status).toBe(422);
  },
);

test.each([
  ['100,000 lists in one another', `${'['.repeat(100_000)}${']'.repeat(100_000)}`],
  ['100,000 objects in one another', `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`],
  ['a deep value in a known field', `{"items":${'['.repeat(100_000)}${']'.repeat(100_000)}}`],
  ['300,000 wrong entries', `{"items":[${Array(300_000).fill('1').join(',')}]}`],
  ['300,000 entries of no allowed form', `{"marks":[${Array(300_000).fill('1').join(',')}]}`],
  ['60,000 unknown fields', `{${Array.from({ length: 60_000 }, (_, n) => `"f${n}":1`).join(',')}}`],
])('a hostile body is refused and holds up nobody: %s', async (_, text) => {
  const before = process.threadCpuUsage();
  const { status, body } = await postText('/api/v1/orders', text);
  const { user, system } = process.threadCpuUsage(before);
  expect(status).toBe(422);
  expect(Object.keys(body.errors).length).toBeGreaterThan(0);
  expect(JSON.stringify(body).length).toBeLessThan(10_000);
  // Processor time, not time on the clock: other tests run beside this one.
  expect((user + system) / 1_000).toBeLessThan(250);
});
