import { readFile } from 'node:fs/promises';
import { generate } from 'otplib';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '../../../../server/testing/eventually.ts';
import {
  type Console,
  chromiumPath,
  heading,
  inspect,
  openPage,
  signIn,
  startConsole,
} from '../../../testing/console.ts';

const longName = 'Venkatanarasimharajuvaripeta Lakshmi Padmavathi Subrahmanyeswari Chandrasekharan';

describe.skipIf(!chromiumPath)('the profile', () => {
  let clock = 0;
  let platform: Console;
  const now = () => Date.now() + clock;
  const codeFor = (secret: string) => generate({ secret, epoch: Math.floor(now() / 1_000) });

  beforeAll(async () => {
    platform = await startConsole({ now: () => new Date(now()) });
    return () => platform.close();
  });

  const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
  const toast = (page: Page, text: string) => page.getByRole('status').getByText(text).waitFor();

  /** Signed in with a session of its own, so that the person can end it. */
  async function openProfile(options: { name?: string; tab?: string } = {}) {
    const acme = await platform.tenant({ name: 'Meera Textiles' });
    const person = await platform.person({ tenant: acme, ...(options.name && { name: options.name }) });
    const path = options.tab === undefined ? '/profile' : `/profile?tab=${options.tab}`;
    const page = await openPage(`${platform.origin}/login?next=${encodeURIComponent(path)}`);
    await signIn(page, person);
    await heading(page, 'Profile').waitFor();
    return { acme, person, page };
  }

  test('details are saved, the menu of the person leads to them, and what was typed stays until it is saved or discarded', async () => {
    const { person, page } = await openProfile({ name: longName });
    await page.getByRole('link', { name: 'Home' }).first().click();
    await heading(page, 'Home').waitFor();
    await page.getByRole('button', { name: /^Account of/ }).click();
    await page.getByRole('menuitem', { name: 'Profile' }).click();
    await page.getByLabel('Name').fill('');
    await button(page, 'Save').click();
    await page.locator('[name=name][aria-invalid=true]').waitFor();
    await inspect(page, 'profile-error');
    await page.getByLabel('Name').fill('लक्ष्मी सुब्रह्मण्यम');
    await page.getByLabel('Time zone').selectOption('Asia/Dubai');
    await button(page, 'Save').click();
    await toast(page, 'Profile saved.');
    await page.getByRole('button', { name: 'Account of लक्ष्मी सुब्रह्मण्यम' }).waitFor();
    const { body } = await person.get('/api/v1/profile');
    expect(body.profile).toMatchObject({ name: 'लक्ष्मी सुब्रह्मण्यम', timezone: 'Asia/Dubai' });

    await page.getByLabel('Name').fill('Half a na');
    await page.getByLabel('Time zone').selectOption('Asia/Tokyo');
    await page.reload();
    await page.getByText('Your unsaved changes were restored.').waitFor();
    expect(await page.getByLabel('Name').inputValue()).toBe('Half a na');
    expect(await page.getByLabel('Time zone').inputValue()).toBe('Asia/Tokyo');
    await inspect(page, 'profile-draft');
    await button(page, 'Discard them').click();
    expect(await page.getByLabel('Name').inputValue()).toBe('लक्ष्मी सुब्रह्मण्यम');
    await page.reload();
    await page.getByLabel('Name').waitFor();
    expect(await page.getByLabel('Name').inputValue()).toBe('लक्ष्मी सुब्रह्मण्यम');
    expect(await page.getByText('These are changes').count()).toBe(0);
  });

  test('a session that ends while a form is filled in loses nothing; sessions are listed and ended, one or all others', async () => {
    const { person, page } = await openProfile();
    await page.getByLabel('Name').fill(longName);
    // Over another session: all others end.
    await person.delete('/api/v1/profile/sessions');
    // The page may have noticed already and cover the form.
    await button(page, 'Save').dispatchEvent('click');
    await page.getByText('Your session has ended').waitFor();
    await inspect(page, 'profile-session-ended');
    await page.keyboard.type(person.password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('Your session has ended').waitFor({ state: 'hidden' });
    expect(await page.getByLabel('Name').inputValue()).toBe(longName);
    await page.getByText('Your session had ended, so this was not done.').waitFor();
    await button(page, 'Save').click();
    await toast(page, 'Profile saved.');
    expect((await person.get('/api/v1/profile')).body.profile.name).toBe(longName);

    const agents = [
      'Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 Version/18.6 Safari/604.1',
      'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/142.0.0.0 Safari/537.36 Edg/142.0.0.0',
    ];
    for (const agent of agents) {
      const payload = { email: person.email, password: person.password };
      const headers = { 'user-agent': agent };
      await platform.request({ method: 'POST', url: '/api/v1/auth/login', payload, headers });
    }
    await page.getByRole('link', { name: 'Sessions' }).click();
    await page.getByText('Safari on iPhone').waitFor();
    expect(await page.getByRole('listitem').filter({ hasText: 'This session' }).textContent()).toContain('Chrome');
    await inspect(page, 'profile-sessions');
    await button(page, 'End the session of Safari on iPhone').click();
    await toast(page, 'Session of Safari on iPhone ended.');
    await page.getByText('Safari on iPhone', { exact: true }).waitFor({ state: 'detached' });
    await button(page, 'Sign out everywhere else').click();
    await page.getByText('2 sessions will end at once.').waitFor();
    await inspect(page, 'profile-sessions-dialog');
    await button(page, 'End 2 sessions').click();
    await toast(page, '2 sessions ended.');
    await eventually(async () => expect(await page.getByText('Last seen').count()).toBe(1));
    expect((await person.get('/api/v1/profile')).status).toBe(401);
  });

  test('a new address is pending until it is verified or cancelled, and activity is listed in sentences, page by page', async () => {
    const { person, page } = await openProfile();
    const email = `accounts.and.wholesale.department.${person.email}`;
    await button(page, 'Change address').click();
    await page.getByLabel('New address').fill('not an address');
    await page.getByLabel('Your password').fill('wrong');
    await button(page, 'Change address').click();
    await page.locator('[name=email][aria-invalid=true]').waitFor();
    await page.locator('[name=password][aria-invalid=true]').waitFor();
    await inspect(page, 'profile-email-error');
    await page.getByLabel('New address').fill(email);
    await page.getByLabel('Your password').fill(person.password);
    await button(page, 'Change address').click();
    await page.getByText('Waiting for verification').waitFor();
    await page.getByText(`Until then you sign in with ${person.email}.`).waitFor();
    await inspect(page, 'profile-email-pending');
    await button(page, 'Send the link again').click();
    await toast(page, 'A new verification link was mailed.');
    await button(page, 'Cancel the change').click();
    await page.getByLabel('Your password').fill(person.password);
    await button(page, `Keep ${person.email}`).click();
    await page.getByText('Verified', { exact: true }).waitFor();
    expect((await person.get('/api/v1/profile')).body.profile).toMatchObject({
      email: person.email,
      email_verified: true,
    });

    for (let index = 0; index < 31; index += 1) await person.patch('/api/v1/profile', { timezone: 'Asia/Kolkata' });
    const token = { name: 'Nightly export', scopes: ['orders.view'], password: person.password };
    expect((await person.post('/api/v1/profile/tokens', token)).status).toBe(201);
    await page.getByRole('navigation', { name: 'Profile' }).getByRole('link', { name: 'Activity' }).click();
    await page.getByText('Created the access token Nightly export').waitFor();
    await inspect(page, 'profile-activity');
    await page.getByRole('link', { name: 'Older' }).click();
    await page.getByText('Signed in', { exact: true }).waitFor();
    expect(new URL(page.url()).search).toBe('?tab=activity&page=2');
    await page.goBack();
    await page.getByText('Created the access token Nightly export').waitFor();
  });

  test('the password is changed, with all errors at once', async () => {
    const { person, page } = await openProfile({ tab: 'security' });
    await page.getByLabel('Current password').fill('wrong');
    await page.getByLabel('New password').fill('a new horse battery');
    await page.getByLabel('Repeat the password').fill('another');
    await button(page, 'Change password').click();
    await page.locator('[aria-invalid=true]').first().waitFor();
    expect(await page.locator('[aria-invalid=true]').count()).toBe(2);
    expect(await page.evaluate('document.activeElement.name')).toBe('current_password');
    await inspect(page, 'profile-password-error');
    await page.getByLabel('Current password').fill(person.password);
    await page.getByLabel('Repeat the password').fill('a new horse battery');
    await button(page, 'Change password').click();
    await toast(page, 'Password changed.');
    expect(await page.getByLabel('New password').inputValue()).toBe('');
    const login = { email: person.email, password: 'a new horse battery' };
    const { status } = await platform.request({ method: 'POST', url: '/api/v1/auth/login', payload: login });
    expect(status).toBe(200);
  });

  test('two-factor authentication is turned on, its recovery codes are replaced, and it is turned off', async () => {
    const { person, page } = await openProfile({ tab: 'security' });
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    // The last sign-in is too long ago: the password is asked for.
    clock += 20 * 60_000;
    await button(page, 'Turn on').click();
    await button(page, 'Continue').click();
    await page.getByLabel('Your password').fill(person.password);
    await inspect(page, 'profile-two-factor-confirm');
    await button(page, 'Continue').click();
    await page.getByRole('img', { name: 'QR code for an authenticator app' }).waitFor();
    await inspect(page, 'profile-two-factor');
    const secret = ((await page.locator('code').textContent()) ?? '').replaceAll(' ', '');
    await page.getByLabel('Code', { exact: true }).fill('000000');
    await button(page, 'Turn on').click();
    await page.getByText('The code is wrong.').waitFor();
    await page.getByLabel('Code', { exact: true }).fill(await codeFor(secret));
    await button(page, 'Turn on').click();
    await page.getByText('Keep these recovery codes in a safe place').waitFor();
    await inspect(page, 'profile-recovery-codes');
    const codes = await page.locator('ol li').allTextContents();
    expect(codes).toHaveLength(10);
    await button(page, 'Copy').click();
    await button(page, 'Copied').waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(codes.join('\n'));
    const downloading = page.waitForEvent('download');
    await button(page, 'Download').click();
    const file = await downloading;
    expect([file.suggestedFilename(), await readFile(await file.path(), 'utf8')]).toEqual([
      'chowk-recovery-codes.txt',
      `${codes.join('\n')}\n`,
    ]);
    await button(page, 'I have stored them').click();

    await button(page, 'New recovery codes').click();
    await button(page, 'Create new codes').click();
    await page.getByLabel('Your password').fill(person.password);
    await button(page, 'Create new codes').click();
    await page.getByText('Keep these recovery codes in a safe place').waitFor();
    const renewed = await page.locator('ol li').allTextContents();
    expect(renewed.some((code) => codes.includes(code))).toBe(false);
    await button(page, 'I have stored them').click();

    await button(page, 'Turn off').click();
    await page.getByText('Signing in will need your password only.').waitFor();
    await inspect(page, 'profile-two-factor-off');
    await page.getByLabel('Your password').fill('wrong');
    await button(page, 'Turn off').click();
    await page.getByText('The password is not correct.').waitFor();
    await page.getByLabel('Your password').fill(person.password);
    await button(page, 'Turn off').click();
    await toast(page, 'Two-factor authentication is off.');
    await button(page, 'Turn on').waitFor();
  });

  test('a token is created with the password, shown once, works, and is revoked', async () => {
    const { acme, person, page } = await openProfile({ tab: 'tokens' });
    await page.getByText('No tokens yet').waitFor();
    await inspect(page, 'profile-tokens-empty');
    await button(page, 'New token').click();
    await button(page, 'Create token').click();
    await page.locator('[name=name][aria-invalid=true]').waitFor();
    await page.locator('fieldset [role=alert]').waitFor();
    expect(await page.locator('form [role=alert]').allTextContents()).toEqual(['Choose at least one permission.']);
    await inspect(page, 'profile-token-error');
    await page.getByLabel('Name').fill('Nightly export of all orders to the accountant in Coimbatore');
    await page.getByLabel(/^View customers ?customers\.view$/).check();
    await page.getByLabel(/^View orders ?orders\.view$/).check();
    await page.getByLabel('Expires').selectOption('date');
    // A half-filled form survives a reload.
    await page.reload();
    await page.getByLabel('Last day').fill('2099-12-31');
    expect(await page.getByLabel('Name').inputValue()).toMatch(/^Nightly export/);
    expect(await page.getByLabel(/^View orders ?orders\.view$/).isChecked()).toBe(true);
    clock += 20 * 60_000;
    await button(page, 'Create token').click();
    await page.getByLabel('Your password').fill(person.password);
    await inspect(page, 'profile-token-new');
    await button(page, 'Create token').click();
    await page.getByText('it is not shown again').waitFor();
    await inspect(page, 'profile-token-created');
    const secret = await page.locator('code').textContent();
    const headers = { authorization: `Bearer ${secret}`, 'x-tenant': acme.id };
    const responseStatus = async (url: string) => (await platform.request({ url, headers })).status;
    expect([await responseStatus('/api/v1/orders'), await responseStatus('/api/v1/products')]).toEqual([200, 403]);
    await button(page, 'I have stored it').click();
    await page.getByText(/expires 31 Dec 2099/).waitFor();
    await page.getByRole('button', { name: /^Revoke Nightly/ }).click();
    await inspect(page, 'profile-token-revoke');
    await button(page, 'Revoke token').click();
    await page.getByText('No tokens yet').waitFor();
    expect(await responseStatus('/api/v1/orders')).toBe(401);
  });
});
