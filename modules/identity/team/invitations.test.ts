import { sql } from '@chowk/kit';
import { expect, test } from 'vitest';
import { type Person, startAccounts, testPassword } from '../../../server/testing/accounts.ts';
import { auditEntries } from '../../../server/testing/audit-entries.ts';
import { uniqueId } from '../../../server/testing/platform.ts';
import { readByCursor } from '../../../server/testing/read-by-cursor.ts';
import { getAccounts } from '../accounts/accounts.ts';
import { addMember } from '../accounts/users.ts';

let clock = 0;
const environment = { RESENDS_PER_MINUTE: '1000', APP_URL: 'https://shop.example' };
const platform = await startAccounts({ environment, now: () => new Date(Date.now() + clock) });
const { central } = platform.kernel;
const acme = await platform.tenant({ name: 'Acme <Tea> & Co' });
const owner = await platform.person({ tenant: acme, name: 'Olga Owner' });
const admin = await platform.person({ tenant: acme, role: 'Admin' });

const newAddress = () => `${uniqueId()}@example.com`;
const newAccount = { name: 'Nila New', password: 'a new password', password_confirmation: 'a new password' };

/** The secret in the newest mail to the address. */
async function tokenFor(email: string): Promise<string> {
  const { text } = await platform.mailTo(email, /invited/);
  return /\/invitations\/([\w-]+)/.exec(text)?.[1] as string;
}

async function invited({ email = newAddress(), role = 'Agent' as string | number, by = owner } = {}) {
  const { status, body } = await by.post('/api/v1/invitations', { email, role });
  expect(status).toBe(201);
  return { email, id: body.invitation.id as string, token: await tokenFor(email) };
}

function accept(token: string, body: unknown = newAccount, person?: Person) {
  const headers = person ? { authorization: `Bearer ${person.accessToken}` } : {};
  return platform.request({
    method: 'POST',
    url: `/api/v1/invitations/${token}/accept`,
    payload: body as object,
    headers,
  });
}

function show(token: string) {
  return platform.request({ method: 'GET', url: `/api/v1/invitations/${token}` });
}

async function expectDead(token: string): Promise<void> {
  expect((await show(token)).status).toBe(404);
  const { status, body } = await accept(token);
  expect({ status, fields: Object.keys(body.errors) }).toEqual({ status: 422, fields: ['token'] });
}

function roleIn(tenantId: string, email: string): Promise<{ role: string } | undefined> {
  return central.db.row(sql`
    SELECT r.name AS role FROM memberships m JOIN users u ON u.id = m.user_id JOIN roles r ON r.id = m.role_id
    WHERE m.tenant_id = ${tenantId} AND u.email = ${email}`);
}

test('the mail of an invitation contains the inviter, the role, the tenant and the expiry', async () => {
  const email = newAddress();
  const { status, body } = await owner.post('/api/v1/invitations', { email: email.toUpperCase(), role: 'manager' });
  expect({ status, body }).toEqual({
    status: 201,
    body: {
      message: 'Invitation sent.',
      invitation: {
        id: expect.any(String),
        email,
        role: 'Manager',
        invited_by: { id: owner.id, name: 'Olga Owner' },
        created_at: expect.stringMatching(/Z$/),
        updated_at: expect.stringMatching(/Z$/),
        expires_at: expect.stringMatching(/Z$/),
      },
    },
  });
  const { created_at, expires_at } = body.invitation;
  expect(Date.parse(expires_at) - Date.parse(created_at)).toBe(7 * 86_400_000);
  const { subject, text, html } = await platform.mailTo(email, /invited/);
  expect(subject).toBe('You are invited to join Acme <Tea> & Co');
  for (const part of [
    'Olga Owner',
    'Acme <Tea> & Co',
    'Manager',
    'https://shop.example/invitations/',
    'expires on',
    'ignore',
  ]) {
    expect(text).toContain(part);
  }
  expect(html).not.toContain('<Tea>');
});

test('the link shows the tenant and the role of the invitation', async () => {
  const { email, token } = await invited();
  expect(await show(token)).toMatchObject({
    status: 200,
    body: {
      invitation: {
        email,
        role: 'Agent',
        tenant: { id: acme.id, name: 'Acme <Tea> & Co' },
        invited_by: 'Olga Owner',
        account_exists: false,
      },
    },
  });
  const known = await platform.person();
  const second = await invited({ email: known.email });
  expect((await show(second.token)).body.invitation.account_exists).toBe(true);
});

test('a new person gets an account, a session and a verification mail', async () => {
  const { email, token } = await invited();
  const { status, body } = await accept(token);
  expect({ status, body }).toMatchObject({
    status: 201,
    body: {
      message: 'You are now a member of Acme <Tea> & Co.',
      account_created: true,
      tenant: { id: acme.id, name: 'Acme <Tea> & Co' },
      token_type: 'Bearer',
      expires_in: 900,
      user: { name: 'Nila New', email, email_verified: false, two_factor_enabled: false },
    },
  });
  const headers = { authorization: `Bearer ${body.access_token}`, 'x-tenant': acme.id };
  const listed = await platform.request({ method: 'GET', url: '/api/v1/products', headers });
  expect(listed.status).toBe(200);
  expect(await roleIn(acme.id, email)).toEqual({ role: 'Agent' });
  await platform.mailTo(email, /verif|confirm/i);
  await expectDead(token);
});

test.each([
  [{}, ['name', 'password', 'password_confirmation']],
  [{ ...newAccount, name: '' }, ['name']],
  [{ ...newAccount, name: 'a\r\nb' }, ['name']],
  [{ ...newAccount, password: 'short', password_confirmation: 'short' }, ['password']],
  [{ ...newAccount, password_confirmation: 'another password' }, ['password_confirmation']],
  [{ ...newAccount, password: 'ü'.repeat(40), password_confirmation: 'ü'.repeat(40) }, ['password']],
  [{ ...newAccount, password: 12345678 }, ['password']],
  [{ name: '', password: 'short', password_confirmation: 'other' }, ['name', 'password', 'password_confirmation']],
])('an account with %j is refused, and the invitation stays open', async (input, fields) => {
  const { email, token } = await invited();
  const { status, body } = await accept(token, input);
  expect({ status, fields: Object.keys(body.errors) }).toEqual({ status: 422, fields });
  expect(await roleIn(acme.id, email)).toBeUndefined();
  expect((await show(token)).status).toBe(200);
});

test('a signed-in person joins with the current session', async () => {
  const person = await platform.person({ name: 'Sita Session' });
  const { token } = await invited({ email: person.email });
  const { status, body } = await accept(token, {}, person);
  expect({ status, user: body.user, token: body.access_token }).toEqual({
    status: 200,
    user: {
      id: person.id,
      name: 'Sita Session',
      email: person.email,
      email_verified: true,
      two_factor_enabled: false,
    },
    token: undefined,
  });
  expect(await roleIn(acme.id, person.email)).toEqual({ role: 'Agent' });
});

test('a person with an account joins with its password and is signed in', async () => {
  const person = await platform.person();
  const { token } = await invited({ email: person.email });
  const { status, body } = await accept(token, { password: testPassword });
  expect({ status, id: body.user.id, type: body.token_type }).toEqual({ status: 200, id: person.id, type: 'Bearer' });
  expect(body.user).not.toHaveProperty('password_hash');
});

test('the link alone does not give access to an existing account', async () => {
  const person = await platform.person();
  const { token } = await invited({ email: person.email });
  for (const input of [{}, newAccount, { password: 'wrong' }]) {
    const { status, body } = await accept(token, input);
    expect({ status, fields: Object.keys(body.errors) }).toEqual({ status: 422, fields: ['password'] });
  }
  expect(await roleIn(acme.id, person.email)).toBeUndefined();
});

test('a person who is signed in with another account gets an error', async () => {
  const person = await platform.person();
  for (const email of [person.email, newAddress()]) {
    const { token } = await invited({ email });
    const { status, body } = await accept(token, { ...newAccount, password: testPassword }, admin);
    expect({ status, code: body.code }).toEqual({ status: 403, code: 'identity.wrong_account' });
    expect(body.message).toContain(admin.email);
    expect(await roleIn(acme.id, email)).toBeUndefined();
  }
});

test('a token of a program cannot accept an invitation', async () => {
  const person = await platform.person();
  const { token } = await invited({ email: person.email });
  const client = { address: '', network: '', userAgent: undefined };
  const created = await getAccounts(platform.kernel.services).sessions.issuePersonal({
    userId: person.id,
    kind: 'personal',
    client,
  });
  const { status, body } = await accept(token, {}, { ...person, accessToken: created.token });
  expect({ status, code: body.code }).toEqual({ status: 403, code: 'identity.session_only' });
});

test('a password alone does not bypass two-factor authentication', async () => {
  const person = await platform.person();
  await central.db.run(sql`UPDATE users SET two_factor_confirmed_at = now() WHERE id = ${person.id}`);
  const { token } = await invited({ email: person.email });
  expect((await accept(token, { password: 'wrong' })).status).toBe(422);
  const { status, body } = await accept(token, { password: testPassword });
  expect({ status, required: body.two_factor_required, token: body.access_token }).toEqual({
    status: 403,
    required: true,
    token: undefined,
  });
  expect((await accept(token, {}, person)).status).toBe(200);
});

test('a disabled account cannot accept an invitation', async () => {
  const person = await platform.person();
  await central.db.run(sql`UPDATE users SET disabled_at = now() WHERE id = ${person.id}`);
  const { token } = await invited({ email: person.email });
  expect((await accept(token, { password: testPassword })).status).toBe(422);
  expect((await accept(token, newAccount)).status).toBe(422);
});

test('password guesses through an invitation are limited', async () => {
  const person = await platform.person();
  const { token } = await invited({ email: person.email });
  for (let guess = 0; guess < 10; guess += 1) {
    expect((await accept(token, { password: `guess ${guess}` })).status).toBe(422);
  }
  const { status, headers } = await accept(token, { password: testPassword });
  expect(status).toBe(429);
  expect(Number(headers['retry-after'])).toBeGreaterThan(0);
});

test.each([
  ['a new person', undefined],
  ['a person with an account', { password: testPassword }],
])('one of eight concurrent acceptances by %s succeeds', async (_, proof) => {
  const email = proof ? (await platform.person()).email : newAddress();
  const { token } = await invited({ email });
  const answers = await Promise.all(Array.from({ length: 8 }, () => accept(token, proof ?? newAccount)));
  const statuses = answers.map(({ status }) => status).sort();
  expect(statuses).toEqual([proof ? 200 : 201, ...Array(7).fill(422)]);
  const fields = new Set(answers.flatMap(({ body }) => Object.keys(body.errors ?? {})));
  expect([...fields]).toEqual(['token']);
  const members = await central.db.rows(sql`
    SELECT FROM users u JOIN memberships m ON m.user_id = u.id WHERE u.email = ${email}`);
  expect(members).toHaveLength(1);
});

test('a second invitation replaces the first', async () => {
  const first = await invited({ role: 'Agent' });
  const { status } = await owner.post('/api/v1/invitations', { email: first.email, role: 'Viewer' });
  expect(status).toBe(201);
  await expect.poll(() => tokenFor(first.email)).not.toBe(first.token);
  await expectDead(first.token);
  expect((await show(await tokenFor(first.email))).body.invitation.role).toBe('Viewer');
  const open = await central.db.rows(sql`SELECT FROM invitations WHERE email = ${first.email} AND revoked_at IS NULL`);
  expect(open).toHaveLength(1);
});

test('concurrent invitations of one address leave one open invitation', async () => {
  const email = newAddress();
  const answers = await Promise.all(
    Array.from({ length: 6 }, () => owner.post('/api/v1/invitations', { email, role: 'Agent' })),
  );
  expect(answers.map(({ status }) => status)).toEqual(Array(6).fill(201));
  const { body } = await owner.get('/api/v1/invitations?per_page=100');
  expect(body.invitations.filter((one: { email: string }) => one.email === email)).toHaveLength(1);
});

test('resending an invitation mails a new link and invalidates the old one', async () => {
  const { id, email, token } = await invited();
  const { status, body } = await admin.post(`/api/v1/invitations/${id}/resend`);
  expect({ status, by: body.invitation.invited_by.id }).toEqual({ status: 200, by: admin.id });
  await expect.poll(() => tokenFor(email)).not.toBe(token);
  await expectDead(token);
  expect((await accept(await tokenFor(email))).status).toBe(201);
});

test('a withdrawn invitation cannot be accepted', async () => {
  const { id, email, token } = await invited();
  expect(await owner.delete(`/api/v1/invitations/${id}`)).toMatchObject({
    status: 200,
    body: { message: 'Invitation withdrawn.' },
  });
  await expectDead(token);
  expect((await owner.delete(`/api/v1/invitations/${id}`)).status).toBe(404);
  expect((await owner.post(`/api/v1/invitations/${id}/resend`)).status).toBe(404);
  const { body } = await owner.get('/api/v1/invitations?per_page=100');
  expect(body.invitations.map((one: { email: string }) => one.email)).not.toContain(email);
});

test('an invitation expires after seven days and does not block a new one', async () => {
  const { email, token } = await invited({ role: 'Owner' });
  try {
    clock = 7 * 86_400_000 - 60_000;
    expect((await show(token)).status).toBe(200);
    clock = 7 * 86_400_000 + 1_000;
    await expectDead(token);
    const late = await getAccounts(platform.kernel.services).sessions.issuePersonal({
      userId: admin.id,
      kind: 'personal',
      client: { address: '', network: '', userAgent: undefined },
    });
    const again = await admin.post(
      '/api/v1/invitations',
      { email, role: 'Viewer' },
      { authorization: `Bearer ${late.token}` },
    );
    expect(again.status).toBe(201);
  } finally {
    clock = 0;
  }
});

test.each(['nothing', 'a'.repeat(200), '%00', '..%2f..'])('the invitation token %s is not found', async (token) => {
  await expectDead(token);
});

test('deleting a role deletes its invitations', async () => {
  const role = await owner.post('/api/v1/roles', { name: 'Seasonal', permissions: ['orders.view'] });
  const { token } = await invited({ role: role.body.role.id });
  expect((await show(token)).body.invitation.role).toBe('Seasonal');
  expect((await owner.delete(`/api/v1/roles/${role.body.role.id}`)).status).toBe(200);
  await expectDead(token);
});

test('an invitation becomes invalid when the inviter is disabled', async () => {
  const inviter = await platform.person({ tenant: acme });
  const { token } = await invited({ by: inviter, role: 'Viewer' });
  expect((await show(token)).status).toBe(200);
  await central.db.run(sql`UPDATE users SET disabled_at = now() WHERE id = ${inviter.id}`);
  await expectDead(token);
});

test('an invitation becomes invalid when the inviter loses the permission to invite', async () => {
  const inviter = await platform.person({ tenant: acme });
  const high = await invited({ by: inviter, role: 'Owner' });
  const low = await invited({ by: inviter, role: 'Viewer' });
  await owner.patch(`/api/v1/team/${inviter.id}`, { role: 'Admin' });
  await expectDead(high.token);
  expect((await show(low.token)).status).toBe(200);
  await owner.delete(`/api/v1/team/${inviter.id}`);
  await expectDead(low.token);
});

test('a removed member cannot return through an open invitation', async () => {
  const person = await platform.person();
  const { token } = await invited({ email: person.email });
  await addMember(central.db, { userId: person.id, tenantId: acme.id, role: 'Viewer' });
  expect((await accept(token, {}, person)).status).toBe(409);
  expect((await owner.delete(`/api/v1/team/${person.id}`)).status).toBe(200);
  await expectDead(token);
});

test('a caller cannot invite to a role with permissions that it lacks, nor withdraw or replace such an invitation', async () => {
  const { email, id } = await invited({ role: 'Owner' });
  for (const { status, body } of [
    await admin.post('/api/v1/invitations', { email: newAddress(), role: 'Owner' }),
    await admin.post('/api/v1/invitations', { email, role: 'Viewer' }),
    await admin.delete(`/api/v1/invitations/${id}`),
    await admin.post(`/api/v1/invitations/${id}/resend`),
  ]) {
    expect({ status, code: body.code }).toEqual({ status: 403, code: 'identity.role_beyond_caller' });
  }
});

test.each([
  [{ role: 'Agent' }, 'email'],
  [{ email: 'a@example.com' }, 'role'],
  [{ email: 'nobody', role: 'Agent' }, 'email'],
  [{ email: 'a@example.com\r\nBcc: b@example.com', role: 'Agent' }, 'email'],
  [{ email: ['a@example.com'], role: 'Agent' }, 'email'],
  [{ email: 'a@example.com', role: 'Emperor' }, 'role'],
  [{ email: 'a@example.com', role: 0 }, 'role'],
])('an invitation with %j is refused', async (input, field) => {
  const { status, body } = await owner.post('/api/v1/invitations', input);
  expect({ status, fields: Object.keys(body.errors) }).toEqual({ status: 422, fields: [field] });
});

test('a member cannot be invited again', async () => {
  const { status, body } = await owner.post('/api/v1/invitations', { email: admin.email.toUpperCase(), role: 'Agent' });
  expect({ status, fields: Object.keys(body.errors) }).toEqual({ status: 422, fields: ['email'] });
});

test('invitations of another tenant are not found', async () => {
  const { id, token } = await invited();
  const stranger = await platform.person({ tenant: await platform.tenant() });
  expect((await stranger.delete(`/api/v1/invitations/${id}`)).status).toBe(404);
  expect((await stranger.post(`/api/v1/invitations/${id}/resend`)).status).toBe(404);
  expect((await stranger.get('/api/v1/invitations')).body.invitations).toEqual([]);
  expect((await show(token)).status).toBe(200);
});

test('invitations are listed newest first, page by page', async () => {
  const tenant = await platform.tenant();
  const person = await platform.person({ tenant });
  const emails: string[] = [];
  for (let index = 0; index < 3; index += 1) emails.unshift((await invited({ by: person })).email);
  const { body } = await person.get('/api/v1/invitations?per_page=2');
  expect(body.invitations.map((one: { email: string }) => one.email)).toEqual(emails.slice(0, 2));
  expect(body.pagination).toEqual({ current_page: 1, last_page: 2, per_page: 2, total: 3 });
  expect((await person.get('/api/v1/invitations?per_page=101')).status).toBe(422);
});

test('the number of invitations per minute is limited', async () => {
  const calm = await startAccounts({ sharedWith: platform, environment: { ...environment, RESENDS_PER_MINUTE: '1' } });
  const payload = { email: 'nobody@example.com', role: 'Agent' };
  const headers = { authorization: `Bearer ${owner.accessToken}`, 'x-tenant': acme.id };
  const send = () => calm.request({ method: 'POST', url: '/api/v1/invitations', payload, headers });
  for (let count = 0; count < 10; count += 1) expect((await send()).status).toBe(201);
  expect((await send()).status).toBe(429);
});

test('changes of invitations are in the activity log, without their tokens', async () => {
  const tenant = await platform.tenant();
  const person = await platform.person({ tenant });
  const first = await invited({ by: person });
  const second = await invited({ by: person });
  await person.delete(`/api/v1/invitations/${first.id}`);
  const { body: joined } = await accept(second.token);
  const { body } = await person.get('/api/v1/activity');
  expect(body.activity).toMatchObject([
    { action: 'invitation_accepted', user: { id: joined.user.id }, details: { role: 'Agent' } },
    { action: 'invitation_revoked', user: { id: person.id }, subject: null, details: { email: first.email } },
    {
      action: 'member_invited',
      user: { id: person.id },
      subject: null,
      details: { email: second.email, role: 'Agent' },
    },
    { action: 'member_invited', subject: null, details: { email: first.email } },
  ]);
  expect(JSON.stringify(body)).not.toContain(second.token);
});

test('all errors of an invitation are reported in one response', async () => {
  const { status, body } = await owner.post('/api/v1/invitations', { email: admin.email, role: 'Emperor' });
  expect({ status, codes: body.error_codes }).toEqual({
    status: 422,
    codes: { email: ['taken'], role: ['not_allowed'] },
  });
  const other = await owner.post('/api/v1/invitations', { email: 'nobody', role: 'Emperor' });
  expect(other.body.error_codes).toEqual({ email: ['invalid'], role: ['not_allowed'] });
});

test('a cursor visits every open invitation once, also while others are sent', async () => {
  const person = await platform.person({ tenant: await platform.tenant() });
  const ids: string[] = [];
  for (let index = 0; index < 5; index += 1) ids.push((await invited({ by: person })).id);
  const read = await readByCursor<{ id: string }>(person, '/api/v1/invitations', () => invited({ by: person }));
  expect(read.map(({ id }) => id)).toEqual(ids.reverse());
});

test('invitations that were sent or resent since a given time are listed, latest last', async () => {
  const person = await platform.person({ tenant: await platform.tenant() });
  const first = await invited({ by: person });
  await invited({ by: person });
  const third = await person.post('/api/v1/invitations', { email: newAddress(), role: 'Agent' });
  await person.post(`/api/v1/invitations/${first.id}/resend`);
  const query = `updated_from=${third.body.invitation.updated_at}&sort_by=updated_at&sort_order=asc`;
  const { body } = await person.get(`/api/v1/invitations?${query}`);
  expect(body.invitations.map(({ id }: { id: string }) => id)).toEqual([third.body.invitation.id, first.id]);
  expect((await person.get('/api/v1/invitations?colour=red')).body.error_codes).toEqual({ colour: ['unknown'] });
});

test('an outdated version of an invitation can be neither resent nor withdrawn', async () => {
  const created = await owner.post('/api/v1/invitations', { email: newAddress(), role: 'Agent' });
  const url = `/api/v1/invitations/${created.body.invitation.id}`;
  const old = { 'if-match': created.headers.etag as string };
  const resent = await owner.post(`${url}/resend`, {}, old);
  expect(resent.status).toBe(200);
  expect((await owner.post(`${url}/resend`, {}, old)).status).toBe(412);
  expect((await owner.delete(url, undefined, old)).status).toBe(412);
  expect((await owner.delete(url, undefined, { 'if-match': resent.headers.etag as string })).status).toBe(200);
});

test('the audit log contains the withdrawn invitation without the address', async () => {
  const { id, email } = await invited({ role: 'Viewer' });
  await owner.delete(`/api/v1/invitations/${id}`);
  const [line] = await auditEntries(platform, owner, 'invitations.delete');
  expect(line).toMatchObject({ input: { invitation: id }, changes: { role: ['Viewer', null] } });
  expect(JSON.stringify(line)).not.toContain(email);
});
