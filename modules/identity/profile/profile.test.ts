import { sql } from '@chowk/kit';
import { expect, test } from 'vitest';
import { startAccounts, testPassword } from '../../../server/testing/accounts.ts';
import type { TestTenant } from '../../../server/testing/platform.ts';
import { getAccounts } from '../accounts/accounts.ts';

const platform = await startAccounts();
const secondProcess = await startAccounts({ sharedWith: platform });
const acme = await platform.tenant();

const login = async (email: string, userAgent = 'test') =>
  (
    await platform.request({
      method: 'POST',
      url: '/api/v1/auth/login',
      payload: { email, password: testPassword },
      headers: { 'user-agent': userAgent },
    })
  ).body;
const as = (token: string, method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE', url: string, through = platform) =>
  through.request({ method, url, headers: { authorization: `Bearer ${token}`, 'x-tenant': acme.id } });

test('the profile contains the account of the caller', async () => {
  const asha = await platform.person({ tenant: acme });
  const { status, body } = await asha.get('/api/v1/profile');
  expect(status).toBe(200);
  expect(body.profile).toMatchObject({
    id: asha.id,
    name: asha.name,
    email: asha.email,
    email_verified: true,
    two_factor_enabled: false,
    locale: null,
    timezone: null,
    has_password: true,
  });
});

test('only name, language and time zone can be changed', async () => {
  const asha = await platform.person();
  const changes = { name: ' Asha Iyer ', locale: 'hi-IN', timezone: 'Asia/Kolkata', email: 'x@example.com', id: 1 };
  const { status, body } = await asha.patch('/api/v1/profile', changes);
  expect({ status, profile: body.profile }).toMatchObject({
    status: 200,
    profile: { id: asha.id, name: 'Asha Iyer', email: asha.email, locale: 'hi-IN', timezone: 'Asia/Kolkata' },
  });
  expect((await asha.get('/api/v1/auth/me')).body.name).toBe('Asha Iyer');
  expect((await asha.patch('/api/v1/profile', { locale: null })).body.profile).toMatchObject({
    name: 'Asha Iyer',
    locale: null,
    timezone: 'Asia/Kolkata',
  });
});

test.each([
  [{ name: '' }, 'name'],
  [{ name: '   ' }, 'name'],
  [{ name: 'a\nb' }, 'name'],
  [{ name: 'x'.repeat(256) }, 'name'],
  [{ name: null }, 'name'],
  [{ locale: 'Klingon' }, 'locale'],
  [{ timezone: 'Mars/Base' }, 'timezone'],
])('the change %j is refused', async (changes, field) => {
  const asha = await platform.person();
  const { status, body } = await asha.patch('/api/v1/profile', changes);
  expect({ status, fields: Object.keys(body.errors) }).toEqual({ status: 422, fields: [field] });
  expect((await asha.get('/api/v1/profile')).body.profile).toMatchObject({ name: asha.name, locale: null });
});

test('a change based on an outdated version of the profile is refused', async () => {
  const asha = await platform.person();
  const { headers } = await asha.get('/api/v1/profile');
  const etag = headers.etag as string;
  expect((await asha.get('/api/v1/profile', { 'if-none-match': etag })).status).toBe(304);
  const changed = await asha.patch('/api/v1/profile', { locale: 'en' }, { 'if-match': etag });
  expect(changed.status).toBe(200);
  const late = await asha.patch('/api/v1/profile', { locale: 'hi' }, { 'if-match': etag });
  expect({ status: late.status, code: late.body.code }).toEqual({ status: 412, code: 'http.precondition_failed' });
  expect((await asha.get('/api/v1/profile')).body.profile).toEqual(changed.body.profile);
  const again = await asha.patch('/api/v1/profile', { locale: 'hi' }, { 'if-match': changed.headers.etag as string });
  expect(again.body.profile.locale).toBe('hi');
});

/** The audit log of a tenant, the oldest first. */
async function auditEntries({ db }: TestTenant) {
  await platform.kernel.audit.flush();
  return db.rows<{ action: string; user_id: number | null; input: unknown; changes: unknown }>(
    sql`SELECT action, user_id, input, changes FROM module_bus_audit_log ORDER BY at, id`,
  );
}

test('a profile change is in the audit log of the tenant, with the changed fields', async () => {
  const tenant = await platform.tenant();
  const asha = await platform.person({ tenant });
  await asha.patch('/api/v1/profile', { name: asha.name, locale: 'en' });
  expect(await auditEntries(tenant)).toEqual([
    {
      action: 'profile.update',
      user_id: asha.id,
      input: { name: asha.name, locale: 'en' },
      changes: { locale: [null, 'en'] },
    },
  ]);
});

test('the audit log contains account changes without secrets and no sign-ins', async () => {
  const tenant = await platform.tenant();
  const asha = await platform.person({ tenant });
  const inTenant = { 'x-tenant': tenant.id };
  const anonymously = (url: string, payload: object) =>
    platform.request({ method: 'POST', url, payload, headers: inTenant });
  const credentials = { email: asha.email, password: testPassword };
  const { body: first } = await anonymously('/api/v1/auth/login', credentials);
  const { body: second } = await anonymously('/api/v1/auth/refresh', { refresh_token: first.refresh_token });
  await anonymously('/api/v1/auth/logout', { refresh_token: second.refresh_token });
  const { body: created } = await asha.post('/api/v1/profile/tokens', { name: 'script' });
  const { body: begun } = await asha.post('/api/v1/profile/two-factor', { password: testPassword });
  const password = 'a better password';
  const change = { current_password: testPassword, password, password_confirmation: password };
  expect((await asha.put('/api/v1/profile/password', change)).status).toBe(200);
  const email = `new-${asha.email}`;
  expect((await asha.put('/api/v1/profile/email', { email, password })).status).toBe(200);
  const lines = await auditEntries(tenant);
  expect(lines.map(({ action }) => action)).toEqual([
    'profile.createToken',
    'twoFactor.begin',
    'password.change',
    'email.change',
  ]);
  const text = JSON.stringify(lines);
  const tokens = [first.access_token, first.refresh_token, second.refresh_token, created.access_token, begun.secret];
  for (const secret of [testPassword, password, email, ...tokens]) expect(text).not.toContain(secret);
});

test('an unknown query parameter is refused', async () => {
  const asha = await platform.person();
  const { status, body } = await asha.get('/api/v1/profile/sessions?colour=red');
  expect({ status, codes: body.error_codes }).toEqual({ status: 422, codes: { colour: ['unknown'] } });
});

test('a user can list and end sessions', async () => {
  const asha = await platform.person({ tenant: acme });
  const phone = await login(asha.email, 'Phone');
  const { body } = await asha.get('/api/v1/profile/sessions');
  expect(body.sessions).toHaveLength(2);
  expect(body.sessions.filter(({ current }: { current: boolean }) => current)).toHaveLength(1);
  const other = body.sessions.find(({ user_agent }: { user_agent: string }) => user_agent === 'Phone');
  expect(other).toMatchObject({ kind: 'login', name: 'Console', ip: '127.0.0.1', current: false });
  expect((await as(phone.access_token, 'GET', '/api/v1/auth/me', secondProcess)).status).toBe(200);
  expect((await asha.delete(`/api/v1/profile/sessions/${other.id}`)).status).toBe(200);
  const status = async () => (await as(phone.access_token, 'GET', '/api/v1/auth/me', secondProcess)).status;
  await expect.poll(status).toBe(401);
  expect((await asha.delete(`/api/v1/profile/sessions/${other.id}`)).status).toBe(404);
  expect((await asha.get('/api/v1/auth/me')).status).toBe(200);
});

test('ending all other sessions keeps personal access tokens', async () => {
  const asha = await platform.person({ tenant: acme });
  const others = [await login(asha.email), await login(asha.email)];
  const { access_token: personal } = (await asha.post('/api/v1/profile/tokens', { name: 'script' })).body;
  const { status, body } = await asha.delete('/api/v1/profile/sessions');
  expect({ status, count: body.count }).toEqual({ status: 200, count: 2 });
  for (const { access_token } of others) {
    expect((await as(access_token, 'GET', '/api/v1/auth/me')).status).toBe(401);
  }
  expect((await asha.get('/api/v1/auth/me')).status).toBe(200);
  expect((await as(personal, 'GET', '/api/v1/auth/me')).status).toBe(200);
});

test('a session of another user is not found', async () => {
  const [asha, ravi] = [await platform.person(), await platform.person()];
  const { body } = await ravi.get('/api/v1/profile/sessions');
  expect((await asha.delete(`/api/v1/profile/sessions/${body.sessions[0].id}`)).status).toBe(404);
  expect((await asha.delete('/api/v1/profile/sessions/nonsense')).status).toBe(422);
  expect((await ravi.get('/api/v1/auth/me')).status).toBe(200);
});

test('a personal access token is shown once, stored as a hash and valid until it is revoked', async () => {
  const asha = await platform.person({ tenant: acme });
  const created = await asha.post('/api/v1/profile/tokens', { name: 'Nightly export' });
  expect(created.status).toBe(201);
  const { token, access_token } = created.body;
  expect(access_token).toMatch(/^chowk_pat_[\w-]{43}$/);
  expect(token).toMatchObject({ name: 'Nightly export', scopes: ['*'], expires_at: null, last_used_at: null });
  const list = await asha.get('/api/v1/profile/tokens');
  expect(list.body.tokens).toMatchObject([{ id: token.id }]);
  expect(JSON.stringify(list.body)).not.toContain(access_token);
  const { db } = platform.kernel.central;
  const dump = JSON.stringify(await db.rows(sql`SELECT * FROM sessions WHERE user_id = ${asha.id}`));
  expect(dump).not.toContain(access_token);
  expect((await as(access_token, 'GET', '/api/v1/products', secondProcess)).status).toBe(200);
  expect((await asha.get('/api/v1/profile/tokens')).body.tokens[0].last_used_at).toBeTypeOf('string');
  expect((await asha.delete(`/api/v1/profile/tokens/${token.id}`)).status).toBe(200);
  expect((await as(access_token, 'GET', '/api/v1/products')).status).toBe(401);
  await expect.poll(async () => (await as(access_token, 'GET', '/api/v1/products', secondProcess)).status).toBe(401);
  expect((await asha.delete(`/api/v1/profile/tokens/${token.id}`)).status).toBe(404);
});

test('a scoped token is limited to its scopes and the permissions of its user', async () => {
  const asha = await platform.person({ tenant: acme, role: 'Viewer' });
  const scopes = ['products.view', 'products.create'];
  const { access_token } = (await asha.post('/api/v1/profile/tokens', { name: 'x', scopes })).body;
  expect((await as(access_token, 'GET', '/api/v1/products')).status).toBe(200);
  expect((await as(access_token, 'POST', '/api/v1/products')).status).toBe(403);
  expect((await as(access_token, 'GET', '/api/v1/settings')).status).toBe(403);
  expect((await as(access_token, 'GET', '/api/v1/auth/me')).body.permissions).toEqual(['products.view']);
});

test('a token with an expiry expires', async () => {
  const asha = await platform.person({ tenant: acme });
  const expires_at = new Date(Date.now() + 1_500).toISOString();
  const { access_token } = (await asha.post('/api/v1/profile/tokens', { name: 'x', expires_at })).body;
  expect((await as(access_token, 'GET', '/api/v1/products')).status).toBe(200);
  await expect.poll(async () => (await as(access_token, 'GET', '/api/v1/products')).status).toBe(401);
});

test.each([
  [{}, 'name'],
  [{ name: '' }, 'name'],
  [{ name: 'x', scopes: [] }, 'scopes'],
  [{ name: 'x', scopes: 'products.view' }, 'scopes'],
  [{ name: 'x', scopes: ['products.view', 'products.eat'] }, 'scopes.1'],
  [{ name: 'x', expires_at: 'tomorrow' }, 'expires_at'],
  [{ name: 'x', expires_at: '2001-01-01T00:00:00Z' }, 'expires_at'],
])('the token %j is refused', async (token, field) => {
  const asha = await platform.person();
  const { status, body } = await asha.post('/api/v1/profile/tokens', token);
  expect({ status, fields: Object.keys(body.errors) }).toEqual({ status: 422, fields: [field] });
});

test('all errors of a new token are reported in one response', async () => {
  const asha = await platform.person();
  const { status, body } = await asha.post('/api/v1/profile/tokens', {
    name: ' ',
    scopes: ['products.view', 'products.eat', 'nonsense'],
    expires_at: '2001-01-01T00:00:00Z',
  });
  expect({ status, codes: body.error_codes }).toEqual({
    status: 422,
    codes: { name: ['too_short'], expires_at: ['invalid'], 'scopes.1': ['not_allowed'], 'scopes.2': ['not_allowed'] },
  });
  expect(body.errors['scopes.1']).toEqual(['There is no permission products.eat.']);
});

test('a token of a program cannot read or change the account', async () => {
  const asha = await platform.person({ tenant: acme });
  const { token, access_token } = (await asha.post('/api/v1/profile/tokens', { name: 'x' })).body;
  const id = token.id;
  const tries = [
    ['PATCH', '/api/v1/profile'],
    ['GET', '/api/v1/profile/tokens'],
    ['POST', '/api/v1/profile/tokens'],
    ['DELETE', `/api/v1/profile/tokens/${id}`],
    ['GET', '/api/v1/profile/sessions'],
    ['DELETE', '/api/v1/profile/sessions'],
    ['DELETE', `/api/v1/profile/sessions/${id}`],
    ['POST', '/api/v1/profile/two-factor'],
    ['DELETE', '/api/v1/profile/two-factor'],
  ] as const;
  for (const [method, url] of tries) {
    const payload = url.endsWith('/tokens') && method === 'POST' ? { name: 'y' } : {};
    const headers = { authorization: `Bearer ${access_token}` };
    const { status, body } = await platform.request({ method, url, headers, payload });
    expect({ url, status, code: body.code }).toEqual({ url, status: 403, code: 'identity.session_only' });
  }
  expect((await as(access_token, 'GET', '/api/v1/profile')).status).toBe(200);
});

test('only a session in which the user has signed in creates tokens, not a device or a program', async () => {
  const asha = await platform.person({ tenant: acme });
  const { sessions } = getAccounts(platform.kernel.services);
  const client = { address: '127.0.0.1', network: '127.0.0.1', userAgent: 'test' };
  const device = { userId: asha.id, kind: 'device', client } as const;
  const limited = await sessions.open({ ...device, scopes: ['products.view'] });
  const make = (token: string) =>
    platform.request({
      method: 'POST',
      url: '/api/v1/profile/tokens',
      headers: { authorization: `Bearer ${token}` },
      payload: { name: 'more than I have' },
    });
  expect(await make(limited.access_token)).toMatchObject({ status: 403, body: { code: 'identity.session_only' } });
  const all = await sessions.open(device);
  expect(await make(all.access_token)).toMatchObject({ status: 403, body: { code: 'identity.session_only' } });
});

test('a device session does not count as a recent sign-in', async () => {
  const asha = await platform.person({ tenant: acme });
  const client = { address: '127.0.0.1', network: '127.0.0.1', userAgent: 'test' };
  const { access_token } = await getAccounts(platform.kernel.services).sessions.open({
    userId: asha.id,
    kind: 'device',
    client,
  });
  const begin = (payload: object) =>
    platform.request({
      method: 'POST',
      url: '/api/v1/profile/two-factor',
      headers: { authorization: `Bearer ${access_token}` },
      payload,
    });
  expect(await begin({})).toMatchObject({ status: 422, body: { errors: { password: expect.anything() } } });
  expect((await begin({ password: testPassword })).status).toBe(200);
});

test('a response with a token is stored encrypted under its idempotency key and repeated', async () => {
  const asha = await platform.person();
  const headers = { 'idempotency-key': `token-${asha.id}` };
  const create = (name: string) => asha.post('/api/v1/profile/tokens', { name }, headers);
  const first = await create('script');
  expect((await create('script')).body).toEqual(first.body);
  expect(await create('another')).toMatchObject({ status: 422, body: { code: 'http.idempotency_mismatch' } });
  const row = await platform.kernel.central.db.row<{ response: string }>(
    sql`SELECT response FROM idempotency_keys WHERE key = ${headers['idempotency-key']}`,
  );
  expect(row?.response).toMatch(/^v1\./);
  expect(row?.response).not.toContain(first.body.access_token);
});

test('a stored response is not repeated for another token', async () => {
  const asha = await platform.person({ tenant: acme });
  const scopes = ['products.view'];
  const { access_token: limited } = (await asha.post('/api/v1/profile/tokens', { name: 'limited', scopes })).body;
  const headers = { 'idempotency-key': `token-${asha.id}` };
  const created = await asha.post('/api/v1/profile/tokens', { name: 'all' }, headers);
  expect(created.status).toBe(201);
  const repeated = await platform.request({
    method: 'POST',
    url: '/api/v1/profile/tokens',
    headers: { ...headers, authorization: `Bearer ${limited}`, 'x-tenant': acme.id },
    payload: { name: 'all' },
  });
  expect(repeated.status).toBe(422);
  expect(JSON.stringify(repeated.body)).not.toContain(created.body.access_token);
});

test.each(['1990-12-31T23:59:60Z', '2999-01-01T00:00:00+23:59'])('the expiry %s is refused', async (expires_at) => {
  const asha = await platform.person();
  expect((await asha.post('/api/v1/profile/tokens', { name: 'x', expires_at })).status).toBe(422);
});

test('the activity of the account has what its user did to it, in every tenant, and nothing else', async () => {
  const asha = await platform.person({ tenant: acme });
  const ravi = await platform.person({ tenant: acme });
  await asha.patch('/api/v1/profile', { name: 'Asha Iyer' });
  const headers = { authorization: `Bearer ${asha.accessToken}` };
  await platform.request({ method: 'PATCH', url: '/api/v1/profile', headers, payload: { name: 'Asha Rao' } });
  await asha.delete('/api/v1/profile/sessions');
  await ravi.patch('/api/v1/profile', { name: 'Ravi Rao' });
  await asha.patch(`/api/v1/team/${ravi.id}`, { role: 'Agent' });
  const { status, body } = await asha.get('/api/v1/profile/activity');
  expect({ status, total: body.pagination.total }).toEqual({ status: 200, total: 3 });
  const updated = { action: 'profile_updated', details: { fields: ['name'] }, ip: '127.0.0.1' };
  expect(body.activity).toMatchObject([{ action: 'other_sessions_revoked' }, updated, updated]);
  await login(asha.email);
  const since = await platform.request({ url: '/api/v1/profile/activity?updated_from=2020-01-31', headers });
  expect({ status: since.status, latest: since.body.activity[0].action }).toEqual({ status: 200, latest: 'signed_in' });
});
