import { sql } from '@chowk/kit';
import { decodeJwt, decodeProtectedHeader } from 'jose';
import { expect, test } from 'vitest';
import { startAccounts, testPassword } from '../../../server/testing/accounts.ts';
import { getAccounts } from '../accounts/accounts.ts';

let clock = Date.now();
const platform = await startAccounts({ now: () => new Date(clock) });
const secondProcess = await startAccounts({ sharedWith: platform, now: () => new Date(clock) });
const acme = await platform.tenant({ name: 'Acme' });
const { request } = platform;

const post = (url: string, payload: object, headers: Record<string, string> = {}) =>
  request({ method: 'POST', url, payload, headers });
const login = (payload: object, headers = {}) => post('/api/v1/auth/login', payload, headers);
const requestMe = (token: string, through = request) =>
  through({ method: 'GET', url: '/api/v1/auth/me', headers: { authorization: `Bearer ${token}` } });

test('a sign-in returns tokens and the user', async () => {
  const asha = await platform.person({ tenant: acme });
  const { status, body, headers } = await login({ email: ` ${asha.email.toUpperCase()} `, password: testPassword });
  expect(status).toBe(200);
  expect(body).toMatchObject({
    token_type: 'Bearer',
    expires_in: 900,
    user: { id: asha.id, name: asha.name, email: asha.email, email_verified: true, two_factor_enabled: false },
  });
  expect(headers['cache-control']).toBe('no-store');
  expect((await requestMe(body.access_token)).body.id).toBe(asha.id);
});

test('a sign-in during a change of the password opens no session with the old one', async () => {
  const asha = await platform.person();
  const { db } = platform.kernel.central;
  const isWaiting = () =>
    db.row<{ waits: boolean }>(sql`
      SELECT EXISTS (SELECT FROM pg_stat_activity
        WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%FOR SHARE%') AS waits`);
  const signingIn = await db.tx(async (tx) => {
    await tx.run(sql`UPDATE users SET password_hash = 'x' WHERE id = ${asha.id}`);
    const answer = login({ email: asha.email, password: testPassword });
    await expect.poll(async () => (await isWaiting())?.waits, { timeout: 15_000 }).toBe(true);
    return { answer };
  });
  expect(await signingIn.answer).toMatchObject({ status: 422, body: { errors: { email: expect.anything() } } });
});

test('an access token is a JWT as in RFC 9068', async () => {
  const asha = await platform.person();
  const { body } = await login({ email: asha.email, password: testPassword });
  const [key] = await getAccounts(platform.kernel.services).keys.list();
  expect(decodeProtectedHeader(body.access_token)).toEqual({ alg: 'RS256', typ: 'at+jwt', kid: key?.kid });
  const { iss, aud, sub, iat = 0, exp = 0, jti, client_id } = decodeJwt(body.access_token);
  expect({ iss, aud, sub, client_id, life: exp - iat }).toEqual({
    iss: platform.kernel.config.appUrl,
    aud: platform.kernel.config.appUrl,
    sub: String(asha.id),
    client_id: 'chowk-console',
    life: 900,
  });
  expect(jti).toMatch(/^[\da-f-]{36}$/);
});

test('unknown users, wrong passwords, accounts without a password and disabled accounts get the same error', async () => {
  const asha = await platform.person();
  const [bare, disabled] = [await platform.person(), await platform.person()];
  const { db } = platform.kernel.central;
  await db.run(sql`UPDATE users SET password_hash = NULL WHERE id = ${bare.id}`);
  await db.run(sql`UPDATE users SET disabled_at = now() WHERE id = ${disabled.id}`);
  const answers = await Promise.all([
    login({ email: asha.email, password: 'wrong password' }),
    login({ email: 'nobody@example.com', password: testPassword }),
    login({ email: bare.email, password: testPassword }),
    login({ email: disabled.email, password: testPassword }),
    login({ email: 'not an address', password: testPassword }),
  ]);
  for (const { status, body } of answers) {
    expect({ status, body }).toEqual({ status: 422, body: answers[0]?.body });
    expect(body.errors).toEqual({ email: ['These credentials do not match our records.'] });
  }
});

test.each([
  ['nothing', {}, ['email', 'password']],
  ['no password', { email: 'a@example.com' }, ['password']],
  ['numbers', { email: 5, password: 5 }, ['email', 'password']],
  ['an endless password', { email: 'a@example.com', password: 'x'.repeat(1001) }, ['password']],
  ['a code that is no text', { email: 'a@example.com', password: 'x', otp: 123456 }, ['otp']],
])('a sign-in with %s is refused with an error for each field', async (_, body, fields) => {
  const answer = await login(body);
  expect({ status: answer.status, fields: Object.keys(answer.body.errors) }).toEqual({ status: 422, fields });
});

test('a password is compared completely, with any characters', async () => {
  const asha = await platform.person();
  const { passwords } = getAccounts(platform.kernel.services);
  const long = 'पासवर्ड'.repeat(3);
  await platform.kernel.central.db.run(
    sql`UPDATE users SET password_hash = ${await passwords.hash(long)} WHERE id = ${asha.id}`,
  );
  expect((await login({ email: asha.email, password: long })).status).toBe(200);
  expect((await login({ email: asha.email, password: long.slice(0, -1) })).status).toBe(422);
});

test('an access token expires after fifteen minutes, and a refresh returns the next one', async () => {
  const asha = await platform.person();
  const { body: first } = await login({ email: asha.email, password: testPassword });
  const start = clock;
  try {
    clock = start + 899_000;
    expect((await requestMe(first.access_token)).status).toBe(200);
    clock = start + 901_000;
    expect((await requestMe(first.access_token)).status).toBe(401);
    const { status, body: second } = await post('/api/v1/auth/refresh', { refresh_token: first.refresh_token });
    expect({ status, expires_in: second.expires_in }).toEqual({ status: 200, expires_in: 900 });
    expect(second.refresh_token).not.toBe(first.refresh_token);
    expect((await requestMe(second.access_token)).status).toBe(200);
  } finally {
    clock = start;
  }
});

const refresh = (refresh_token: string, userAgent = 'console') =>
  post('/api/v1/auth/refresh', { refresh_token }, { 'user-agent': userAgent });

test('a client that has lost the answer sends the refresh token again and gets the same tokens', async () => {
  const asha = await platform.person();
  const start = clock;
  try {
    const { body: first } = await refresh(asha.refreshToken);
    clock = start + 29_000;
    const { status, body: again } = await refresh(asha.refreshToken);
    expect({ status, body: again }).toEqual({ status: 200, body: first });
    expect((await requestMe(again.access_token)).status).toBe(200);
    expect((await refresh(again.refresh_token)).status).toBe(200);
  } finally {
    clock = start;
  }
});

const later = async () => {
  clock += 30_000;
};
test.each<[string, (used: { next: string }) => Promise<unknown>, string]>([
  ['after 30 seconds', later, 'console'],
  ['by another client', async () => {}, 'thief'],
  ['after the next one was used', ({ next }) => refresh(next), 'console'],
])('using a refresh token again %s ends the session', async (_, act, userAgent) => {
  const asha = await platform.person();
  const start = clock;
  try {
    const { body: second } = await refresh(asha.refreshToken);
    await act({ next: second.refresh_token });
    const reused = await refresh(asha.refreshToken, userAgent);
    expect(reused).toMatchObject({ status: 401, body: { code: 'identity.bad_refresh_token' } });
    expect((await refresh(second.refresh_token)).status).toBe(401);
    expect((await requestMe(second.access_token)).status).toBe(401);
  } finally {
    clock = start;
  }
});

test('concurrent refreshes of one client get the same tokens', async () => {
  const asha = await platform.person();
  const answers = await Promise.all(Array.from({ length: 8 }, () => refresh(asha.refreshToken)));
  expect(new Set(answers.map(({ status, body }) => JSON.stringify({ status, body }))).size).toBe(1);
  expect((await refresh(answers[0]?.body.refresh_token)).status).toBe(200);
});

test('one of eight concurrent refreshes of different clients with one token succeeds', async () => {
  const asha = await platform.person();
  const tries = Array.from({ length: 8 }, (_, index) =>
    (index % 2 ? platform : secondProcess).request({
      method: 'POST',
      url: '/api/v1/auth/refresh',
      payload: { refresh_token: asha.refreshToken },
      headers: { 'user-agent': `client ${index}` },
    }),
  );
  const statuses = (await Promise.all(tries)).map(({ status }) => status).sort();
  expect(statuses).toEqual([200, ...Array.from({ length: 7 }, () => 401)]);
});

test.each(['', 'x', `chowk_rt_${'a'.repeat(43)}`, 'x'.repeat(501)])(
  'the refresh token "%.20s" is refused',
  async (token) => {
    const { status } = await post('/api/v1/auth/refresh', { refresh_token: token });
    expect(status).toBe(token === '' || token.length > 500 ? 422 : 401);
  },
);

test('a sign-out ends the session in every process within a second', async () => {
  const asha = await platform.person({ tenant: acme });
  expect((await requestMe(asha.accessToken, secondProcess.request)).status).toBe(200);
  expect((await post('/api/v1/auth/logout', { refresh_token: asha.refreshToken })).status).toBe(200);
  expect((await requestMe(asha.accessToken)).status).toBe(401);
  // Within a second, with or without a notification.
  await secondProcess.kernel.signals.waitUntilApplied();
  expect((await requestMe(asha.accessToken, secondProcess.request)).status).toBe(401);
  expect((await post('/api/v1/auth/refresh', { refresh_token: asha.refreshToken })).status).toBe(401);
});

test('a sign-out with a bearer token alone ends only its session', async () => {
  const [asha, ravi] = [await platform.person(), await platform.person()];
  expect((await asha.post('/api/v1/auth/logout', { refresh_token: ravi.refreshToken })).status).toBe(200);
  expect((await ravi.get('/api/v1/auth/me')).status).toBe(200);
  expect((await asha.post('/api/v1/auth/logout', {})).status).toBe(200);
  expect((await asha.get('/api/v1/auth/me')).status).toBe(401);
  // A repeated sign-out succeeds.
  expect((await post('/api/v1/auth/logout', {})).status).toBe(200);
});

test('the signed-in user is returned with tenants and, in tenant context, role and permissions', async () => {
  const asha = await platform.person({ tenant: acme, role: 'Agent' });
  const inTenant = await asha.get('/api/v1/auth/me');
  expect(inTenant.body).toEqual({
    id: asha.id,
    name: asha.name,
    email: asha.email,
    email_verified: true,
    two_factor_enabled: false,
    sign_in_email: asha.email,
    tenants: [{ id: acme.id, name: 'Acme', role: 'Agent', domain: `${acme.id}.localhost` }],
    tenant_id: acme.id,
    tenant_role: 'merchant',
    currency: 'INR',
    timezone: 'Asia/Kolkata',
    role: 'Agent',
    console_entries: [],
    permissions: [
      'conversations.assign',
      'conversations.close',
      'conversations.reply',
      'conversations.view',
      'customers.create',
      'customers.edit',
      'customers.view',
      'notifications.view',
      'orders.create',
      'orders.edit',
      'orders.view',
      'products.view',
    ],
  });
  const { body: outside } = await requestMe(asha.accessToken);
  expect(outside).not.toHaveProperty('role');
  expect(outside).not.toHaveProperty('permissions');
  const stranger = await platform.person();
  expect((await stranger.get('/api/v1/auth/me', { 'x-tenant': acme.id })).status).toBe(403);
});

test('a sign-in is in the activity log', async () => {
  const asha = await platform.person({ tenant: acme });
  await login({ email: asha.email, password: testPassword }, { 'x-tenant': acme.id, 'user-agent': 'Firefox' });
  const rows = await platform.kernel.central.db.rows(
    sql`SELECT action, tenant_id, user_agent FROM activity_log WHERE user_id = ${asha.id}`,
  );
  expect(rows).toEqual([{ action: 'signed_in', tenant_id: acme.id, user_agent: 'Firefox' }]);
});

test('a tenant setting limits users without a verified address', async () => {
  const tenant = await platform.tenant();
  const [asha, owner] = [
    await platform.person({ tenant, role: 'Manager', verified: false }),
    await platform.person({ tenant }),
  ];
  const may = async () => [
    (await asha.get('/api/v1/products')).status,
    (await asha.post('/api/v1/products', {})).status,
  ];
  expect(await may()).toEqual([200, 403]);
  for (const [value, statuses] of [
    ['full', [200, 422]],
    ['view', [200, 403]],
    ['none', [403, 403]],
  ] as const) {
    const { status } = await owner.patch('/api/v1/settings', { 'security.unverified_users': value });
    expect(status).toBe(200);
    expect(await may()).toEqual(statuses);
  }
  await platform.kernel.central.db.run(sql`UPDATE users SET email_verified_at = now() WHERE id = ${asha.id}`);
  await expect.poll(may).toEqual([200, 422]);
});

test('an Idempotency-Key is ignored at sign-in: each sign-in opens a session', async () => {
  const asha = await platform.person();
  const headers = { 'idempotency-key': `login-${asha.id}` };
  const first = await login({ email: asha.email, password: testPassword }, headers);
  const again = await login({ email: asha.email, password: testPassword }, headers);
  expect([first.status, again.status]).toEqual([200, 200]);
  expect(again.body.refresh_token).not.toBe(first.body.refresh_token);
});

test('a sign-in at the address of a foreign tenant is not in its activity log', async () => {
  const [owner, stranger] = [await platform.person({ tenant: acme }), await platform.person()];
  await login({ email: stranger.email, password: testPassword }, { 'x-tenant': acme.id });
  const { body } = await owner.get(`/api/v1/activity?user_id=${stranger.id}`);
  expect(body.activity).toEqual([]);
});
