import { action, Type } from '@chowk/kit/kernel';
import { expect, test } from 'vitest';
import { startPlatform } from '../../testing/platform.ts';
import { getPort, type RawResponse, sendLines } from '../../testing/raw-http.ts';

const common = { summary: 'Test', public: true } as const;
const platform = await startPlatform({
  actions: {
    'test.echo': action({
      ...common,
      http: 'GET /echo/:text',
      tenant: 'optional',
      input: Type.Object({ text: Type.String() }),
      run: async (_, input) => input,
    }),
    'test.tenant': action({
      ...common,
      http: 'GET /tenant',
      input: Type.Object({ x: Type.Optional(Type.String()) }),
      run: async (ctx) => ({ tenant: ctx.tenant.id }),
    }),
    'test.post': action({ ...common, http: 'POST /echo', tenant: 'none', run: async () => ({}) }),
  },
});
const [acme, beta] = [await platform.tenant(), await platform.tenant()];
await platform.app.listen({ host: '127.0.0.1', port: 0 });
const port = getPort(platform.app);

const host = `Host: ${acme.id}.localhost`;
const last = 'Connection: close';

function expectRefusal({ status, headers, text }: RawResponse, expected: number): void {
  expect(status).toBe(expected);
  expect(JSON.parse(text)).toEqual({ message: expect.stringMatching(/\w/), code: expect.any(String) });
  expect(headers).toMatchObject({
    'content-type': 'application/json; charset=utf-8',
    'x-request-id': expect.stringMatching(/^[0-9a-f-]{36}$/),
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
  });
}

test.each([
  ['no HTTP at all', ['hello there']],
  ['an unknown method', ['BREW /api/health HTTP/1.1', host]],
  ['a header without a name', ['GET /api/health HTTP/1.1', host, ': value']],
  ['a header name with a space', ['GET /api/health HTTP/1.1', host, 'X Tenant: acme']],
  ['a space before the colon', ['GET /api/health HTTP/1.1', host, 'X-Tenant : acme']],
  ['a NUL in a header', ['GET /api/health HTTP/1.1', host, 'X-Tenant: a\0b']],
  [
    'two declarations of the body length',
    ['POST /api/v1/echo HTTP/1.1', host, 'Content-Length: 5', 'Transfer-Encoding: chunked'],
  ],
  ['two lengths of one body', ['POST /api/v1/echo HTTP/1.1', host, 'Content-Length: 5', 'Content-Length: 6']],
  ['a space in the address', ['GET /api/v1/echo/a b HTTP/1.1', host]],
])('bytes that are not a request get an error response of the usual form: %s', async (_, lines) => {
  expectRefusal(await sendLines(port, [...lines, last]), 400);
});

test('a URL above the limit of all headers gets an error response of the usual form', async () => {
  expectRefusal(await sendLines(port, [`GET /${'x'.repeat(20_000)} HTTP/1.1`, host, last]), 431);
});

test('a long URL within the limit is 404, and a long parameter 414', async () => {
  expectRefusal(await sendLines(port, [`GET /${'x'.repeat(10_000)} HTTP/1.1`, host, last]), 404);
  expectRefusal(await sendLines(port, [`GET /api/v1/echo/${'x'.repeat(501)} HTTP/1.1`, host, last]), 414);
  expect((await sendLines(port, [`GET /api/v1/echo/${'x'.repeat(500)} HTTP/1.1`, host, last])).status).toBe(200);
});

test.each(['%', '%zz', '%E0%A4%A', '%c0%ae', 'a%'])('bad percent-encoding in the path is 400: %s', async (text) => {
  expectRefusal(await sendLines(port, [`GET /api/v1/echo/${text} HTTP/1.1`, host, last]), 400);
});

test.each([
  ['%2F..%2F..%2Fetc', '/../../etc'],
  ['%00', '\0'],
  ['%25', '%'],
  ['%F0%9F%98%80', '😀'],
  ['..', undefined],
])('a parameter is decoded once and never walks up the path: %s', async (encoded, decoded) => {
  const { status, text } = await sendLines(port, [`GET /api/v1/echo/${encoded} HTTP/1.1`, host, last]);
  expect(status).toBe(200);
  expect(JSON.parse(text).text).toBe(decoded ?? encoded);
});

test('HTTP/1.1 without a Host header is always rejected', async () => {
  for (const path of ['/api/v1/tenant', '/api/health', '/nowhere']) {
    expectRefusal(await sendLines(port, [`GET ${path} HTTP/1.1`, last]), 400);
  }
});

test('HTTP/1.0 without a Host header may call actions without a tenant', async () => {
  expect((await sendLines(port, ['GET /api/health HTTP/1.0'])).status).toBe(200);
  expectRefusal(await sendLines(port, ['GET /api/v1/tenant HTTP/1.0', `X-Tenant: ${acme.id}`]), 400);
});

test.each([
  ['twice the same', [host, host]],
  ['two tenants', [host, `Host: ${beta.id}.localhost`]],
  ['in other letters', [host, `hOST: ${beta.id}.localhost`]],
])('two Host headers bind no tenant: %s', async (_, hosts) => {
  expectRefusal(await sendLines(port, ['GET /api/v1/tenant HTTP/1.1', ...hosts, last]), 400);
});

test('an absolute URL is accepted if its host equals the Host header', async () => {
  const { status, text } = await sendLines(port, [
    `GET http://${acme.id.toUpperCase()}.localhost/api/v1/tenant?x=1 HTTP/1.1`,
    host,
    last,
  ]);
  expect({ status, body: JSON.parse(text) }).toEqual({ status: 200, body: { tenant: acme.id } });
});

test.each([
  `http://${beta.id}.localhost/api/v1/tenant`,
  `https://${beta.id}.localhost/api/v1/tenant`,
  `http://${acme.id}.localhost:81/api/v1/tenant`,
  `http://${acme.id}.localhost@${beta.id}.localhost/api/v1/tenant`,
  'http:///api/v1/tenant',
])('an absolute address that names another host binds no tenant: %s', async (target) => {
  expectRefusal(await sendLines(port, [`GET ${target} HTTP/1.1`, host, last]), 400);
});

test('the connection of a malformed request is closed, and further requests on it are ignored', async () => {
  const smuggled = `GET /api/v1/tenant HTTP/1.1\r\n${host}\r\n\r\n`;
  const { status, text } = await sendLines(port, ['BREW / HTTP/1.1', host], smuggled);
  expect(status).toBe(400);
  expect(text).not.toContain('HTTP/1.1');
});
