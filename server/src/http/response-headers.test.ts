import { action, Type } from '@chowk/kit/kernel';
import type { InjectOptions } from 'fastify';
import { expect, test } from 'vitest';
import { startPlatform } from '../../testing/platform.ts';
import { testConfig } from '../../testing/test-config.ts';
import { createHttpServer } from './server.ts';

const common = { summary: 'Test', needs: 'things.view' } as const;
const platform = await startPlatform({
  actions: {
    'things.list': action({ ...common, http: 'GET /things', run: async () => ({}) }),
    'things.create': action({ ...common, http: 'POST /things', input: Type.Object({}), run: async () => ({}) }),
    'test.requestId': action({ ...common, http: 'GET /request-id', run: async (ctx) => ({ id: ctx.requestId }) }),
    'menu.get': action({
      summary: 'Get the menu',
      http: 'GET /menu',
      public: true,
      cache: { seconds: 60, tags: ['menu'] },
      run: async (ctx) => ({ tenant: ctx.tenant.id }),
    }),
    'test.broken': action({
      ...common,
      http: 'GET /broken',
      run: async () => {
        throw new Error('broken');
      },
    }),
  },
});
const acme = await platform.tenant();
const caller = acme.caller('things.view');
const authorization = `Bearer ${caller.token}`;
const tenant = { 'x-tenant': acme.id };

/** One request for every kind of response. */
const endings: [string, number, InjectOptions][] = [
  ['success', 200, { url: '/api/v1/things', headers: { authorization, ...tenant } }],
  ['HEAD', 200, { method: 'HEAD', url: '/api/v1/things', headers: { authorization, ...tenant } }],
  ['health', 200, { url: '/api/health' }],
  ['a preflight', 204, preflight('https://shop.example')],
  ['OPTIONS that is no preflight', 204, { method: 'OPTIONS', url: '/api/v1/things' }],
  ['a bad address', 400, { url: '/api/v1/%zz' }],
  ['malformed JSON', 400, post('{')],
  ['no tenant', 400, { url: '/api/v1/things' }],
  ['no token', 401, { url: '/api/v1/things', headers: tenant }],
  ['a stranger', 403, { url: '/api/v1/things', headers: { authorization: strangersToken(), ...tenant } }],
  ['no such tenant', 404, { url: '/api/v1/things', headers: { 'x-tenant': 'nobody' } }],
  ['an unknown path', 404, { url: '/nowhere' }],
  ['a wrong method', 405, { method: 'PUT', url: '/api/v1/things' }],
  ['a large body', 413, post('x'.repeat(2_000_000))],
  ['a long parameter', 414, { method: 'DELETE', url: `/api/v1/domains/${'x'.repeat(600)}` }],
  ['a wrong media type', 415, post('x', 'text/plain')],
  ['an error of ours', 500, { url: '/api/v1/broken', headers: { authorization, ...tenant } }],
];

function post(payload: string, type = 'application/json'): InjectOptions {
  const headers = { authorization, ...tenant, 'content-type': type };
  return { method: 'POST', url: '/api/v1/things', payload, headers };
}

function preflight(origin: string): InjectOptions {
  return {
    method: 'OPTIONS',
    url: '/api/v1/things',
    headers: {
      origin,
      'access-control-request-method': 'PATCH',
      'access-control-request-headers': 'authorization, x-tenant, idempotency-key',
    },
  };
}

function strangersToken(): string {
  return `Bearer ${platform.identity.mint().token}`;
}

/** The same platform with another environment. */
function configured(environment: Record<string, string>) {
  return createHttpServer({ ...platform.kernel, config: testConfig(environment) });
}

test.each(endings)('every response has a request id, and every error a message: %s', async (_, expected, request) => {
  const { status, headers, body } = await platform.request(request);
  expect(status).toBe(expected);
  expect(headers['x-request-id']).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
  if (status >= 400) {
    expect(headers['content-type']).toBe('application/json; charset=utf-8');
    expect(body.message).toMatch(/\w/);
  }
  expect((await platform.request(request)).headers['x-request-id']).not.toBe(headers['x-request-id']);
});

test.each(endings)('every response has the security headers: %s', async (_, __, request) => {
  expect((await platform.request(request)).headers).toMatchObject({
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    'cache-control': 'no-store',
  });
});

test('Strict-Transport-Security is sent only if the public URL is HTTPS', async () => {
  const secure = await configured({ APP_URL: 'https://chowk.example' });
  for (const [ending, , request] of endings) {
    expect((await platform.request(request)).headers, ending).not.toHaveProperty('strict-transport-security');
    const { headers } = await secure.inject(request);
    expect(headers['strict-transport-security'], ending).toBe('max-age=31536000; includeSubDomains');
  }
});

test.each(['abc', 'A-1_2.3:4', 'x'.repeat(128)])('a valid request id of the client is kept: %s', async (id) => {
  const { headers, body } = await caller.get('/api/v1/request-id', { 'x-request-id': id });
  expect({ header: headers['x-request-id'], ctx: body.id }).toEqual({ header: id, ctx: id });
});

test.each(['', 'two words', 'x'.repeat(129), '<script>', 'a"b', 'a\tb', 'é', '{}'])(
  'an invalid request id is replaced: %j',
  async (id) => {
    const { headers, body } = await caller.get('/api/v1/request-id', { 'x-request-id': id });
    expect(headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
    expect(body.id).toBe(headers['x-request-id']);
  },
);

test.each(endings)('X-Ring is sent only if the request is bound to a tenant: %s', async (_, __, request) => {
  const { headers } = await platform.request(request);
  const isBound = request.headers?.['x-tenant'] === acme.id;
  expect(headers['x-ring']).toBe(isBound ? 'stable' : undefined);
});

test('by default pages of any origin may call the API and read its headers', async () => {
  const { headers } = await caller.get('/api/v1/things', { origin: 'https://shop.example' });
  expect(headers['access-control-allow-origin']).toBe('*');
  expect(headers).not.toHaveProperty('access-control-allow-credentials');
  const exposed = headers['access-control-expose-headers']?.split(', ');
  expect(exposed).toEqual(
    expect.arrayContaining(['X-Request-Id', 'X-Ring', 'RateLimit-Remaining', 'Retry-After', 'Idempotency-Replayed']),
  );
});

test('a preflight needs no token and allows all methods and the requested headers', async () => {
  const { status, headers, body } = await platform.request(preflight('https://shop.example'));
  expect({ status, body }).toEqual({ status: 204, body: '' });
  expect(headers).toMatchObject({
    'access-control-allow-origin': '*',
    'access-control-allow-methods': 'GET, POST, PUT, PATCH, DELETE',
    'access-control-allow-headers': 'authorization, x-tenant, idempotency-key',
    'access-control-max-age': '600',
  });
});

test('with a list of origins only those may call, and Vary names Origin', async () => {
  const app = await configured({ CORS_ORIGINS: 'https://shop.example, https://admin.example' });
  for (const origin of ['https://shop.example', 'https://admin.example']) {
    const page: (typeof endings)[number] = ['the console', 200, { url: '/' }];
    for (const [ending, , request] of [...endings, page].filter(
      ([name]) => !['a bad address', 'a long parameter'].includes(name),
    )) {
      const { headers } = await app.inject({ ...request, headers: { ...request.headers, origin } });
      expect(headers, ending).toMatchObject({ 'access-control-allow-origin': origin });
      expect(headers.vary, ending).toContain('Origin');
    }
  }
  for (const origin of ['https://evil.example', 'https://shop.example.evil.example', 'http://shop.example', 'null']) {
    const allowed = 'access-control-allow-origin';
    expect((await app.inject(preflight(origin))).headers, origin).not.toHaveProperty(allowed);
    const answer = await app.inject({ url: '/api/health', headers: { origin } });
    expect(answer.headers, origin).not.toHaveProperty(allowed);
    expect(answer.headers.vary, origin).toContain('Origin');
  }
});

test('a public response can be cached, for each tenant, unless the caller is signed in', async () => {
  const get = async (headers: Record<string, string>) =>
    (await platform.app.inject({ url: '/api/v1/menu', headers: { ...tenant, ...headers } })).headers;
  expect(await get({})).toMatchObject({
    'cache-control': 'public, max-age=60',
    'cache-tag': `tenant-${acme.id},menu`,
    vary: expect.stringMatching(/^Authorization, X-Tenant/),
  });
  const own = await get({ authorization });
  expect(own['cache-control']).toBe('no-store');
  expect(own['cache-tag']).toBeUndefined();
});

test('an error of an action whose responses can be cached is not cached', async () => {
  const { statusCode, headers } = await platform.app.inject({ url: '/api/v1/menu?unknown=1', headers: tenant });
  expect({ statusCode, cache: headers['cache-control'] }).toEqual({ statusCode: 422, cache: 'no-store' });
});
