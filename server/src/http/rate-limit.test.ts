import { action, signedIn, Type } from '@chowk/kit/kernel';
import { expect, onTestFinished, test, vi } from 'vitest';
import { startPlatform } from '../../testing/platform.ts';
import { testConfig } from '../../testing/test-config.ts';
import { createHttpServer } from './server.ts';

const summary = 'Test';
/** The clock of the platform, set by the tests. */
let now = Date.UTC(2026, 10, 15, 9, 30, 0);
const platform = await startPlatform({
  environment: { RATE_LIMIT_PER_MINUTE: '5' },
  now: () => new Date(now),
  actions: {
    'test.things': action({ summary, http: 'GET /things', needs: signedIn, run: async () => ({}) }),
    'test.signed': action({
      summary,
      http: 'POST /signed',
      public: true,
      accepts: 'signed',
      limit: { perMinute: 7, by: 'network' },
      input: Type.Object({ body: Type.String(), headers: Type.Record(Type.String(), Type.Unknown()) }),
      run: async () => ({}),
    }),
    'test.open': action({ summary, http: 'GET /open', public: true, tenant: 'none', run: async () => ({}) }),
  },
});
const acme = await platform.tenant();

function limits({ headers }: { headers: Record<string, unknown> }) {
  return [headers['ratelimit-limit'], headers['ratelimit-remaining'], headers['ratelimit-reset']];
}

test('responses report the remaining requests, and a request above the limit is 429 with Retry-After', async () => {
  const caller = acme.caller();
  const answers = [];
  for (let count = 0; count < 5; count += 1) answers.push(await caller.get('/api/v1/things'));
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
  expect(answers.map(limits)).toEqual(['4', '3', '2', '1', '0'].map((left) => ['5', left, '60']));

  const refused = await caller.get('/api/v1/things');
  expect({ status: refused.status, code: refused.body.code }).toEqual({ status: 429, code: 'http.too_many_requests' });
  const seconds = Number(refused.headers['retry-after']);
  expect(refused.body.message).toContain(`${seconds} seconds`);
  expect(limits(refused)).toEqual(['5', '0', String(seconds)]);

  now += seconds * 1_000 - 1_000;
  expect((await caller.get('/api/v1/things')).status).toBe(429);
  now += 1_000;
  expect((await caller.get('/api/v1/things')).status).toBe(200);
});

test('requests are counted per user and tenant', async () => {
  const caller = acme.caller();
  const other = await platform.tenant();
  platform.identity.join(caller.user, other.id, []);
  for (let count = 0; count < 6; count += 1) await caller.get('/api/v1/things');
  expect((await caller.get('/api/v1/things')).status).toBe(429);
  expect((await caller.get('/api/v1/things', { 'x-tenant': other.id })).status).toBe(200);
  expect((await acme.caller().get('/api/v1/things')).status).toBe(200);
});

test('refused requests count as well, so that guessing is limited', async () => {
  const { token } = platform.identity.mint();
  const headers = { authorization: `Bearer ${token}`, 'x-tenant': acme.id };
  const statuses = [];
  for (let count = 0; count < 6; count += 1) {
    statuses.push((await platform.request({ url: '/api/v1/things', headers })).status);
  }
  expect(statuses).toEqual([403, 403, 403, 403, 403, 429]);
});

test('anonymous requests are counted by address, and X-Forwarded-For of an untrusted client is ignored', async () => {
  const statuses = [];
  for (let count = 0; count < 6; count += 1) {
    const headers = { 'x-forwarded-for': `203.0.113.${count}`, authorization: `Bearer guess-${count}` };
    statuses.push((await platform.request({ url: '/api/v1/open', headers, remoteAddress: '198.51.100.1' })).status);
  }
  expect(statuses).toEqual([200, 200, 200, 200, 200, 429]);
  expect((await platform.request({ url: '/api/v1/open', remoteAddress: '198.51.100.2' })).status).toBe(200);
});

test('requests for unknown tenants count, and are refused without a lookup above the limit', async () => {
  const lookups = vi.spyOn(platform.kernel.directory, 'resolve');
  onTestFinished(() => lookups.mockRestore());
  const ask = async (headers: Record<string, string>) =>
    (await platform.request({ url: '/api/v1/things', headers, remoteAddress: '198.51.100.3' })).status;
  const statuses = [];
  for (let count = 0; count < 7; count += 1) statuses.push(await ask({ 'x-tenant': `nobody-${count}` }));
  expect(statuses).toEqual([404, 404, 404, 404, 404, 429, 429]);
  // Each for its ring and for its tenant.
  expect(lookups).toHaveBeenCalledTimes(10);
});

test('requests with unknown tokens are refused without a lookup above the limit', async () => {
  const lookups = vi.spyOn(platform.identity, 'authenticate');
  onTestFinished(() => lookups.mockRestore());
  const statuses = [];
  for (let count = 0; count < 7; count += 1) {
    const headers = { authorization: `Bearer guess-${count}`, 'x-tenant': acme.id };
    statuses.push((await platform.request({ url: '/api/v1/things', headers, remoteAddress: '198.51.100.4' })).status);
  }
  expect(statuses).toEqual([401, 401, 401, 401, 401, 429, 429]);
  expect(lookups).toHaveBeenCalledTimes(5);
});

test('anonymous requests of a network do not keep its signed-in users out', async () => {
  const remoteAddress = '198.51.100.5';
  for (let count = 0; count < 6; count += 1) await platform.request({ url: '/api/v1/open', remoteAddress });
  const refused = await platform.request({ url: '/api/v1/open', remoteAddress });
  expect(refused.status).toBe(429);
  expect((await acme.caller().request({ url: '/api/v1/things', remoteAddress })).status).toBe(200);
});

test('signed requests of a provider are limited for each tenant only', async () => {
  const other = await platform.tenant();
  const remoteAddress = '198.51.100.7';
  const call = async ({ id }: { id: string }) => {
    const headers = { 'x-tenant': id, 'content-type': 'application/json' };
    return (await platform.request({ method: 'POST', url: '/api/v1/signed', headers, payload: '{}', remoteAddress }))
      .status;
  };
  const statuses = [];
  for (let count = 0; count < 8; count += 1) statuses.push(await call(acme));
  expect(statuses).toEqual([200, 200, 200, 200, 200, 200, 200, 429]);
  expect(await call(other)).toBe(200);
});

test.each([
  ['/api/openapi.json', '198.51.101.1'],
  ['/docs/', '198.51.101.2'],
  ['/', '198.51.101.3'],
  ['/metrics', '198.51.101.4'],
  ['/nowhere', '198.51.101.5'],
])('requests for %s are limited as well', async (url, remoteAddress) => {
  const statuses = new Set<number>();
  for (let count = 0; count < 5; count += 1) statuses.add((await platform.request({ url, remoteAddress })).status);
  expect(statuses).not.toContain(429);
  const refused = await platform.request({ url, remoteAddress });
  expect({ status: refused.status, code: refused.body.code }).toEqual({
    status: 429,
    code: 'http.too_many_requests',
  });
  expect(limits(refused)).toEqual(['5', '0', refused.headers['retry-after']]);
});

test('a wrong method is limited as well', async () => {
  const request = { method: 'PUT', url: '/api/v1/open', remoteAddress: '198.51.100.6' } as const;
  const statuses = [];
  for (let count = 0; count < 6; count += 1) statuses.push((await platform.request(request)).status);
  expect(statuses).toEqual([405, 405, 405, 405, 405, 429]);
});

test.each([
  ['an IPv4 address with a port', '203.0.113.7:4711', '203.0.113.7:4712', '203.0.113.8:4711'],
  ['an IPv6 address with a port', '[2001:db8::7]:4711', '[2001:db8::8]:4712', '[2001:db8:0:1::7]:4711'],
  ['an IPv6 address in brackets', '[2001:db8:1::7]', '2001:db8:1::7', '[2001:db8:1:1::7]'],
  [
    'several proxies with ports',
    '203.0.113.9:1, 127.0.0.2:2',
    '203.0.113.9:3, 127.0.0.3:4',
    '203.0.113.10:1, 127.0.0.2:2',
  ],
])('a proxy may forward %s', async (_, first, sameNetwork, other) => {
  const app = await withEnvironment({ RATE_LIMIT_PER_MINUTE: '1', TRUSTED_PROXIES: 'loopback' });
  const from = async (address: string) =>
    (await app.inject({ url: '/api/v1/open', headers: { 'x-forwarded-for': address } })).statusCode;
  expect([await from(first), await from(sameNetwork), await from(other)]).toEqual([200, 429, 200]);
});

test('behind a trusted proxy the forwarded address counts', async () => {
  const app = await withEnvironment({ RATE_LIMIT_PER_MINUTE: '1', TRUSTED_PROXIES: 'loopback' });
  const from = async (address: string) => {
    const headers = { 'x-forwarded-for': address };
    return (await app.inject({ url: '/api/v1/open', headers, remoteAddress: '127.0.0.1' })).statusCode;
  };
  expect([await from('203.0.113.100'), await from('203.0.113.100'), await from('203.0.113.101')]).toEqual([
    200, 429, 200,
  ]);
  // The proxy appends its entry after those sent by the client.
  expect(await from('203.0.113.102, 203.0.113.101')).toBe(429);
});

test('zero turns the limit off', async () => {
  const app = await withEnvironment({ RATE_LIMIT_PER_MINUTE: '0' });
  const { statusCode, headers } = await app.inject({ url: '/api/v1/open' });
  expect(statusCode).toBe(200);
  expect(headers).not.toHaveProperty('ratelimit-limit');
});

test('the default is 3,000 requests per minute', () => {
  expect(testConfig().rateLimitPerMinute).toBe(3_000);
});

/** The same platform with another environment. */
function withEnvironment(environment: Record<string, string>) {
  return createHttpServer({ ...platform.kernel, config: testConfig(environment) });
}

test('an action with a limit of its own refuses a network above it, in one tenant, and no other action', async () => {
  const limited = action({
    summary: 'Test',
    http: 'POST /messages',
    public: true,
    limit: { perMinute: 3, by: 'network' },
    run: async () => ({}),
  });
  const other = action({ summary: 'Test', http: 'POST /others', public: true, run: async () => ({}) });
  const { request, tenant } = await startPlatform({
    modules: [],
    actions: { 'test.message': limited, 'test.other': other },
  });
  const [acme, bazaar] = [await tenant(), await tenant()];
  const post = async (url: string, { id }: { id: string }, remoteAddress = '192.0.2.1') =>
    (await request({ method: 'POST', url, headers: { 'x-tenant': id }, remoteAddress })).status;
  for (let n = 0; n < 3; n += 1) expect(await post('/api/v1/messages', acme)).toBe(200);
  expect(await post('/api/v1/messages', acme)).toBe(429);
  expect(await post('/api/v1/others', acme)).toBe(200);
  expect(await post('/api/v1/messages', bazaar)).toBe(200);
  expect(await post('/api/v1/messages', acme, '198.51.100.7')).toBe(200);
});
