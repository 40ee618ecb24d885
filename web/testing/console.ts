import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Browser, chromium, type Locator, type Page } from 'playwright-core';
import { expect, onTestFinished } from 'vitest';
import { type AccountsPlatform, type Person, startAccounts } from '../../server/testing/accounts.ts';
import { chromiumPath } from '../../server/testing/chromium.ts';
import { eventually } from '../../server/testing/eventually.ts';
import type { TestOptions, TestTenant } from '../../server/testing/platform.ts';
import { getPort } from '../../server/testing/raw-http.ts';

/* The console in a real browser, on a real platform. `npm run shots` also takes pictures of its pages. */

export { chromiumPath };

const shots = process.env.SHOTS;
export const sizes = { phone: { width: 390, height: 844 }, wide: { width: 1440, height: 900 } };

let browser: Promise<Browser> | undefined;
let axe: Promise<string> | undefined;

/** One for all test files of a worker, which ends it. */
function startBrowser(): Promise<Browser> {
  browser ??= chromium.launch({ executablePath: chromiumPath as string, chromiumSandbox: false });
  return browser;
}

export interface Console extends AccountsPlatform {
  readonly origin: string;
  /** A page of a new browser context for this user, signed in; see `openPage` for expected errors. */
  openAs(person: Person, tenant: TestTenant, path?: string, expected?: RegExp): Promise<Page>;
  /** What a page of the console loads next, it loads for this user. */
  continueAs(page: Page, person: Person, tenant: TestTenant): Promise<void>;
  /** For `beforeAll` to return. */
  close(): Promise<void>;
}

/** A platform that serves the console. */
export async function startConsole(options: TestOptions = {}): Promise<Console> {
  const environment = { APP_ENV: 'local', LOG_LEVEL: 'silent', BCRYPT_COST: '4', ...options.environment };
  const platform = await startAccounts({ ...options, environment });
  await writeFile(join(platform.kernel.config.storagePath, 'installed'), '');
  await platform.app.listen({ host: '127.0.0.1', port: 0 });
  const origin = `http://localhost:${getPort(platform.app)}`;
  return {
    ...platform,
    origin,
    async close() {
      await platform.app.close();
      await platform.kernel.close();
    },
    async openAs(person, tenant, path = '/', expected?: RegExp) {
      const page = await openPage(undefined, sizes.wide, expected);
      const script = `if (!localStorage.getItem('chowk.tokens')) { ${storeSession(person, tenant)} }`;
      const signingIn = await page.addInitScript(script);
      onTestFinished(() => signingIn.dispose());
      await page.goto(origin + path);
      return page;
    },
    async continueAs(page, person, tenant) {
      await page.evaluate(storeSession(person, tenant));
    },
  };
}

/** A script. */
function storeSession({ accessToken, refreshToken }: Person, { id }: TestTenant): string {
  const tokens = JSON.stringify({ accessToken, refreshToken, expiresAt: Date.now() + 600_000 });
  return `
    localStorage.setItem('chowk.tokens', ${JSON.stringify(tokens)});
    localStorage.setItem('chowk.tenant', ${JSON.stringify(id)});`;
}

/** A page that must not report an error but an expected one, neither of its scripts nor of the content security policy. */
export async function openPage(url?: string, size = sizes.wide, expected?: RegExp): Promise<Page> {
  const page = await takePage();
  await page.setViewportSize(size);
  const errors: string[] = [];
  const report = (error: string) => {
    // The browser reports every response of 400 and above, and what fails without a connection.
    if (!/Failed to load|net::ERR_INTERNET_DISCONNECTED/.test(error) && !expected?.test(error)) errors.push(error);
  };
  page.on('pageerror', (error) => report(String(error)));
  page.on('console', (message) => message.type() === 'error' && report(message.text()));
  onTestFinished(async () => {
    await returnPage(page);
    expect(errors).toEqual([]);
  });
  if (url !== undefined) await page.goto(url);
  return page;
}

/** The page of an earlier test: the browser has compiled the scripts of the console already, which is half of loading it. */
let idlePage: Page | undefined;

async function takePage(): Promise<Page> {
  const page = idlePage ?? (await newPage());
  idlePage = undefined;
  return page;
}

/** The next page is a new one, whose browser has loaded nothing yet. */
export async function forgetIdlePage(): Promise<void> {
  await idlePage?.context().close();
  idlePage = undefined;
}

async function newPage(): Promise<Page> {
  const context = await (await startBrowser()).newContext({
    locale: 'en-IN',
    timezoneId: 'Asia/Kolkata',
    ...preferences,
  });
  await context.addInitScript(noteLayoutShifts);
  const page = await context.newPage();
  page.setDefaultTimeout(15_000);
  return page;
}

const preferences = { reducedMotion: 'reduce', colorScheme: 'light', contrast: null, forcedColors: null } as const;

/** Keeps the page for the next test if nothing of this one is left in it. */
async function returnPage(page: Page): Promise<void> {
  const context = page.context();
  if (idlePage || !(await clear(page).catch(() => false))) await context.close();
  else idlePage = page;
}

async function clear(page: Page): Promise<boolean> {
  const context = page.context();
  if (context.pages().length > 1) return false;
  page.removeAllListeners();
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await context.setOffline(false);
  await context.clearPermissions();
  await context.clearCookies();
  await page.emulateMedia({ ...preferences, media: null });
  // A document of the same origin without scripts.
  await page.goto(`${new URL(page.url()).origin}/api/health/live`);
  // A clock that was installed stays, in place of the functions of the browser.
  const script = 'localStorage.clear(); sessionStorage.clear(); /native code/.test(setTimeout)';
  return (await page.evaluate(script)) as boolean;
}

/** Notes what moves while a page is loaded, until the user does something. */
const noteLayoutShifts = `
  window.layoutShifts = [];
  new PerformanceObserver((list) => {
    for (const { value, sources, startTime } of list.getEntries()) {
      const moved = sources.map(({ node }) => node?.outerHTML?.slice(0, 120) ?? String(node?.nodeValue));
      if (startTime < firstInput) window.layoutShifts?.push({ value, moved });
    }
  }).observe({ type: 'layout-shift', buffered: true });
  let firstInput = Infinity;
  const note = () => { firstInput = Math.min(firstInput, performance.now()) };
  for (const type of ['keydown', 'pointerdown', 'input', 'change']) addEventListener(type, note, true);`;
const mostLayoutShift = 0.05;

/**
 * Checks a page as it is now: nothing moved while it was loaded, nothing overflows, neither on a phone nor on a wide screen, and
 * axe finds nothing. `complete`, and whenever pictures are taken: also on the phone, in the dark theme, with all rules about
 * colors, which take long.
 */
export async function inspect(page: Page, name: string, extent?: 'complete'): Promise<void> {
  const isComplete = extent === 'complete' || shots !== undefined;
  await page.locator('h1').first().waitFor();
  await expectStill(page, name);
  for (const [width, colorScheme] of [
    ['phone', 'dark'],
    ['wide', 'light'],
  ] as const) {
    await page.setViewportSize(sizes[width]);
    if (isComplete) await page.emulateMedia({ colorScheme });
    await eventually(async () => {
      const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
      expect({ name, width, overflow }).toEqual({ name, width, overflow: 0 });
    });
    if (isComplete || width === 'wide') {
      const violations = await findViolations(page, isComplete);
      expect(violations.map((violation) => `${name} on a ${width}: ${violation}`)).toEqual([]);
    }
    if (shots) await takeShots(page, `${shots}/${name}-${width}`, sizes[width]);
  }
  if (isComplete) await page.emulateMedia({ colorScheme: 'light' });
}

/** Only once after a page is loaded: afterwards, other sizes and live changes move much. */
export async function expectStill(page: Page, name: string): Promise<void> {
  const script = 'const shifts = window.layoutShifts ?? []; window.layoutShifts = undefined; shifts';
  const shifts = (await page.evaluate(`{ ${script} }`)) as { value: number; moved: string[] }[];
  const sum = shifts.reduce((total, { value }) => total + value, 0);
  if (sum > mostLayoutShift) expect(shifts, `${name} moves by ${sum.toFixed(3)} while it is loaded`).toEqual([]);
}

async function findViolations(page: Page, withColors: boolean): Promise<string[]> {
  axe ??= readFile(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8');
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(`${await axe}; void 0`);
  // An open menu is beside the landmarks of the page.
  const script = `axe.run({
    resultTypes: ['violations'],
    rules: {
      'color-contrast': { enabled: ${withColors} },
      'link-in-text-block': { enabled: ${withColors} },
      region: { enabled: !document.querySelector('[data-radix-popper-content-wrapper]') },
    },
  })`;
  const { violations } = (await page.evaluate(script)) as { violations: Violation[] };
  return violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`);
}

/** As tall as the page, so that what sticks to an edge of the screen is at the edge of the picture. */
async function takeShots(
  page: Page,
  path: string,
  { width, height }: { width: number; height: number },
): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const content = (await page.evaluate('document.documentElement.scrollHeight')) as number;
  await page.setViewportSize({ width, height: Math.max(height, content) });
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await page.screenshot({ path: `${path}-${colorScheme}.png` });
  }
  await page.setViewportSize({ width, height });
}

export async function signIn(
  page: Pick<Page, 'getByLabel' | 'getByRole'>,
  { email, password }: { email: string; password: string },
): Promise<void> {
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

export function heading(page: Page, name: string): Locator {
  return page.getByRole('heading', { name, level: 1 });
}

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string }[];
}
