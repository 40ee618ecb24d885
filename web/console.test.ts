import { mkdir, readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { generate } from 'otplib';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { startAccounts } from '../server/testing/accounts.ts';
import { chromiumPath } from '../server/testing/chromium.ts';
import { eventually } from '../server/testing/eventually.ts';
import { uniqueId } from '../server/testing/platform.ts';
import { portOf } from '../server/testing/raw-http.ts';
import { startWizard } from '../server/testing/wizard.ts';

/* The console in a real browser, on a real platform. `npm run shots` also takes pictures of its pages. */

const shots = process.env.SHOTS;
const sizes = { phone: { width: 390, height: 844 }, wide: { width: 1440, height: 900 } };

describe.skipIf(!chromiumPath)('the console', () => {
  let browser: Browser;
  let axe: string;
  let clock = Date.now();
  let origin: string;
  let platform: Awaited<ReturnType<typeof startAccounts>>;

  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: chromiumPath as string, chromiumSandbox: false });
    axe = await readFile(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8');
    platform = await startAccounts({
      now: () => new Date(clock),
      environment: { APP_ENV: 'local', LOG_LEVEL: 'silent' },
    });
    await platform.app.listen({ host: '127.0.0.1', port: 0 });
    origin = `http://localhost:${portOf(platform.app)}`;
  });
  afterAll(() => browser?.close());

  /** A page that must not report an error, neither of its scripts nor of the content security policy. */
  async function open(url: string, size = sizes.wide): Promise<Page> {
    const context = await browser.newContext({ viewport: size, reducedMotion: 'reduce', colorScheme: 'light' });
    const page = await context.newPage();
    page.setDefaultTimeout(15_000);
    const errors: string[] = [];
    page.on('pageerror', (error) => errors.push(String(error)));
    page.on('console', (message) => {
      // The browser reports every response of 400 and above.
      if (message.type() === 'error' && !message.text().startsWith('Failed to load')) errors.push(message.text());
    });
    onTestFinished(async () => {
      await context.close();
      expect(errors).toEqual([]);
    });
    await page.goto(url);
    return page;
  }

  /** Checks a page as it is now: accessible, on a phone in the dark theme and on a wide screen in the light one. */
  async function inspect(page: Page, name: string): Promise<void> {
    for (const [width, colorScheme] of [
      ['phone', 'dark'],
      ['wide', 'light'],
    ] as const) {
      await page.setViewportSize(sizes[width]);
      await page.emulateMedia({ colorScheme });
      const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
      expect({ name, width, overflow }).toEqual({ name, width, overflow: 0 });
      await page.evaluate(`${axe}; void 0`);
      const { violations } = (await page.evaluate('axe.run()')) as { violations: Violation[] };
      expect(violations.map(({ id, nodes }) => `${name} on a ${width}: ${id}: ${nodes[0]?.html}`)).toEqual([]);
      if (shots) await takeShots(page, `${shots}/${name}-${width}`);
    }
    await page.emulateMedia({ colorScheme: 'light' });
  }

  async function takeShots(page: Page, path: string): Promise<void> {
    await mkdir(dirname(path), { recursive: true });
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      await page.screenshot({ path: `${path}-${colorScheme}.png`, fullPage: true });
    }
  }

  async function signIn(page: Page, { email, password }: { email: string; password: string }): Promise<void> {
    await page.getByLabel('Email').fill(email);
    await page.getByLabel('Password', { exact: true }).fill(password);
    await page.getByRole('button', { name: 'Sign in' }).click();
  }

  const heading = (page: Page, name: string) => page.getByRole('heading', { name, level: 1 });

  test('a new platform leads to its installation, which ends signed in on Home', async () => {
    const wizard = await startWizard({ identity: undefined });
    await wizard.app.listen({ host: '127.0.0.1', port: 0 });
    const page = await open(`http://localhost:${portOf(wizard.app)}/orders`);
    await page.getByText(/checks passed/).waitFor();
    expect(new URL(page.url()).pathname).toBe('/install');
    await inspect(page, 'install');
    await page.getByRole('button', { name: 'Set up' }).click();
    await page.getByLabel('Name of the organization').waitFor();

    // After a reload, the installation continues where it was.
    await page.reload();
    const slug = uniqueId();
    await page.getByLabel('Name of the organization').fill('Café Zürich');
    expect(await page.getByLabel('Id', { exact: true }).inputValue()).toBe('cafe-zurich');
    expect(await page.getByLabel('Time zone').inputValue()).toBe(Intl.DateTimeFormat().resolvedOptions().timeZone);
    await page.getByRole('button', { name: 'Finish and sign in' }).click();
    await page.locator('[aria-invalid=true]').first().waitFor();
    expect(await page.evaluate('document.activeElement.name')).toBe('name');
    await page.getByLabel('Id', { exact: true }).fill(slug);
    await page.getByLabel('Your name').fill('Asha Rao');
    await page.getByLabel('Your email').fill('asha@example.com');
    await page.getByLabel('Password', { exact: true }).fill('correct horse battery');
    await page.getByLabel('Repeat the password').fill('correct horse battery');
    await inspect(page, 'install-owner');
    await page.getByRole('button', { name: 'Finish and sign in' }).click();
    await heading(page, 'Home').waitFor();
    await page.getByText('Your shop is ready').waitFor();
    await inspect(page, 'home-empty');

    // Installed: the wizard is gone.
    await page.goto(`${new URL(page.url()).origin}/install`);
    await heading(page, 'Home').waitFor();
  });

  test('a wizard that needs the install token asks for it', async () => {
    const wizard = await startWizard({ identity: undefined, environment: { INSTALL_TOKEN: 'a-long-install-token' } });
    await wizard.untilOwner();
    await wizard.app.listen({ host: '127.0.0.1', port: 0 });
    const page = await open(`http://localhost:${portOf(wizard.app)}/`);
    await page.getByLabel('Name of the organization').fill('Acme');
    await page.getByLabel('Id', { exact: true }).fill(uniqueId());
    await page.getByLabel('Your name').fill('Asha Rao');
    await page.getByLabel('Your email').fill('asha@example.com');
    await page.getByLabel('Password', { exact: true }).fill('correct horse battery');
    await page.getByLabel('Repeat the password').fill('correct horse battery');
    await page.getByRole('button', { name: 'Finish and sign in' }).click();
    await page.getByLabel('Install token').fill('a-long-install-token');
    await page.getByRole('button', { name: 'Finish and sign in' }).click();
    await heading(page, 'Home').waitFor();
  });

  test('signing in asks for the second factor and leads to the page that was wanted', async () => {
    const asha = await platform.person({ tenant: await platform.tenant() });
    const { body: begun } = await asha.post('/api/v1/profile/two-factor', {});
    const codeFor = () => generate({ secret: begun.secret, epoch: Math.floor(clock / 1_000) });
    await asha.post('/api/v1/profile/two-factor/confirm', { otp: await codeFor() });
    clock += 60_000;

    const page = await open(`${origin}/?from=mail`);
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

  test('a forgotten password is replaced with a mailed link', async () => {
    const asha = await platform.person({ tenant: await platform.tenant() });
    const page = await open(`${origin}/login`);
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
    const page = await open(`${origin}${link.pathname}${link.search}`);
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

  test('Home shows the numbers of the chosen organization, and notifications arrive live', async () => {
    const acme = await platform.tenant({ name: 'Acme Stores' });
    const other = await platform.tenant({ name: 'Other Stores' });
    const asha = await platform.person({ tenant: acme });
    await platform.join(asha, other);
    const names = ['Asha', 'Bindu', 'Chitra'];
    for (const [index, first_name] of names.entries()) {
      const items = [{ name: 'Darjeeling first flush, loose leaf', quantity: index + 1, price: '1249.50' }];
      const { status } = await asha.post('/api/v1/orders', {
        customer: { first_name, phone: `+91987654321${index}` },
        items,
      });
      expect(status).toBe(201);
    }
    const page = await open(`${origin}/login`);
    await signIn(page, asha);
    await page.getByRole('button', { name: /Switch organization/ }).click();
    await page.getByRole('menuitem', { name: 'Acme Stores' }).click();
    const figures = () => page.locator('dl').textContent();
    await eventually(async () => expect(await figures()).toMatch(/Orders to handle3.*Customers3At/));
    expect(await page.getByRole('row').count()).toBe(4);

    await page.getByRole('button', { name: 'Notifications' }).waitFor();
    await acme
      .context('orders')
      .notify(asha.id, { type: 'order.created', title: 'Order 1042 needs you', severity: 'warning' });
    await page.getByRole('button', { name: 'Notifications, 1 unread' }).click();
    await page.getByRole('button', { name: /Order 1042 needs you/ }).waitFor();
    await inspect(page, 'notifications');
    await page.getByRole('button', { name: /Order 1042 needs you/ }).click();
    await page.getByRole('button', { name: 'Notifications', exact: true }).waitFor({ state: 'attached' });
    await eventually(async () =>
      expect((await asha.get('/api/v1/notifications/unread-count')).body).toEqual({ unread_count: 0 }),
    );
    await page.keyboard.press('Escape');
    await inspect(page, 'home');

    await page.getByRole('button', { name: /Switch organization/ }).click();
    await page.getByRole('menuitem', { name: 'Other Stores' }).click();
    await eventually(async () => expect(await page.getByRole('main').textContent()).not.toContain('Darjeeling'));
  });

  test('a session that ends leaves the page in place and continues after signing in', async () => {
    const acme = await platform.tenant();
    const asha = await platform.person({ tenant: acme });
    await acme.context('orders').notify(asha.id, { type: 'order.created', title: 'Order 1042 needs you' });
    const page = await open(`${origin}/login`);
    await signIn(page, asha);
    await page.getByRole('button', { name: 'Notifications, 1 unread' }).click();
    // Over another session: all others end.
    await asha.delete('/api/v1/profile/sessions');
    await page.getByRole('button', { name: /Order 1042 needs you/ }).click();
    await page.getByText('Your session has ended').waitFor();
    await inspect(page, 'session-ended');
    expect(await page.getByLabel('Email').inputValue()).toBe(asha.email);
    expect(await page.evaluate('document.activeElement.name')).toBe('password');
    await page.keyboard.type(asha.password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('Your session has ended').waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: 'Notifications, 1 unread' }).waitFor();
  });

  test('without a connection, the console says so', async () => {
    const asha = await platform.person({ tenant: await platform.tenant() });
    const page = await open(`${origin}/login`);
    await signIn(page, asha);
    await heading(page, 'Home').waitFor();
    await page.context().setOffline(true);
    await page.getByText('You are offline.').waitFor();
    await page.context().setOffline(false);
    await page.getByText('You are offline.').waitFor({ state: 'detached' });
  });

  test('the chosen theme stays, also if the system has the other', async () => {
    const page = await open(`${origin}/dev/ui`);
    await inspect(page, 'ui');
    await page.getByRole('button', { name: 'Dark' }).click();
    await page.reload();
    await heading(page, 'Design system').waitFor();
    expect(await page.evaluate('getComputedStyle(document.documentElement).colorScheme')).toBe('dark');
    await page.getByRole('button', { name: 'System' }).click();
    await page.getByRole('button', { name: 'Open a dialog' }).click();
    await page.getByRole('dialog').waitFor();
    await inspect(page, 'ui-dialog');
  });

  test('an unknown address says so', async () => {
    const page = await open(`${origin}/no/such/page`);
    await heading(page, 'Page not found').waitFor();
    await inspect(page, 'not-found');
  });
});

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string }[];
}
