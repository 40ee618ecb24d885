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
  });

  test('signing in asks for the second factor and leads to the page that was wanted', async () => {
    const asha = await platform.person({ tenant: await platform.tenant() });
    const { body: begun } = await asha.post('/api/v1/profile/two-factor', {});
    const codeFor = () => generate({ secret: begun.secret, epoch: Math.floor(clock / 1_000) });
    await asha.post('/api/v1/profile/two-factor/confirm', { otp: await codeFor() });
    clock += 60_000;

    const page = await openPage(`${origin}/?from=mail`);
    await heading(page, 'Sign in').waitFor();
    await inspect(page, 'login');
    await signIn(page, { ...asha, password: 'wrong' });
    await page.locator('[aria-invalid=true], [role=alert]').first().waitFor();
    await inspect(page, 'login-refused');
    await signIn(page, asha);
    await page.getByLabel('Code').waitFor();
    await inspect(page, 'login-code');
    await page.getByLabel('Code').fill(await codeFor());
    await page.getByRole('button', { name: 'Continue' }).click();
    await heading(page, 'Home').waitFor();
    expect(new URL(page.url()).search).toBe('?from=mail');

    await page.getByRole('button', { name: /^Account of/ }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await heading(page, 'Sign in').waitFor();
    expect(await page.evaluate('localStorage.getItem("chowk.tokens")')).toBeNull();
  });

  test('the sign-in page needs little script', async () => {
    await platform.person({ tenant: await platform.tenant() });
    const page = await openPage(`${origin}/login`);
    await heading(page, 'Sign in').waitFor();
    const bytes = await page.evaluate(
      `performance.getEntriesByType('resource').filter(({ name }) => name.endsWith('.js'))
         .reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0)`,
    );
    expect(bytes).toBeGreaterThan(10_000);
    expect(bytes).toBeLessThan(150_000);
  });

  test('a forgotten password is replaced with a mailed link', async () => {
    const asha = await platform.person({ tenant: await platform.tenant() });
    const page = await openPage(`${origin}/login`);
    await page.getByRole('link', { name: 'Forgot it?' }).click();
    await page.getByLabel('Email').fill(asha.email);
    await inspect(page, 'forgot-password');
    await page.getByRole('button', { name: 'Mail the link' }).click();
    await page.getByText(/a link to choose a new password was mailed/).waitFor();
    const { text } = await platform.mailTo(asha.email);
    const { pathname } = new URL(/https?:\S+password\S+/.exec(text)?.[0] ?? '');
    await page.goto(origin + pathname);
    await page.getByLabel('New password').fill('a new horse battery');
    await page.getByLabel('Repeat the password').fill('a new horse battery');
    await page.getByRole('button').click();
    await page.goto(`${origin}/login`);
    await signIn(page, { email: asha.email, password: 'a new horse battery' });
    await heading(page, 'Home').waitFor();
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
});
