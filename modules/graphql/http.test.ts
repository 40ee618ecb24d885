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

/** GET is optional in the specification; without it, no link can make a browser send an operation. */
const auditsOfGet = [
  '5A70', // MAY accept application/x-www-form-urlencoded formatted GET requests
  'D6D5', // MAY allow URL-encoded JSON string {variables} parameter in GETs when accepting application/graphql-response+json
  '6A70', // MAY allow URL-encoded JSON string {variables} parameter in GETs when accepting application/json
];
const audits = serverAudits({ url: `http://localhost${url}`, fetchFn: fetchInProcess });
const cases = audits.map(({ name, id, fn }) => ({ name, id, fn }));

test('the audits that do not apply are known', () => {
  expect(cases.length).toBeGreaterThan(50);
  expect(cases.map(({ id }) => id)).toEqual(expect.arrayContaining(auditsOfGet));
});

test.each(cases.filter(({ id }) => !auditsOfGet.includes(id)))('$id: $name', async ({ fn }) => {
  const result = await fn();
  expect(result.status === 'ok' ? 'ok' : `${result.status}: ${result.reason}`).toBe('ok');
});

test('GET, PUT, PATCH and DELETE are not allowed', async () => {
  for (const method of ['GET', 'PUT', 'PATCH', 'DELETE'] as const) {
    const { status, headers } = await caller.request({ method, url: `${url}?query={__typename}` });
    expect({ method, status, allow: headers.allow }).toEqual({ method, status: 405, allow: 'POST' });
  }
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
  expect(anonymous).toMatchObject({ status: 401, headers: { 'www-authenticate': 'Bearer' } });
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
