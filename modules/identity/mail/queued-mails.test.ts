import { type Sql, type SystemCtx, sql } from '@chowk/kit/kernel';
import { generate } from 'otplib';
import { expect, test } from 'vitest';
import { type Person, startAccounts, testPassword } from '../../../server/testing/accounts.ts';
import { uniqueId } from '../../../server/testing/platform.ts';

/* A mail and the change that it reports are committed together: whatever is killed when, there are both or neither. */

const limits = { RESENDS_PER_MINUTE: '1000', LOGIN_FAILURES_PER_MINUTE: '1000' };
const platform = await startAccounts({ environment: limits });
const { central, jobs, secrets } = platform.kernel;
const acme = await platform.tenant({ name: 'Acme' });
const owner = await platform.person({ tenant: acme });
const kernelContext = acme.context() as SystemCtx;
await central.db.run(sql`
  CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'refused at the commit'; END $$`);

type StoredMail = Awaited<ReturnType<typeof platform.kernel.services.mail.listStored>>[number];

const newAddress = () => `${uniqueId()}@example.com`;
const chosen = { password: 'a better one', password_confirmation: 'a better one' };
const post = (url: string, payload: object = {}) => platform.request({ method: 'POST', url, payload });
const createCode = (secret: string) => generate({ secret });

interface Reported {
  /** The recipient of the mail. */
  readonly to: string;
  /** Makes the change. */
  act(): Promise<unknown>;
}

interface Case {
  readonly mail: string;
  readonly subject: RegExp;
  /** A table that the change writes to. */
  readonly table: Sql;
  prepare(): Promise<Reported>;
}

/** The mails that were queued for the address, whether or not they have been sent since. */
async function queuedFor(address: string, subject: RegExp): Promise<StoredMail[]> {
  const rows = await central.db.rows<{ sealed: string }>(sql`
    SELECT data->'data'->>'sealed' AS sealed FROM pgboss.job WHERE data->>'job' = 'kernel.mail' ORDER BY created_on`);
  const mails = rows.map(({ sealed }) => JSON.parse(secrets.open('mail', sealed)) as StoredMail);
  return mails.filter((mail) => mail.to === address && subject.test(mail.subject));
}

/** The path of the link in the newest mail. */
async function linkFor(address: string, subject: RegExp): Promise<string> {
  const { pathname, search } = new URL(
    /http\S+/.exec((await queuedFor(address, subject)).at(-1)?.text ?? '')?.[0] ?? '',
  );
  return pathname + search;
}

async function tokenFor(address: string, subject: RegExp): Promise<string> {
  return (await linkFor(address, subject)).split('/').at(-1) ?? '';
}

/** Everything that the changes write. */
function accounts(): Promise<object | undefined> {
  return central.db.row(sql`
    SELECT (SELECT jsonb_agg(t ORDER BY id) FROM users t) AS users,
      (SELECT jsonb_agg(t ORDER BY user_id, tenant_id) FROM memberships t) AS memberships,
      (SELECT jsonb_agg(t ORDER BY id) FROM invitations t) AS invitations,
      (SELECT jsonb_agg(t ORDER BY token_hash) FROM password_resets t) AS password_resets,
      (SELECT jsonb_agg(t ORDER BY token_hash) FROM email_changes t) AS email_changes,
      (SELECT jsonb_agg(t ORDER BY user_id, code_hash) FROM recovery_codes t) AS recovery_codes,
      (SELECT jsonb_agg(t ORDER BY id) FROM activity_log t) AS activity_log`);
}

async function isRefused(act: () => Promise<unknown>, table: Sql, when: Sql = sql`true`): Promise<boolean> {
  await central.db.run(sql`
    CREATE CONSTRAINT TRIGGER refuse AFTER INSERT OR UPDATE ON ${table} DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW WHEN (${when}) EXECUTE FUNCTION refuse()`);
  try {
    const response = (await act()) as { status?: number } | undefined;
    return response?.status === 500;
  } catch (error) {
    return (error as Error).message === 'refused at the commit';
  } finally {
    await central.db.run(sql`DROP TRIGGER refuse ON ${table}`);
  }
}

async function withNewAddress(): Promise<{ person: Person; email: string }> {
  const person = await platform.person({ tenant: acme });
  const email = newAddress();
  await person.put('/api/v1/profile/email', { email, password: testPassword });
  return { person, email };
}

async function withTwoFactor(): Promise<Person> {
  const person = await platform.person({ tenant: acme });
  const { body } = await person.post('/api/v1/profile/two-factor', {});
  await person.post('/api/v1/profile/two-factor/confirm', { otp: await createCode(body.secret) });
  return person;
}

async function invited(): Promise<{ email: string; id: string }> {
  const email = newAddress();
  const { body } = await owner.post('/api/v1/invitations', { email, role: 'Agent' });
  return { email, id: body.invitation.id };
}

const forgot = (email: string) =>
  jobs.getHandler('identity.forgot_password').perform({
    job: 'identity.forgot_password',
    tenant: '',
    data: { email },
    requestId: 'test',
  });

const cases: Case[] = [
  {
    mail: 'the verification link for a changed address',
    subject: /^Verify/,
    table: sql`users`,
    async prepare() {
      const person = await platform.person({ tenant: acme });
      const to = newAddress();
      return { to, act: () => person.put('/api/v1/profile/email', { email: to, password: testPassword }) };
    },
  },
  {
    mail: 'the verification link for a new account',
    subject: /^Verify/,
    table: sql`memberships`,
    async prepare() {
      const { email: to } = await invited();
      const token = await tokenFor(to, /invited/);
      return { to, act: () => post(`/api/v1/invitations/${token}/accept`, { name: 'Nila New', ...chosen }) };
    },
  },
  {
    mail: 'the link that undoes a change of the address',
    subject: /address of your .* was changed$/,
    table: sql`email_changes`,
    async prepare() {
      const { person, email } = await withNewAddress();
      const link = await linkFor(email, /^Verify/);
      return { to: person.email, act: () => post(`/api/v1${link}`) };
    },
  },
  {
    mail: 'the password link after an undo',
    subject: /new password/,
    table: sql`password_resets`,
    async prepare() {
      const { person, email } = await withNewAddress();
      await post(`/api/v1${await linkFor(email, /^Verify/)}`);
      const link = await linkFor(person.email, /was changed$/);
      return { to: person.email, act: () => post(`/api/v1${link}`) };
    },
  },
  {
    mail: 'a requested password link',
    subject: /new password/,
    table: sql`password_resets`,
    async prepare() {
      const { email: to } = await platform.person({ tenant: acme });
      return { to, act: () => forgot(to) };
    },
  },
  {
    mail: 'the password link for the owner of a new tenant',
    subject: /^Choose a password for Acme$/,
    table: sql`memberships`,
    async prepare() {
      const to = newAddress();
      const add = { tenantId: acme.id, email: to, name: 'Nila New' };
      return {
        to,
        act: () => central.db.tx((db) => kernelContext.withCentral(db).bus.call('identity.inviteOwner', add)),
      };
    },
  },
  {
    mail: 'the notice of a changed password',
    subject: /password was changed$/,
    table: sql`users`,
    async prepare() {
      const person = await platform.person({ tenant: acme });
      const change = { current_password: testPassword, ...chosen };
      return { to: person.email, act: () => person.put('/api/v1/profile/password', change) };
    },
  },
  {
    mail: 'the notice of a reset password',
    subject: /password was changed$/,
    table: sql`users`,
    async prepare() {
      const { email: to } = await platform.person({ tenant: acme });
      await forgot(to);
      const token = await tokenFor(to, /new password/);
      return { to, act: () => post('/api/v1/auth/password/reset', { token, ...chosen }) };
    },
  },
  {
    mail: 'the notice that two-factor authentication is on',
    subject: /turned on/,
    table: sql`users`,
    async prepare() {
      const person = await platform.person({ tenant: acme });
      const { body } = await person.post('/api/v1/profile/two-factor', {});
      const confirm = async () =>
        person.post('/api/v1/profile/two-factor/confirm', { otp: await createCode(body.secret) });
      return { to: person.email, act: confirm };
    },
  },
  {
    mail: 'the notice that two-factor authentication is off',
    subject: /turned off/,
    table: sql`users`,
    async prepare() {
      const person = await withTwoFactor();
      return { to: person.email, act: () => person.delete('/api/v1/profile/two-factor', {}) };
    },
  },
  {
    mail: 'the notice of new recovery codes',
    subject: /recovery codes/,
    table: sql`recovery_codes`,
    async prepare() {
      const person = await withTwoFactor();
      return { to: person.email, act: () => person.post('/api/v1/profile/two-factor/recovery-codes', {}) };
    },
  },
  {
    mail: 'the notice of locked codes',
    subject: /^Wrong codes/,
    table: sql`users`,
    async prepare() {
      const { email } = await withTwoFactor();
      const guess = () => post('/api/v1/auth/login', { email, password: testPassword, otp: 'wrong-code' });
      for (let count = 0; count < 4; count += 1) await guess();
      return { to: email, act: guess };
    },
  },
  {
    mail: 'an invitation',
    subject: /invited/,
    table: sql`invitations`,
    async prepare() {
      const to = newAddress();
      return { to, act: () => owner.post('/api/v1/invitations', { email: to, role: 'Agent' }) };
    },
  },
  {
    mail: 'an invitation that is sent again',
    subject: /invited/,
    table: sql`invitations`,
    async prepare() {
      const { email: to, id } = await invited();
      return { to, act: () => owner.post(`/api/v1/invitations/${id}/resend`) };
    },
  },
];

test.each(cases.map((mail) => [mail.mail, mail] as const))(
  '%s is queued with the change, or neither happens',
  async (_, { prepare, subject, table }) => {
    const { to, act } = await prepare();
    const before = { accounts: await accounts(), mails: await queuedFor(to, subject) };
    const now = async () => ({ accounts: await accounts(), mails: await queuedFor(to, subject) });

    expect(await isRefused(act, sql`pgboss.job`, sql`NEW.data->>'job' = 'kernel.mail'`)).toBe(true);
    expect(await now()).toEqual(before);
    expect(await isRefused(act, table)).toBe(true);
    expect(await now()).toEqual(before);

    await act();
    const after = await now();
    expect(after.mails).toHaveLength(before.mails.length + 1);
    expect(after.accounts).not.toEqual(before.accounts);
  },
);

test('requests that queue the first mails of a process at once do not block each other', async () => {
  // Transactions that wait for a second connection would block each other.
  const small = await startAccounts({ sharedWith: platform, environment: { ...limits, DATABASE_CONNECTIONS: '4' } });
  await small.kernel.jobs.start();
  const { accessToken } = await withTwoFactor();
  const renew = { method: 'POST', url: '/api/v1/profile/two-factor/recovery-codes' } as const;
  const headers = { authorization: `Bearer ${accessToken}` };
  const responses = await Promise.all(Array.from({ length: 12 }, () => small.request({ ...renew, headers })));
  expect(responses.map(({ status }) => status)).toEqual(Array(12).fill(200));
});
