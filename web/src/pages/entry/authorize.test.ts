import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { authorizationRequest, exchangeCode, makeApp } from '../../../../server/testing/apps.ts';
import { eventually } from '../../../../server/testing/eventually.ts';
import { type Console, chromiumPath, inspect, openPage, signIn, startConsole } from '../../../testing/console.ts';

describe.skipIf(!chromiumPath)('the page on which an app asks for access', () => {
  let platform: Console;
  /** The web site of the app. */
  const site = createServer((_request, response) =>
    response.setHeader('content-type', 'text/html').end('<h1>App</h1>'),
  );
  const redirectUri = () => `http://127.0.0.1:${(site.address() as AddressInfo).port}/callback`;
  afterAll(() => site.close());

  beforeAll(async () => {
    await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
    platform = await startConsole();
    return () => platform.close();
  });

  const address = (request: Record<string, string | undefined>) =>
    `${platform.origin}/oauth/authorize?${new URLSearchParams(JSON.parse(JSON.stringify(request)))}`;

  test('a person signs in, chooses the organization and what the app may do, and returns to it with a code', async () => {
    const agency = await platform.tenant({ name: 'Ledger House' });
    const acme = await platform.tenant({ name: 'Acme Stores' });
    const maker = await platform.person({ tenant: agency });
    const asha = await platform.person({ tenant: acme });
    await platform.join(asha, agency);
    const scopes = ['orders.view', 'orders.edit', 'customers.delete'];
    const app = await makeApp(maker, { redirect_uris: [redirectUri()], scopes });
    const { verifier, request } = authorizationRequest(app);
    const page = await openPage(address(request));
    await signIn(page, asha);
    await page.getByRole('heading', { name: 'Connect Ledger sync?' }).waitFor();
    await page.getByText('An app by Ledger House.').waitFor();
    await page.getByLabel('Organization').selectOption({ label: 'Acme Stores' });
    await page.getByRole('checkbox', { name: /Delete customers/ }).uncheck();
    await inspect(page, 'authorize');
    await page.getByRole('button', { name: 'Connect' }).click();
    await page.getByRole('heading', { name: 'App' }).waitFor();
    const returned = new URL(page.url());
    expect(`${returned.origin}${returned.pathname}`).toBe(redirectUri());
    const { body } = await exchangeCode(platform, app, { code: returned.searchParams.get('code') ?? '', verifier });
    expect({ tenant: body.tenant, scope: body.scope.split(' ').toSorted() }).toEqual({
      tenant: acme.id,
      scope: ['orders.edit', 'orders.view'],
    });
  });

  test('an app that registered itself is marked, gets nothing sensitive by default, and is refused by a click', async () => {
    const acme = await platform.tenant({ name: 'Acme Stores' });
    const asha = await platform.person({ tenant: acme });
    const payload = { client_name: 'Notebook', redirect_uris: [redirectUri()], scope: 'orders.view customers.delete' };
    const { body } = await platform.request({ method: 'POST', url: '/oauth/register', payload });
    const { request } = authorizationRequest({ id: body.client_id, secret: undefined, redirectUri: redirectUri() });
    const { pathname, search } = new URL(address(request));
    const page = await platform.openAs(asha, acme, pathname + search);
    await page.getByText('its name is not verified').waitFor();
    expect(await page.getByRole('checkbox', { name: /View orders/ }).isChecked()).toBe(true);
    expect(await page.getByRole('checkbox', { name: /Delete customers/ }).isChecked()).toBe(false);
    await inspect(page, 'authorize-unverified');
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('heading', { name: 'App' }).waitFor();
    expect(new URL(page.url()).searchParams.get('error')).toBe('access_denied');
  });

  test('a request with a redirect URI that is not registered shows the problem and leads nowhere', async () => {
    const maker = await platform.person({ tenant: await platform.tenant() });
    const app = await makeApp(maker, { redirect_uris: [redirectUri()] });
    const { request } = authorizationRequest(app, { redirect_uri: 'https://evil.example.com/' });
    const page = await openPage(address(request));
    await page.getByText('Nothing was connected.').waitFor();
    expect(new URL(page.url()).origin).toBe(platform.origin);
    await inspect(page, 'authorize-problem');
  });

  test('an owner registers an app, sees what is connected and its requests, and ends the access', async () => {
    const acme = await platform.tenant({ name: 'Acme Stores' });
    const owner = await platform.person({ tenant: acme });
    const page = await platform.openAs(owner, acme, '/developers/apps');
    await page.getByRole('heading', { name: 'No app has access' }).waitFor();
    await page.getByRole('button', { name: 'Register an app' }).click();
    await page.getByLabel('Name').fill('Ledger sync');
    await page.getByLabel('Redirect URIs').fill('http://evil.example.com/');
    await page.getByRole('checkbox', { name: /settings\.view$/ }).check();
    await page.getByRole('checkbox', { name: 'It runs on a server' }).check();
    await page.getByRole('button', { name: 'Register app' }).click();
    await page.getByText('The URI must begin with https://').waitFor();
    await inspect(page, 'apps-new');
    await page.getByLabel('Redirect URIs').fill(redirectUri());
    await page.getByRole('button', { name: 'Register app' }).click();
    const secret = await page.locator('code').nth(1).innerText();
    await page.getByRole('button', { name: 'I have stored it' }).click();
    const { body: listed } = await owner.get('/api/v1/apps');
    const app = { id: listed.apps[0].id, secret, redirectUri: redirectUri() };

    const { verifier, request } = authorizationRequest(app);
    const approved = await owner.post('/api/v1/app-requests/approve', {
      ...request,
      approved_scopes: ['settings.view'],
    });
    const code = new URL(approved.body.redirect_to).searchParams.get('code') ?? '';
    const { body: tokens } = await exchangeCode(platform, app, { code, verifier });
    const headers = { authorization: `Bearer ${tokens.access_token}`, 'x-tenant': acme.id };
    await platform.request({ method: 'GET', url: '/api/v1/settings', headers });
    await platform.kernel.requestLog.flush();
    await page.reload();
    await page.getByRole('button', { name: 'Requests' }).click();
    await page.getByText('GET /api/v1/settings').waitFor();
    await inspect(page, 'app-requests');
    await page.keyboard.press('Escape');
    await inspect(page, 'apps');
    await page.getByRole('button', { name: 'End access of Ledger sync' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'End access' }).click();
    await page.getByText('The app no longer has access.').waitFor();
    await eventually(async () =>
      expect((await platform.request({ method: 'GET', url: '/api/v1/settings', headers })).status).toBe(401),
    );
  });
});
