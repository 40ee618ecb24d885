import { type Actions, action, signedIn, sql, Type } from '@chowk/kit/kernel';
import fc from 'fast-check';
import type { FastifyInstance } from 'fastify';
import { afterAll, expect, test } from 'vitest';
import { startPlatform, type TestResponse, uniqueId } from '../../testing/platform.ts';
import { getPort, sendLines } from '../../testing/raw-http.ts';
import { testConfig } from '../../testing/test-config.ts';
import { reservedLabels } from '../tenancy/labels.ts';
import { createHttpServer } from './server.ts';

const summary = 'Test';
const actions: Actions = {
  'test.bound': action({ summary, http: 'GET /bound', public: true, run: async (ctx) => ({ tenant: ctx.tenant.id }) }),
  'test.maybe': action({
    summary,
    http: 'GET /maybe',
    public: true,
    tenant: 'optional',
    run: async (ctx) => ({ user_can: ctx.can('things.view') }),
  }),
  'test.never': action({ summary, http: 'GET /never', public: true, tenant: 'none', run: async () => ({}) }),
  'test.mine': action({ summary, http: 'GET /mine', needs: signedIn, run: async (ctx) => ({ tenant: ctx.tenant.id }) }),
  'things.get': action({
    summary,
    http: 'GET /things/:id',
    needs: 'things.view',
    input: Type.Object({ id: Type.Integer() }),
    run: async () => ({ thing: {} }),
  }),
  'things.create': action({
    summary,
    http: 'POST /things',
    needs: 'things.view',
    input: Type.Object({ name: Type.String() }),
    run: async () => ({}),
  }),
};
const platform = await startPlatform({ actions });
const [acmeAlias, betaAlias] = [`shop-${uniqueId()}`, `shop-${uniqueId()}`];
const acme = await platform.tenant({ aliases: [acmeAlias] });
const beta = await platform.tenant({ aliases: [betaAlias] });

/** Asks which tenant a request is bound to. */
function bound(headers: Record<string, string>): Promise<TestResponse> {
  return platform.request({ url: '/api/v1/bound', headers });
}

test.each([
  ['the id', { host: `${acme.id}.localhost` }],
  ['an alias', { host: `${acmeAlias}.localhost` }],
  ['a port', { host: `${acme.id}.localhost:8080` }],
  ['upper case', { host: `${acme.id.toUpperCase()}.LOCALHOST` }],
  ['a trailing dot', { host: `${acme.id}.localhost.` }],
  ['a trailing dot and a port', { host: `${acme.id}.localhost.:8080` }],
  ['its ring', { host: `${acme.id}.stable.localhost` }],
  ['its ring, an alias, upper case and a port', { host: `${acmeAlias}.Stable.localhost:80`.toUpperCase() }],
])('the host name binds the tenant by %s', async (_, headers) => {
  expect(await bound(headers)).toMatchObject({ status: 200, body: { tenant: acme.id } });
});

test.each([
  ['the id', acme.id],
  ['an alias', acmeAlias],
  ['upper case', acme.id.toUpperCase()],
])('X-Tenant binds the tenant by %s', async (_, value) => {
  expect(await bound({ 'x-tenant': value })).toMatchObject({ status: 200, body: { tenant: acme.id } });
});

test('the random domain of a tenant binds it', async () => {
  const domains = await acme.caller('settings.domains').get('/api/v1/domains');
  const { domain } = domains.body.domains.find(({ kind }: { kind: string }) => kind === 'random');
  expect((await bound({ host: `${domain}.localhost` })).body).toEqual({ tenant: acme.id });
});

test('host and header may name the same tenant in different ways', async () => {
  expect((await bound({ host: `${acme.id}.localhost`, 'x-tenant': acmeAlias })).body).toEqual({ tenant: acme.id });
  expect((await bound({ host: `${acmeAlias}.stable.localhost`, 'x-tenant': acme.id })).body).toEqual({
    tenant: acme.id,
  });
});

test('host and header that name different tenants are 400, even for a member of both', async () => {
  const { caller: user, token } = platform.identity.mint();
  for (const tenant of [acme, beta]) platform.identity.join(user, tenant.id, ['things.view']);
  const authorization = `Bearer ${token}`;
  for (const [one, other] of [
    [acme.id, beta.id],
    [acmeAlias, betaAlias],
    [beta.id, acme.id],
  ]) {
    const answer = await bound({ authorization, host: `${one}.localhost`, 'x-tenant': String(other) });
    expect(answer).toMatchObject({ status: 400, body: { code: 'tenancy.ambiguous' } });
    expect(answer.headers).not.toHaveProperty('x-ring');
  }
});

test.each([
  'localhost',
  'localhost:8080',
  'LOCALHOST.',
  '.localhost',
  'example.com',
  '127.0.0.1:8080',
  '[::1]:8080',
  'evil-localhost',
  `${acme.id}-localhost`,
  `${acme.id}.evil-localhost`,
  `${acme.id}.localhost.evil.com`,
  `${acme.id}.localhost..`,
  'stable.localhost',
  '',
])('a host that names no tenant binds nothing: %j', async (host) => {
  expect(await bound({ host })).toMatchObject({ status: 400, body: { code: 'tenancy.required' } });
  expect((await bound({ host, 'x-tenant': acme.id })).body).toEqual({ tenant: acme.id });
});

test.each([
  `${acme.id}.localhost:80@example.com`,
  `${acme.id}.localhost:http`,
  `${acme.id}.localhost:80:80`,
  `example.com@${acme.id}.localhost`,
  `example.com/${acme.id}.localhost`,
  `example.com#.${acme.id}.localhost`,
  `${acme.id}.localhost, ${beta.id}.localhost`,
  `${acme.id}%2elocalhost`,
  `${acme.id} .localhost`,
  `[${acme.id}].localhost`,
])('an invalid host is 400 and binds nothing: %s', async (host) => {
  expect(await bound({ host })).toMatchObject({ status: 400, body: { code: 'tenancy.bad_host' } });
  expect((await bound({ host, 'x-tenant': acme.id })).status).toBe(400);
});

test('an empty X-Tenant is 400, whether or not the host names a tenant', async () => {
  const refused = { status: 400, body: { code: 'tenancy.empty_header' } };
  expect(await bound({ 'x-tenant': '' })).toMatchObject(refused);
  expect(await bound({ 'x-tenant': '', host: `${acme.id}.localhost` })).toMatchObject(refused);
  expect(await platform.request({ url: '/api/v1/maybe', headers: { 'x-tenant': '' } })).toMatchObject(refused);
  expect((await platform.request({ url: '/api/v1/never', headers: { 'x-tenant': '' } })).status).toBe(200);
});

test('a reserved label is never a tenant', async () => {
  for (const label of reservedLabels) {
    expect((await bound({ host: `${label}.localhost` })).status, label).toBe(400);
    expect((await bound({ 'x-tenant': label })).status, label).toBe(404);
  }
});

test.each([
  'nobody.localhost',
  `x.${acme.id}.localhost`,
  `${acme.id}.canary.localhost`,
  `${acme.id}.stable.stable.localhost`,
  `${acme.id}..localhost`,
  `${acme.id}.${beta.id}.localhost`,
  `${'x'.repeat(64)}.localhost`,
])('an unknown host below the base domain is 404: %s', async (host) => {
  expect(await bound({ host })).toMatchObject({ status: 404, body: { code: 'tenancy.unknown' } });
  expect((await bound({ host, 'x-tenant': acme.id })).status).toBe(404);
});

test.each([
  'nobody',
  "' OR '1'='1",
  `${acme.id}'--`,
  `${acme.id};DROP TABLE tenants`,
  `../${acme.id}`,
  `${acme.id}/`,
  `${acme.id}%00`,
  `${acme.id}.localhost`,
  `${acme.id},${acme.id}`,
  `${acme.id}, ${beta.id}`,
  '__proto__',
  'constructor',
  '*',
  '%',
  'x'.repeat(10_000),
])('an unknown X-Tenant is 404: %j', async (value) => {
  expect(await bound({ 'x-tenant': value })).toMatchObject({ status: 404, body: { code: 'tenancy.unknown' } });
  expect((await bound({ 'x-tenant': value, host: `${acme.id}.localhost` })).status).toBe(404);
});

test('a tenant that is still being created is 404', async () => {
  const { db } = platform.kernel.central;
  const id = uniqueId();
  await db.tx(async (tx) => {
    await tx.run(sql`
      INSERT INTO tenants (id, name, database_name, module_ring_id)
      SELECT ${id}, ${id}, ${id}, id FROM module_rings WHERE is_default`);
    await tx.run(sql`INSERT INTO domains (domain, tenant_id, kind) VALUES (${id}, ${id}, 'random')`);
  });
  expect((await bound({ 'x-tenant': id })).status).toBe(404);
});

test('an action that needs a tenant is 400 without one, before the caller is authenticated', async () => {
  const { status, body, headers } = await platform.request({ url: '/api/v1/things/1' });
  expect({ status, code: body.code }).toEqual({ status: 400, code: 'tenancy.required' });
  expect(headers).not.toHaveProperty('x-ring');
});

test('an action with an optional tenant works without one, but an unknown tenant is 404', async () => {
  const member = acme.caller('things.view');
  expect((await member.get('/api/v1/maybe')).body).toEqual({ user_can: true });
  const authorization = `Bearer ${member.token}`;
  const get = (headers: Record<string, string>) =>
    platform.request({ url: '/api/v1/maybe', headers: { authorization, ...headers } });
  expect(await get({})).toMatchObject({ status: 200, body: { user_can: false } });
  expect(await get({ 'x-tenant': beta.id })).toMatchObject({ status: 200, body: { user_can: false } });
  expect((await get({ 'x-tenant': 'nobody' })).status).toBe(404);
});

test('an action without a tenant ignores the tenant that a request names', async () => {
  const headers = { host: `${acme.id}.localhost`, 'x-tenant': 'nobody' };
  const answer = await platform.request({ url: '/api/v1/never', headers });
  expect(answer.status).toBe(200);
  expect(answer.headers).not.toHaveProperty('x-ring');
});

test('a member of one tenant has no access to another, by host or by header', async () => {
  const authorization = `Bearer ${acme.caller('things.view').token}`;
  for (const target of [{ host: `${beta.id}.localhost` }, { 'x-tenant': beta.id }, { 'x-tenant': betaAlias }]) {
    for (const url of ['/api/v1/mine', '/api/v1/things/1']) {
      const answer = await platform.request({ url, headers: { host: 'localhost', ...target, authorization } });
      expect(answer).toMatchObject({ status: 403, body: { code: 'auth.not_a_member' } });
    }
  }
  const own = await platform.request({ url: '/api/v1/mine', headers: { authorization, 'x-tenant': acme.id } });
  expect(own.body).toEqual({ tenant: acme.id });
});

test('a caller who is not a member gets the same response for every request', async () => {
  const headers = { authorization: `Bearer ${acme.caller('things.view').token}`, 'x-tenant': beta.id };
  const json = { ...headers, 'content-type': 'application/json' };
  const answers = [
    await platform.request({ url: '/api/v1/things/1', headers }),
    await platform.request({ url: '/api/v1/things/999999', headers }),
    await platform.request({ url: '/api/v1/things/not-a-number', headers }),
    await platform.request({ method: 'POST', url: '/api/v1/things', headers: json, payload: '{"name":"x"}' }),
    await platform.request({ method: 'POST', url: '/api/v1/things', headers: json, payload: '{' }),
    await platform.request({ method: 'DELETE', url: '/api/v1/domains/absent', headers }),
  ];
  for (const { status, body } of answers) {
    expect({ status, body }).toEqual({
      status: 403,
      body: { message: 'You are not a member of this tenant.', code: 'auth.not_a_member' },
    });
  }
});

test('a removed permission is refused from the next request on', async () => {
  const caller = acme.caller('things.view');
  expect((await caller.get('/api/v1/things/1')).status).toBe(200);
  platform.identity.join(caller.user, acme.id, []);
  expect((await caller.get('/api/v1/things/1')).status).toBe(403);
});

test('X-Forwarded-Host is honored from trusted proxies only', async () => {
  const believing = await listen({ TRUSTED_PROXIES: 'loopback' });
  const elsewhere = await listen({ TRUSTED_PROXIES: '10.0.0.0/8' });
  const doubting = await listen({});
  const forwarded = `X-Forwarded-Host: ${acme.id}.localhost`;

  expect(await askFrom(believing, 'localhost', forwarded)).toEqual({ status: 200, tenant: acme.id });
  expect(await askFrom(believing, `${beta.id}.localhost`, forwarded)).toEqual({ status: 200, tenant: acme.id });
  expect(await askFrom(believing, 'localhost', forwarded, `X-Tenant: ${beta.id}`)).toMatchObject({ status: 400 });
  for (const app of [elsewhere, doubting]) {
    expect(await askFrom(app, 'localhost', forwarded)).toEqual({ status: 400, tenant: undefined });
    expect(await askFrom(app, `${beta.id}.localhost`, forwarded)).toEqual({ status: 200, tenant: beta.id });
    expect(await askFrom(app, `${beta.id}.localhost`, `Forwarded: host=${acme.id}.localhost`)).toMatchObject({
      tenant: beta.id,
    });
  }
});

test('of several forwarded hosts the one added by the nearest proxy counts', async () => {
  const app = await listen({ TRUSTED_PROXIES: 'loopback' });
  const forwarded = `X-Forwarded-Host: ${beta.id}.localhost, ${acme.id}.localhost`;
  expect(await askFrom(app, 'localhost', forwarded)).toEqual({ status: 200, tenant: acme.id });
});

test('two X-Tenant headers bind nothing, even if they are equal', async () => {
  const app = await listen({});
  for (const second of [acme.id, beta.id]) {
    expect(await askFrom(app, 'localhost', `X-Tenant: ${acme.id}`, `X-Tenant: ${second}`)).toEqual({
      status: 404,
      tenant: undefined,
    });
  }
});

test('only subdomains of the configured base domain bind a tenant', async () => {
  const elsewhere = await startPlatform({ environment: { BASE_DOMAIN: 'shops.example.com' }, actions });
  const shop = await elsewhere.tenant();
  const ask = async (host: string) =>
    (await elsewhere.request({ url: '/api/v1/bound', headers: { host } })).body.tenant;
  expect(await ask(`${shop.id}.shops.example.com`)).toBe(shop.id);
  expect(await ask(`${shop.id}.stable.shops.example.com:443`)).toBe(shop.id);
  for (const host of [`${shop.id}.example.com`, `${shop.id}.localhost`, `${shop.id}.xshops.example.com`]) {
    expect(await ask(host)).toBeUndefined();
  }
});

test('no combination of host and header binds a tenant that one of them does not name', async () => {
  const names = new Map([
    [acme.id, acme.id],
    [acmeAlias, acme.id],
    [beta.id, beta.id],
    [betaAlias, beta.id],
  ]);
  const label = fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(...names.keys()) },
    { weight: 1, arbitrary: fc.constantFrom('nobody', 'stable', 'www', '', 'localhost') },
    { weight: 1, arbitrary: fc.string({ maxLength: 8 }).map((text) => text.replace(/[^\x21-\x7e]/g, '')) },
  );
  const host = fc
    .tuple(
      fc.array(label, { maxLength: 2 }),
      fc.constantFrom('.localhost', '.stable.localhost', 'localhost', '.localhost.evil.com', '.evil-localhost', ''),
      fc.constantFrom('', '.', '..'),
      fc.constantFrom('', ':80', ':', ':x'),
    )
    .map(([labels, base, dot, portPart]) => labels.join('.') + base + dot + portPart);

  const namedByHost = (text: string) => {
    const [, first = ''] = /^([a-z0-9-]+)(?:\.stable)?\.localhost\.?(?::\d*)?$/i.exec(text) ?? [];
    return names.get(first.toLowerCase());
  };
  await fc.assert(
    fc.asyncProperty(fc.mixedCase(host), fc.option(fc.mixedCase(label)), async (hostText, headerText) => {
      const answer = await bound({ host: hostText, ...(headerText === null ? {} : { 'x-tenant': headerText }) });
      const byHost = namedByHost(hostText);
      const byHeader = headerText === null ? undefined : names.get(headerText.toLowerCase());
      if (answer.status === 200) {
        expect([byHost, byHeader]).toContain(answer.body.tenant);
        expect(byHost ?? answer.body.tenant).toBe(answer.body.tenant);
        if (headerText !== null) expect(byHeader).toBe(answer.body.tenant);
      } else {
        expect([400, 404]).toContain(answer.status);
        if (byHost && byHeader)
          expect({ status: answer.status, agree: byHost === byHeader }).toEqual({ status: 400, agree: false });
        if (byHost) expect(headerText).not.toBeNull();
      }
    }),
    { numRuns: 500 },
  );
});

/** The same platform with another environment, on a real socket. */
async function listen(environment: Record<string, string>): Promise<FastifyInstance> {
  const app = await createHttpServer({ ...platform.kernel, config: testConfig(environment) });
  await app.listen({ host: '127.0.0.1', port: 0 });
  afterAll(() => app.close());
  return app;
}

async function askFrom(app: FastifyInstance, host: string, ...headers: string[]) {
  const lines = ['GET /api/v1/bound HTTP/1.1', `Host: ${host}`, ...headers, 'Connection: close'];
  const { status, text } = await sendLines(getPort(app), lines);
  return { status, tenant: JSON.parse(text).tenant as string | undefined };
}
