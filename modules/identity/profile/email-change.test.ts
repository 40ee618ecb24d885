import { sql } from '@chowk/kit';
import { afterEach, expect, test } from 'vitest';
import { type Person, startAccounts, testPassword } from '../../../server/testing/accounts.ts';
import { eventually } from '../../../server/testing/eventually.ts';
import { makeClient } from '../../../server/testing/oauth.ts';
import { getAccounts } from '../accounts/accounts.ts';
import { createUser } from '../accounts/users.ts';
import { addressHash } from './verification-link.ts';

let hoursAhead = 0;
const platform = await startAccounts({ now: () => new Date(Date.now() + hoursAhead * 3_600_000) });
const acme = await platform.tenant({ name: 'Acme' });
const { central } = platform.kernel;
const { sessions } = getAccounts(platform.kernel.services);

afterEach(() => {
  hoursAhead = 0;
});

const newPerson = () => platform.person({ tenant: acme });
const newEmail = (() => {
  let count = 0;
  return () => {
    count += 1;
    return `New-${count}@Example.com`;
  };
})();

const change = (person: Person, email: unknown, password: unknown = testPassword) =>
  person.put('/api/v1/profile/email', { email, password });
const post = (url: string, payload: object = {}) => platform.request({ method: 'POST', url, payload });

/** Verifies an address as the mailed link does. */
const verify = ({ id }: Person, email: string) =>
  platform.request({ method: 'GET', url: `/api/v1/email/verify/${id}/${addressHash(email)}` });

/** Changes and verifies the address; returns the new one. */
async function move(person: Person): Promise<string> {
  const { status, body } = await change(person, newEmail());
  expect(status).toBe(200);
  expect((await verify(person, body.email)).status).toBe(200);
  return body.email;
}

/** Signs in and returns the response. */
const login = (email: string, password = testPassword) => post('/api/v1/auth/login', { email, password });
const invitationTo = async (email: string) =>
  /invitations\/([\w-]+)/.exec((await platform.mailTo(email, /invited/)).text)?.[1];
const undo = (token: string) => platform.request({ method: 'POST', url: `/api/v1/email/undo/${token}` });
const previewUndo = (token: string) => platform.request({ method: 'GET', url: `/api/v1/email/undo/${token}` });

/** The token of the link in the newest notice to an address. */
async function undoToken(address: string): Promise<string> {
  const { text } = await platform.mailTo(address, /address .* was changed$/);
  return /\/email\/undo\/([\w-]+)/.exec(text)?.[1] ?? '';
}

const account = ({ id }: Person) =>
  central.db.row<{ email: string; verified: boolean; password_hash: string | null }>(sql`
    SELECT email, email_verified_at IS NOT NULL AS verified, password_hash FROM users WHERE id = ${id}`);
const profile = async (person: Person) => {
  const { email, email_verified, sign_in_email } = (await person.get('/api/v1/profile')).body.profile;
  return { email, email_verified, sign_in_email };
};
const activity = ({ id }: Person) =>
  central.db.rows(sql`SELECT action, tenant_id, details FROM activity_log WHERE user_id = ${id} ORDER BY at, id`);
const signedOut = (person: Person) =>
  eventually(async () => expect((await person.post('/api/v1/profile/email/resend-verification')).status).toBe(401));

const refusedToken = { status: 422, body: { message: expect.any(String), errors: { token: [expect.any(String)] } } };

test('a new address is shown at once, in lower case, while the account still signs in with the old one', async () => {
  const person = await newPerson();
  const email = newEmail();
  const { status, body } = await change(person, email);
  expect({ status, body }).toEqual({
    status: 200,
    body: { message: expect.any(String), email: email.toLowerCase(), requires_verification: true },
  });
  const shown = { email: email.toLowerCase(), email_verified: false, sign_in_email: person.email };
  expect(await profile(person)).toEqual(shown);
  expect((await person.get('/api/v1/auth/me')).body).toMatchObject(shown);
  expect((await login(email)).status).toBe(422);
  const { body: signedIn } = await login(person.email);
  expect(signedIn.user).toMatchObject({ email: email.toLowerCase(), email_verified: false });
  expect(await activity(person)).toMatchObject([
    { action: 'email_changed', tenant_id: acme.id, details: { old: person.email, new: email.toLowerCase() } },
    { action: 'signed_in' },
  ]);
});

test('the link to the new address makes it the one to sign in with', async () => {
  const person = await newPerson();
  const { body } = await change(person, newEmail());
  const { text } = await platform.mailTo(body.email, /^Verify/);
  const { pathname, search } = new URL(/http\S+/.exec(text)?.[0] ?? '');
  expect((await post(`/api/v1${pathname}${search}`)).status).toBe(200);
  const shown = { email: body.email, email_verified: true, sign_in_email: body.email };
  expect(await profile(person)).toEqual(shown);
  expect((await person.get('/api/v1/auth/me')).body).toMatchObject(shown);
  expect((await login(person.email)).status).toBe(422);
  expect((await login(body.email)).status).toBe(200);
  expect((await verify(person, body.email)).body.already_verified).toBe(true);
});

test('until the new address is verified, mails of the account go to the old one', async () => {
  const person = await newPerson();
  const { body } = await change(person, newEmail());
  await post('/api/v1/auth/password/forgot', { email: body.email });
  await person.put('/api/v1/profile/password', {
    current_password: testPassword,
    password: 'long enough',
    password_confirmation: 'long enough',
  });
  await platform.mailTo(person.email, /password was changed/);
  const mails = (await platform.kernel.services.mail.listStored()).filter(({ to }) => to === body.email);
  expect(mails.map(({ subject }) => subject)).toEqual(['Verify your email address for Acme']);
});

test('entering the address that the account signs in with cancels a change', async () => {
  const person = await newPerson();
  const { body: first } = await change(person, newEmail());
  const { status, body } = await change(person, person.email);
  expect({ status, requires_verification: body.requires_verification }).toEqual({
    status: 200,
    requires_verification: false,
  });
  expect(await profile(person)).toEqual({ email: person.email, email_verified: true, sign_in_email: person.email });
  expect((await verify(person, first.email)).status).toBe(422);
});

test('a mistyped address gives its owner no access to the account', async () => {
  const person = await newPerson();
  const { body: mistyped } = await change(person, newEmail());
  await change(person, newEmail());
  // The stranger can neither verify nor undo nor reset anything.
  expect((await verify(person, mistyped.email)).status).toBe(422);
  await post('/api/v1/auth/password/forgot', { email: mistyped.email });
  await post('/api/v1/auth/password/forgot', { email: person.email });
  await platform.mailTo(person.email, /new password/);
  const mails = (await platform.kernel.services.mail.listStored()).filter(({ to }) => to === mistyped.email);
  expect(mails.map(({ subject }) => subject)).toEqual(['Verify your email address for Acme']);
});

test('an address that was never verified cannot undo its replacement', async () => {
  const person = await platform.person({ tenant: acme, verified: false });
  await move(person);
  const row = await central.db.row(sql`SELECT FROM email_changes WHERE user_id = ${person.id}`);
  expect(row).toBeUndefined();
});

test('entering the address of somebody else captures neither their invitation nor their tenant', async () => {
  const attacker = await newPerson();
  const victim = newEmail().toLowerCase();
  await change(attacker, victim);
  const corp = await platform.tenant();
  const owner = await platform.person({ tenant: corp });
  await owner.post('/api/v1/invitations', { email: victim, role: 'Admin' });
  const link = await invitationTo(victim);
  const byAttacker = await attacker.post(`/api/v1/invitations/${link}/accept`);
  expect({ status: byAttacker.status, code: byAttacker.body.code }).toEqual({
    status: 403,
    code: 'identity.wrong_account',
  });
  const form = { name: 'Victim', password: 'the victim’s own', password_confirmation: 'the victim’s own' };
  const { status, body } = await post(`/api/v1/invitations/${link}/accept`, form);
  expect({ status, isNew: body.user.id !== attacker.id }).toEqual({ status: 201, isNew: true });
});

test('moving on from the address of somebody else does not lock it', async () => {
  const [person, stranger] = [await newPerson(), await newPerson()];
  const { body: wrong } = await change(person, newEmail());
  await change(person, newEmail());
  expect((await change(stranger, wrong.email)).status).toBe(200);
  expect((await verify(stranger, wrong.email)).status).toBe(200);
});

test('of several accounts that enter an address, the first to verify it owns it', async () => {
  const [one, other] = [await newPerson(), await newPerson()];
  const email = newEmail().toLowerCase();
  expect((await change(one, email)).status).toBe(200);
  expect((await change(other, email)).status).toBe(200);
  const answers = await Promise.all([verify(one, email), verify(other, email)]);
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 422]);
  const refused = answers.find(({ status }) => status === 422);
  expect(refused?.body.error_codes).toEqual({ hash: ['taken'] });
  expect((await login(email)).body.user.id).toBe((answers[0]?.status === 200 ? one : other).id);
});

test('an account that never verified its address loses it to the account that does, and can enter another', async () => {
  const email = newEmail().toLowerCase();
  const squatter = await platform.person({ tenant: acme, verified: false });
  await central.db.run(sql`UPDATE users SET email = ${email} WHERE id = ${squatter.id}`);
  await post('/api/v1/auth/password/forgot', { email });
  await platform.mailTo(email, /new password/);
  const owner = await newPerson();
  expect((await change(owner, email)).status).toBe(200);
  expect((await verify(owner, email)).status).toBe(200);
  expect((await login(email)).body.user.id).toBe(owner.id);
  await eventually(async () =>
    expect(await profile(squatter)).toEqual({ email, email_verified: false, sign_in_email: null }),
  );
  expect((await verify(squatter, email)).status).toBe(422);
  expect(await central.db.row(sql`SELECT FROM password_resets WHERE user_id = ${squatter.id}`)).toBeUndefined();
  const { body: next } = await change(squatter, newEmail());
  const own = { authorization: `Bearer ${squatter.accessToken}` };
  const url = `/api/v1/email/verify/${squatter.id}/${addressHash(next.email)}`;
  expect((await platform.request({ method: 'POST', url, headers: own })).status).toBe(200);
  expect((await login(next.email)).body.user.id).toBe(squatter.id);
});

test('the old address receives a link that undoes the change, with its expiry', async () => {
  const person = await newPerson();
  const email = await move(person);
  const { subject, text } = await platform.mailTo(person.email);
  expect(subject).toBe('The email address of your Acme account was changed');
  expect(text).toMatch(new RegExp(`${platform.kernel.config.appUrl}/email/undo/[\\w-]{43}\n`));
  expect(text).toContain('expires in 7 days');
  expect(text).not.toContain(email);
  const kept = await central.db.rows<{ token_hash: Buffer }>(
    sql`SELECT token_hash FROM email_changes WHERE user_id = ${person.id}`,
  );
  expect(kept[0]?.token_hash.toString()).not.toContain(await undoToken(person.email));
});

const badInput: [string, Record<string, unknown>, string][] = [
  ['no address', { password: testPassword }, 'email'],
  ['no password', { email: 'a@example.com' }, 'password'],
  ['an invalid address', { email: 'nobody', password: testPassword }, 'email'],
  ['an address with a line break', { email: 'a@example.com\r\nBcc: b@example.com', password: testPassword }, 'email'],
  ['two addresses', { email: 'a@example.com, b@example.com', password: testPassword }, 'email'],
  ['a number for an address', { email: 5, password: testPassword }, 'email'],
  ['an endless address', { email: `${'a'.repeat(250)}@example.com`, password: testPassword }, 'email'],
  ['an empty password', { email: 'a@example.com', password: '' }, 'password'],
  ['a wrong password', { email: 'a@example.com', password: 'not the one' }, 'password'],
];

test.each(badInput)('%s is refused', async (_, body, field) => {
  const person = await newPerson();
  const answer = await person.put('/api/v1/profile/email', body);
  expect({ status: answer.status, fields: Object.keys(answer.body.errors) }).toEqual({ status: 422, fields: [field] });
  expect(await account(person)).toMatchObject({ email: person.email, verified: true });
  expect(await activity(person)).toEqual([]);
});

test('all errors of a change are reported in one response', async () => {
  const [person, other] = [await newPerson(), await newPerson()];
  const wrong = async (email: string) => (await change(person, email, 'not the one')).body.error_codes;
  expect(await wrong('nobody')).toEqual({ email: ['invalid'], password: ['invalid'] });
  expect(await wrong(other.email)).toEqual({ email: ['taken'], password: ['invalid'] });
  expect(await wrong(person.email)).toEqual({ email: ['invalid'], password: ['invalid'] });
  expect(await wrong(newEmail())).toEqual({ password: ['invalid'] });
});

test('changing to the same address is refused regardless of case', async () => {
  const person = await newPerson();
  const { status, body } = await change(person, person.email.toUpperCase());
  expect({ status, errors: body.errors }).toEqual({
    status: 422,
    errors: { email: ['This is already your email address.'] },
  });
});

test('an address that another account has verified is refused', async () => {
  const [one, other] = [await newPerson(), await newPerson()];
  const { status, body } = await change(one, other.email.toUpperCase());
  expect({ status, errors: body.errors }).toEqual({
    status: 422,
    errors: { email: ['Another account has this address.'] },
  });
});

test('password guesses through a change are limited', async () => {
  const person = await newPerson();
  const statuses = [];
  for (let tries = 0; tries < 11; tries += 1) {
    statuses.push((await change(person, 'a@example.com', `guess ${tries}`)).status);
  }
  expect(statuses).toEqual([...Array(10).fill(422), 429]);
  const { status, headers } = await change(person, newEmail());
  expect(status).toBe(429);
  expect(Number(headers['retry-after'])).toBeGreaterThan(0);
});

test('password guesses with an invalid address are limited', async () => {
  const person = await newPerson();
  const guess = async (password: string) => Object.keys((await change(person, 'nobody', password)).body.errors);
  for (let tries = 0; tries < 10; tries += 1) expect(await guess(`guess ${tries}`)).toEqual(['email', 'password']);
  expect(await guess('one more guess')).toEqual(['email']);
  expect(await guess(testPassword)).toEqual(['email']);
});

test('attempts with a wrong password are limited', async () => {
  const [person, other] = [await newPerson(), await newPerson()];
  for (let tries = 0; tries < 5; tries += 1) {
    expect(Object.keys((await change(person, other.email, 'wrong')).body.errors)).toContain('email');
  }
  for (let tries = 0; tries < 5; tries += 1) expect((await change(person, other.email)).status).toBe(422);
  expect((await change(person, other.email)).status).toBe(429);
  expect(Object.keys((await change(person, other.email, 'wrong')).body.errors)).toEqual(['password']);
});

test('attempts to find taken addresses are limited', async () => {
  const [person, other] = [await newPerson(), await newPerson()];
  const statuses = [];
  for (let tries = 0; tries < 11; tries += 1) statuses.push((await change(person, other.email)).status);
  expect(statuses).toEqual([...Array(10).fill(422), 429]);
});

test('an anonymous caller cannot change an address', async () => {
  const { status } = await platform.request({ method: 'PUT', url: '/api/v1/profile/email', payload: {} });
  expect(status).toBe(401);
});

test('a personal access token cannot change an address', async () => {
  const person = await newPerson();
  const client = { address: '127.0.0.1', network: '127.0.0.1', userAgent: 'test' };
  const { token } = await sessions.issuePersonal({ userId: person.id, kind: 'personal', client });
  const { status, body } = await platform.request({
    method: 'PUT',
    url: '/api/v1/profile/email',
    headers: { authorization: `Bearer ${token}` },
    payload: { email: newEmail(), password: testPassword },
  });
  expect({ status, code: body.code }).toEqual({ status: 403, code: 'identity.session_only' });
});

test('a user without a password is asked to set one first', async () => {
  const person = await newPerson();
  await central.db.run(sql`UPDATE users SET password_hash = NULL WHERE id = ${person.id}`);
  const { status, body } = await change(person, newEmail());
  expect({ status, message: body.errors.password[0] }).toEqual({
    status: 422,
    message: expect.stringMatching(/no password/),
  });
});

test('a password reset link to the old address is invalid after the new one was verified', async () => {
  const person = await newPerson();
  await post('/api/v1/auth/password/forgot', { email: person.email });
  const { text } = await platform.mailTo(person.email, /new password/);
  const token = /reset\/([\w-]+)/.exec(text)?.[1];
  await move(person);
  const body = { token, password: 'long enough', password_confirmation: 'long enough' };
  const answer = await platform.request({ method: 'POST', url: '/api/v1/auth/password/reset', payload: body });
  expect(answer).toMatchObject(refusedToken);
});

test('previewing the link changes nothing', async () => {
  const person = await newPerson();
  const email = await move(person);
  const { status, body } = await previewUndo(await undoToken(person.email));
  expect({ status, body }).toEqual({ status: 200, body: { email: person.email, expires_at: expect.any(String) } });
  const days = (Date.parse(body.expires_at) - Date.now()) / 86_400_000;
  expect(days).toBeGreaterThan(6.99);
  expect(days).toBeLessThanOrEqual(7);
  expect(await account(person)).toMatchObject({ email });
});

test('the link restores the verified address and cancels a further change', async () => {
  const person = await newPerson();
  await move(person);
  await change(person, newEmail());
  const { status, body } = await undo(await undoToken(person.email));
  expect({ status, email: body.email }).toEqual({ status: 200, email: person.email });
  expect(await account(person)).toMatchObject({ email: person.email, verified: true });
  const row = await central.db.row(sql`SELECT pending_email FROM users WHERE id = ${person.id}`);
  expect(row).toEqual({ pending_email: null });
});

test('undoing is logged, ends all sessions and mails a link to choose a new password', async () => {
  const person = await newPerson();
  const email = await move(person);
  await undo(await undoToken(person.email));
  await signedOut(person);
  expect(await sessions.refresh(person.refreshToken)).toBeUndefined();
  expect(await activity(person)).toMatchObject([
    { action: 'email_changed' },
    { action: 'email_verified' },
    { action: 'email_change_undone', details: { old: email, new: person.email } },
  ]);
  const { text } = await platform.mailTo(person.email, /new password/);
  expect(text).toMatch(/\/password\/reset\/[\w-]{43}\n/);
});

test('a link can be used once, also by concurrent requests', async () => {
  const person = await newPerson();
  await move(person);
  const token = await undoToken(person.email);
  const answers = await Promise.all([undo(token), undo(token), undo(token)]);
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 422, 422]);
  expect(await undo(token)).toMatchObject(refusedToken);
  expect(await previewUndo(token)).toMatchObject(refusedToken);
});

test('a link expires after seven days', async () => {
  const person = await newPerson();
  await move(person);
  const token = await undoToken(person.email);
  hoursAhead = 7 * 24 + 0.1;
  expect(await previewUndo(token)).toMatchObject(refusedToken);
  expect(await undo(token)).toMatchObject(refusedToken);
  hoursAhead = 7 * 24 - 0.1;
  expect((await undo(token)).status).toBe(200);
});

test.each(['x', 'A'.repeat(43), 'a'.repeat(201), '%00'])('the token %s is invalid', async (token) => {
  expect(await previewUndo(token)).toMatchObject(refusedToken);
  expect(await undo(token)).toMatchObject(refusedToken);
});

test('undoing an older change restores its address and closes the later changes', async () => {
  const person = await newPerson();
  const [second, third] = [await move(person), await move(person)];
  const [first, later] = [await undoToken(person.email), await undoToken(second)];
  expect((await undo(first)).body.email).toBe(person.email);
  expect(await account(person)).toMatchObject({ email: person.email, verified: true });
  expect(await undo(later)).toMatchObject(refusedToken);
  expect((await activity(person)).at(-1)).toMatchObject({
    action: 'email_change_undone',
    details: { old: third, new: person.email },
  });
});

test('after undoing the later change the earlier one can still be undone', async () => {
  const person = await newPerson();
  const second = await move(person);
  await move(person);
  expect((await undo(await undoToken(second))).body.email).toBe(second);
  expect((await undo(await undoToken(person.email))).body.email).toBe(person.email);
});

test('an account that never verified the old address loses it when the change is undone', async () => {
  const person = await newPerson();
  await move(person);
  const userId = await createUser(central.db, { name: 'Thief', email: person.email });
  expect(userId).toBeTypeOf('number');
  expect((await undo(await undoToken(person.email))).status).toBe(200);
  expect(await account(person)).toMatchObject({ email: person.email });
});

test('a change cannot be undone after another account has verified the old address', async () => {
  const person = await newPerson();
  const email = await move(person);
  const heir = await newPerson();
  expect((await change(heir, person.email)).status).toBe(200);
  expect((await verify(heir, person.email)).status).toBe(200);
  expect(await undo(await undoToken(person.email))).toMatchObject(refusedToken);
  expect(await account(person)).toMatchObject({ email, verified: true });
});

test('undoing a change removes memberships that were granted to the new address', async () => {
  const attacker = await newPerson();
  const email = await move(attacker);
  const corp = await platform.tenant();
  const owner = await platform.person({ tenant: corp });
  await owner.post('/api/v1/invitations', { email, role: 'Admin' });
  expect((await attacker.post(`/api/v1/invitations/${await invitationTo(email)}/accept`)).status).toBe(200);
  expect((await undo(await undoToken(attacker.email))).status).toBe(200);
  const memberships = await central.db.rows(sql`SELECT tenant_id FROM memberships WHERE user_id = ${attacker.id}`);
  expect(memberships).toEqual([{ tenant_id: acme.id }]);
});

test('undoing a change deletes the API clients that were created since, and no earlier ones', async () => {
  const person = await newPerson();
  const earlier = await makeClient(person, ['settings.view']);
  await change(person, newEmail());
  const later = await makeClient(person, ['settings.view']);
  const { body } = await person.get('/api/v1/profile');
  await verify(person, body.profile.email);
  const { body: token } = await later.token(platform);
  await undo(await undoToken(person.email));
  expect((await later.token(platform)).body.error).toBe('invalid_client');
  expect((await earlier.token(platform)).status).toBe(200);
  const headers = { authorization: `Bearer ${token.access_token}`, 'x-tenant': acme.id };
  await eventually(async () => expect((await platform.request({ url: '/api/v1/settings', headers })).status).toBe(401));
});

test('undoing a change ends the secrets of API clients that were replaced since', async () => {
  const [person, owner] = [await newPerson(), await newPerson()];
  const { id } = await makeClient(owner, ['settings.view']);
  await change(person, newEmail());
  const { client_secret } = (await person.post(`/api/v1/api-clients/${id}/secret`)).body;
  const token = () => post('/oauth/token', { grant_type: 'client_credentials', client_id: id, client_secret });
  const { access_token } = (await token()).body;
  const headers = { authorization: `Bearer ${access_token}`, 'x-tenant': acme.id };
  const status = async () => (await platform.request({ url: '/api/v1/settings', headers })).status;
  expect(await status()).toBe(200);
  await verify(person, (await profile(person)).email);
  await undo(await undoToken(person.email));
  expect((await token()).body.error).toBe('invalid_client');
  await eventually(async () => expect(await status()).toBe(401));
  expect((await owner.post(`/api/v1/api-clients/${id}/secret`)).body.api_client.secret_expires_at).toBeNull();
});

test('a password link that was mailed to the new address is invalid after the undo', async () => {
  const person = await newPerson();
  const email = await move(person);
  await post('/api/v1/auth/password/forgot', { email });
  const token = /reset\/([\w-]+)/.exec((await platform.mailTo(email, /new password/)).text)?.[1];
  await undo(await undoToken(person.email));
  const body = { token, password: 'all mine now', password_confirmation: 'all mine now' };
  expect(await post('/api/v1/auth/password/reset', body)).toMatchObject(refusedToken);
});

test('a second factor that was requested before the undo cannot be confirmed after it', async () => {
  const owner = await newPerson();
  await move(owner);
  const { body } = await owner.post('/api/v1/profile/two-factor', {});
  expect(body.secret).toBeTypeOf('string');
  await undo(await undoToken(owner.email));
  const row = await central.db.row(sql`SELECT two_factor_secret FROM users WHERE id = ${owner.id}`);
  expect(row).toEqual({ two_factor_secret: null });
});

test('an attacker who took over an account loses it to the owner of the old address', async () => {
  const owner = await newPerson();
  // The thief knows the password, signs in and changes the address, the password and the second factor.
  const client = { address: '127.0.0.1', network: '127.0.0.1', userAgent: 'test' };
  const stolen = await sessions.open({ userId: owner.id, kind: 'login', client });
  const headers = { authorization: `Bearer ${stolen.access_token}`, 'x-tenant': acme.id };
  const asThief = (method: 'PUT' | 'POST', url: string, payload?: object) =>
    platform.request({ method, url, headers, ...(payload ? { payload } : {}) });
  const { body: taken } = await asThief('PUT', '/api/v1/profile/email', { email: newEmail(), password: testPassword });
  const newPassword = { password: 'all mine now', password_confirmation: 'all mine now' };
  const changed = await asThief('PUT', '/api/v1/profile/password', { current_password: testPassword, ...newPassword });
  expect(changed.status).toBe(200);
  await central.db.run(sql`
    UPDATE users SET two_factor_secret = 'x', two_factor_confirmed_at = clock_timestamp() WHERE id = ${owner.id}`);
  await central.db.run(sql`INSERT INTO recovery_codes (user_id, code_hash) VALUES (${owner.id}, 'x')`);
  const { text } = await platform.mailTo(taken.email, /^Verify/);
  const { pathname, search } = new URL(/http\S+/.exec(text)?.[0] ?? '');
  await platform.request({ method: 'POST', url: `/api/v1${pathname}${search}` });

  expect((await undo(await undoToken(owner.email))).status).toBe(200);

  await eventually(async () =>
    expect((await asThief('POST', '/api/v1/profile/email/resend-verification')).status).toBe(401),
  );
  expect(await sessions.refresh(stolen.refresh_token)).toBeUndefined();
  // Nobody can sign in, neither with the thief's password nor with the restored one, which the thief knows.
  expect(await account(owner)).toMatchObject({ email: owner.email, verified: true });
  expect((await login(owner.email, 'all mine now')).status).toBe(422);
  const refused = await login(owner.email);
  expect({ status: refused.status, code: refused.body.code }).toEqual({ status: 403, code: 'auth.password_exposed' });
  expect(
    await central.db.row(sql`
      SELECT two_factor_confirmed_at, (SELECT count(*) FROM recovery_codes WHERE user_id = id) AS codes
      FROM users WHERE id = ${owner.id}`),
  ).toEqual({ two_factor_confirmed_at: null, codes: 0 });

  const { text: mail } = await platform.mailTo(owner.email, /new password/);
  const token = /reset\/([\w-]+)/.exec(mail)?.[1];
  const same = await platform.request({
    method: 'POST',
    url: '/api/v1/auth/password/reset',
    payload: { token, password: testPassword, password_confirmation: testPassword },
  });
  expect(same).toMatchObject({ status: 422, body: { errors: { password: [expect.stringMatching(/another/)] } } });
  const own = { password: 'mine again now', password_confirmation: 'mine again now' };
  const reset = await platform.request({
    method: 'POST',
    url: '/api/v1/auth/password/reset',
    payload: { token, ...own },
  });
  expect(reset.status).toBe(200);
  expect((await login(owner.email, 'mine again now')).status).toBe(200);
});

test('after an undo, an invitation cannot be accepted with the exposed password', async () => {
  const person = await newPerson();
  await move(person);
  await undo(await undoToken(person.email));
  const corp = await platform.tenant();
  const owner = await platform.person({ tenant: corp });
  await owner.post('/api/v1/invitations', { email: person.email, role: 'Agent' });
  const link = await invitationTo(person.email);
  const { status, body } = await post(`/api/v1/invitations/${link}/accept`, { password: testPassword });
  expect({ status, code: body.code }).toEqual({ status: 403, code: 'auth.password_exposed' });
});

test('a second factor from before the change stays', async () => {
  const person = await newPerson();
  await central.db.run(sql`
    UPDATE users SET two_factor_secret = 'x', two_factor_confirmed_at = now() - interval '1 hour' WHERE id = ${person.id}`);
  await move(person);
  await undo(await undoToken(person.email));
  const row = await central.db.row(sql`SELECT two_factor_secret FROM users WHERE id = ${person.id}`);
  expect(row).toEqual({ two_factor_secret: 'x' });
});
