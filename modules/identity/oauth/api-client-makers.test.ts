import { sql } from '@chowk/kit';
import { afterEach, expect, test } from 'vitest';
import { type Person, startAccounts, testPassword } from '../../../server/testing/accounts.ts';
import { makeClient, type TestClient } from '../../../server/testing/oauth.ts';
import type { TestTenant } from '../../../server/testing/platform.ts';
import { getAccounts } from '../accounts/accounts.ts';
import { addMember } from '../accounts/users.ts';

/* An API client never has more rights than the user who made it. */

let hoursAhead = 0;
const platform = await startAccounts({ now: () => new Date(Date.now() + hoursAhead * 3_600_000) });
const secondProcess = await startAccounts({ sharedWith: platform });
const { central } = platform.kernel;
const { sessions } = getAccounts(platform.kernel.services);
const acme = await platform.tenant();
const owner = await platform.person({ tenant: acme });
const url = '/api/v1/api-clients';
const client = { address: '127.0.0.1', network: '127.0.0.1', userAgent: 'test' };

afterEach(() => {
  hoursAhead = 0;
});

const newAdmin = () => platform.person({ tenant: acme, role: 'Admin' });
const assign = (person: Person, role: string) => addMember(central.db, { userId: person.id, tenantId: acme.id, role });

async function requestToken(client: TestClient): Promise<string> {
  return (await client.token(platform)).body.access_token;
}

async function send(
  token: string,
  { on = platform, method = 'GET', path = '/api/v1/settings', payload = {}, tenant = acme as TestTenant } = {},
) {
  const headers = { authorization: `Bearer ${token}`, 'x-tenant': tenant.id };
  const body = method === 'GET' ? {} : { payload };
  return on.request({ method: method as 'GET', url: path, headers, ...body });
}

const status = async (token: string, options = {}) => (await send(token, options)).status;

/** Expects a status in every process. */
async function expectStatus(token: string, expected: number): Promise<void> {
  for (const on of [platform, secondProcess]) await expect.poll(() => status(token, { on })).toBe(expected);
}

test('an API client loses the rights that its maker loses, and regains them', async () => {
  const admin = await newAdmin();
  const token = await requestToken(await makeClient(admin, ['settings.view', 'products.view']));
  await expectStatus(token, 200);
  await assign(admin, 'Agent');
  await expectStatus(token, 403);
  expect(await status(token, { path: '/api/v1/products' })).toBe(200);
  await assign(admin, 'Admin');
  await expectStatus(token, 200);
});

test('an API client of a disabled user has no rights', async () => {
  const admin = await newAdmin();
  const token = await requestToken(await makeClient(admin, ['settings.view']));
  await expectStatus(token, 200);
  await central.db.run(sql`UPDATE users SET disabled_at = now() WHERE id = ${admin.id}`);
  await expectStatus(token, 403);
});

test('an API client of a deleted user has no rights', async () => {
  const admin = await newAdmin();
  const token = await requestToken(await makeClient(admin, ['settings.view']));
  await central.db.run(sql`DELETE FROM users WHERE id = ${admin.id}`);
  await expectStatus(token, 403);
});

test('what unverified users may not do, their API clients may not do either', async () => {
  const tenant = await platform.tenant();
  const first = await platform.person({ tenant });
  await first.patch('/api/v1/settings', { 'security.unverified_users': 'none' });
  const admin = await platform.person({ tenant, role: 'Admin' });
  const token = await requestToken(await makeClient(admin, ['settings.view']));
  expect(await status(token, { tenant })).toBe(200);
  await central.db.run(sql`UPDATE users SET email_verified_at = NULL WHERE id = ${admin.id}`);
  await expect.poll(() => status(token, { tenant })).toBe(403);
});

test('an invitation by an API client is void when its maker may no longer invite', async () => {
  const admin = await newAdmin();
  const token = await requestToken(await makeClient(admin, ['team.invite', 'team.roles.view', 'products.view']));
  await owner.post('/api/v1/roles', { name: 'Shelf', permissions: ['products.view'] });
  const payload = { email: `invited-${admin.email}`, role: 'Shelf' };
  expect(await status(token, { method: 'POST', path: '/api/v1/invitations', payload })).toBe(201);
  const { text } = await platform.mailTo(payload.email, /invited/);
  const readStatus = async () =>
    (await platform.request({ url: `/api/v1/invitations/${/invitations\/([\w-]+)/.exec(text)?.[1]}` })).status;
  expect(await readStatus()).toBe(200);
  await assign(admin, 'Agent');
  expect(await readStatus()).toBe(404);
});

test('API clients end with the membership of their maker', async () => {
  const [admin, other] = [await newAdmin(), await newAdmin()];
  const made = await makeClient(admin, ['settings.view']);
  const others = await makeClient(other, ['settings.view']);
  const token = await requestToken(made);
  expect((await owner.delete(`/api/v1/team/${admin.id}`)).status).toBe(200);
  await expectStatus(token, 401);
  expect((await made.token(platform)).body.error).toBe('invalid_client');
  expect((await owner.get(`${url}/${made.id}`)).status).toBe(404);
  expect((await others.token(platform)).status).toBe(200);
});

test('who removes a member can take over their API clients, whose secrets then expire after 24 hours', async () => {
  const admin = await newAdmin();
  const made = await makeClient(admin, ['settings.view']);
  const token = await requestToken(made);
  expect((await owner.delete(`/api/v1/team/${admin.id}?api_clients=take_over`)).status).toBe(200);
  const { body } = await owner.get(`${url}/${made.id}`);
  expect(body.api_client.created_by).toEqual({ id: owner.id, name: owner.name });
  const hours = (Date.parse(body.api_client.secret_expires_at) - Date.now()) / 3_600_000;
  expect(hours).toBeGreaterThan(23.9);
  expect(hours).toBeLessThanOrEqual(24);
  await expectStatus(token, 200);
  hoursAhead = 23.9;
  expect((await made.token(platform)).status).toBe(200);
  hoursAhead = 24.1;
  expect((await made.token(platform)).body.error).toBe('invalid_client');
  hoursAhead = 0;
  const { body: renewed } = await owner.post(`${url}/${made.id}/secret`);
  expect(renewed.api_client.secret_expires_at).toBeNull();
  hoursAhead = 24.1;
  const payload = { grant_type: 'client_credentials', client_id: made.id, client_secret: renewed.client_secret };
  expect((await platform.request({ method: 'POST', url: '/oauth/token', payload })).status).toBe(200);
});

test('an API client that was taken over has no more rights than the new maker', async () => {
  const remover = await newAdmin();
  const made = await makeClient(await newAdmin(), ['settings.view']);
  const { created_by } = (await owner.get(`${url}/${made.id}`)).body.api_client;
  expect((await remover.delete(`/api/v1/team/${created_by.id}?api_clients=take_over`)).status).toBe(200);
  const token = await requestToken(made);
  await expectStatus(token, 200);
  await assign(remover, 'Agent');
  await expectStatus(token, 403);
});

test('taking over needs the permission to manage API clients, a person, and another member', async () => {
  const admin = await newAdmin();
  const made = await makeClient(admin, ['settings.view']);
  const permissions = ['team.remove', ...(await owner.get('/api/v1/auth/me')).body.permissions].filter(
    (name) => name !== 'settings.api_clients',
  );
  const member = await newAdmin();
  await owner.post('/api/v1/roles', { name: 'Almost', permissions: [...new Set(permissions)] });
  await owner.patch(`/api/v1/team/${member.id}`, { role: 'Almost' });
  const removal = `/api/v1/team/${admin.id}?api_clients=take_over`;
  await expect.poll(async () => (await member.delete(removal)).body.code).toBe('auth.forbidden');
  const program = await makeClient(owner, (await owner.get('/api/v1/auth/me')).body.permissions);
  const byProgram = await send(await requestToken(program), { method: 'DELETE', path: removal });
  expect({ status: byProgram.status, code: byProgram.body.code }).toEqual({
    status: 403,
    code: 'identity.session_only',
  });
  const own = await admin.delete(removal);
  expect({ status: own.status, fields: Object.keys(own.body.errors) }).toEqual({
    status: 422,
    fields: ['api_clients'],
  });
  expect((await made.token(platform)).status).toBe(200);
});

const attempts = (id: string) => [
  { method: 'POST', path: url, payload: { name: 'x', scopes: ['settings.view'] } },
  { method: 'POST', path: `${url}/${id}/secret` },
  { method: 'PATCH', path: `${url}/${id}`, payload: { scopes: ['settings.view', 'settings.edit'] } },
  { method: 'DELETE', path: `${url}/${id}` },
];

test('programs cannot create, change or delete API clients', async () => {
  const { id } = await makeClient(owner, ['settings.view']);
  const program = await makeClient(owner, ['settings.api_clients', 'settings.view', 'settings.edit']);
  const { token } = await sessions.issuePersonal({ userId: owner.id, kind: 'personal', client });
  for (const bearer of [await requestToken(program), token]) {
    for (const attempt of attempts(id)) {
      const { status, body } = await send(bearer, attempt);
      expect({ ...attempt, status, code: body.code }).toEqual({
        ...attempt,
        status: 403,
        code: 'identity.session_only',
      });
    }
  }
});

test('a device cannot create API clients, replace their secrets or widen their scopes', async () => {
  const { id } = await makeClient(owner, ['settings.view']);
  const { access_token } = await sessions.open({ userId: owner.id, kind: 'device', client });
  for (const attempt of attempts(id).slice(0, 3)) {
    const payload = { ...attempt.payload, password: testPassword };
    expect((await send(access_token, { ...attempt, payload })).body.code).toBe('identity.session_only');
  }
  const renaming = { method: 'PATCH', path: `${url}/${id}`, payload: { name: 'Renamed' } };
  expect(await status(access_token, renaming)).toBe(200);
});

test('15 minutes after the sign-in, the password is required for API clients', async () => {
  const admin = await newAdmin();
  const made = await makeClient(admin, ['settings.view']);
  await central.db.run(sql`
    UPDATE sessions SET authenticated_at = now() - interval '16 minutes' WHERE user_id = ${admin.id}`);
  sessions.invalidateUser(admin.id);
  for (const { method, path, payload } of attempts(made.id).slice(0, 3)) {
    const ask = (more: object) =>
      admin.request({ method: method as 'POST', url: path, payload: { ...payload, ...more } });
    expect((await ask({})).body.error_codes).toEqual({ password: ['required'] });
    expect((await ask({ password: 'wrong' })).body.error_codes).toEqual({ password: ['invalid'] });
    expect((await ask({ password: testPassword })).status).toBeLessThan(300);
  }
});
