import { sql } from '@chowk/kit';
import { expect, onTestFinished, test } from 'vitest';
import { type Person, startAccounts } from '../../../server/testing/accounts.ts';
import { makeClient, postForm } from '../../../server/testing/oauth.ts';
import { getAccounts } from '../accounts/accounts.ts';

let ahead = 0;
const now = () => new Date(Date.now() + ahead);
const environment = { LOGIN_FAILURES_PER_MINUTE: '20' };
const platform = await startAccounts({ now, environment });
const acme = await platform.tenant();
const asha = await platform.person({ tenant: acme });
const { db } = platform.kernel.central;

const begin = (fields: Record<string, string> = {}) =>
  postForm(
    platform,
    '/oauth/device_authorization',
    { client_id: 'chowk-cli', ...fields },
    { 'user-agent': 'chowk/1.0.0 (linux)' },
  );

const poll = (code: string, on = platform) =>
  postForm(
    on,
    '/oauth/token',
    { grant_type: 'urn:ietf:params:oauth:grant-type:device_code', client_id: 'chowk-cli', device_code: code },
    { 'user-agent': 'chowk/1.0.0 (linux)' },
  );

async function requestStatus(token: string, path = '/api/v1/settings'): Promise<number> {
  const headers = { authorization: `Bearer ${token}`, 'x-tenant': acme.id };
  return (await platform.request({ method: 'GET', url: path, headers })).status;
}

function later(seconds: number): void {
  ahead += seconds * 1_000;
}

test('a device is signed in after its user has approved it', async () => {
  const { status, body } = await begin();
  expect(status).toBe(200);
  const shown = await asha.get(`/api/v1/device/${body.user_code}`);
  expect(shown.body).toEqual({
    device: {
      client: 'Command-line client',
      ip: '127.0.0.1',
      user_agent: 'chowk/1.0.0 (linux)',
      scopes: null,
      created_at: expect.any(String),
      expires_at: expect.any(String),
    },
  });
  const { created_at, expires_at } = shown.body.device;
  expect(Date.parse(expires_at) - Date.parse(created_at)).toBe(600_000);
  const { body: yes } = await asha.post(`/api/v1/device/${body.user_code}/approve`);
  expect(yes).toEqual({ message: 'Device approved.' });

  const tokens = await poll(body.device_code);
  expect(tokens.body).toEqual({
    access_token: expect.any(String),
    token_type: 'Bearer',
    expires_in: 900,
    refresh_token: expect.any(String),
  });
  expect(await requestStatus(tokens.body.access_token)).toBe(200);
  const session = await db.row(sql`
    SELECT kind, name, client_id, scopes, user_agent FROM sessions WHERE user_id = ${asha.id} AND kind = 'device'`);
  expect(session).toEqual({
    kind: 'device',
    name: 'Command-line client (chowk/1.0.0 (linux))',
    client_id: 'chowk-cli',
    scopes: null,
    user_agent: 'chowk/1.0.0 (linux)',
  });
  const activity = await db.rows(sql`
    SELECT action, tenant_id, details FROM activity_log WHERE user_id = ${asha.id} AND action LIKE 'device_%'`);
  const details = { client_id: 'chowk-cli', ip: '127.0.0.1', user_agent: 'chowk/1.0.0 (linux)' };
  expect(activity).toEqual([{ action: 'device_approved', tenant_id: acme.id, details }]);
});

test.each<[string, (code: string) => string]>([
  ['in small letters', (code) => code.toLowerCase()],
  ['without the hyphen', (code) => code.replace('-', '')],
  ['with spaces', (code) => encodeURIComponent(` ${code.replace('-', ' ')} `)],
])('a user code may be typed %s', async (_, typed) => {
  const { body } = await begin();
  expect((await asha.get(`/api/v1/device/${typed(body.user_code)}`)).status).toBe(200);
  expect((await asha.post(`/api/v1/device/${typed(body.user_code)}/approve`)).status).toBe(200);
  expect((await poll(body.device_code)).status).toBe(200);
});

test('a device that polls too fast must wait longer each time', async () => {
  onTestFinished(() => {
    ahead = 0;
  });
  const { body } = await begin();
  const ask = async () => (await poll(body.device_code)).body.error;
  expect(await ask()).toBe('authorization_pending');
  later(4);
  expect(await ask()).toBe('slow_down');
  later(6);
  expect(await ask()).toBe('slow_down');
  later(15);
  expect(await ask()).toBe('authorization_pending');
  later(14);
  expect((await poll(body.device_code)).body.error_description).toBe(
    'Polling too fast. Wait 20 seconds between two requests.',
  );
  await asha.post(`/api/v1/device/${body.user_code}/approve`);
  expect((await poll(body.device_code)).status).toBe(200);
});

test('polling while the user has not decided does not count as a failure', async () => {
  const strict = await startAccounts({ now, environment: { LOGIN_FAILURES_PER_MINUTE: '1' }, sharedWith: platform });
  const { body } = await begin();
  for (let index = 0; index < 15; index += 1) {
    expect((await poll(body.device_code, strict)).status).toBe(400);
  }
});

test('a denied device gets no token', async () => {
  const { body } = await begin();
  const { body: no } = await asha.post(`/api/v1/device/${body.user_code}/deny`);
  expect(no).toEqual({ message: 'Device denied.' });
  expect((await poll(body.device_code)).body.error).toBe('access_denied');
  expect((await asha.post(`/api/v1/device/${body.user_code}/approve`)).status).toBe(404);
  expect((await poll(body.device_code)).body.error).toBe('access_denied');
  const activity = await db.rows(sql`
    SELECT 1 FROM activity_log WHERE user_id = ${asha.id} AND action = 'device_denied'`);
  expect(activity).toHaveLength(1);
});

test('an approval ends with the session of its user', async () => {
  const { body } = await begin();
  const robbed = await platform.person({ tenant: acme });
  await robbed.post(`/api/v1/device/${body.user_code}/approve`);
  await getAccounts(platform.kernel.services).sessions.revokeAll(robbed.id);
  expect((await poll(body.device_code)).body.error).toBe('access_denied');
});

test('a code expires after ten minutes and is deleted later', async () => {
  onTestFinished(() => {
    ahead = 0;
  });
  const { body } = await begin();
  const approved = (await begin()).body;
  await asha.post(`/api/v1/device/${approved.user_code}/approve`);
  later(590);
  // The sessions from before have expired by now.
  const late = await platform.person({ tenant: acme });
  expect((await late.get(`/api/v1/device/${body.user_code}`)).status).toBe(200);
  later(10);
  expect((await late.get(`/api/v1/device/${body.user_code}`)).status).toBe(404);
  expect((await late.post(`/api/v1/device/${body.user_code}/approve`)).status).toBe(404);
  expect((await poll(body.device_code)).body.error).toBe('expired_token');
  expect((await poll(approved.device_code)).body.error).toBe('expired_token');
  later(3_601);
  await begin();
  expect((await poll(body.device_code)).body.error).toBe('invalid_grant');
});

test('one of eight concurrent requests redeems a device code', async () => {
  const { body } = await begin();
  await asha.post(`/api/v1/device/${body.user_code}/approve`);
  const answers = await Promise.all(Array.from({ length: 8 }, () => poll(body.device_code)));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  expect(answers.filter(({ body: refused }) => refused.error === 'invalid_grant')).toHaveLength(7);
});

test('one of a concurrent approval and denial counts', async () => {
  const { body } = await begin();
  const says = ['approve', 'deny', 'approve', 'deny'];
  const answers = await Promise.all(says.map((word) => asha.post(`/api/v1/device/${body.user_code}/${word}`)));
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 404, 404, 404]);
});

test('a device code can be redeemed only by its own client', async () => {
  await db.run(sql`
    INSERT INTO oauth_clients (id, name, grants) SELECT 'another', 'Another', grants FROM oauth_clients
    WHERE id = 'chowk-cli'`);
  const { body } = await begin({ client_id: 'another' });
  await asha.post(`/api/v1/device/${body.user_code}/approve`);
  expect((await poll(body.device_code)).body.error).toBe('invalid_grant');
});

test('a device may request fewer permissions than its user has', async () => {
  const { body } = await begin({ scope: 'settings.view' });
  expect((await asha.get(`/api/v1/device/${body.user_code}`)).body.device.scopes).toEqual(['settings.view']);
  await asha.post(`/api/v1/device/${body.user_code}/approve`);
  const tokens = await poll(body.device_code);
  expect(tokens.body.scope).toBe('settings.view');
  expect(await requestStatus(tokens.body.access_token)).toBe(200);
  const headers = { authorization: `Bearer ${tokens.body.access_token}`, 'x-tenant': acme.id };
  const refused = await platform.request({ url: '/api/v1/domains', headers });
  expect({ status: refused.status, challenge: refused.headers['www-authenticate'] }).toEqual({
    status: 403,
    challenge: expect.stringMatching(
      /^Bearer error="insufficient_scope", scope="settings.domains", resource_metadata="[^"]+"$/,
    ),
  });
});

test.each<[string, string, Record<string, string>]>([
  ['no client', 'invalid_client', { client_id: '' }],
  ['an unknown client', 'invalid_client', { client_id: 'nobody' }],
  ['a client without this grant', 'unauthorized_client', { client_id: 'chowk-console' }],
  ['an unknown scope', 'invalid_scope', { scope: 'settings.view settings.fly' }],
])('a device grant with %s is refused: %s', async (_, error, fields) => {
  const { status, body } = await begin(fields);
  expect({ status, error: body.error }).toEqual({ status: 400, error });
});

test('only a signed-in person can approve a device', async () => {
  const { body } = await begin();
  const { sessions } = getAccounts(platform.kernel.services);
  const client = { address: '127.0.0.1', network: '127.0.0.1', userAgent: 'test' };
  const personal = await sessions.issuePersonal({ userId: asha.id, kind: 'personal', client });
  const device = await sessions.open({ userId: asha.id, kind: 'device', client });
  const shop = await makeClient(asha, ['settings.view']);
  const apiToken = (await shop.token(platform)).body.access_token;
  for (const token of [personal.token, device.access_token, apiToken]) {
    for (const word of ['approve', 'deny']) {
      const headers = { authorization: `Bearer ${token}` };
      const url = `/api/v1/device/${body.user_code}/${word}`;
      expect((await platform.request({ method: 'POST', url, headers })).status).toBe(403);
    }
  }
  const url = `/api/v1/device/${body.user_code}`;
  expect((await platform.request({ method: 'GET', url })).status).toBe(401);
  expect((await asha.get(url)).status).toBe(200);
});

test('a user who guesses codes is limited, other users are not', async () => {
  const guesser: Person = await platform.person({ tenant: acme });
  const { body } = await begin();
  for (let index = 0; index < 20; index += 1) {
    expect((await guesser.get('/api/v1/device/BBBB-BBBB')).status).toBe(404);
  }
  const url = `/api/v1/device/${body.user_code}`;
  expect((await guesser.get(url)).status).toBe(429);
  expect((await guesser.post(`${url}/approve`)).status).toBe(429);
  expect((await asha.get(url)).status).toBe(200);
});

test('one network can start only a limited number of device grants', async () => {
  const strict = await startAccounts({ environment: { LOGIN_FAILURES_PER_MINUTE: '1' }, sharedWith: platform });
  const ask = () => postForm(strict, '/oauth/device_authorization', { client_id: 'chowk-cli' });
  for (let index = 0; index < 10; index += 1) expect((await ask()).status).toBe(200);
  expect((await ask()).status).toBe(429);
});
