import { expect, test } from 'vitest';
import { startAccounts } from '../../../server/testing/accounts.ts';
import { basic, makeClient, postForm } from '../../../server/testing/oauth.ts';

const platform = await startAccounts();
const secondProcess = await startAccounts({ sharedWith: platform });
const acme = await platform.tenant();
const asha = await platform.person({ tenant: acme });
const shop = await makeClient(asha, ['settings.view']);

const revoke = (fields: Record<string, string>, headers = {}) => postForm(platform, '/oauth/revoke', fields, headers);

async function requestStatus(token: string, on = platform): Promise<number> {
  const headers = { authorization: `Bearer ${token}`, 'x-tenant': acme.id };
  return (await on.request({ method: 'GET', url: '/api/v1/settings', headers })).status;
}

test.each(['accessToken', 'refreshToken'] as const)('revoking an %s ends its session at once', async (which) => {
  const user = await platform.person({ tenant: acme });
  expect(await requestStatus(user.accessToken)).toBe(200);
  expect(await requestStatus(user.accessToken, secondProcess)).toBe(200);
  const { status, body } = await revoke({ client_id: 'chowk-console', token: user[which], token_type_hint: 'rubbish' });
  expect({ status, message: body.message }).toEqual({ status: 200, message: expect.any(String) });
  expect(await requestStatus(user.accessToken)).toBe(401);
  await expect.poll(() => requestStatus(user.accessToken, secondProcess), { timeout: 1_000 }).toBe(401);
  expect((await revoke({ client_id: 'chowk-console', token: user[which] })).status).toBe(200);
});

test('revoking an unknown token succeeds', async () => {
  for (const token of ['rubbish', 'chowk_rt_unknown', 'a.b.c', 'x'.repeat(5_000)]) {
    expect((await revoke({ client_id: 'chowk-cli', token })).status).toBe(200);
  }
});

test('a client can revoke only its own tokens', async () => {
  const own = (await shop.token(platform)).body.access_token;
  const others: [Record<string, string>, Record<string, string>][] = [
    [{ token: asha.refreshToken }, basic(shop.id, shop.secret)],
    [{ token: asha.accessToken, client_id: 'chowk-cli' }, {}],
    [{ token: own, client_id: 'chowk-cli' }, {}],
  ];
  for (const [fields, headers] of others) {
    const { status, body } = await revoke(fields, headers);
    expect({ status, error: body.error }).toEqual({ status: 400, error: 'invalid_grant' });
  }
  expect(await requestStatus(asha.accessToken)).toBe(200);
  expect(await requestStatus(own)).toBe(200);
  expect((await revoke({ token: own }, basic(shop.id, shop.secret))).status).toBe(200);
  expect(await requestStatus(own)).toBe(401);
});

test.each<[string, string, Record<string, string>]>([
  ['no token', 'invalid_request', { client_id: 'chowk-cli' }],
  ['no client', 'invalid_client', { token: 'x' }],
  ['an unknown client', 'invalid_client', { token: 'x', client_id: 'nobody' }],
  ['a client without its secret', 'invalid_client', { token: 'x', client_id: shop.id }],
])('%s is %s', async (_, error, fields) => {
  const { status, body } = await revoke(fields);
  expect({ status, error: body.error }).toEqual({ status: 400, error });
});

test('a wrong secret in the header is 401', async () => {
  const { status, headers } = await revoke({ token: 'x' }, basic(shop.id, 'wrong'));
  expect({ status, asks: headers['www-authenticate'] }).toEqual({ status: 401, asks: expect.stringMatching(/^Basic/) });
});
