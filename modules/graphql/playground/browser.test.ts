import { sql } from '@chowk/kit';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, test as anyTest, expect, onTestFinished, vi } from 'vitest';
import { type Person, startAccounts } from '../../../server/testing/accounts.ts';
import { chromiumPath } from '../../../server/testing/chromium.ts';
import type { TestPlatform } from '../../../server/testing/platform.ts';
import { getPort } from '../../../server/testing/raw-http.ts';
import { getAccounts } from '../../identity/accounts/accounts.ts';
import { addMember } from '../../identity/accounts/users.ts';
import { hashSecret } from '../../identity/secret-tokens.ts';

const test = anyTest.skipIf(!chromiumPath);

const platform = await startAccounts();
await platform.app.listen({ host: '127.0.0.1', port: 0 });
const acme = await platform.tenant({ name: 'Acme Stores' });
const asha = await platform.person({ tenant: acme, name: 'Asha Rao' });
const { kernel } = platform;

let browser: Browser | undefined;
afterAll(() => browser?.close());

function host(label?: string, { app }: Pick<TestPlatform, 'app'> = platform): string {
  return `http://${label ? `${label}.` : ''}localhost:${getPort(app)}`;
}

/** Opens the playground in a new browser profile. Errors in the console fail the test. */
async function openPlayground(origin = host(acme.id)): Promise<Page> {
  browser ??= await chromium.launch({ executablePath: chromiumPath as string, chromiumSandbox: false });
  const context = await browser.newContext();
  const page = await context.newPage();
  const problems: string[] = [];
  page.on('pageerror', ({ message }) => problems.push(message));
  // Chromium reports every response with an error status; the page shows these itself.
  page.on('console', (message) => {
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource: the server responded'))
      problems.push(message.text());
  });
  onTestFinished(async () => {
    await context.close();
    expect(problems).toEqual([]);
  });
  await page.goto(`${origin}/api/v1/graphql/playground`);
  return page;
}

async function signIn(page: Page, { email, password }: Pick<Person, 'email' | 'password'>): Promise<void> {
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

async function run(page: Page, query: string): Promise<void> {
  await page.getByRole('region', { name: 'Query Editor' }).locator('.CodeMirror').click();
  await page.keyboard.press('ControlOrMeta+A');
  await page.keyboard.insertText(query);
  await page.getByRole('button', { name: 'Execute query' }).click();
}

const result = (page: Page) => page.getByRole('region', { name: 'Result Window' });
const alert = (page: Page) => page.getByRole('alert');
const typename = '"__typename": "Query"';

test('a developer signs in, runs a query, and finds it in the history and its types in the docs', async () => {
  const page = await openPlayground();
  await signIn(page, asha);
  await page.getByText('Asha Rao · Acme Stores').waitFor();
  await run(page, 'query Greeting { __typename }');
  await result(page).getByText(typename).waitFor();

  await page.getByRole('button', { name: 'Show History' }).click();
  await page.getByRole('button', { name: 'Greeting', exact: true }).waitFor();
  await page.getByRole('button', { name: 'Show Documentation Explorer' }).click();
  await page.getByRole('link', { name: 'Query', exact: true }).click();
  await page.getByRole('link', { name: 'orders', exact: true }).waitFor();
});

test('a developer runs a subscription and sees each event, until it is stopped', async () => {
  const page = await openPlayground();
  await signIn(page, asha);
  await page.getByText('Asha Rao · Acme Stores').waitFor();
  const subscribed = vi.spyOn(kernel.feed, 'subscribe');
  await run(page, 'subscription { productCreated { product { sku } } }');
  await expect.poll(() => subscribed.mock.calls.length, { timeout: 10_000 }).toBe(1);
  for (const sku of ['TEA-1', 'TEA-2']) {
    await asha.post('/api/v1/products', { sku, title: 'Tea', price: '10' });
    await result(page).getByText(`"sku": "${sku}"`).waitFor();
  }
  await page.getByRole('button', { name: 'Stop query' }).click();
  await expect.poll(() => kernel.feed.subscribers, { timeout: 10_000 }).toBe(0);
  await run(page, 'subscription { productCreated { product { id } } productDeleted { product { id } } }');
  await result(page).getByText('A subscription must select one field.').waitFor();
});

test('the tokens are kept in the session of the tab only', async () => {
  const page = await openPlayground();
  await signIn(page, asha);
  await run(page, '{ __typename }');
  await result(page).getByText(typename).waitFor();
  const [forTab, forever] = (await page.evaluate(
    '[{ ...sessionStorage }, { ...localStorage }].map((one) => JSON.stringify(one))',
  )) as string[];
  const [, token = 'none'] = /access_token\\":\\"([^\\]+)/.exec(forTab ?? '') ?? [];
  expect(token.split('.')).toHaveLength(3);
  expect(forever).not.toContain(token);
  expect(await page.context().cookies()).toEqual([]);
});

test('the page says why a sign-in fails', async () => {
  const viewer = await platform.person({ tenant: acme, role: 'Viewer' });
  const page = await openPlayground();
  await signIn(page, { email: viewer.email, password: 'wrong' });
  await alert(page).getByText('These credentials do not match our records.').waitFor();
  await signIn(page, viewer);
  await alert(page).getByText('This needs the permission graphql.playground.access.').waitFor();
  await page.reload();
  await page.getByRole('button', { name: 'Sign in' }).waitFor();
});

/** Turns on two-factor authentication and returns a recovery code. */
async function addSecondFactor({ id }: Person): Promise<string> {
  await kernel.central.db.run(sql`UPDATE users SET two_factor_confirmed_at = now() WHERE id = ${id}`);
  await kernel.central.db.run(sql`
    INSERT INTO recovery_codes (user_id, code_hash) VALUES (${id}, ${hashSecret('abcde12345')})`);
  return 'abcde-12345';
}

async function enterCode(page: Page, code: string): Promise<void> {
  await page.getByLabel('Code of the authenticator app').fill(code);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

test('a user with two-factor authentication is asked for a code', async () => {
  const careful = await platform.person({ tenant: acme, name: 'Kiran' });
  const code = await addSecondFactor(careful);
  const page = await openPlayground();
  await signIn(page, careful);
  await alert(page).getByText('Enter the code of your authenticator app, or a recovery code.').waitFor();
  await enterCode(page, 'zzzzz-99999');
  await alert(page).getByText('The code is wrong').waitFor();
  await enterCode(page, code);
  await page.getByText('Kiran · Acme Stores').waitFor();
});

test('the playground is still open after a reload, and an expired access token is refreshed', async () => {
  const page = await openPlayground();
  await signIn(page, asha);
  await page.getByText('Asha Rao · Acme Stores').waitFor();
  await page.evaluate(
    `sessionStorage['chowk.playground'] = sessionStorage['chowk.playground'].replace(/"access_token":"[^"]+"/, '"access_token":"expired"')`,
  );
  await page.reload();
  await page.getByText('Asha Rao · Acme Stores').waitFor();
  await run(page, '{ __typename }');
  await result(page).getByText(typename).waitFor();
});

test('a user whose session has ended signs in again and continues with the same query', async () => {
  const ravi = await platform.person({ tenant: acme, name: 'Ravi' });
  const page = await openPlayground();
  await signIn(page, ravi);
  await page.getByText('Ravi · Acme Stores').waitFor();
  await run(page, 'query Mine { __typename }');
  await result(page).getByText(typename).waitFor();
  await getAccounts(kernel.services).sessions.revokeAll(ravi.id);
  await kernel.signals.waitUntilApplied();
  await page.getByRole('button', { name: 'Execute query' }).click();
  await alert(page).getByText('Your session has expired. Sign in again.').waitFor();
  await signIn(page, ravi);
  await page.getByRole('region', { name: 'Query Editor' }).getByText('Mine').waitFor();
});

test('signing out ends the session', async () => {
  const page = await openPlayground();
  await signIn(page, asha);
  await page.getByText('Asha Rao · Acme Stores').waitFor();
  const before = await page.evaluate("sessionStorage['chowk.playground']");
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('button', { name: 'Sign in' }).waitFor();
  expect(await page.evaluate('sessionStorage.length')).toBe(0);
  const { access_token } = JSON.parse(String(before));
  const headers = { authorization: `Bearer ${access_token}`, 'x-tenant': acme.id };
  expect((await platform.request({ url: '/api/v1/auth/me', headers })).status).toBe(401);
});

test('on a host without a tenant, requests name the only tenant of the user', async () => {
  const page = await openPlayground(host());
  await signIn(page, asha);
  await page.getByText('Asha Rao · Acme Stores').waitFor();
  await run(page, '{ __typename }');
  await result(page).getByText(typename).waitFor();
});

test('on a host without a tenant, a member of several tenants chooses one, without a second code', async () => {
  const zen = await platform.tenant({ name: 'Zen Tea' });
  const meera = await platform.person({ tenant: acme, name: 'Meera' });
  await addMember(kernel.central.db, { userId: meera.id, tenantId: zen.id, role: 'Owner' });
  const code = await addSecondFactor(meera);
  const page = await openPlayground(host());
  await signIn(page, meera);
  await enterCode(page, code);
  await alert(page).getByText('Choose a tenant.').waitFor();
  await page.getByLabel('Tenant').selectOption('Zen Tea');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByText('Meera · Zen Tea').waitFor();
});

test('the docs are complete even if introspection is disabled', async () => {
  const strict = await startAccounts({ environment: { GRAPHQL_INTROSPECTION: 'false' } });
  await strict.app.listen({ host: '127.0.0.1', port: 0 });
  const tenant = await strict.tenant();
  const page = await openPlayground(host(tenant.id, strict));
  await signIn(page, await strict.person({ tenant }));
  await page.getByRole('button', { name: 'Show Documentation Explorer' }).click();
  await page.getByRole('link', { name: 'Query', exact: true }).click();
  await page.getByRole('link', { name: 'orders', exact: true }).waitFor();
});
