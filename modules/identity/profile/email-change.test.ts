import { sql } from '@chowk/kit';
import { afterEach, expect, test } from 'vitest';
import { type Person, startAccounts, testPassword } from '../../../server/testing/accounts.ts';
import { eventually } from '../../../server/testing/eventually.ts';
import { accountsOf } from '../accounts/accounts.ts';
import { createUser } from '../accounts/users.ts';

let hoursAhead = 0;
const platform = await startAccounts({ now: () => new Date(Date.now() + hoursAhead * 3_600_000) });
const acme = await platform.tenant({ name: 'Acme' });
const { central } = platform.kernel;
const { sessions, passwords } = accountsOf(platform.kernel.services);

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
const undo = (token: string) => platform.request({ method: 'POST', url: `/api/v1/email/undo/${token}` });
const look = (token: string) => platform.request({ method: 'GET', url: `/api/v1/email/undo/${token}` });

/** The token of the link in the newest notice to an address. */
async function undoToken(address: string): Promise<string> {
  const { text } = await platform.mailTo(address, /was changed$/);
  return /\/email\/undo\/([\w-]+)/.exec(text)?.[1] ?? '';
}

const account = ({ id }: Person) =>
  central.db.row<{ email: string; verified: boolean; password_hash: string | null }>(sql`
    SELECT email, email_verified_at IS NOT NULL AS verified, password_hash FROM users WHERE id = ${id}`);
const activity = ({ id }: Person) =>
  central.db.rows(sql`SELECT action, tenant_id, details FROM activity_log WHERE user_id = ${id} ORDER BY at, id`);
const signedOut = (person: Person) =>
  eventually(async () => expect((await person.post('/api/v1/profile/email/resend-verification')).status).toBe(401));

const refusedToken = { status: 422, body: { message: expect.any(String), errors: { token: [expect.any(String)] } } };

test('an address is changed at once, in lower case, and must be verified', async () => {
  const person = await newPerson();
  const email = newEmail();
  const { status, body } = await change(person, email);
  expect({ status, body }).toEqual({
    status: 200,
    body: { message: expect.any(String), email: email.toLowerCase(), requires_verification: true },
  });
  expect(await account(person)).toMatchObject({ email: email.toLowerCase(), verified: false });
  expect(await activity(person)).toEqual([
    { action: 'email_changed', tenant_id: acme.id, details: { old: person.email, new: email.toLowerCase() } },
  ]);
});

test('the link to the new address verifies it', async () => {
  const person = await newPerson();
  const { body } = await change(person, newEmail());
  const { text } = await platform.mailTo(body.email, /^Verify/);
  const { pathname, search } = new URL(/http\S+/.exec(text)?.[0] ?? '');
  expect((await platform.request({ method: 'POST', url: `/api/v1${pathname}${search}` })).status).toBe(200);
  expect(await account(person)).toMatchObject({ email: body.email, verified: true });
});

test('the old address receives a link that undoes the change, with its expiry', async () => {
  const person = await newPerson();
  const { body } = await change(person, newEmail());
  const { subject, text } = await platform.mailTo(person.email);
  expect(subject).toBe('The email address of your Acme account was changed');
  expect(text).toMatch(new RegExp(`${platform.kernel.config.appUrl}/email/undo/[\\w-]{43}\n`));
  expect(text).toContain('expires in 7 days');
  expect(text).not.toContain(body.email);
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

test('a taken address is refused, and one of two concurrent requests for an address succeeds', async () => {
  const [one, other] = [await newPerson(), await newPerson()];
  const { status, body } = await change(one, other.email.toUpperCase());
  expect({ status, errors: body.errors }).toEqual({
    status: 422,
    errors: { email: ['Another account has this address.'] },
  });
  const email = newEmail();
  const answers = await Promise.all([change(one, email), change(other, email)]);
  expect(answers.map((answer) => answer.status).sort()).toEqual([200, 422]);
});

test('concurrent changes run one after the other, and each can be undone to the address before it', async () => {
  const person = await newPerson();
  const answers = await Promise.all(
    [newEmail(), newEmail(), newEmail(), newEmail()].map((email) => change(person, email)),
  );
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  const changes = await central.db.rows<{ old_email: string; new_email: string }>(
    sql`SELECT old_email, new_email FROM email_changes WHERE user_id = ${person.id} ORDER BY created_at`,
  );
  const before = [person.email, ...changes.map(({ new_email }) => new_email)];
  expect(changes.map(({ old_email }) => old_email)).toEqual(before.slice(0, 4));
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

test('a password reset link to the old address is invalid after the change', async () => {
  const person = await newPerson();
  await platform.request({ method: 'POST', url: '/api/v1/auth/password/forgot', payload: { email: person.email } });
  const { text } = await platform.mailTo(person.email, /new password/);
  const token = /reset\/([\w-]+)/.exec(text)?.[1];
  await change(person, newEmail());
  const body = { token, password: 'long enough', password_confirmation: 'long enough' };
  const answer = await platform.request({ method: 'POST', url: '/api/v1/auth/password/reset', payload: body });
  expect(answer).toMatchObject(refusedToken);
});

test('previewing the link changes nothing', async () => {
  const person = await newPerson();
  const { body: changed } = await change(person, newEmail());
  const { status, body } = await look(await undoToken(person.email));
  expect({ status, body }).toEqual({ status: 200, body: { email: person.email, expires_at: expect.any(String) } });
  const days = (Date.parse(body.expires_at) - Date.now()) / 86_400_000;
  expect(days).toBeGreaterThan(6.99);
  expect(days).toBeLessThanOrEqual(7);
  expect(await account(person)).toMatchObject({ email: changed.email });
});

test('the link restores the address and its verification', async () => {
  for (const verified of [true, false]) {
    const person = await platform.person({ tenant: acme, verified });
    await change(person, newEmail());
    const { status, body } = await undo(await undoToken(person.email));
    expect({ status, email: body.email }).toEqual({ status: 200, email: person.email });
    expect(await account(person)).toMatchObject({ email: person.email, verified });
  }
});

test('undoing is logged, ends all sessions and mails a link to choose a new password', async () => {
  const person = await newPerson();
  const { body: changed } = await change(person, newEmail());
  await undo(await undoToken(person.email));
  await signedOut(person);
  expect(await sessions.refresh(person.refreshToken)).toBeUndefined();
  expect(await activity(person)).toMatchObject([
    { action: 'email_changed' },
    { action: 'email_change_undone', details: { old: changed.email, new: person.email } },
  ]);
  const { text } = await platform.mailTo(person.email, /new password/);
  expect(text).toMatch(/\/password\/reset\/[\w-]{43}\n/);
});

test('a link can be used once, also by concurrent requests', async () => {
  const person = await newPerson();
  await change(person, newEmail());
  const token = await undoToken(person.email);
  const answers = await Promise.all([undo(token), undo(token), undo(token)]);
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 422, 422]);
  expect(await undo(token)).toMatchObject(refusedToken);
  expect(await look(token)).toMatchObject(refusedToken);
});

test('a link expires after seven days', async () => {
  const person = await newPerson();
  await change(person, newEmail());
  const token = await undoToken(person.email);
  hoursAhead = 7 * 24 + 0.1;
  expect(await look(token)).toMatchObject(refusedToken);
  expect(await undo(token)).toMatchObject(refusedToken);
  hoursAhead = 7 * 24 - 0.1;
  expect((await undo(token)).status).toBe(200);
});

test.each(['x', 'A'.repeat(43), 'a'.repeat(201), '%00'])('the token %s is invalid', async (token) => {
  expect(await look(token)).toMatchObject(refusedToken);
  expect(await undo(token)).toMatchObject(refusedToken);
});

test('undoing an older change restores its address and closes the later changes', async () => {
  const person = await newPerson();
  const { body: second } = await change(person, newEmail());
  const { body: third } = await change(person, newEmail());
  const [first, later] = [await undoToken(person.email), await undoToken(second.email)];
  expect((await undo(first)).body.email).toBe(person.email);
  expect(await account(person)).toMatchObject({ email: person.email, verified: true });
  expect(await undo(later)).toMatchObject(refusedToken);
  expect(await activity(person)).toMatchObject([
    {},
    {},
    { action: 'email_change_undone', details: { old: third.email, new: person.email } },
  ]);
});

test('after undoing the later change the earlier one can still be undone', async () => {
  const person = await newPerson();
  const { body: second } = await change(person, newEmail());
  await change(person, newEmail());
  expect((await undo(await undoToken(second.email))).body.email).toBe(second.email);
  expect((await undo(await undoToken(person.email))).body.email).toBe(person.email);
});

test('a former address stays reserved while its account may return to it', async () => {
  const person = await newPerson();
  await change(person, newEmail());
  const token = await undoToken(person.email);
  const thief = await newPerson();
  expect(await change(thief, person.email)).toMatchObject({
    status: 422,
    body: { errors: { email: expect.anything() } },
  });
  const userId = await createUser(central.db, { name: 'Thief', email: person.email });
  expect(userId).toBeUndefined();
  expect((await undo(token)).status).toBe(200);
});

test('the account may return to its former address, which becomes available after seven days', async () => {
  const person = await newPerson();
  await change(person, newEmail());
  expect((await change(person, person.email)).status).toBe(200);
  await change(person, newEmail());
  const other = await newPerson();
  hoursAhead = 7 * 24 + 0.1;
  const { access_token } = await signIn(other.email, testPassword);
  const answer = await platform.request({
    method: 'PUT',
    url: '/api/v1/profile/email',
    headers: { authorization: `Bearer ${access_token}` },
    payload: { email: person.email, password: testPassword },
  });
  expect(answer.status).toBe(200);
});

test('undoing a change removes memberships that were granted to the new address', async () => {
  // The attacker changes its address to the victim's, who is then invited, requests a password and accepts.
  const attacker = await newPerson();
  const victim = newEmail().toLowerCase();
  await change(attacker, victim);
  const corp = await platform.tenant();
  const owner = await platform.person({ tenant: corp });
  await owner.post('/api/v1/invitations', { email: victim, role: 'Admin' });
  const link = /invitations\/([\w-]+)/.exec((await platform.mailTo(victim, /invited/)).text)?.[1];
  await accountsOf(platform.kernel.services).sessions.revokeAll(attacker.id);
  await central.db.run(sql`
    UPDATE users SET password_hash = ${await passwords.hash('the victim’s own')} WHERE id = ${attacker.id}`);
  const accepted = await platform.request({
    method: 'POST',
    url: `/api/v1/invitations/${link}/accept`,
    payload: { password: 'the victim’s own' },
  });
  expect(accepted.status).toBe(200);
  expect((await undo(await undoToken(attacker.email))).status).toBe(200);
  const { access_token } = await signIn(attacker.email, testPassword);
  const headers = { authorization: `Bearer ${access_token}`, 'x-tenant': corp.id };
  expect((await platform.request({ url: '/api/v1/team', headers })).status).toBe(403);
  // Earlier memberships are kept.
  const own = { authorization: `Bearer ${access_token}`, 'x-tenant': acme.id };
  expect((await platform.request({ url: '/api/v1/auth/me', headers: own })).status).toBe(200);
});

test('a second factor that was requested before the undo cannot be confirmed after it', async () => {
  const owner = await newPerson();
  await change(owner, newEmail());
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
  // The old password is restored; the thief can sign in with it but change nothing.
  const { password_hash: restored, ...address } = (await account(owner)) ?? {};
  expect(address).toEqual({ email: owner.email, verified: true });
  expect(await passwords.verify(testPassword, restored)).toBe(true);
  await expectFrozen(owner);
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
  const { password_hash } = (await account(owner)) ?? {};
  expect(await passwords.verify('mine again now', password_hash)).toBe(true);
  const again = { email: newEmail(), password: 'mine again now' };
  const { access_token: newToken } = await signIn(owner.email, 'mine again now');
  const answer = await platform.request({
    method: 'PUT',
    url: '/api/v1/profile/email',
    headers: { authorization: `Bearer ${newToken}` },
    payload: again,
  });
  expect(answer.status).toBe(200);
});

async function signIn(email: string, password: string) {
  const payload = { email, password };
  return (await platform.request({ method: 'POST', url: '/api/v1/auth/login', payload })).body;
}

async function expectFrozen({ email }: Person): Promise<void> {
  const { access_token } = await signIn(email, testPassword);
  const repeated = { password: 'all mine now', password_confirmation: 'all mine now' };
  const tries = [
    ['PUT', 'email', { email: newEmail(), password: testPassword }],
    ['PUT', 'password', { current_password: testPassword, ...repeated }],
    ['POST', 'two-factor', {}],
    ['POST', 'two-factor', { password: testPassword }],
    ['DELETE', 'two-factor', {}],
    ['POST', 'tokens', { name: 'a way back in' }],
  ] as const;
  for (const [method, path, payload] of tries) {
    const headers = { authorization: `Bearer ${access_token}` };
    const { status, body } = await platform.request({ method, url: `/api/v1/profile/${path}`, headers, payload });
    expect({ path, status, code: body.code }).toEqual({ path, status: 403, code: 'auth.password_exposed' });
  }
}

test('a second factor from before the change stays', async () => {
  const person = await newPerson();
  await central.db.run(sql`
    UPDATE users SET two_factor_secret = 'x', two_factor_confirmed_at = now() - interval '1 hour' WHERE id = ${person.id}`);
  await change(person, newEmail());
  await undo(await undoToken(person.email));
  const row = await central.db.row(sql`SELECT two_factor_secret FROM users WHERE id = ${person.id}`);
  expect(row).toEqual({ two_factor_secret: 'x' });
});
