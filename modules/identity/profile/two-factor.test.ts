import { sql } from '@chowk/kit';
import { generate } from 'otplib';
import { beforeEach, expect, test } from 'vitest';
import { type Person, startAccounts, testPassword } from '../../../server/testing/accounts.ts';

let clock = Date.now();
beforeEach(() => {
  clock = Date.now();
});
const platform = await startAccounts({
  now: () => new Date(clock),
  environment: { LOGIN_FAILURES_PER_MINUTE: '1000' },
});

const codeFor = (secret: string) => generate({ secret, epoch: Math.floor(clock / 1_000) });
const login = (email: string, otp?: string) =>
  platform.request({
    method: 'POST',
    url: '/api/v1/auth/login',
    payload: { email, password: testPassword, ...(otp === undefined ? {} : { otp }) },
  });

async function withTwoFactor(): Promise<{ asha: Person; secret: string; codes: string[] }> {
  const asha = await platform.person();
  const { body: begun } = await asha.post('/api/v1/profile/two-factor', {});
  const otp = await codeFor(begun.secret);
  const { status, body } = await asha.post('/api/v1/profile/two-factor/confirm', { otp });
  expect(status).toBe(200);
  clock += 60_000;
  return { asha, secret: begun.secret, codes: body.recovery_codes };
}

test('two-factor authentication is on after a code is confirmed, and ten recovery codes are shown', async () => {
  const asha = await platform.person();
  const { status, body } = await asha.post('/api/v1/profile/two-factor', {});
  expect(status).toBe(200);
  expect(body.otpauth_uri).toContain(`secret=${body.secret}`);
  expect(body.otpauth_uri).toMatch(/^otpauth:\/\/totp\/Chowk:/);
  expect((await login(asha.email)).status).toBe(200);
  expect((await asha.post('/api/v1/profile/two-factor/confirm', { otp: '000000' })).status).toBe(422);
  const confirmed = await asha.post('/api/v1/profile/two-factor/confirm', { otp: await codeFor(body.secret) });
  expect(confirmed.status).toBe(200);
  expect(new Set(confirmed.body.recovery_codes).size).toBe(10);
  expect((await asha.get('/api/v1/auth/me')).body.two_factor_enabled).toBe(true);
  expect((await platform.mailTo(asha.email)).subject).toMatch(/^Two-factor authentication was turned on/);
  expect((await asha.post('/api/v1/profile/two-factor', {})).status).toBe(409);
  expect((await asha.post('/api/v1/profile/two-factor/confirm', { otp: '000000' })).status).toBe(409);
});

test('a sign-in with the correct password and no code asks for a code', async () => {
  const { asha, secret } = await withTwoFactor();
  const asked = await login(asha.email);
  expect(asked).toMatchObject({ status: 401, body: { two_factor_required: true } });
  expect(asked.body.message).toBeTypeOf('string');
  const wrong = await platform.request({
    method: 'POST',
    url: '/api/v1/auth/login',
    payload: { email: asha.email, password: 'wrong password', otp: await codeFor(secret) },
  });
  expect(wrong).toMatchObject({ status: 422, body: { errors: { email: expect.anything() } } });
  const { status, body } = await login(asha.email, await codeFor(secret));
  expect({ status, on: body.user.two_factor_enabled }).toEqual({ status: 200, on: true });
});

test('a code can be used once, also by concurrent requests', async () => {
  const { asha, secret } = await withTwoFactor();
  const otp = await codeFor(secret);
  const statuses = await Promise.all(Array.from({ length: 4 }, async () => (await login(asha.email, otp)).status));
  expect(statuses.sort()).toEqual([200, 422, 422, 422]);
  // The previous code is older than the last accepted one.
  const older = await generate({ secret, epoch: Math.floor(clock / 1_000) - 30 });
  expect((await login(asha.email, older)).status).toBe(422);
});

async function enterWrongCodes(email: string, times: number): Promise<number[]> {
  const statuses = [];
  for (let count = 0; count < times; count += 1) statuses.push((await login(email, 'wrong-codes')).status);
  return statuses;
}

test('wrong codes after the right password lock the codes, each time for longer, and the owner is notified', async () => {
  const { asha, secret, codes } = await withTwoFactor();
  expect(await enterWrongCodes(asha.email, 5)).toEqual([422, 422, 422, 422, 422]);
  const refused = await login(asha.email, await codeFor(secret));
  expect({ status: refused.status, code: refused.body.code, wait: refused.headers['retry-after'] }).toEqual({
    status: 429,
    code: 'identity.two_factor_locked',
    wait: String(15 * 60),
  });
  expect((await login(asha.email, codes[0])).status).toBe(429);
  const { text } = await platform.mailTo(asha.email, /^Wrong codes/);
  expect(text).toContain('entered your password');
  clock += 15 * 60_000;
  expect(await enterWrongCodes(asha.email, 5)).toEqual([422, 422, 422, 422, 422]);
  expect((await login(asha.email, codes[0])).headers['retry-after']).toBe(String(30 * 60));
  clock += 30 * 60_000;
  expect((await login(asha.email, await codeFor(secret))).status).toBe(200);
  // The count starts again.
  expect(await enterWrongCodes(asha.email, 4)).toEqual([422, 422, 422, 422]);
  expect((await login(asha.email, codes[0])).status).toBe(200);
});

test('concurrent wrong codes are counted', async () => {
  const { asha } = await withTwoFactor();
  const tries = Array.from({ length: 20 }, (_, index) => login(asha.email, `wrong-${index}`));
  const statuses = (await Promise.all(tries)).map(({ status }) => status).sort();
  expect(statuses).toEqual([...Array(5).fill(422), ...Array(15).fill(429)]);
});

test('a new password by mail unlocks the codes', async () => {
  const { asha, codes } = await withTwoFactor();
  await enterWrongCodes(asha.email, 5);
  const post = (url: string, payload: object) => platform.request({ method: 'POST', url, payload });
  await post('/api/v1/auth/password/forgot', { email: asha.email });
  const token = /reset\/([\w-]+)/.exec((await platform.mailTo(asha.email, /new password/)).text)?.[1];
  const chosen = { token, password: 'a better one', password_confirmation: 'a better one' };
  expect((await post('/api/v1/auth/password/reset', chosen)).status).toBe(200);
  const payload = { email: asha.email, password: 'a better one', otp: codes[0] };
  expect((await post('/api/v1/auth/login', payload)).status).toBe(200);
});

test.each([
  ['of a telephone that is half a minute slow', -30, 200],
  ['of a telephone that is half a minute fast', 30, 200],
  ['of two minutes ago', -120, 422],
  ['of the day after tomorrow', 172_800, 422],
])('a code %s', async (_, seconds, expected) => {
  const { asha, secret } = await withTwoFactor();
  const otp = await generate({ secret, epoch: Math.floor(clock / 1_000) + seconds });
  expect((await login(asha.email, otp)).status).toBe(expected);
});

test('a recovery code can be used once, in any notation', async () => {
  const { asha, codes } = await withTwoFactor();
  const [first = '', second = ''] = codes;
  expect((await login(asha.email, first)).status).toBe(200);
  expect((await login(asha.email, first)).status).toBe(422);
  expect((await login(asha.email, ` ${second.toUpperCase().replace('-', '')} `)).status).toBe(200);
});

test('a recovery code of another user is refused', async () => {
  const [one, other] = [await withTwoFactor(), await withTwoFactor()];
  expect((await login(one.asha.email, other.codes[0])).status).toBe(422);
});

test('new recovery codes invalidate the old ones', async () => {
  const { asha, codes } = await withTwoFactor();
  const { status, body } = await asha.post('/api/v1/profile/two-factor/recovery-codes', {});
  expect(status).toBe(200);
  expect((await login(asha.email, codes[0])).status).toBe(422);
  expect((await login(asha.email, body.recovery_codes[0])).status).toBe(200);
  const plain = await platform.person();
  expect((await plain.post('/api/v1/profile/two-factor/recovery-codes', {})).status).toBe(409);
});

test('of several requests for recovery codes at once, the codes of one are valid', async () => {
  const { asha } = await withTwoFactor();
  await Promise.all(Array.from({ length: 6 }, () => asha.post('/api/v1/profile/two-factor/recovery-codes', {})));
  const { central } = platform.kernel;
  expect(await central.db.rows(sql`SELECT FROM recovery_codes WHERE user_id = ${asha.id}`)).toHaveLength(10);
});

test('two-factor authentication can be turned off, and on again with another secret', async () => {
  const { asha, secret } = await withTwoFactor();
  expect((await asha.delete('/api/v1/profile/two-factor', { password: 'wrong password' })).status).toBe(422);
  expect((await login(asha.email)).status).toBe(401);
  expect((await asha.delete('/api/v1/profile/two-factor', { password: testPassword })).status).toBe(200);
  expect((await login(asha.email)).status).toBe(200);
  await platform.mailTo(asha.email, /^Two-factor authentication was turned off/);
  const { body } = await asha.post('/api/v1/profile/two-factor', {});
  expect(body.secret).not.toBe(secret);
});

test('the password is required again some time after the sign-in', async () => {
  const asha = await platform.person();
  const { body: tokens } = await login(asha.email);
  clock += 16 * 60_000;
  const { body: renewed } = await platform.request({
    method: 'POST',
    url: '/api/v1/auth/refresh',
    payload: { refresh_token: tokens.refresh_token },
  });
  const begin = (payload: object) =>
    platform.request({
      method: 'POST',
      url: '/api/v1/profile/two-factor',
      headers: { authorization: `Bearer ${renewed.access_token}` },
      payload,
    });
  expect(await begin({})).toMatchObject({ status: 422, body: { errors: { password: expect.anything() } } });
  expect((await begin({ password: 'wrong password' })).status).toBe(422);
  expect((await begin({ password: testPassword })).status).toBe(200);
});

test('the secret is stored encrypted and bound to its user', async () => {
  const [one, other] = [await withTwoFactor(), await withTwoFactor()];
  const { db } = platform.kernel.central;
  const dump = JSON.stringify(await db.rows(sql`SELECT * FROM users WHERE id = ${one.asha.id}`));
  expect(dump).not.toContain(one.secret);
  const codes = JSON.stringify(await db.rows(sql`SELECT * FROM recovery_codes WHERE user_id = ${one.asha.id}`));
  for (const code of one.codes) expect(codes).not.toContain(code);
  // The sealed secret of another user cannot be opened.
  await db.run(sql`
    UPDATE users SET two_factor_secret = (SELECT two_factor_secret FROM users WHERE id = ${other.asha.id})
    WHERE id = ${one.asha.id}`);
  const swapped = await login(one.asha.email, await codeFor(other.secret));
  expect(swapped.status).not.toBe(200);
});
