import { sql } from '@chowk/kit';
import { expect, test } from 'vitest';
import { startAccounts } from '../../../server/testing/accounts.ts';
import { approve, authorizationRequest, connectApp, exchangeCode, makeApp } from '../../../server/testing/apps.ts';
import { eventually } from '../../../server/testing/eventually.ts';
import { postForm } from '../../../server/testing/oauth.ts';

const platform = await startAccounts({
  environment: { RATE_LIMIT_PER_MINUTE: '100000', LOGIN_FAILURES_PER_MINUTE: '1000' },
});
const acme = await platform.tenant();
const other = await platform.tenant();
const asha = await platform.person({ tenant: acme });
const ravi = await platform.person({ tenant: acme, role: 'Agent', name: 'Ravi' });
await platform.join(asha, other);

function call(token: string, path: string, tenant = acme.id) {
  return platform.request({
    method: 'GET',
    url: path,
    headers: { authorization: `Bearer ${token}`, 'x-tenant': tenant },
  });
}

const begin = (query: Record<string, string | undefined>, accept = '*/*') =>
  platform.request({
    method: 'GET',
    url: `/oauth/authorize?${new URLSearchParams(JSON.parse(JSON.stringify(query)))}`,
    headers: { accept },
  });

test('an app gets a token for the tenant, user and scopes that were approved, and for nothing else', async () => {
  const app = await makeApp(asha);
  const { verifier, request } = authorizationRequest(app);
  const page = await begin(request);
  expect(page.status).toBe(302);
  expect(page.headers.location).toMatch(/^\/authorize\?client_id=/);
  const preview = await asha.post('/api/v1/app-requests/preview', request);
  expect(preview.body.request).toEqual({
    app: { id: app.id, name: 'Ledger sync', publisher: expect.any(String) },
    acts_as: 'user',
    scopes: [
      { name: 'settings.view', description: 'View settings', is_sensitive: false, is_held: true },
      { name: 'settings.domains', description: expect.any(String), is_sensitive: true, is_held: true },
    ],
    redirect_host: 'ledger.example.com',
    tenant: null,
  });
  const parameters = await approve(asha, request, ['settings.view']);
  expect(Object.fromEntries(parameters)).toEqual({
    code: expect.stringMatching(/^chowk_ac_/),
    state: 'xyz',
    iss: platform.kernel.config.appUrl,
  });
  const { status, body } = await exchangeCode(platform, app, { code: parameters.get('code') ?? '', verifier });
  expect({ status, body }).toMatchObject({ status: 200, body: { scope: 'settings.view', tenant: acme.id } });
  expect((await call(body.access_token, '/api/v1/settings')).status).toBe(200);
  expect((await call(body.access_token, '/api/v1/domains')).status).toBe(403);
  expect((await call(body.access_token, '/api/v1/settings', other.id)).body.code).toBe('auth.not_a_member');
  expect((await call(body.access_token, '/api/v1/profile')).body.code).toBe('auth.no_account');
});

test("an app's rights end with those of its user", async () => {
  const app = await makeApp(asha, { scopes: ['orders.view', 'settings.view'] });
  const { body } = await connectApp(platform, ravi, app, ['orders.view', 'settings.view']);
  expect((await call(body.access_token, '/api/v1/orders')).status).toBe(200);
  expect((await call(body.access_token, '/api/v1/settings')).status).toBe(403);
  await asha.delete(`/api/v1/team/${ravi.id}`);
  await eventually(async () => expect((await call(body.access_token, '/api/v1/orders')).status).toBe(401));
});

test.each([
  ['an unregistered redirect URI', { redirect_uri: 'https://evil.example.com/callback' }],
  ['a path below the redirect URI', { redirect_uri: 'https://ledger.example.com/callback/x' }],
  ['no redirect URI', { redirect_uri: undefined }],
  ['an unknown app', { client_id: 'nobody' }],
  ['no app', { client_id: undefined }],
])('a request with %s leads nowhere', async (_, changes) => {
  const app = await makeApp(asha);
  const { request } = authorizationRequest(app, changes);
  const answer = await begin(request);
  expect(answer.status).toBe(400);
  expect(answer.headers.location).toBeUndefined();
  const page = await begin(request, 'text/html');
  expect(page.headers.location).toMatch(/^\/authorize\?problem=identity\.(unknown_app|wrong_redirect_uri)$/);
  const { status, body } = await asha.post('/api/v1/app-requests/approve', {
    ...request,
    approved_scopes: ['settings.view'],
  });
  expect({ status, redirect: body.redirect_to }).toEqual({ status: 400, redirect: undefined });
  expect((await asha.post('/api/v1/app-requests/deny', request)).status).toBe(400);
});

test.each([
  ['no PKCE', { code_challenge: undefined, code_challenge_method: undefined }, 'invalid_request'],
  ['plain PKCE', { code_challenge_method: 'plain' }, 'invalid_request'],
  ['a default PKCE method', { code_challenge_method: undefined }, 'invalid_request'],
  ['an implicit response', { response_type: 'token' }, 'unsupported_response_type'],
  ['a scope that the app has not registered', { scope: 'team.remove' }, 'invalid_scope'],
  ['the resource of another server', { resource: 'https://evil.example.com/mcp' }, 'invalid_target'],
])('a request with %s returns to the app with an error', async (_, changes, error) => {
  const app = await makeApp(asha);
  const { request } = authorizationRequest(app, changes);
  const { status, headers } = await begin(request);
  expect(status).toBe(302);
  const target = new URL(headers.location as string);
  expect(`${target.origin}${target.pathname}`).toBe(app.redirectUri);
  expect(Object.fromEntries(target.searchParams)).toEqual({
    error,
    error_description: expect.any(String),
    state: 'xyz',
    iss: platform.kernel.config.appUrl,
  });
  const refused = await asha.post('/api/v1/app-requests/approve', { ...request, approved_scopes: ['settings.view'] });
  expect(refused.body.code).toBe(`identity.${error}`);
});

test('a denied request returns to the app with the error, state and issuer', async () => {
  const { request } = authorizationRequest(await makeApp(asha));
  const { body } = await asha.post('/api/v1/app-requests/deny', request);
  expect(Object.fromEntries(new URL(body.redirect_to).searchParams)).toMatchObject({
    error: 'access_denied',
    state: 'xyz',
    iss: platform.kernel.config.appUrl,
  });
});

test('a code that is used twice ends the session that it opened', async () => {
  const app = await makeApp(asha);
  const { verifier, request } = authorizationRequest(app);
  const code = (await approve(asha, request)).get('code') ?? '';
  const first = await exchangeCode(platform, app, { code, verifier });
  expect(first.status).toBe(200);
  const second = await exchangeCode(platform, app, { code, verifier });
  expect({ status: second.status, error: second.body.error }).toEqual({ status: 400, error: 'invalid_grant' });
  expect((await call(first.body.access_token, '/api/v1/settings')).status).toBe(401);
});

test('of concurrent exchanges of a code, at most one gets tokens', async () => {
  const app = await makeApp(asha);
  const { verifier, request } = authorizationRequest(app);
  const code = (await approve(asha, request)).get('code') ?? '';
  const answers = await Promise.all([1, 2, 3, 4].map(() => exchangeCode(platform, app, { code, verifier })));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
});

test.each([
  ['another verifier', { verifier: 'a'.repeat(43) }],
  ['the challenge as the verifier', { verifier: 'challenge' }],
  ['another redirect URI', { redirect_uri: 'https://ledger.example.com/other' }],
])('a code with %s is refused, and then cannot be used any more', async (_, changes) => {
  const app = await makeApp(asha, {
    redirect_uris: ['https://ledger.example.com/callback', 'https://ledger.example.com/other'],
  });
  const { verifier, request } = authorizationRequest(app);
  const code = (await approve(asha, request)).get('code') ?? '';
  const wrong =
    'verifier' in changes && changes.verifier === 'challenge' ? { verifier: request.code_challenge } : changes;
  const refused = await exchangeCode(platform, app, { code, verifier, ...(wrong as object) });
  expect(refused.body.error).toBe('invalid_grant');
  expect((await exchangeCode(platform, app, { code, verifier })).body.error).toBe('invalid_grant');
});

test('a code of one app is worthless to another, and stays valid for its own', async () => {
  const app = await makeApp(asha);
  const thief = await makeApp(asha, { name: 'Thief' });
  const { verifier, request } = authorizationRequest(app);
  const code = (await approve(asha, request)).get('code') ?? '';
  expect((await exchangeCode(platform, thief, { code, verifier })).body.error).toBe('invalid_grant');
  expect((await exchangeCode(platform, app, { code, verifier })).status).toBe(200);
});

test('a code expires after 60 seconds, and with the session in which it was approved', async () => {
  const app = await makeApp(asha);
  const { verifier, request } = authorizationRequest(app);
  const code = (await approve(asha, request)).get('code') ?? '';
  const { central } = platform.kernel;
  const left = await central.db.row<{ seconds: number }>(sql`
    SELECT extract(epoch FROM expires_at - created_at)::int AS seconds FROM authorization_codes ORDER BY created_at DESC LIMIT 1`);
  expect(left?.seconds).toBe(60);
  await central.db.run(sql`UPDATE authorization_codes SET expires_at = now() - interval '1 second'`);
  expect((await exchangeCode(platform, app, { code, verifier })).body.error_description).toMatch(/expired/);

  const mira = await platform.person({ tenant: acme });
  const next = authorizationRequest(app);
  const unused = (await approve(mira, next.request)).get('code') ?? '';
  await mira.post('/api/v1/auth/logout', { refresh_token: mira.refreshToken });
  const refused = await exchangeCode(platform, app, { code: unused, verifier: next.verifier });
  expect(refused.body.error_description).toMatch(/signed out/);
});

test('an app with a secret must send it', async () => {
  const app = await makeApp(asha, { has_secret: true });
  const { verifier, request } = authorizationRequest(app);
  const code = (await approve(asha, request)).get('code') ?? '';
  const refused = await exchangeCode(platform, { ...app, secret: undefined }, { code, verifier });
  expect(refused.body.error).toBe('invalid_client');
  expect((await exchangeCode(platform, app, { code, verifier })).status).toBe(200);
});

test('refresh tokens of apps rotate, and a reused one ends the session', async () => {
  const app = await makeApp(asha);
  const { body: first } = await connectApp(platform, asha, app);
  const refresh = (token: string) =>
    postForm(platform, '/oauth/token', { grant_type: 'refresh_token', client_id: app.id, refresh_token: token });
  const { body: second } = await refresh(first.refresh_token);
  expect(second).toMatchObject({ scope: 'settings.view', tenant: acme.id });
  expect((await refresh(second.refresh_token)).status).toBe(200);
  expect((await refresh(first.refresh_token)).body.error).toBe('invalid_grant');
  expect((await call(second.access_token, '/api/v1/settings')).status).toBe(401);
  const thief = await makeApp(asha);
  const { body: third } = await connectApp(platform, asha, app);
  const stolen = await postForm(platform, '/oauth/token', {
    grant_type: 'refresh_token',
    client_id: thief.id,
    refresh_token: third.refresh_token,
  });
  expect(stolen.body.error).toBe('invalid_grant');
});

test('a user ends the access of an app, and an owner that of any', async () => {
  const app = await makeApp(asha);
  const mira = await platform.person({ tenant: acme, role: 'Admin', name: 'Mira' });
  const agent = await platform.person({ tenant: acme, role: 'Agent' });
  const { body: ofMira } = await connectApp(platform, mira, app);
  const { body: ofAsha } = await connectApp(platform, asha, app);
  const own = await mira.get('/api/v1/profile/apps');
  expect(own.body.apps).toMatchObject([
    { app: { id: app.id }, scopes: ['settings.view'], approved_by: { name: 'Mira' } },
  ]);
  expect((await agent.get('/api/v1/app-grants')).status).toBe(403);
  expect((await agent.delete(`/api/v1/profile/apps/${own.body.apps[0].id}`)).status).toBe(404);
  expect((await mira.delete(`/api/v1/profile/apps/${own.body.apps[0].id}`)).status).toBe(200);
  expect((await call(ofMira.access_token, '/api/v1/settings')).status).toBe(401);
  expect((await call(ofAsha.access_token, '/api/v1/settings')).status).toBe(200);
  const all = await mira.get('/api/v1/app-grants?per_page=100');
  const grant = all.body.app_grants.find((one: { app: { id: string } }) => one.app.id === app.id);
  expect(grant.approved_by.id).toBe(asha.id);
  expect((await mira.delete(`/api/v1/app-grants/${grant.id}`)).status).toBe(200);
  expect((await call(ofAsha.access_token, '/api/v1/settings')).status).toBe(401);
});

test('a member without a role stays a member when the access of an app ends', async () => {
  const app = await makeApp(asha);
  const mira = await platform.person({ tenant: acme });
  await platform.kernel.central.db.run(sql`
    UPDATE memberships SET role_id = NULL, permissions = ARRAY['settings.view'] WHERE user_id = ${mira.id}`);
  const { body } = await connectApp(platform, mira, app);
  const own = await mira.get('/api/v1/profile/apps');
  expect((await mira.delete(`/api/v1/profile/apps/${own.body.apps[0].id}`)).status).toBe(200);
  expect((await call(body.access_token, '/api/v1/settings')).status).toBe(401);
  expect((await mira.get('/api/v1/settings')).status).toBe(200);
});

test('an app of the organization acts as a member of its own, at most with the rights of its approver', async () => {
  const app = await makeApp(asha, { acts_as: 'organization', has_secret: true });
  const agent = await platform.person({ tenant: acme, role: 'Agent' });
  const { request } = authorizationRequest(app);
  const refused = await agent.post('/api/v1/app-requests/approve', { ...request, approved_scopes: ['settings.view'] });
  expect(refused.body.code).toBe('auth.forbidden');
  const mira = await platform.person({ tenant: acme, role: 'Admin' });
  const { body } = await connectApp(platform, mira, app, ['settings.view']);
  expect((await call(body.access_token, '/api/v1/settings')).status).toBe(200);
  const clients = await asha.get('/api/v1/api-clients?per_page=100');
  expect(clients.body.api_clients.map(({ name }: { name: string }) => name)).not.toContain('Ledger sync');
  const { body: again } = await connectApp(platform, mira, app, ['settings.domains']);
  expect((await call(again.access_token, '/api/v1/domains')).status).toBe(200);
  await asha.delete(`/api/v1/team/${mira.id}?api_clients=take_over`);
  expect((await call(body.access_token, '/api/v1/settings')).status).toBe(200);
  const { body: list } = await asha.get('/api/v1/app-grants?per_page=100');
  const grant = list.app_grants.find((one: { app: { id: string } }) => one.app.id === app.id);
  expect(grant).toMatchObject({
    acts_as: 'organization',
    scopes: ['settings.domains', 'settings.view'],
    approved_by: { id: asha.id },
  });
  expect((await asha.delete(`/api/v1/app-grants/${grant.id}`)).status).toBe(200);
  expect((await call(body.access_token, '/api/v1/settings')).status).toBe(401);
  const left = await platform.kernel.central.db.row(sql`
    SELECT FROM memberships m JOIN users u ON u.id = m.user_id WHERE u.kind = 'service' AND u.name = 'Ledger sync'`);
  expect(left).toBeUndefined();
});

test('only a person who has signed in approves, and not for the organization of another address', async () => {
  const app = await makeApp(asha);
  const { body } = await connectApp(platform, asha, app);
  const { request } = authorizationRequest(app);
  const byApp = await platform.request({
    method: 'POST',
    url: '/api/v1/app-requests/approve',
    headers: { authorization: `Bearer ${body.access_token}`, 'x-tenant': acme.id },
    payload: { ...request, approved_scopes: ['settings.view'] },
  });
  expect(byApp.body.code).toBe('auth.no_account');
  const nowhere = await platform.request({
    method: 'POST',
    url: '/api/v1/app-requests/approve',
    headers: { authorization: `Bearer ${asha.accessToken}` },
    payload: { ...request, approved_scopes: ['settings.view'] },
  });
  expect(nowhere.body.code).toBe('identity.no_organization');
  await platform.kernel.central.db.run(sql`
    UPDATE sessions SET authenticated_at = now() - interval '1 hour', scopes = scopes WHERE user_id = ${asha.id} AND kind = 'login'`);
  const stale = await eventually(async () => {
    const answer = await asha.post('/api/v1/app-requests/approve', { ...request, approved_scopes: ['settings.view'] });
    expect(answer.status).toBe(422);
    return answer;
  });
  expect(stale.body.error_codes).toEqual({ password: ['required'] });
  const elsewhere = { ...request, resource: `https://${other.id}.${platform.kernel.config.baseDomain}/mcp` };
  const confirmed = { approved_scopes: ['settings.view'], password: asha.password };
  const wrong = await asha.post('/api/v1/app-requests/approve', { ...elsewhere, ...confirmed });
  expect(wrong.body.code).toBe('identity.other_organization');
});

test('deleting an app ends its access in all tenants', async () => {
  const owner = await platform.person({ tenant: other });
  const app = await makeApp(owner);
  const mira = await platform.person({ tenant: acme });
  const { body } = await connectApp(platform, mira, app);
  expect((await call(body.access_token, '/api/v1/settings')).status).toBe(200);
  expect((await mira.delete(`/api/v1/apps/${app.id}`)).status).toBe(404);
  expect((await owner.delete(`/api/v1/apps/${app.id}`)).status).toBe(200);
  await eventually(async () => expect((await call(body.access_token, '/api/v1/settings')).status).toBe(401));
});

test.each([
  'http://ledger.example.com/callback',
  'javascript:alert(1)',
  'data:text/html,x',
  'https://user:secret@ledger.example.com/',
  'https://ledger.example.com/#fragment',
  '/callback',
  'https://ledger.example.com/\r\nSet-Cookie: a=b',
])('the redirect URI %j cannot be registered', async (uri) => {
  const mira = await platform.person({ tenant: acme });
  const fields = { name: 'X', redirect_uris: [uri], scopes: ['orders.view'], acts_as: 'user', has_secret: false };
  const { status, body } = await mira.post('/api/v1/apps', fields);
  expect({ status, fields: Object.keys(body.errors ?? {}) }).toEqual({ status: 422, fields: ['redirect_uris.0'] });
  const registered = await platform.request({
    method: 'POST',
    url: '/oauth/register',
    payload: { redirect_uris: [uri] },
  });
  expect({ status: registered.status, error: registered.body.error }).toEqual({
    status: 400,
    error: 'invalid_redirect_uri',
  });
});

test('an app changes its redirect URIs, scopes and secret', async () => {
  const mira = await platform.person({ tenant: acme });
  const app = await makeApp(mira, { has_secret: true });
  const uri = 'http://127.0.0.1:9000/done';
  const saved = await mira.patch(`/api/v1/apps/${app.id}`, { redirect_uris: [uri], scopes: ['orders.view'] });
  expect(saved.body.app).toMatchObject({
    redirect_uris: [uri],
    scopes: ['orders.view'],
    name: 'Ledger sync',
    has_secret: true,
  });
  const { body } = await mira.post(`/api/v1/apps/${app.id}/secret`, {});
  const changed = { ...app, redirectUri: uri };
  const { verifier, request } = authorizationRequest(changed);
  const code = (await approve(mira, request, ['orders.view'])).get('code') ?? '';
  expect((await exchangeCode(platform, changed, { code, verifier })).body.error).toBe('invalid_client');
  expect((await exchangeCode(platform, { ...changed, secret: body.client_secret }, { code, verifier })).status).toBe(
    200,
  );
  expect((await mira.get('/api/v1/apps?sort_by=name')).body.apps.length).toBeGreaterThan(0);
});

test('a client that registers itself is unverified and is not a way to send people elsewhere', async () => {
  const metadata = {
    client_name: 'Notebook',
    redirect_uris: ['http://localhost:3334/oauth/callback'],
    scope: 'orders.view',
  };
  const { status, body } = await platform.request({ method: 'POST', url: '/oauth/register', payload: metadata });
  expect({ status, body }).toMatchObject({
    status: 201,
    body: { ...metadata, token_endpoint_auth_method: 'none', grant_types: ['authorization_code', 'refresh_token'] },
  });
  const app = { id: body.client_id, secret: undefined, redirectUri: 'http://localhost:3334/oauth/callback' };
  const mira = await platform.person({ tenant: acme });
  const { request } = authorizationRequest(app);
  expect((await mira.post('/api/v1/app-requests/preview', request)).body.request.app.publisher).toBeNull();
  const wrong = await begin({ ...request, response_type: 'token' });
  expect({ status: wrong.status, location: wrong.headers.location }).toEqual({ status: 400, location: undefined });
  expect((await connectApp(platform, mira, app, ['orders.view'])).status).toBe(200);
});

test('the page that asks cannot be framed', async () => {
  const { request } = authorizationRequest(await makeApp(await platform.person({ tenant: acme })));
  const page = await platform.request({
    method: 'GET',
    url: `/authorize?${new URLSearchParams(request as never)}`,
    headers: { accept: 'text/html' },
  });
  expect(page.headers['content-security-policy']).toContain("frame-ancestors 'none'");
  expect(page.headers['x-frame-options']).toBe('DENY');
});
