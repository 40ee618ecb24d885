import { createHash } from 'node:crypto';
import { sql } from '@chowk/kit';
import fc from 'fast-check';
import { afterEach, expect, test } from 'vitest';
import { type Person, startAccounts } from '../../../server/testing/accounts.ts';
import { eventually } from '../../../server/testing/eventually.ts';

let minutesAhead = 0;
const now = () => new Date(Date.now() + minutesAhead * 60_000);
const platform = await startAccounts({ now });
const acme = await platform.tenant({ name: 'Acme & Sons' });
const { central } = platform.kernel;

afterEach(() => {
  minutesAhead = 0;
});

const sha1 = (text: string) => createHash('sha1').update(text).digest('hex');
const unverified = () => platform.person({ tenant: acme, verified: false });
const bare = ({ id, email }: Person) => `/api/v1/email/verify/${id}/${sha1(email)}?tenant=${acme.id}`;
const open = (url: string) => platform.request({ method: 'GET', url });
const press = (url: string) => platform.request({ method: 'POST', url });

/** The mailed link, as the page behind it calls the API. */
async function mailedLink(person: Person): Promise<string> {
  expect((await person.post('/api/v1/profile/email/resend-verification')).status).toBe(200);
  const { text } = await platform.mailTo(person.email, /^Verify/);
  const link = new URL(/http\S+/.exec(text)?.[0] ?? '');
  expect(link.origin).toBe(new URL(platform.kernel.config.appUrl).origin);
  return `/api/v1${link.pathname}${link.search}`;
}

async function isVerified({ id }: Person): Promise<boolean | undefined> {
  const row = await central.db.row<{ verified: boolean }>(
    sql`SELECT email_verified_at IS NOT NULL AS verified FROM users WHERE id = ${id}`,
  );
  return row?.verified;
}

const activity = ({ id }: Person) =>
  central.db.rows(
    sql`SELECT action, tenant_id, subject_id, details FROM activity_log WHERE user_id = ${id} ORDER BY id`,
  );

const refused = { status: 422, body: { message: expect.any(String), errors: { hash: [expect.any(String)] } } };

test.each(['GET', 'POST'] as const)(
  '%s verifies an address by its hash; a repetition reports that it is already verified',
  async (method) => {
    const person = await unverified();
    const first = await platform.request({ method, url: bare(person) });
    expect({ status: first.status, body: first.body }).toEqual({
      status: 200,
      body: { message: expect.stringMatching(/^Your email address is verified\./), new_password_needed: true },
    });
    expect(await isVerified(person)).toBe(true);
    const second = await platform.request({ method, url: bare(person) });
    expect({ status: second.status, body: second.body }).toEqual({
      status: 200,
      body: { message: expect.not.stringMatching(/is verified\.$/), already_verified: true },
    });
  },
);

test('a verification is logged once, in the tenant of the link', async () => {
  const person = await unverified();
  await open(bare(person));
  await open(bare(person));
  expect(await activity(person)).toEqual([
    { action: 'email_verified', tenant_id: acme.id, subject_id: person.id, details: { email: person.email } },
  ]);
});

test('one of several concurrent clicks verifies, the others find the address verified', async () => {
  const person = await unverified();
  const answers = await Promise.all(Array.from({ length: 8 }, (_, index) => (index % 2 ? open : press)(bare(person))));
  expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200));
  expect(answers.filter(({ body }) => body.already_verified)).toHaveLength(7);
  expect(await activity(person)).toHaveLength(1);
});

test('an open session is verified at once', async () => {
  const person = await unverified();
  await person.get('/api/v1/settings');
  await person.post(bare(person));
  await eventually(async () => {
    const { body } = await person.post('/api/v1/profile/email/resend-verification');
    expect(body.message).toMatch(/already/);
  });
});

const wrongLinks: [string, (person: Person) => string][] = [
  ['a wrong hash', ({ id }) => `/api/v1/email/verify/${id}/${sha1('other@example.com')}?tenant=${acme.id}`],
  ['no hash', ({ id }) => `/api/v1/email/verify/${id}/x?tenant=${acme.id}`],
  [
    'a hash in upper case',
    ({ id, email }) => `/api/v1/email/verify/${id}/${sha1(email).toUpperCase()}?tenant=${acme.id}`,
  ],
  [
    'a hash of upper case',
    ({ id, email }) => `/api/v1/email/verify/${id}/${sha1(email.toUpperCase())}?tenant=${acme.id}`,
  ],
  ['an unknown id', ({ email }) => `/api/v1/email/verify/999999999/${sha1(email)}?tenant=${acme.id}`],
  ["another user's id", ({ id, email }) => `/api/v1/email/verify/${id - 1}/${sha1(email)}?tenant=${acme.id}`],
  ['an invalid id', ({ email }) => `/api/v1/email/verify/abc/${sha1(email)}?tenant=${acme.id}`],
  ['an id with a zero before it', ({ id, email }) => `/api/v1/email/verify/0${id}/${sha1(email)}?tenant=${acme.id}`],
  [
    'an id that no number can be',
    ({ email }) => `/api/v1/email/verify/${'9'.repeat(40)}/${sha1(email)}?tenant=${acme.id}`,
  ],
  ['an id with a null character', ({ id, email }) => `/api/v1/email/verify/${id}%00/${sha1(email)}?tenant=${acme.id}`],
  ['a forged signature', (person) => `${bare(person)}&expires=9999999999&signature=${'A'.repeat(43)}`],
  ['an empty signature', (person) => `${bare(person)}&expires=9999999999&signature=`],
  ['only a signature', (person) => `${bare(person)}&signature=${'A'.repeat(43)}`],
  ['only an expiry', (person) => `${bare(person)}&expires=9999999999`],
];

test.each(wrongLinks)('a link with %s is refused', async (_, link) => {
  const person = await unverified();
  expect(await open(link(person))).toMatchObject(refused);
  expect(await press(link(person))).toMatchObject(refused);
  expect(await isVerified(person)).toBe(false);
});

test.each(['unknown', 'a'.repeat(64), '%00', 'a%20b', ''])(
  'a link with the unknown tenant "%s" is 404',
  async (label) => {
    const person = await unverified();
    const { status, body } = await open(`/api/v1/email/verify/${person.id}/${sha1(person.email)}?tenant=${label}`);
    expect({ status, code: body.code }).toEqual({ status: 404, code: 'tenancy.unknown' });
  },
);

test('a tenant may be named by its domain, in any case', async () => {
  const person = await unverified();
  expect((await open(bare(person).replace(acme.id, acme.id.toUpperCase()))).status).toBe(200);
  expect(await activity(person)).toMatchObject([{ tenant_id: acme.id }]);
});

test('a link for a tenant without the user is refused', async () => {
  const person = await unverified();
  const other = await platform.tenant();
  await platform.person({ tenant: other });
  expect(await open(bare(person).replace(acme.id, other.id))).toMatchObject(refused);
  expect(await isVerified(person)).toBe(false);
});

test('a link without a tenant is valid for a user without tenants', async () => {
  const person = await platform.person({ verified: false });
  const { status } = await open(`/api/v1/email/verify/${person.id}/${sha1(person.email)}`);
  expect(status).toBe(200);
  expect(await activity(person)).toMatchObject([{ action: 'email_verified', tenant_id: null }]);
});

test('a disabled user cannot verify an address', async () => {
  const person = await unverified();
  await central.db.run(sql`UPDATE users SET disabled_at = now() WHERE id = ${person.id}`);
  expect(await open(bare(person))).toMatchObject(refused);
});

test('the mailed link verifies the address', async () => {
  const person = await unverified();
  const link = await mailedLink(person);
  expect(link).toMatch(
    new RegExp(
      `^/api/v1/email/verify/${person.id}/${sha1(person.email)}\\?tenant=${acme.id}&expires=\\d+&signature=[\\w-]{43}$`,
    ),
  );
  expect((await press(link)).body.message).toMatch(/^Your email address is verified\./);
  expect(await isVerified(person)).toBe(true);
});

test('the mail names the organization, the expiry and what to do if it was not expected', async () => {
  const person = await unverified();
  await mailedLink(person);
  const { subject, text, html } = await platform.mailTo(person.email);
  expect(subject).toBe('Verify your email address for Acme & Sons');
  expect(text).toContain('Acme & Sons');
  expect(text).toContain('expires in 60 minutes');
  expect(text).toContain('ignore this mail');
  expect(html).toContain('Acme &#38; Sons');
});

test('the mailed link expires after an hour', async () => {
  const person = await unverified();
  const link = await mailedLink(person);
  minutesAhead = 61;
  const { status, body } = await press(link);
  expect({ status, hash: body.errors.hash[0] }).toEqual({ status: 422, hash: expect.stringMatching(/expired/) });
  minutesAhead = 59;
  expect((await press(link)).status).toBe(200);
});

test('a link to a former address is invalid', async () => {
  const person = await unverified();
  const link = await mailedLink(person);
  await central.db.run(sql`UPDATE users SET email = ${`new-${person.email}`} WHERE id = ${person.id}`);
  expect(await press(link)).toMatchObject(refused);
});

const strict = await startAccounts({
  environment: { EMAIL_VERIFICATION_SIGNED_ONLY: 'true' },
  sharedWith: platform,
  now,
});

test('a signed link with any character changed is refused', async () => {
  const person = await unverified();
  const link = await mailedLink(person);
  const place = fc.integer({ min: '/api/v1/email/verify/'.length, max: link.length - 1 });
  const character = fc.constantFrom(...'0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_=&?/#%+.');
  await fc.assert(
    fc.asyncProperty(place, character, async (index, other) => {
      fc.pre(link[index] !== other);
      const forged = link.slice(0, index) + other + link.slice(index + 1);
      expect((await strict.request({ method: 'POST', url: forged })).status).toBeGreaterThanOrEqual(400);
    }),
    { numRuns: 400 },
  );
  expect(await isVerified(person)).toBe(false);
  expect((await strict.request({ method: 'POST', url: link })).status).toBe(200);
});

test('links without a signature are refused if only signed links are allowed', async () => {
  const person = await unverified();
  expect(await strict.request({ method: 'GET', url: bare(person) })).toMatchObject(refused);
  const unsigned = (await mailedLink(person)).replace(/&signature=.*/, '');
  expect(await strict.request({ method: 'GET', url: unsigned })).toMatchObject(refused);
});

test('resending a link is limited', async () => {
  const person = await unverified();
  const resend = () => person.post('/api/v1/profile/email/resend-verification');
  const messages = [];
  for (let count = 0; count < 3; count += 1) messages.push((await resend()).body);
  expect(messages).toEqual(Array(3).fill({ message: 'A new verification link was mailed.' }));
  const { status, headers } = await resend();
  expect(status).toBe(429);
  expect(Number(headers['retry-after'])).toBeGreaterThan(0);
  expect((await (await unverified()).post('/api/v1/profile/email/resend-verification')).status).toBe(200);
  minutesAhead = 2;
  expect((await resend()).status).toBe(200);
});

test('a verified user gets no mail', async () => {
  const person = await platform.person({ tenant: acme });
  const mails = () => central.db.row(sql`SELECT count(*) FROM pgboss.job WHERE name = 'mail'`);
  const before = await mails();
  const { status, body } = await person.post('/api/v1/profile/email/resend-verification');
  expect({ status, body }).toEqual({ status: 200, body: { message: 'Your email address is already verified.' } });
  expect(await mails()).toEqual(before);
});

test('an anonymous caller cannot request a mail', async () => {
  const { status, headers } = await press('/api/v1/profile/email/resend-verification');
  expect({ status, authenticate: headers['www-authenticate'] }).toEqual({
    status: 401,
    authenticate: expect.stringMatching(/^Bearer resource_metadata=/),
  });
});

test('without a tenant in the request, the mail names the only tenant of the user, or the platform', async () => {
  const person = await unverified();
  const headers = { authorization: `Bearer ${person.accessToken}` };
  await platform.request({ method: 'POST', url: '/api/v1/profile/email/resend-verification', headers });
  expect((await platform.mailTo(person.email)).subject).toBe('Verify your email address for Acme & Sons');
  const loner = await platform.person({ verified: false });
  await loner.post('/api/v1/profile/email/resend-verification');
  const { subject, text } = await platform.mailTo(loner.email);
  expect(subject).toBe('Verify your email address for Chowk');
  expect(text).not.toContain('tenant=');
});

test('a preview shows the address and the name, and verifies nothing', async () => {
  const person = await unverified();
  const link = await mailedLink(person);
  const preview = async () => {
    const { status, body } = await open(link.replace('?', '/preview?'));
    return { status, body };
  };
  const shown = { email: person.email, name: person.name };
  expect(await preview()).toEqual({ status: 200, body: { ...shown, already_verified: false, ends_access: true } });
  expect(await isVerified(person)).toBe(false);
  await press(link);
  expect(await preview()).toEqual({ status: 200, body: { ...shown, already_verified: true, ends_access: false } });
  minutesAhead = 61;
  expect(await preview()).toMatchObject(refused);
});
