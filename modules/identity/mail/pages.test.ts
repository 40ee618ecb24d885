import { createHash } from 'node:crypto';
import { sql } from '@chowk/kit';
import { afterEach, expect, test } from 'vitest';
import { type Person, startAccounts, testPassword } from '../../../server/testing/accounts.ts';

let hoursAhead = 0;
const platform = await startAccounts({ now: () => new Date(Date.now() + hoursAhead * 3_600_000) });
const acme = await platform.tenant({ name: 'Acme' });
const { central } = platform.kernel;

afterEach(() => {
  hoursAhead = 0;
});

const open = (url: string) => platform.request({ method: 'GET', url });
/** As a browser sends a form. */
const submit = (url: string, fields: Record<string, string> = {}) =>
  platform.request({
    method: 'POST',
    url,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    payload: new URLSearchParams(fields).toString(),
  });

async function mailedPage(address: string, subject: RegExp): Promise<string> {
  const { text } = await platform.mailTo(address, subject);
  const { pathname, search } = new URL(/http\S+/.exec(text)?.[0] ?? '');
  return pathname + search;
}

async function verificationPage(): Promise<{ person: Person; url: string }> {
  const person = await platform.person({ tenant: acme, verified: false });
  await person.post('/api/v1/profile/email/resend-verification');
  return { person, url: await mailedPage(person.email, /^Verify/) };
}

async function undoPage(): Promise<{ person: Person; url: string }> {
  const person = await platform.person({ tenant: acme });
  const email = `new-${person.email}`;
  await person.put('/api/v1/profile/email', { email, password: testPassword });
  expect((await submit(await mailedPage(email, /^Verify/), {})).status).toBe(200);
  return { person, url: await mailedPage(person.email, /was changed$/) };
}

async function passwordPage(): Promise<{ person: Person; url: string }> {
  const person = await platform.person({ tenant: acme });
  await platform.request({
    ...{ method: 'POST', url: '/api/v1/auth/password/forgot', payload: { email: person.email } },
  });
  return { person, url: await mailedPage(person.email, /new password/) };
}

const account = ({ id }: Person) =>
  central.db.row<{ email: string; email_verified_at: string | null; password_hash: string }>(
    sql`SELECT email, email_verified_at, password_hash FROM users WHERE id = ${id}`,
  );

const pages = [
  { name: 'verification', make: verificationPage, button: 'Yes, verify it' },
  { name: 'undo', make: undoPage, button: 'Undo the change' },
  { name: 'password', make: passwordPage, button: 'Set the password' },
];

test.each(pages)('the $name page shows one button and changes nothing', async ({ make, button }) => {
  const { person, url } = await make();
  const before = await account(person);
  const { status, headers, body } = await open(url);
  expect({ status, type: headers['content-type'] }).toEqual({ status: 200, type: 'text/html; charset=utf-8' });
  expect(body.match(/<button>(.*)<\/button>/)?.[1]).toBe(button);
  expect(body).toContain('<form method="post">');
  expect(await account(person)).toEqual(before);
});

test.each(pages)(
  'the $name page has no scripts, loads nothing, cannot be framed and sends no referrer',
  async ({ make }) => {
    const { url } = await make();
    for (const { headers, body } of [await open(url), await submit(url)]) {
      const policy = headers['content-security-policy'] ?? '';
      for (const rule of [
        "default-src 'none'",
        "style-src 'unsafe-inline'",
        "form-action 'self'",
        "frame-ancestors 'none'",
      ]) {
        expect(policy).toContain(rule);
      }
      expect(policy).not.toContain('script-src');
      expect(headers['referrer-policy']).toBe('no-referrer');
      expect(headers['cache-control']).toBe('no-store');
      expect(body).not.toMatch(/<script|<img|<link/i);
      expect(body).toContain('prefers-color-scheme: dark');
      expect(body).toMatch(/^<!doctype html>\n<html lang="en">/);
    }
  },
);

test.each(pages)('the $name page ignores parameters that trackers add to its link', async ({ make, button }) => {
  const { person, url } = await make();
  const before = await account(person);
  const tracked = `${url}${url.includes('?') ? '&' : '?'}utm_source=mail&fbclid=x&fbclid=y&token=z&id=7&tags[]=a`;
  const { status, body } = await open(tracked);
  expect({ status, button: body.match(/<button>(.*)<\/button>/)?.[1] }).toEqual({ status: 200, button });
  const chosen = { password: 'a better one', password_confirmation: 'a better one' };
  expect((await submit(tracked, chosen)).status).toBe(200);
  expect(await account(person)).not.toEqual(before);
});

test('the verification button verifies the address, also when it is pressed again', async () => {
  const { person, url } = await verificationPage();
  for (let presses = 0; presses < 2; presses += 1) {
    const { status, body } = await submit(url);
    expect(status).toBe(200);
    expect(body).toContain('Your email address is verified.');
  }
  expect((await account(person))?.email_verified_at).not.toBeNull();
  const { body } = await open(url);
  expect(body).toContain('already verified');
  expect(body).not.toContain('<button>');
});

test('the undo button restores the address', async () => {
  const { person, url } = await undoPage();
  expect((await open(url)).body).toContain(person.email);
  const { status, body } = await submit(url);
  expect(status).toBe(200);
  expect(body).toContain(`Your account uses ${person.email} again`);
  expect((await account(person))?.email).toBe(person.email);
});

test('the password page sets the password', async () => {
  const { person, url } = await passwordPage();
  const before = await account(person);
  const { status, body } = await submit(url, { password: 'a better one', password_confirmation: 'a better one' });
  expect(status).toBe(200);
  expect(body).toContain('Your password was set');
  expect((await account(person))?.password_hash).not.toBe(before?.password_hash);
});

test.each([
  ['nothing', {}, 'password', 'The password is required.'],
  ['a short one', { password: 'short', password_confirmation: 'short' }, 'password', 'at least 8 characters'],
  ['72 bytes and more', { password: '🌶'.repeat(19), password_confirmation: '🌶'.repeat(19) }, 'password', '72 bytes'],
  [
    'two of them',
    { password: 'long enough', password_confirmation: 'other' },
    'password_confirmation',
    'does not match',
  ],
])('with %s, the password page shows the error beside the field', async (_, fields, name, message) => {
  const { url } = await passwordPage();
  const { status, body } = await submit(url, fields as Record<string, string>);
  expect(status).toBe(422);
  expect(body).toMatch(
    new RegExp(`<input [^>]*id="${name}"[^>]* aria-invalid="true" aria-describedby="${name}_error">`),
  );
  expect(body.match(new RegExp(`id="${name}_error" role="alert">([^<]*)<`))?.[1]).toContain(message);
  expect((await submit(url, { password: 'long enough', password_confirmation: 'long enough' })).status).toBe(200);
});

test('a repeated field is not accepted as a password', async () => {
  const { url } = await passwordPage();
  const { status } = await platform.request({
    method: 'POST',
    url,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    payload: 'password=long+enough&password=long+enough&password_confirmation=long+enough',
  });
  expect(status).toBe(422);
});

test.each(pages)('the $name page reports an expired link', async ({ make }) => {
  const { person, url } = await make();
  const before = await account(person);
  hoursAhead = 24 * 8;
  for (const { status, headers, body } of [await open(url), await submit(url)]) {
    expect({ status, type: headers['content-type'] }).toEqual({ status: 422, type: 'text/html; charset=utf-8' });
    expect(body).toMatch(/role="alert">[^<]*expired/);
    expect(body).not.toContain('<button>');
  }
  expect(await account(person)).toEqual(before);
});

const hash = createHash('sha1').update('a@example.com').digest('hex');

test.each([
  [`/email/verify/1/${hash}`, 422],
  [`/email/verify/x/${hash}?tenant=${acme.id}`, 422],
  [`/email/verify/1/${hash}?tenant=nobody`, 404],
  [`/email/undo/x`, 422],
  [`/password/reset/x`, 422],
  [`/password/reset/${'x'.repeat(300)}`, 422],
])('%s shows the error as a page', async (url, expected) => {
  for (const { status, body } of [await open(url), await submit(url)]) {
    expect(status).toBe(expected);
    expect(body).toMatch(/<p class="error" role="alert">[^<]{10,}<\/p>/);
  }
});

test('addresses are escaped', async () => {
  const { url } = await passwordPage();
  const { body } = await submit(url, { password: '<b>', password_confirmation: '"><script>' });
  expect(body).not.toContain('<b>');
  expect(body).not.toContain('<script>');
});
