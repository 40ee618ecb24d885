import { action, Default, sql, Type } from '@chowk/kit/kernel';
import { expect, test } from 'vitest';
import { startPlatform, type TestResponse } from '../../testing/platform.ts';

const common = { summary: 'Test', needs: 'orders.edit' } as const;
/** The inputs of the actions, latest last. */
const inputs: unknown[] = [];

const ById = Type.Object({ id: Type.Integer({ minimum: 1 }) });

async function remember(_: unknown, input: object): Promise<object> {
  inputs.push(input);
  return {};
}

const platform = await startPlatform({
  modules: [],
  actions: {
    'orders.create': action({
      ...common,
      http: 'POST /orders',
      input: Type.Object({
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
      run: remember,
    }),
    'orders.list': action({
      ...common,
      http: 'GET /orders',
      input: Type.Object({
        page: Default(Type.Integer({ minimum: 1 }), 1),
        per_page: Default(Type.Integer({ minimum: 1, maximum: 100 }), 20),
        sort_by: Default(Type.Enum(['created_at', 'total']), 'created_at'),
        paid: Type.Optional(Type.Boolean()),
        tags: Type.Optional(Type.Array(Type.String())),
      }),
      run: async (_, input) => input,
    }),
    'orders.get': action({ ...common, http: 'GET /orders/:id', input: ById, run: async (_, input) => input }),
    'orders.update': action({
      ...common,
      http: 'PATCH /orders/:id',
      input: Type.Object({ ...ById.properties, note: Type.Optional(Type.String()) }),
      run: remember,
    }),
    'orders.delete': action({
      ...common,
      http: 'DELETE /orders/:id',
      input: Type.Object({ ...ById.properties, mode: Default(Type.Enum(['soft', 'hard']), 'soft') }),
      run: async (_, input) => input,
    }),
    'orders.search': action({
      ...common,
      http: 'POST /orders/search',
      inputFrom: 'query',
      readOnly: true,
      input: Type.Object({ q: Type.String() }),
      run: async (_, input) => input,
    }),
    'orders.purge': action({
      ...common,
      http: 'DELETE /orders',
      inputFrom: 'body',
      input: Type.Object({ ids: Type.Array(Type.Integer()) }),
      run: async (_, input) => input,
    }),
    'orders.import': action({
      ...common,
      http: 'POST /orders/import',
      accepts: 'csv',
      input: Type.Object({ csv: Type.String() }),
      run: async (_, input) => input,
    }),
    'orders.form': action({
      ...common,
      http: 'POST /orders/form',
      accepts: 'form',
      input: Type.Object({ name: Type.String() }),
      run: async (_, input) => input,
    }),
    'orders.hear': action({
      ...common,
      http: 'POST /orders/hear/:id',
      accepts: 'signed',
      bodyLimit: 100,
      input: Type.Object({
        ...ById.properties,
        body: Type.String(),
        headers: Type.Record(Type.String(), Type.Unknown()),
      }),
      run: async (_, { id, body, headers }) => ({ id, body, signature: headers['x-signature'] }),
    }),
    'test.sql': action({
      ...common,
      http: 'POST /sql',
      input: Type.Object({ text: Type.Optional(Type.String()), number: Type.Optional(Type.Number()) }),
      run: (ctx, { text = '', number = 0 }) =>
        ctx.db.rows(sql`SELECT ${text}::text AS text, ${number}::bigint AS number`),
    }),
    'test.sqlByQuery': action({
      ...common,
      http: 'GET /sql',
      input: Type.Object({ text: Type.String() }),
      run: (ctx, { text }) => ctx.db.rows(sql`SELECT ${text}::text AS text`),
    }),
    'test.unchecked': action({
      ...common,
      http: 'POST /unchecked',
      input: Type.Object({}, { additionalProperties: true }),
      run: async (_, input) => ({ input }),
    }),
  },
});
const caller = (await platform.tenant()).caller('orders.edit');
const order = { customer: { email: 'a@example.com' }, items: [{ sku: 'A', quantity: 1 }] };

/** As text, for values that JSON.stringify cannot write. */
function postText(url: string, payload: string): Promise<TestResponse> {
  return caller.request({ method: 'POST', url, payload, headers: { 'content-type': 'application/json' } });
}

test('errors are listed by field, with dots for nested fields', async () => {
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
      'items.1.sku': ['The SKU must not be empty.'],
      'items.1.quantity': ['The quantity must be at least 1.'],
      'items.2.sku': ['The SKU is required.'],
      'items.2.quantity': ['The quantity must be at most 1000.'],
      'tags.1': ['The tags.1 must have at most 10 characters.'],
      status: ['The status must be one of pending, shipped.'],
      notes: ['The notes must be a string.'],
    },
    error_codes: {
      'customer.email': ['invalid'],
      'items.1.sku': ['too_short'],
      'items.1.quantity': ['too_small'],
      'items.2.sku': ['required'],
      'items.2.quantity': ['too_large'],
      'tags.1': ['too_long'],
      status: ['not_allowed'],
      notes: ['wrong_type'],
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
])('a wrong type is not converted: %s', async (_, wrong, field) => {
  const { status, body } = await caller.post('/api/v1/orders', wrong);
  expect({ status, fields: Object.keys(body.errors) }).toEqual({ status: 422, fields: [field] });
});

test.each(['[]', 'null', '5', '"text"', 'true'])('a body that is not an object is 422: %s', async (text) => {
  const { status, body } = await postText('/api/v1/orders', text);
  expect({ status, errors: body.errors }).toEqual({
    status: 422,
    errors: { body: ['The body must be a JSON object.'] },
  });
});

test('an unknown field is removed at any depth and named in Ignored-Fields', async () => {
  const { status, headers } = await caller.post('/api/v1/orders', {
    ...order,
    total_spent: 1_000_000,
    customer: { ...order.customer, is_admin: true },
    items: [{ sku: 'A', quantity: 1, price: 0 }],
  });
  expect({ status, inputs: inputs.at(-1) }).toEqual({ status: 200, inputs: order });
  const ignored = headers['ignored-fields']?.split(', ').sort();
  expect(ignored).toEqual(['customer.is_admin', 'items.0.price', 'total_spent']);
  expect((await caller.post('/api/v1/orders', order)).headers).not.toHaveProperty('ignored-fields');
});

test('an error names the ignored fields too', async () => {
  const { status, body, headers } = await caller.post('/api/v1/orders', {
    ...order,
    items: 5,
    colour: 'red',
    total: 1,
  });
  expect({ status, fields: Object.keys(body.errors) }).toEqual({ status: 422, fields: ['items'] });
  expect(headers['ignored-fields']?.split(', ').sort()).toEqual(['colour', 'total']);
});

test('Ignored-Fields stays short and valid, whatever the fields are called', async () => {
  const unknownFields = Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`field_${n}`, n]));
  const { headers } = await caller.post('/api/v1/orders', { ...order, ...unknownFields });
  expect(headers['ignored-fields']?.split(', ')).toHaveLength(20);
  const odd = await caller.post('/api/v1/orders', { ...order, 'two words': 1, 'ä\r\nX-Evil: 1': 1 });
  expect({ status: odd.status, ignored: odd.headers['ignored-fields'] }).toEqual({ status: 200, ignored: 'some' });
  expect(odd.headers).not.toHaveProperty('x-evil');
});

test('a query is converted by its schema, with defaults', async () => {
  expect((await caller.get('/api/v1/orders')).body).toEqual({ page: 1, per_page: 20, sort_by: 'created_at' });
  const { body } = await caller.get('/api/v1/orders?page=2&per_page=100&paid=true&tags=a&tags=b&sort_by=total');
  expect(body).toEqual({ page: 2, per_page: 100, sort_by: 'total', paid: true, tags: ['a', 'b'] });
  expect((await caller.get('/api/v1/orders?tags=a')).body.tags).toEqual(['a']);
  expect((await caller.get('/api/v1/orders?tags[]=a&tags%5B%5D=b')).body.tags).toEqual(['a', 'b']);
});

test.each([
  ['true', true],
  ['false', false],
  ['1', true],
  ['0', false],
])('a boolean in a query may be %s', async (text, value) => {
  expect((await caller.get(`/api/v1/orders?paid=${text}`)).body.paid).toBe(value);
});

test.each(['yes', '2', '', 'TRUE', '1&paid=1'])('an invalid boolean in a query is 422: %s', async (text) => {
  const { status, body } = await caller.get(`/api/v1/orders?paid=${text}`);
  expect({ status, codes: body.error_codes }).toEqual({ status: 422, codes: { paid: ['wrong_type'] } });
});

test('an unknown query parameter is 422', async () => {
  const { status, body } = await caller.get('/api/v1/orders?per_pgae=5&page=0&constructor=1');
  expect({ status, errors: body.errors, codes: body.error_codes }).toEqual({
    status: 422,
    errors: {
      per_pgae: ['There is no parameter per_pgae.'],
      constructor: ['There is no parameter constructor.'],
      page: ['The page must be at least 1.'],
    },
    codes: { per_pgae: ['unknown'], constructor: ['unknown'], page: ['too_small'] },
  });
});

test('a query parameter that begins with an underscore is ignored', async () => {
  const { status, body } = await caller.get('/api/v1/orders?_=1731672000&_trace=x');
  expect({ status, body }).toEqual({ status: 200, body: { page: 1, per_page: 20, sort_by: 'created_at' } });
  expect((await caller.post('/api/v1/orders?_=1', order)).status).toBe(200);
});

test('a query parameter of an action with a body is 422 and the message says to send it in the body', async () => {
  const { status, body } = await caller.post('/api/v1/orders?status=pending', { ...order, status: 'lost' });
  expect({ status, errors: body.errors }).toEqual({
    status: 422,
    errors: {
      status: ['The query parameter status is unknown; send it in the body.'],
    },
  });
});

test('path and body are merged, and the path takes precedence', async () => {
  const { status, headers } = await caller.patch('/api/v1/orders/7', { id: 8, note: 'Ring twice' });
  expect({ status, inputs: inputs.at(-1) }).toEqual({ status: 200, inputs: { id: 7, note: 'Ring twice' } });
  expect(headers['ignored-fields']).toBe('id');
});

test('errors of path, query and body are listed together', async () => {
  const { status, body } = await caller.patch('/api/v1/orders/seven?dry=1', { note: 5 });
  expect({ status, fields: Object.keys(body.errors).sort() }).toEqual({ status: 422, fields: ['dry', 'id', 'note'] });
});

test('a query parameter that repeats a path parameter is 422', async () => {
  const { status, body } = await caller.get('/api/v1/orders/7?id=8');
  expect({ status, errors: body.errors }).toEqual({ status: 422, errors: { id: ['The id is in the path already.'] } });
});

test('DELETE takes its input from path and query, unless the action declares a body', async () => {
  expect((await caller.delete('/api/v1/orders/7')).body).toEqual({ id: 7, mode: 'soft' });
  expect((await caller.delete('/api/v1/orders/7?mode=hard')).body).toEqual({ id: 7, mode: 'hard' });
  expect((await caller.delete('/api/v1/orders/7?mode=odd')).status).toBe(422);
  expect((await caller.delete('/api/v1/orders', { ids: [1, 2] })).body).toEqual({ ids: [1, 2] });
});

test('a POST may take its input from the query', async () => {
  expect((await caller.post('/api/v1/orders/search?q=tea')).body).toEqual({ q: 'tea' });
  expect((await caller.post('/api/v1/orders/search')).status).toBe(422);
});

test('a CSV action takes the text of the body and rejects other types', async () => {
  const send = (payload: string, type: string) =>
    caller.request({ method: 'POST', url: '/api/v1/orders/import', payload, headers: { 'content-type': type } });
  expect((await send('sku\r\nTEA', 'text/csv; charset=utf-8')).body).toEqual({ csv: 'sku\r\nTEA' });
  expect((await send('{}', 'application/json')).status).toBe(415);
});

test('a form may be sent as a form or as JSON; a repeated field is not a string', async () => {
  const send = (payload: string, type: string) =>
    caller.request({ method: 'POST', url: '/api/v1/orders/form', payload, headers: { 'content-type': type } });
  expect((await send('name=Asha+Rao', 'application/x-www-form-urlencoded')).body).toEqual({ name: 'Asha Rao' });
  expect((await send('{"name":"Asha"}', 'application/json')).body).toEqual({ name: 'Asha' });
  expect((await send('name=a&name=b', 'application/x-www-form-urlencoded')).body.error_codes).toEqual({
    name: ['wrong_type'],
  });
});

test.each([
  ['per_page=101', 'per_page', 'The per page must be at most 100.'],
  ['per_page=0', 'per_page', 'The per page must be at least 1.'],
  ['per_page=ten', 'per_page', 'The per page must be an integer.'],
  ['per_page=', 'per_page', 'The per page must be an integer.'],
  ['per_page=1&per_page=2', 'per_page', 'The per page must be an integer.'],
  ['page=Infinity', 'page', 'The page must be an integer.'],
  ['sort_by=id;drop%20table%20orders', 'sort_by', 'The sort by must be one of created_at, total.'],
  ['sort_by=__proto__', 'sort_by', 'The sort by must be one of created_at, total.'],
])('an invalid query is 422: %s', async (query, field, message) => {
  const { status, body } = await caller.get(`/api/v1/orders?${query}`);
  expect({ status, errors: body.errors }).toEqual({ status: 422, errors: { [field]: [message] } });
});

test('path parameters are validated', async () => {
  expect((await caller.get('/api/v1/orders/7')).body).toEqual({ id: 7 });
  expect((await caller.get('/api/v1/orders/seven')).status).toBe(422);
  expect((await caller.get('/api/v1/orders/-1')).status).toBe(422);
});

test('an action that accepts additional properties gets the whole body', async () => {
  expect((await caller.post('/api/v1/unchecked', { any: ['thing'] })).body).toEqual({ input: { any: ['thing'] } });
});

test('text that PostgreSQL cannot store is 422', async () => {
  expect((await caller.post('/api/v1/sql', { text: 'a\u0000b' })).status).toBe(422);
  expect((await caller.get('/api/v1/sql?text=a%00b')).status).toBe(422);
  expect((await caller.post('/api/v1/sql', { text: 'plain' })).body).toEqual([{ text: 'plain', number: 0 }]);
});

test.each(['9223372036854775808', '-9223372036854775809', '1e30', '1e999', '-1e999', '0.5'])(
  'a number out of the range of bigint is 422: %s',
  async (number) => {
    expect((await postText('/api/v1/sql', `{"number":${number}}`)).status).toBe(422);
  },
);

test.each([
  ['100,000 nested lists', `${'['.repeat(100_000)}${']'.repeat(100_000)}`],
  ['100,000 nested objects', `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`],
  ['a deep value in a known field', `{"items":${'['.repeat(100_000)}${']'.repeat(100_000)}}`],
  ['300,000 wrong entries', `{"items":[${Array(300_000).fill('1').join(',')}]}`],
  ['300,000 entries of no allowed form', `{"marks":[${Array(300_000).fill('1').join(',')}]}`],
  ['60,000 unknown fields', `{${Array.from({ length: 60_000 }, (_, n) => `"f${n}":1`).join(',')}}`],
])('a hostile body is rejected quickly: %s', async (_, text) => {
  const before = process.threadCpuUsage();
  const { status, body } = await postText('/api/v1/orders', text);
  const { user, system } = process.threadCpuUsage(before);
  expect(status).toBe(422);
  expect(Object.keys(body.errors).length).toBeGreaterThan(0);
  expect(JSON.stringify(body).length).toBeLessThan(10_000);
  // CPU time, because other tests run at the same time.
  expect((user + system) / 1_000).toBeLessThan(1_000);
});

test('an action for signed requests gets the text of the body as it was sent, and the headers', async () => {
  const hear = (payload: string, type = 'application/json; charset=utf-8') =>
    caller.request({
      method: 'POST',
      url: '/api/v1/orders/hear/7',
      payload,
      headers: { 'content-type': type, 'x-signature': 'abc' },
    });
  for (const payload of ['{ "id": 1,\t"name":"\u20ac" }', 'not JSON', '{"__proto__":1}']) {
    expect(await hear(payload)).toMatchObject({ status: 200, body: { id: 7, body: payload, signature: 'abc' } });
  }
  expect((await hear('{}', 'text/plain')).status).toBe(415);
  expect((await hear(`"${'x'.repeat(100)}"`)).status).toBe(413);
  expect((await hear('')).body.errors).toHaveProperty('body');
});
