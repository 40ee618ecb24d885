import { sql } from '@chowk/kit';
import { afterEach, expect, test } from 'vitest';
import { type Person, startAccounts, testPassword } from '../../../server/testing/accounts.ts';
import { eventually } from '../../../server/testing/eventually.ts';
import { getAccounts } from '../accounts/accounts.ts';

let minutesAhead = 0;
const platform = await startAccounts({ now: () => new Date(Date.now() + minutesAhead * 60_000) });
const acme = await platform.tenant({ name: 'Acme' });
const { central } = platform.kernel;
const { sessions, passwords } = getAccounts(platform.kernel.services);
const client = { address: '127.0.0.1', network: '127.0.0.1', userAgent: 'test' };

afterEach(() => {
  minutesAhead = 0;
});

const newPerson = () => platform.person({ tenant: acme });
const chosen = (password: string) => ({ password, password_confirmation: password });
const change = (person: Person, body: object) => person.put('/api/v1/profile/password', body);
const post = (url: string, payload: object, remoteAddress = '127.0.0.1') =>
  platform.request({ method: 'POST', url, payload, remoteAddress });
const forgot = (email: unknown, from?: string) => post('/api/v1/auth/password/forgot', { email }, from);
const reset = (body: object) => post('/api/v1/auth/password/reset', body);

async function hasPassword({ id }: Person, password: string): Promise<boolean> {
  const row = await central.db.row<{ password_hash: string }>(sql`SELECT password_hash FROM users WHERE id = ${id}`);
  return passwords.verify(password, row?.password_hash);
}

async function mailedToken(email: string): Promise<string> {
  const { text } = await platform.mailTo(email, /^Choose a (new )?password/);
  return /\/password\/reset\/([\w-]+)/.exec(text)?.[1] ?? '';
}

/** From a separate IP address, so that tests do not share rate limits. */
let network = 0;
async function resetToken(person: Person): Promise<string> {
  network += 1;
  expect((await forgot(person.email, `10.0.0.${network}`)).status).toBe(200);
  return mailedToken(person.email);
}

const activity = ({ id }: Person) =>
  central.db.rows(sql`SELECT action, tenant_id, subject_id FROM activity_log WHERE user_id = ${id} ORDER BY at, id`);
const requestAsSession = (person: Person) => person.put('/api/v1/profile/password', {});

const refusedToken = { status: 422, body: { message: expect.any(String), errors: { token: [expect.any(String)] } } };

test('changing a password is logged and mailed to the owner', async () => {
  const person = await newPerson();
  const { status, body } = await change(person, { current_password: testPassword, ...chosen('a better one') });
  expect({ status, body }).toEqual({ status: 200, body: { message: expect.any(String) } });
  expect([await hasPassword(person, 'a better one'), await hasPassword(person, testPassword)]).toEqual([true, false]);
  expect(await activity(person)).toEqual([{ action: 'password_changed', tenant_id: acme.id, subject_id: person.id }]);
  expect((await platform.mailTo(person.email)).subject).toBe('Your Acme password was changed');
});

test('changing the password ends all other sessions', async () => {
  const person = await newPerson();
  const other = await sessions.open({ userId: person.id, kind: 'login', client });
  const { token } = await sessions.issuePersonal({ userId: person.id, kind: 'personal', client });
  await change(person, { current_password: testPassword, ...chosen('a better one') });
  for (const bearer of [other.access_token, token]) {
    await eventually(async () => {
      const headers = { authorization: `Bearer ${bearer}` };
      const { status } = await platform.request({
        method: 'PUT',
        url: '/api/v1/profile/password',
        headers,
        payload: {},
      });
      expect(status).toBe(401);
    });
  }
  expect((await requestAsSession(person)).status).toBe(422);
  expect(await sessions.refresh(person.refreshToken)).toBeDefined();
});

const badPasswords: [string, object, string][] = [
  ['that is missing', { password: undefined, password_confirmation: 'long enough' }, 'password'],
  ['that is short', chosen('short'), 'password'],
  ['of more than 72 characters', chosen('x'.repeat(73)), 'password'],
  ['of more than 72 bytes', chosen('🌶'.repeat(19)), 'password'],
  ['with a null character', chosen('long\0enough'), 'password'],
  ['that is a number', { password: 123456789, password_confirmation: '123456789' }, 'password'],
  ['that is not repeated', { password: 'long enough' }, 'password_confirmation'],
  [
    'that is repeated wrongly',
    { password: 'long enough', password_confirmation: 'Long enough' },
    'password_confirmation',
  ],
];

test.each(badPasswords)('a new password %s is refused, by change and by link', async (_, body, field) => {
  const person = await newPerson();
  const changed = await change(person, { current_password: testPassword, ...body });
  expect({ status: changed.status, fields: Object.keys(changed.body.errors) }).toEqual({
    status: 422,
    fields: [field],
  });
  const token = await resetToken(person);
  const answer = await reset({ token, ...body });
  expect({ status: answer.status, fields: Object.keys(answer.body.errors) }).toEqual({ status: 422, fields: [field] });
  expect(await hasPassword(person, testPassword)).toBe(true);
  expect((await reset({ token, ...chosen('long enough') })).status).toBe(200);
});

test('all errors of a change or a reset are reported in one response', async () => {
  const person = await newPerson();
  const changed = async (body: object) =>
    (await change(person, { current_password: 'not the one', ...body })).body.error_codes;
  expect(await changed(chosen('short'))).toEqual({ password: ['too_short'], current_password: ['invalid'] });
  expect(await changed({ password: 'long enough', password_confirmation: 'other' })).toEqual({
    password_confirmation: ['mismatch'],
    current_password: ['invalid'],
  });
  expect(await changed({ password: '🌶'.repeat(19), password_confirmation: 'other' })).toEqual({
    password: ['invalid'],
    password_confirmation: ['mismatch'],
    current_password: ['invalid'],
  });
  const { body } = await reset({ token: 'x', password: 'long enough', password_confirmation: 'other' });
  expect(body.error_codes).toEqual({ password_confirmation: ['mismatch'], token: ['invalid'] });
});

test('the current password cannot be guessed with a new one that is refused anyway', async () => {
  const person = await newPerson();
  const guess = async (current_password: string) =>
    Object.keys((await change(person, { current_password, ...chosen('short') })).body.errors);
  for (let tries = 0; tries < 10; tries += 1) {
    expect(await guess(`guess ${tries}`)).toEqual(['password', 'current_password']);
  }
  expect(await guess('one more guess')).toEqual(['password']);
  expect(await guess(testPassword)).toEqual(['password']);
});

test('a token of a program cannot be used to check the password', async () => {
  const person = await newPerson();
  const { token } = await sessions.issuePersonal({ userId: person.id, kind: 'personal', client });
  for (const body of [chosen('short'), chosen('long enough')]) {
    const answer = await platform.request({
      method: 'PUT',
      url: '/api/v1/profile/password',
      headers: { authorization: `Bearer ${token}` },
      payload: { current_password: testPassword, ...body },
    });
    expect(answer).toMatchObject({ status: 403, body: { code: 'identity.session_only' } });
  }
});

test('a password of 72 bytes is accepted', async () => {
  const person = await newPerson();
  const longest = '🌶'.repeat(18);
  expect((await change(person, { current_password: testPassword, ...chosen(longest) })).status).toBe(200);
  expect(await hasPassword(person, longest)).toBe(true);
});

test('without the current password nothing is changed, and it cannot be guessed', async () => {
  const person = await newPerson();
  const guess = (current_password: unknown) => change(person, { current_password, ...chosen('a better one') });
  const missing = await guess(undefined);
  expect({ status: missing.status, fields: Object.keys(missing.body.errors) }).toEqual({
    status: 422,
    fields: ['current_password'],
  });
  const statuses = [];
  for (let tries = 0; tries < 11; tries += 1) statuses.push((await guess(`guess ${tries}`)).status);
  expect(statuses).toEqual([...Array(10).fill(422), 429]);
  expect((await guess(testPassword)).status).toBe(429);
  // Guesses through one endpoint count for the other.
  expect((await person.put('/api/v1/profile/email', { email: 'a@example.com', password: testPassword })).status).toBe(
    429,
  );
  expect(await hasPassword(person, testPassword)).toBe(true);
});

test('a wrong current password is reported at its field', async () => {
  const { body } = await change(await newPerson(), { current_password: 'wrong', ...chosen('a better one') });
  expect(body.errors).toEqual({ current_password: ['The password is not correct.'] });
});

test('one of two concurrent changes with the same old password succeeds', async () => {
  const person = await newPerson();
  const answers = await Promise.all(
    ['the first one', 'the second one'].map((password) =>
      change(person, { current_password: testPassword, ...chosen(password) }),
    ),
  );
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 422]);
});

test('neither an anonymous caller nor a personal access token can change a password', async () => {
  const person = await newPerson();
  const { token } = await sessions.issuePersonal({ userId: person.id, kind: 'personal', client });
  const body = { current_password: testPassword, ...chosen('a better one') };
  const as = (headers: Record<string, string>) =>
    platform.request({ method: 'PUT', url: '/api/v1/profile/password', headers, payload: body });
  expect((await as({})).status).toBe(401);
  expect((await as({ authorization: `Bearer ${token}` })).body.code).toBe('identity.session_only');
  expect(await hasPassword(person, testPassword)).toBe(true);
});

test('changing the password invalidates a mailed link', async () => {
  const person = await newPerson();
  const token = await resetToken(person);
  await change(person, { current_password: testPassword, ...chosen('a better one') });
  expect(await reset({ token, ...chosen('a third one') })).toMatchObject(refusedToken);
});

test('the response does not reveal whether an address has an account', async () => {
  const person = await newPerson();
  const [known, unknown] = [await forgot(person.email, '10.1.0.1'), await forgot('nobody@example.com', '10.1.0.2')];
  expect(known.status).toBe(200);
  expect(known.body).toEqual({ message: expect.any(String) });
  expect({ status: unknown.status, body: unknown.body }).toEqual({ status: known.status, body: known.body });
  const names = (headers: object) => Object.keys(headers).filter((name) => name !== 'date');
  expect(names(unknown.headers)).toEqual(names(known.headers));
  await platform.mailTo(person.email);
  // Both requests added a job: the address was not looked up before the response.
  const jobs = await central.db.rows(sql`
    SELECT data->'data'->>'email' AS email FROM pgboss.job
    WHERE data->>'job' = 'identity.forgot_password'
      AND data->'data'->>'email' IN (${person.email}, 'nobody@example.com')`);
  expect(jobs).toHaveLength(2);
  await eventually(async () => {
    const open = await central.db.rows(sql`SELECT 1 FROM pgboss.job WHERE name = 'mail' AND state <> 'completed'`);
    expect(open).toEqual([]);
  });
  const mails = await platform.kernel.services.mail.listStored();
  expect(mails.filter(({ to }) => to === 'nobody@example.com')).toEqual([]);
});

test('an address is found regardless of case', async () => {
  const person = await newPerson();
  await forgot(person.email.toUpperCase(), '10.1.0.3');
  await mailedToken(person.email);
});

test.each([
  ['nothing', undefined],
  ['no address', 'x'],
  ['a list', ['a@example.com']],
  ['a line break', 'a@b.c\nd'],
])('a link for %s is refused', async (_, email) => {
  const { status, body } = await forgot(email, '10.1.0.4');
  expect({ status, fields: Object.keys(body.errors) }).toEqual({ status: 422, fields: ['email'] });
});

test('links for one address are limited, known or not, across all networks', async () => {
  for (const email of [(await newPerson()).email, 'stranger@example.com']) {
    const statuses = [];
    for (let tries = 0; tries < 6; tries += 1) statuses.push((await forgot(email, `10.2.0.${tries}`)).status);
    // No error: another person may have requested the earlier links.
    expect(statuses).toEqual(Array(6).fill(200));
  }
});

test('links beyond the limit are not mailed', async () => {
  const person = await newPerson();
  for (let tries = 0; tries < 6; tries += 1) await forgot(person.email, `10.4.0.${tries}`);
  await forgot('last@example.com', '10.4.0.9');
  const mails = async () =>
    (await platform.kernel.services.mail.listStored()).filter(({ to }: { to: string }) => to === person.email).length;
  await expect.poll(mails).toBe(3);
});

test('links requested from one network are limited across all addresses', async () => {
  const statuses = [];
  for (let tries = 0; tries < 31; tries += 1) statuses.push((await forgot(`p${tries}@example.com`, '10.3.0.1')).status);
  expect(statuses).toEqual([...Array(30).fill(200), 429]);
});

test('the mailed link sets a password once, verifies the address and ends all sessions', async () => {
  const person = await platform.person({ tenant: acme, verified: false });
  const token = await resetToken(person);
  const { status, body } = await reset({ token, email: person.email.toUpperCase(), ...chosen('a better one') });
  expect({ status, body }).toEqual({ status: 200, body: { message: expect.any(String) } });
  expect(await hasPassword(person, 'a better one')).toBe(true);
  const row = await central.db.row(
    sql`SELECT email_verified_at IS NOT NULL AS verified FROM users WHERE id = ${person.id}`,
  );
  expect(row).toEqual({ verified: true });
  await eventually(async () => expect((await requestAsSession(person)).status).toBe(401));
  expect(await sessions.refresh(person.refreshToken)).toBeUndefined();
  expect(await activity(person)).toEqual([
    { action: 'password_reset', tenant_id: null, subject_id: person.id },
    { action: 'email_verified', tenant_id: null, subject_id: person.id },
  ]);
  expect((await platform.mailTo(person.email, /was changed$/)).subject).toBe('Your Acme password was changed');
  expect(await reset({ token, ...chosen('a third one') })).toMatchObject(refusedToken);
});

test.each(['password', 'Password123', 'qwertyuiop', 'ILOVEYOU'])(
  'the common password %s is refused',
  async (password) => {
    const person = await newPerson();
    const change = { current_password: testPassword, ...chosen(password) };
    const changed = await person.put('/api/v1/profile/password', change);
    const token = await resetToken(person);
    for (const { status, body } of [changed, await reset({ token, ...chosen(password) })]) {
      expect({ status, errors: body.errors }).toEqual({
        status: 422,
        errors: { password: [expect.stringMatching(/easy to guess/)] },
      });
    }
    expect(await hasPassword(person, testPassword)).toBe(true);
  },
);

test('a reset cancels a change of the address that is not verified yet', async () => {
  const person = await newPerson();
  await person.put('/api/v1/profile/email', { email: 'thief@example.com', password: testPassword });
  expect((await reset({ token: await resetToken(person), ...chosen('a better one') })).status).toBe(200);
  const row = await central.db.row(sql`SELECT email, pending_email FROM users WHERE id = ${person.id}`);
  expect(row).toEqual({ email: person.email, pending_email: null });
  expect(await activity(person)).toMatchObject([{ action: 'email_changed' }, { action: 'password_reset' }]);
});

test('one of several concurrent resets with one link succeeds', async () => {
  const person = await newPerson();
  const token = await resetToken(person);
  const answers = await Promise.all(['one of them', 'another of them'].map((one) => reset({ token, ...chosen(one) })));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 422]);
  expect(await activity(person)).toHaveLength(1);
});

test('the mail names the recipient and the expiry; its link is stored as a hash', async () => {
  const person = await newPerson();
  const token = await resetToken(person);
  const { subject, text } = await platform.mailTo(person.email);
  expect(subject).toBe('Choose a new password for Acme');
  expect(text).toContain(`${platform.kernel.config.appUrl}/password/reset/${token}\n`);
  expect(text).toContain('expires in 60 minutes');
  expect(text).toContain('your password is unchanged');
  const rows = await central.db.rows<{ token_hash: Buffer }>(
    sql`SELECT token_hash FROM password_resets WHERE user_id = ${person.id}`,
  );
  expect(rows.map(({ token_hash }) => token_hash.length)).toEqual([32]);
});

test('the link expires after an hour', async () => {
  const person = await newPerson();
  const token = await resetToken(person);
  minutesAhead = 61;
  expect(await reset({ token, ...chosen('a better one') })).toMatchObject(refusedToken);
  minutesAhead = 59;
  expect((await reset({ token, ...chosen('a better one') })).status).toBe(200);
});

test('requesting another link does not invalidate earlier ones; using one invalidates all', async () => {
  const person = await newPerson();
  const first = await resetToken(person);
  await forgot(person.email, '10.1.0.5');
  const second = await eventually(async () => {
    const token = await mailedToken(person.email);
    expect(token).not.toBe(first);
    return token;
  });
  expect((await reset({ token: first, ...chosen('a better one') })).status).toBe(200);
  expect(await reset({ token: second, ...chosen('a better one') })).toMatchObject(refusedToken);
});

test.each([
  ['another address', { email: 'other@example.com' }],
  ['an unknown token', { token: 'x' }],
  ['an empty token', { token: '' }],
])('a reset with %s is refused', async (_, changes) => {
  const person = await newPerson();
  const token = await resetToken(person);
  expect(await reset({ token, ...chosen('a better one'), ...changes })).toMatchObject(refusedToken);
  expect(await hasPassword(person, testPassword)).toBe(true);
});

test('a user without a password can set the first one with a link', async () => {
  const person = await newPerson();
  await central.db.run(sql`UPDATE users SET password_hash = NULL WHERE id = ${person.id}`);
  expect((await reset({ token: await resetToken(person), ...chosen('the first one') })).status).toBe(200);
  expect(await hasPassword(person, 'the first one')).toBe(true);
});

test('a disabled user gets no link, and earlier links are invalid', async () => {
  const person = await newPerson();
  const token = await resetToken(person);
  await central.db.run(sql`UPDATE users SET disabled_at = now() WHERE id = ${person.id}`);
  expect(await reset({ token, ...chosen('a better one') })).toMatchObject(refusedToken);
  await forgot(person.email, '10.1.0.6');
  await eventually(async () => {
    const open = await central.db.rows(sql`SELECT 1 FROM pgboss.job WHERE name = 'mail' AND state <> 'completed'`);
    expect(open).toEqual([]);
  });
  expect(await mailedToken(person.email)).toBe(token);
});

test('a preview shows whose password the link sets, and leaves the link as it is', async () => {
  const person = await newPerson();
  const token = await resetToken(person);
  const preview = (token: string) => platform.request({ url: `/api/v1/auth/password/reset/${token}` });
  expect(await preview(token)).toMatchObject({ status: 200, body: { email: person.email } });
  expect(await preview('x')).toMatchObject(refusedToken);
  expect((await reset({ token, ...chosen('a better one') })).status).toBe(200);
  expect(await preview(token)).toMatchObject(refusedToken);
});
