import { generate } from 'otplib';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  type Console,
  chromiumPath,
  heading,
  inspect,
  openPage,
  signIn,
  startConsole,
} from '../../../testing/console.ts';

describe.skipIf(!chromiumPath)('signing in', () => {
  let clock = Date.now();
  let platform: Console;
  let origin: string;

  beforeAll(async () => {
    platform = await startConsole({ now: () => new Date(clock) });
    origin = platform.origin;
    return () => platform.close();
  });

  /** The link of a mail, on the address of this test. */
  async function mailedLink(address: string, subject: RegExp): Promise<string> {
    const { text } = await platform.mailTo(address, subject);
    const { pathname, search } = new URL(/https?:\S+/.exec(text)?.[0] ?? '');
    return origin + pathname + search;
  }

  test('signing in asks for the second factor and leads to the page that was wanted', async () => {
    const asha = await platform.person({ tenant: await platform.tenant() });
    const { body: begun } = await asha.post('/api/v1/profile/two-factor', {});
    const codeFor = () => generate({ secret: begun.secret, epoch: Math.floor(clock / 1_000) });
    await asha.post('/api/v1/profile/two-factor/confirm', { otp: await codeFor() });
    clock += 60_000;

    const page = await openPage(`${origin}/customers?search=tea&utm_source=mail`);
    await heading(page, 'Sign in').waitFor();
    await inspect(page, 'login');
    await signIn(page, { ...asha, password: 'wrong' });
    await page.getByRole('alert').getByText('These credentials do not match our records.').waitFor();
    expect(await page.locator('[aria-invalid=true]').count()).toBe(0);
    await page.getByRole('button', { name: 'Show the characters' }).click();
    expect(await page.getByLabel('Password', { exact: true }).getAttribute('type')).toBe('text');
    await inspect(page, 'login-refused');
    await signIn(page, asha);
    await page.getByLabel('Code').waitFor();
    await inspect(page, 'login-code');
    expect(await page.getByLabel('Code').inputValue()).toBe('');
    await page.keyboard.type(await codeFor());
    await page.keyboard.press('Enter');
    await heading(page, 'Customers').waitFor();
    expect(new URL(page.url()).search).toBe('?search=tea');

    await page.getByRole('button', { name: /^Account of/ }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await heading(page, 'Sign in').waitFor();
    expect(await page.evaluate('localStorage.getItem("chowk.tokens")')).toBeNull();
  });

  test('the sign-in page needs little script and asks the API nothing; a forgotten password is replaced with a mailed link', async () => {
    const asha = await platform.person({ tenant: await platform.tenant() });
    const page = await openPage();
    const messages: string[] = [];
    const requests: string[] = [];
    page.on('console', (message) => messages.push(message.text()));
    page.on('request', (request) => requests.push(new URL(request.url()).pathname));
    await page.goto(`${origin}/login`);
    await heading(page, 'Sign in').waitFor();
    expect(messages).toEqual([]);
    expect(requests.filter((path) => path.startsWith('/api'))).toEqual([]);
    const bytes = await page.evaluate(
      `performance.getEntriesByType('resource').filter(({ name }) => name.endsWith('.js'))
         .reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0)`,
    );
    expect(bytes).toBeGreaterThan(10_000);
    expect(bytes).toBeLessThan(150_000);

    await page.getByRole('link', { name: 'Forgot password?' }).click();
    await page.getByLabel('Email').fill(asha.email);
    await inspect(page, 'forgot-password');
    await page.getByRole('button', { name: 'Email me a link' }).click();
    await page.getByText(/a link to choose a new password was mailed/).waitFor();
    await page.goto(await mailedLink(asha.email, /new password/));
    await page.getByText(asha.email).waitFor();
    await page.getByLabel('New password').fill('short');
    await page.getByRole('button', { name: 'Set the password and sign in' }).click();
    await page.locator('[aria-invalid=true]').first().waitFor();
    expect(await page.evaluate('document.activeElement.name')).toBe('password');
    await inspect(page, 'reset-password');
    const link = page.url();
    await page.getByLabel('New password').fill('a new horse battery');
    await page.getByLabel('Repeat the password').fill('a new horse battery');
    await page.getByRole('button', { name: 'Set the password and sign in' }).click();
    await heading(page, 'Home').waitFor();
    await page.goto(link);
    await heading(page, 'This link does not work').waitFor();
    await inspect(page, 'broken-link');
  });

  test('a device is signed in with the code that it shows', async () => {
    const asha = await platform.person({ tenant: await platform.tenant() });
    const asking = { url: '/oauth/device_authorization', method: 'POST' } as const;
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    const { body: grant } = await platform.request({ ...asking, headers: form, payload: 'client_id=chowk-cli' });
    const link = new URL(grant.verification_uri_complete);
    const page = await openPage(`${origin}${link.pathname}${link.search}`);
    await signIn(page, asha);
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByText('Approve only what you have started yourself.').waitFor();
    await inspect(page, 'device');
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.getByRole('link', { name: 'Go to Home' }).waitFor();
    const payload = `grant_type=urn:ietf:params:oauth:grant-type:device_code&client_id=chowk-cli&device_code=${grant.device_code}`;
    const { status } = await platform.request({ url: '/oauth/token', method: 'POST', headers: form, payload });
    expect(status).toBe(200);
  });

  test('an invited person creates an account and arrives in the organization', async () => {
    const shop = await platform.tenant({ name: 'श्री लक्ष्मी वस्त्र भंडार एवं संस, थोक तथा खुदरा विक्रेता, जयपुर' });
    const owner = await platform.person({ tenant: shop });
    const email = 'ravichandran.subramaniam.export.department@long-address.example.com';
    await owner.post('/api/v1/invitations', { email, role: 'Agent' });
    const page = await openPage(await mailedLink(email, /invited/));
    await page.getByLabel('Your name').fill('Ravichandran Subramaniam');
    await page.getByLabel('Choose a password').fill('a new horse battery');
    await page.getByRole('button', { name: 'Create account and join' }).click();
    await page.locator('[name=password_confirmation][aria-invalid=true]').waitFor();
    await inspect(page, 'invitation-new');
    await page.getByLabel('Repeat the password').fill('a new horse battery');
    await page.getByRole('button', { name: 'Create account and join' }).click();
    await heading(page, 'Home').waitFor();
    await page.getByText(/You are now a member of श्री/).waitFor();
    expect(await page.evaluate('localStorage.getItem("chowk.tenant")')).toBe(shop.id);
  });

  test('an invited person with an account and a second factor signs in and joins', async () => {
    const shop = await platform.tenant({ name: 'Meera Textiles' });
    const owner = await platform.person({ tenant: shop });
    const asha = await platform.person({ tenant: await platform.tenant({ name: 'Acme Stores' }) });
    const { body: begun } = await asha.post('/api/v1/profile/two-factor', {});
    const codeFor = () => generate({ secret: begun.secret, epoch: Math.floor(clock / 1_000) });
    await asha.post('/api/v1/profile/two-factor/confirm', { otp: await codeFor() });
    clock += 60_000;
    await owner.post('/api/v1/invitations', { email: asha.email, role: 'Manager' });
    const page = await openPage(await mailedLink(asha.email, /invited/));
    expect(await page.getByLabel('Email').inputValue()).toBe(asha.email);
    await inspect(page, 'invitation-existing');
    await page.getByLabel('Password', { exact: true }).fill(asha.password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByLabel('Code').fill(await codeFor());
    await page.getByRole('button', { name: 'Continue' }).click();
    await heading(page, 'Home').waitFor();
    await page.getByRole('button', { name: /Meera Textiles.*Switch organization/ }).waitFor();
  });

  test('an invitation for another address asks to sign out; one for this address needs one click', async () => {
    const shop = await platform.tenant({ name: 'Meera Textiles' });
    const owner = await platform.person({ tenant: shop });
    const acme = await platform.tenant({ name: 'Acme Stores' });
    const asha = await platform.person({ tenant: acme });
    const ravi = await platform.person({ tenant: acme });
    for (const { email } of [asha, ravi]) await owner.post('/api/v1/invitations', { email, role: 'Agent' });
    const page = await platform.openAs(asha, acme);
    await heading(page, 'Home').waitFor();
    await page.goto(await mailedLink(ravi.email, /invited/));
    await page.getByText(/You are signed in as/).waitFor();
    await inspect(page, 'invitation-other-account');
    await page.goto(await mailedLink(asha.email, /invited/));
    await page.getByRole('button', { name: 'Join' }).click();
    await page.getByRole('button', { name: /Meera Textiles.*Switch organization/ }).waitFor();
    await page.goto(await mailedLink(ravi.email, /invited/));
    await page.getByRole('button', { name: 'Sign out and continue' }).click();
    expect(await page.getByLabel('Email').inputValue()).toBe(ravi.email);
  });

  test('an address is verified by a click, not by opening the link, and the old address can undo the change', async () => {
    const asha = await platform.person({ tenant: await platform.tenant(), name: 'Venkata Narasimha Rajuvaripet' });
    const email = `a.long.mailbox.name.for.this.account.${asha.email}`;
    await asha.put('/api/v1/profile/email', { email, password: asha.password });
    const link = await mailedLink(email, /^Verify/);
    const page = await openPage(`${link}&utm_source=mail&fbclid=x`);
    await page.getByText(/is the account of Venkata Narasimha Rajuvaripet yours/).waitFor();
    await inspect(page, 'verify-email');
    expect((await asha.get('/api/v1/profile')).body.profile.email_verified).toBe(false);
    await page.getByRole('button', { name: 'Yes, verify it' }).click();
    await page.getByText('Your email address is verified.').waitFor();
    expect((await asha.get('/api/v1/profile')).body.profile).toMatchObject({ email, email_verified: true });
    await page.goto(link);
    await page.getByText(`The address ${email} is verified.`).waitFor();
    await inspect(page, 'verify-email-done');

    await page.goto(await mailedLink(asha.email, /was changed$/));
    await heading(page, 'Undo the change of your email address').waitFor();
    await inspect(page, 'undo-email-change');
    expect((await asha.get('/api/v1/profile')).body.profile.email).toBe(email);
    await page.getByRole('button', { name: 'Undo the change' }).click();
    await page.getByText(`Your account uses ${asha.email} again.`, { exact: false }).waitFor();
    await page.goto(await mailedLink(asha.email, /new password/));
    await page.getByLabel('New password').fill('a new horse battery');
    await page.getByLabel('Repeat the password').fill('a new horse battery');
    await page.getByRole('button', { name: 'Set the password and sign in' }).click();
    await heading(page, 'Home').waitFor();
  });
  test('the first verification without a session asks to sign in; without the password a new one is mailed', async () => {
    const tenant = await platform.tenant({ name: 'Acme Stores' });
    const [asha, ravi] = [
      await platform.person({ tenant, verified: false }),
      await platform.person({ tenant, verified: false }),
    ];
    for (const person of [asha, ravi]) await person.post('/api/v1/profile/email/resend-verification');
    const page = await openPage(await mailedLink(asha.email, /^Verify/));
    await page.getByRole('button', { name: 'Sign in and verify it' }).waitFor();
    await inspect(page, 'verify-email-first');
    await page.getByRole('button', { name: 'Sign in and verify it' }).click();
    await heading(page, 'Sign in').waitFor();
    await signIn(page, asha);
    await page.getByRole('button', { name: 'Yes, verify it' }).click();
    await page.getByText('Your email address is verified.').waitFor();
    await page.getByRole('link', { name: 'Go to Home' }).click();
    await heading(page, 'Home').waitFor();

    await page.evaluate('localStorage.clear()');
    await page.goto(await mailedLink(ravi.email, /^Verify/));
    await page.getByRole('button', { name: 'Verify it without the password' }).click();
    await page.getByText(/choose a new password with the link that we have mailed/).waitFor();
    expect(await mailedLink(ravi.email, /new password/)).toContain('/password/reset/');
  });
});
