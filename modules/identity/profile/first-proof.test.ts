import { sql } from '@chowk/kit';
import { generate } from 'otplib';
import { expect, test } from 'vitest';
import { type Person, startAccounts, testPassword } from '../../../server/testing/accounts.ts';
import { eventually } from '../../../server/testing/eventually.ts';
import { getAccounts } from '../accounts/accounts.ts';
import { addressHash } from './verification-link.ts';

const platform = await startAccounts();
const acme = await platform.tenant();
await (await platform.person({ tenant: acme })).patch('/api/v1/settings', { 'security.unverified_users': 'full' });
const { central } = platform.kernel;
const { sessions } = getAccounts(platform.kernel.services);

const post = (url: string, payload: object = {}) => platform.request({ method: 'POST', url, payload });
const login = (email: string, password: string) => post('/api/v1/auth/login', { email, password });

/** A stranger who signed up with the address, set up a second factor and an API client and keeps a session. */
async function squatter(): Promise<Person> {
  const person = await platform.person({ tenant: acme, verified: false });
  const { secret } = (await person.post('/api/v1/profile/two-factor', {})).body;
  expect((await person.post('/api/v1/profile/two-factor/confirm', { otp: await generate({ secret }) })).status).toBe(
    200,
  );
  expect((await person.post('/api/v1/api-clients', { name: 'Door', scopes: ['settings.view'] })).status).toBe(201);
  return person;
}

async function expectNothingLeft(person: Person): Promise<void> {
  await eventually(async () => expect((await person.get('/api/v1/auth/me')).status).toBe(401));
  expect(await sessions.refresh(person.refreshToken)).toBeUndefined();
  const left = await central.db.row(sql`
    SELECT two_factor_secret, two_factor_confirmed_at,
      (SELECT count(*) FROM recovery_codes WHERE user_id = u.id) AS recovery_codes,
      (SELECT count(*) FROM oauth_clients WHERE created_by = u.id) AS clients
    FROM users u WHERE id = ${person.id}`);
  expect(left).toEqual({ two_factor_secret: null, two_factor_confirmed_at: null, recovery_codes: 0, clients: 0 });
}

const verify = ({ id }: Person, email: string, headers = {}) =>
  platform.request({ method: 'POST', url: `/api/v1/email/verify/${id}/${addressHash(email)}`, headers });

async function reset({ email }: Person, password: string): Promise<void> {
  await post('/api/v1/auth/password/forgot', { email });
  const { text } = await platform.mailTo(email, /new password/);
  const token = /reset\/([\w-]+)/.exec(text)?.[1];
  const { status } = await post('/api/v1/auth/password/reset', { token, password, password_confirmation: password });
  expect(status).toBe(200);
}

test('who proves an address by a password reset gets the account without what a stranger has set up', async () => {
  const person = await squatter();
  await reset(person, 'mine from now on');
  await expectNothingLeft(person);
  expect((await login(person.email, 'mine from now on')).status).toBe(200);
});

test('who proves an address by a verification link gets the account without what a stranger has set up', async () => {
  const person = await squatter();
  expect((await verify(person, person.email)).status).toBe(200);
  await expectNothingLeft(person);
});

test('a password that was set before the address was proven without a session is invalid, and a mail leads to a new one', async () => {
  const person = await squatter();
  expect((await verify(person, person.email)).body).toMatchObject({
    new_password_needed: true,
    message: expect.stringContaining('mailed'),
  });
  const refused = await login(person.email, testPassword);
  expect(refused).toMatchObject({ status: 403, body: { code: 'auth.password_exposed' } });
  const { text } = await platform.mailTo(person.email, /new password/);
  expect(text).toContain(`${person.email} was verified without signing in.`);
  const token = /reset\/([\w-]+)/.exec(text)?.[1];
  const choose = (password: string) =>
    post('/api/v1/auth/password/reset', { token, password, password_confirmation: password });
  expect((await choose(testPassword)).body.errors.password).toBeDefined();
  expect((await choose('mine from now on')).status).toBe(200);
  expect((await login(person.email, 'mine from now on')).status).toBe(200);
});

test('a change of the address that a stranger requested cannot be verified after the first proof', async () => {
  const person = await squatter();
  const email = `stranger-${person.id}@example.com`;
  expect((await person.put('/api/v1/profile/email', { email, password: testPassword })).status).toBe(200);
  expect((await verify(person, person.email)).status).toBe(200);
  expect((await verify(person, email)).status).toBe(422);
});

test('the preview of a link says whether verifying it ends what was set up before', async () => {
  const person = await squatter();
  const preview = async (headers = {}) =>
    (await platform.request({ url: `/api/v1/email/verify/${person.id}/${addressHash(person.email)}/preview`, headers }))
      .body;
  const headers = { authorization: `Bearer ${person.accessToken}` };
  expect([(await preview()).ends_access, (await preview(headers)).ends_access]).toEqual([true, false]);
  await verify(person, person.email, headers);
  expect((await preview()).ends_access).toBe(false);
});

test('the first proven address of an account ends what was set up before, also if it is a new one', async () => {
  const person = await squatter();
  const email = `victim-${person.id}@example.com`;
  expect((await person.put('/api/v1/profile/email', { email, password: testPassword })).status).toBe(200);
  expect((await verify(person, email)).status).toBe(200);
  await expectNothingLeft(person);
});

test('who verifies the address in a session of the account keeps everything', async () => {
  const person = await squatter();
  const headers = { authorization: `Bearer ${person.accessToken}` };
  expect((await verify(person, person.email, headers)).body).toEqual({ message: 'Your email address is verified.' });
  expect((await login(person.email, testPassword)).body.two_factor_required).toBe(true);
  await eventually(async () => {
    const { status, body } = await person.get('/api/v1/auth/me');
    expect({ status, ...body }).toMatchObject({ status: 200, email_verified: true, two_factor_enabled: true });
  });
});

test('the session of another user does not count', async () => {
  const [person, other] = [await squatter(), await platform.person({ tenant: acme })];
  const headers = { authorization: `Bearer ${other.accessToken}` };
  expect((await verify(person, person.email, headers)).status).toBe(200);
  await expectNothingLeft(person);
  expect((await other.get('/api/v1/auth/me')).status).toBe(200);
});

test('a person with a verified address keeps the second factor after a password reset', async () => {
  const person = await squatter();
  await verify(person, person.email, { authorization: `Bearer ${person.accessToken}` });
  await reset(person, 'another password');
  expect((await login(person.email, 'another password')).body.two_factor_required).toBe(true);
});
