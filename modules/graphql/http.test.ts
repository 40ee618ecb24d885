import { serverAudits } from 'graphql-http';
import { expect, test } from 'vitest';
import { startPlatform } from '../../server/testing/platform.ts';

/* GraphQL over HTTP: the audits of graphql-http, and what the specification leaves open. */

const platform = await startPlatform();
const acme = await platform.tenant();
const caller = acme.caller('customers.view', 'customers.create');
const url = '/api/v1/graphql';
const responseType = 'application/graphql-response+json';

/** `fetch` without a socket. */
async function fetchInProcess(address: string, init: { method?: string; headers?: object; body?: string } = {}) {
  const { method = 'GET', headers = {}, body: payload } = init;
  const { pathname, search } = new URL(address);
  const own = { authorization: `Bearer ${caller.token}`, 'x-tenant': acme.id };
  const answer = await platform.app.inject({
    method: method as 'POST',
    url: pathname + search,
    headers: { ...own, ...headers },
    ...(payload === undefined ? {} : { payload }),
  });
  return new Response(answer.body, { status: answer.statusCode, headers: answer.headers as Record<string, string> });
}

const audits = serverAudits({ url: `http://localhost${url}`, fetchFn: fetchInProcess });
const cases = audits.map(({ name, id, fn }) => ({ name, id, fn }));

test('all audits are known', () => {
  expect(cases.length).toBeGreaterThan(50);
});

test.each(cases)('$id: $name', async ({ fn }) => {
  const result = await fn();
  expect(result.status === 'ok' ? 'ok' : `${result.status}: ${result.reason}`).toBe('ok');
});

test('PUT, PATCH and DELETE are not allowed', async () => {
  for (const method of ['PUT', 'PATCH', 'DELETE'] as const) {
    const { status, headers } = await caller.request({ method, url: `${url}?query={__typename}` });
    expect({ method, status, allow: headers.allow }).toEqual({ method, status: 405, allow: 'POST, GET, HEAD' });
  }
});

function get(parameters: Record<string, string>, headers: Record<string, string> = {}) {
  return caller.request({ method: 'GET', url: `${url}?${new URLSearchParams(parameters)}`, headers });
}

test('a query with GET can be cached by its client, until the data change', async () => {
  const query = 'query ($first: Int) { customers(first: $first) { nodes { first_name } } }';
  const parameters = { query, variables: '{"first":5}' };
  const { body, headers } = await get(parameters);
  expect(body.data.customers.nodes).toEqual([]);
  expect(headers).toMatchObject({
    'cache-control': 'private, no-cache',
    vary: expect.stringContaining('Authorization'),
  });
  const known = { 'if-none-match': headers.etag as string };
  expect(await get(parameters, known)).toMatchObject({ status: 304 });
  await caller.post('/api/v1/customers', { first_name: 'Asha' });
  expect(await get(parameters, known)).toMatchObject({ status: 200, body: { data: { customers: { nodes: [{}] } } } });
});

test('GET never changes anything', async () => {
  const query = 'mutation { createCustomer(input: { first_name: "Ravi" }) { id } }';
  const { status, headers, body } = await get({ query });
  expect({ status, allow: headers.allow }).toEqual({ status: 405, allow: 'POST' });
  expect(body.errors).toEqual([expect.objectContaining({ extensions: { code: 'POST_REQUIRED' } })]);
  const found = await caller.get('/api/v1/customers?search=Ravi');
  expect(found.body.customers).toEqual([]);
});

test('GET with parameters that are not JSON is refused', async () => {
  for (const wrong of [{ variables: '{' }, { variables: '[]' }, { extensions: 'x' }]) {
    expect(await get({ query: '{ __typename }', ...wrong }), JSON.stringify(wrong)).toMatchObject({ status: 400 });
  }
  expect(await get({})).toMatchObject({ status: 400 });
});

test('a tenant can limit GET to persisted queries', async () => {
  const admin = acme.caller('graphql.settings.manage', 'graphql.persisted.manage', 'settings.edit');
  const query = 'query Name { tenant { id } }';
  const { body } = await admin.post(`${url}/persisted`, { query, name: 'Name' });
  await admin.patch('/api/v1/settings', { 'graphql.get_queries': false });
  const extensions = JSON.stringify({ persistedQuery: { version: 1, sha256Hash: body.hash } });
  expect(await get({ extensions })).toMatchObject({ status: 200, body: { data: { tenant: { id: acme.id } } } });
  expect(await get({ query: '{ __typename }' })).toMatchObject({ status: 405, headers: { allow: 'POST' } });
  await admin.patch('/api/v1/settings', { 'graphql.get_queries': null });
});

test('failures before the operation have the form of GraphQL for clients that accept it', async () => {
  const send = (headers: Record<string, string>) =>
    platform.request({ method: 'POST', url, payload: { query: '{ __typename }' }, headers });
  const authorization = `Bearer ${caller.token}`;
  const failures = [
    { headers: { 'x-tenant': acme.id }, status: 401, code: 'FORBIDDEN', reason: 'auth.unauthenticated' },
    { headers: { authorization }, status: 400, code: 'BAD_INPUT', reason: 'tenancy.required' },
    { headers: { authorization, 'x-tenant': 'nowhere' }, status: 404, code: 'NOT_FOUND', reason: 'tenancy.unknown' },
  ];
  for (const { headers, status, code, reason } of failures) {
    const failed = await send({ ...headers, accept: responseType } as Record<string, string>);
    expect(failed, reason).toMatchObject({ status, headers: { 'content-type': `${responseType}; charset=utf-8` } });
    expect(JSON.parse(failed.body)).toEqual({
      errors: [{ message: expect.any(String), extensions: { code, reason } }],
    });
    expect((await send(headers as Record<string, string>)).body, reason).toMatchObject({ code: reason });
  }
});

test('a result tells what the operation cost, and what is left', async () => {
  const cost = async (query: string) => (await caller.post(url, { query })).body.extensions.cost;
  const first = await cost('{ tenant { id } }');
  expect(first).toMatchObject({ points: 2, limit_per_minute: expect.any(Number) });
  const second = await cost('{ tenant { id name ring } }');
  expect(second).toEqual({ ...first, points: 4, remaining: first.remaining - 4 });
});

test('a batch of operations is refused', async () => {
  const { status, body } = await caller.post(url, [{ query: '{ __typename }' }, { query: '{ __typename }' }]);
  expect(status).toBe(400);
  expect(body.errors).toEqual([{ message: expect.any(String), extensions: { code: 'BAD_INPUT' } }]);
});

test('a body that is not JSON is refused', async () => {
  const send = (payload: string, type: string) =>
    caller.request({ method: 'POST', url, payload, headers: { 'content-type': type } });
  expect((await send('{ __typename }', 'application/graphql')).status).toBe(415);
  expect((await send('query={__typename}', 'application/x-www-form-urlencoded')).status).toBe(415);
  expect((await send('{ "query": ', 'application/json')).status).toBe(400);
  expect((await send('"text"', 'application/json')).status).toBe(400);
  expect((await send('', 'application/json')).status).toBe(400);
});

test('a body above the limit is refused before it is parsed', async () => {
  const { status } = await caller.post(url, { query: `{ __typename } #${'x'.repeat(300 * 1024)}` });
  expect(status).toBe(413);
});

test('a token and a tenant are required', async () => {
  const payload = { query: '{ __typename }' };
  const anonymous = await platform.request({ method: 'POST', url, payload, headers: { 'x-tenant': acme.id } });
  expect(anonymous).toMatchObject({
    status: 401,
    headers: { 'www-authenticate': expect.stringMatching(/^Bearer resource_metadata=/) },
  });
  const authorization = `Bearer ${caller.token}`;
  expect((await platform.request({ method: 'POST', url, payload, headers: { authorization } })).status).toBe(400);
});

test('the status tells clients of the new media type whether the operation was executed', async () => {
  const execute = async (query: string, accept: string) => {
    const { status, headers } = await caller.post(url, { query }, { accept });
    return { status, type: headers['content-type'] };
  };
  const json = 'application/json';
  const asJson = { status: 200, type: `${json}; charset=utf-8` };
  const type = `${responseType}; charset=utf-8`;
  const partial = '{ tenant { id } customer(id: "0190a000-0000-7000-8000-000000000000") { id } }';
  for (const query of ['{ tenant { id } }', partial]) {
    expect(await execute(query, responseType)).toEqual({ status: 200, type });
    expect(await execute(query, json)).toEqual(asJson);
  }
  for (const query of ['{', '{ unknown }', 'query A { __typename } query B { __typename }', 'subscription { a }']) {
    expect(await execute(query, `${responseType}, ${json};q=0.9`)).toEqual({ status: 400, type });
    expect(await execute(query, json)).toEqual(asJson);
  }
});
