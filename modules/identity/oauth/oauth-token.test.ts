import { randomBytes } from 'node:crypto';
import { sql } from '@chowk/kit';
import { expect, test } from 'vitest';
import { startAccounts } from '../../../server/testing/accounts.ts';
import { basic, makeClient, postForm } from '../../../server/testing/oauth.ts';
import { getAccounts } from '../accounts/accounts.ts';

const platform = await startAccounts({ environment: { LOGIN_FAILURES_PER_MINUTE: '1000' } });
const acme = await platform.tenant();
const asha = await platform.person({ tenant: acme });
const shop = await makeClient(asha, ['settings.view', 'settings.domains']);
const device = 'urn:ietf:params:oauth:grant-type:device_code';

/** As the console does for a signed-in user. */
const refresh = (token: string, more: Record<string, string> = {}, headers: Record<string, string> = {}) =>
  postForm(
    platform,
    '/oauth/token',
    { grant_type: 'refresh_token', client_id: 'chowk-console', refresh_token: token, ...more },
    headers,
  );

async function requestStatus(token: string, path = '/api/v1/settings', tenant = acme.id): Promise<number> {
  const headers = { authorization: `Bearer ${token}`, 'x-tenant': tenant };
  return (await platform.request({ method: 'GET', url: path, headers })).status;
}

const credentials = { grant_type: 'client_credentials', client_id: shop.id, client_secret: shop.secret };
const console_ = { grant_type: 'refresh_token', client_id: 'chowk-console' };

test.each<[string, string, Record<string, string> | [string, string][]]>([
  ['no grant_type', 'invalid_request', {}],
  ['an empty grant_type', 'invalid_request', { ...credentials, grant_type: '' }],
  ['a repeated grant_type', 'invalid_request', [...Object.entries(credentials), ['grant_type', 'password']]],
  ['any repeated parameter', 'invalid_request', [...Object.entries(credentials), ['x', '1'], ['x', '2']]],
  ['an unknown grant_type', 'unsupported_grant_type', { ...credentials, grant_type: 'password' }],
  ['the name of something every object has', 'unsupported_grant_type', { ...credentials, grant_type: 'constructor' }],
  ['no client', 'invalid_client', { grant_type: 'client_credentials' }],
  ['an unknown client', 'invalid_client', { ...credentials, client_id: 'nobody' }],
  ['a client that cannot be', 'invalid_client', { ...credentials, client_id: 'a\0b' }],
  ['a wrong secret', 'invalid_client', { ...credentials, client_secret: `${shop.secret}x` }],
  ['no secret', 'invalid_client', { ...credentials, client_secret: '' }],
  ['a secret for a client without one', 'invalid_client', { ...console_, client_secret: 'x', refresh_token: 'x' }],
  [
    'credentials of a public client',
    'unauthorized_client',
    { ...credentials, client_id: 'chowk-cli', client_secret: '' },
  ],
  ['a refresh by an API client', 'unauthorized_client', { ...credentials, grant_type: 'refresh_token' }],
  ['a device code by the console', 'unauthorized_client', { ...console_, grant_type: device, device_code: 'x' }],
  ['a scope that the client lacks', 'invalid_scope', { ...credentials, scope: 'settings.view customers.view' }],
  ['an invalid scope', 'invalid_scope', { ...credentials, scope: 'settings.view\n"' }],
  ['no refresh token', 'invalid_request', console_],
  ['an unknown refresh token', 'invalid_grant', { ...console_, refresh_token: 'chowk_rt_x' }],
  ['an access token to refresh with', 'invalid_grant', { ...console_, refresh_token: asha.accessToken }],
  [
    "another client's refresh token",
    'invalid_grant',
    { ...console_, client_id: 'chowk-cli', refresh_token: asha.refreshToken },
  ],
  ['no device code', 'invalid_request', { grant_type: device, client_id: 'chowk-cli' }],
  ['an unknown device code', 'invalid_grant', { grant_type: device, client_id: 'chowk-cli', device_code: 'x' }],
])('%s is %s', async (_, error, fields) => {
  const { status, body, headers } = await postForm(platform, '/oauth/token', fields);
  expect({ status, error: body.error }).toEqual({ status: 400, error });
  expect(body.error_description).toMatch(/^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/);
  expect(body.message).toBe(body.error_description);
  expect(headers['cache-control']).toBe('no-store');
  expect(headers['www-authenticate']).toBeUndefined();
});

test('a refused refresh by another client leaves the refresh token valid', async () => {
  const user = await platform.person({ tenant: acme });
  await postForm(platform, '/oauth/token', { ...console_, client_id: 'chowk-cli', refresh_token: user.refreshToken });
  expect((await refresh(user.refreshToken)).status).toBe(200);
});

test.each<[string, Record<string, string>]>([
  ['a wrong secret', basic(shop.id, 'wrong')],
  ['an unknown client', basic('nobody', shop.secret)],
  ['no secret', basic(shop.id, '')],
  ['nothing', { authorization: 'Basic' }],
  ['credentials without a colon', { authorization: `Basic ${Buffer.from('nobody').toString('base64')}` }],
  ['credentials that cannot be decoded', { authorization: `Basic ${Buffer.from('%zz:%').toString('base64')}` }],
])('%s in the header is 401 with a Basic challenge', async (_, headers) => {
  const answer = await postForm(platform, '/oauth/token', { grant_type: 'client_credentials' }, headers);
  expect({ status: answer.status, error: answer.body.error }).toEqual({ status: 401, error: 'invalid_client' });
  expect(answer.headers['www-authenticate']).toMatch(/^Basic realm=/);
});

test.each<[string, Record<string, string>]>([
  ['a secret in header and body', { client_secret: shop.secret }],
  ['two names', { client_id: 'chowk-cli' }],
])('%s is invalid_request', async (_, fields) => {
  const all = { grant_type: 'client_credentials', ...fields };
  const { status, body } = await postForm(platform, '/oauth/token', all, basic(shop.id, shop.secret));
  expect({ status, error: body.error }).toEqual({ status: 400, error: 'invalid_request' });
});

test('the client id and secret in the header are form-encoded', async () => {
  const secret = 'a secret: 100% + ü';
  await platform.kernel.central.db.run(sql`
    UPDATE oauth_clients SET secret_hash = sha256(${Buffer.from(secret)}) WHERE id = ${shop.id}`);
  const fields = { grant_type: 'client_credentials', client_id: shop.id };
  expect((await postForm(platform, '/oauth/token', fields, basic(shop.id, secret))).status).toBe(200);
  await platform.kernel.central.db.run(sql`
    UPDATE oauth_clients SET secret_hash = sha256(${Buffer.from(shop.secret)}) WHERE id = ${shop.id}`);
});

test('JSON is accepted too, and values that are not text are refused in the same form', async () => {
  const post = (payload: string) =>
    platform.request({
      method: 'POST',
      url: '/oauth/token',
      headers: { 'content-type': 'application/json' },
      payload,
    });
  expect((await post(JSON.stringify(credentials))).status).toBe(200);
  for (const odd of [[], 'text', 5, null, { ...credentials, scope: 5 }, { ...credentials, scope: ['a'] }]) {
    const { status, body } = await post(JSON.stringify(odd));
    expect({ odd, status, error: body.error }).toEqual({ odd, status: 400, error: 'invalid_request' });
  }
});

test('unknown parameters are ignored, and the query is not read', async () => {
  const more = { ...credentials, audience: 'https://shop.example', resource: 'x' };
  const response = await postForm(platform, '/oauth/token?trace=1&grant_type=password', more);
  expect({ status: response.status, ignored: response.headers['ignored-fields'] }).toEqual({
    status: 200,
    ignored: undefined,
  });
  const query = new URLSearchParams(credentials);
  const { status, body } = await postForm(platform, `/oauth/token?${query}`, {});
  expect({ status, error: body.error }).toEqual({ status: 400, error: 'invalid_request' });
  for (const url of ['/.well-known/oauth-authorization-server?x=1', '/.well-known/jwks.json?x=1']) {
    expect((await platform.request({ method: 'GET', url })).status).toBe(200);
  }
});

test.each(['/oauth/token', '/oauth/revoke', '/oauth/device_authorization'])(
  '%s refuses other content types',
  async (url) => {
    const headers = { 'content-type': 'text/plain' };
    const { status } = await platform.request({ method: 'POST', url, headers, payload: 'grant_type=password' });
    expect(status).toBe(415);
  },
);

test('a token is limited to the requested scope', async () => {
  const { body } = await shop.token(platform, 'settings.view settings.view');
  expect(body.scope).toBe('settings.view');
  expect(await requestStatus(body.access_token)).toBe(200);
  expect(await requestStatus(body.access_token, '/api/v1/domains')).toBe(403);
  const whole = await shop.token(platform);
  expect(whole.body.scope).toBeUndefined();
  expect(whole.body.refresh_token).toBeUndefined();
  expect(await requestStatus(whole.body.access_token, '/api/v1/domains')).toBe(200);
});

test('a token of an API client is valid in its tenant and not for account actions', async () => {
  const other = await platform.tenant();
  const { body } = await shop.token(platform);
  expect(await requestStatus(body.access_token, '/api/v1/settings', other.id)).toBe(403);
  const account = await platform.request({
    method: 'GET',
    url: '/api/v1/device/BCDFGHJK',
    headers: { authorization: `Bearer ${body.access_token}` },
  });
  expect({ status: account.status, code: account.body.code }).toEqual({ status: 403, code: 'auth.no_account' });
});

test('a refresh returns new tokens, the same client gets them again, and another one ends the session', async () => {
  const user = await platform.person({ tenant: acme });
  const { status, body } = await refresh(user.refreshToken);
  expect({ status, body }).toEqual({
    status: 200,
    body: {
      access_token: expect.any(String),
      token_type: 'Bearer',
      expires_in: 900,
      refresh_token: expect.not.stringMatching(user.refreshToken),
    },
  });
  expect(await requestStatus(body.access_token)).toBe(200);
  expect((await refresh(user.refreshToken)).body).toEqual(body);
  expect((await refresh(user.refreshToken, {}, { 'user-agent': 'thief' })).body.error).toBe('invalid_grant');
  await expect.poll(() => requestStatus(body.access_token)).toBe(401);
  expect((await refresh(body.refresh_token)).body.error).toBe('invalid_grant');
});

test('at most one of eight concurrent refreshes of different clients succeeds, and the session ends', async () => {
  const user = await platform.person({ tenant: acme });
  const clients = Array.from({ length: 8 }, (_, index) => ({ 'user-agent': `client ${index}` }));
  const answers = await Promise.all(clients.map((headers) => refresh(user.refreshToken, {}, headers)));
  const successes = answers.filter(({ status }) => status === 200);
  expect(successes).toHaveLength(1);
  expect(answers.filter(({ body }) => body.error === 'invalid_grant')).toHaveLength(7);
  expect((await refresh(successes[0]?.body.refresh_token)).body.error).toBe('invalid_grant');
  await expect.poll(() => requestStatus(successes[0]?.body.access_token)).toBe(401);
});

test('a refresh cannot widen the scope, and a refused one does not use up the token', async () => {
  const client = { address: '127.0.0.1', network: '127.0.0.1', userAgent: 'test' };
  const { sessions } = getAccounts(platform.kernel.services);
  const scopes = ['settings.view', 'settings.domains'];
  const { refresh_token } = await sessions.open({ userId: asha.id, kind: 'login', scopes, client });
  expect((await refresh(refresh_token, { scope: 'settings.view settings.edit' })).body.error).toBe('invalid_scope');
  const { body } = await refresh(refresh_token, { scope: 'settings.view' });
  expect(body.scope).toBe('settings.view settings.domains');
});

test('expired sessions of an API client are deleted when it requests new tokens', async () => {
  const { db } = platform.kernel.central;
  const busy = await makeClient(asha, ['settings.view']);
  await busy.token(platform);
  await db.run(sql`UPDATE sessions SET expires_at = now() - interval '2 hours' WHERE client_id = ${busy.id}`);
  await busy.token(platform);
  const left = await db.row<{ count: number }>(sql`SELECT count(*) FROM sessions WHERE client_id = ${busy.id}`);
  expect(left?.count).toBe(1);
});

test('an Idempotency-Key does not return the token of another client', async () => {
  const key = { 'idempotency-key': randomBytes(8).toString('hex') };
  const fields = { grant_type: 'client_credentials' };
  const ask = (secret: string) => postForm(platform, '/oauth/token', fields, { ...basic(shop.id, secret), ...key });
  expect((await ask(shop.secret)).status).toBe(200);
  const stranger = await ask('wrong');
  expect({ status: stranger.status, token: stranger.body.access_token }).toEqual({ status: 401, token: undefined });
});

test('failures are limited per network, successes are not', async () => {
  const strict = await startAccounts({ environment: { LOGIN_FAILURES_PER_MINUTE: '1' }, sharedWith: platform });
  for (let index = 0; index < 15; index += 1) expect((await shop.token(strict)).status).toBe(200);
  const wrong = { ...credentials, client_secret: 'wrong' };
  for (let index = 0; index < 10; index += 1) {
    expect((await postForm(strict, '/oauth/token', wrong)).status).toBe(400);
  }
  const refused = await shop.token(strict);
  expect(refused.status).toBe(429);
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
  expect((await postForm(strict, '/oauth/revoke', { token: 'x', client_id: 'chowk-cli' })).status).toBe(429);
});
