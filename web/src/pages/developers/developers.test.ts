import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { sql } from '@chowk/kit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '../../../../server/testing/eventually.ts';
import { type Console, chromiumPath, heading, inspect, startConsole } from '../../../testing/console.ts';

describe.skipIf(!chromiumPath)('the page for developers', () => {
  let platform: Console;
  let answer = { status: 200, body: 'ok' };
  const receiver = createServer((_request, response) => {
    response.writeHead(answer.status).end(answer.body);
  }).listen(0, '127.0.0.1');
  afterAll(() => receiver.close());

  beforeAll(async () => {
    if (!receiver.listening) await once(receiver, 'listening');
    platform = await startConsole({ environment: { OUTBOUND_ALLOW_HOSTS: '127.0.0.1' } });
    return () => platform.close();
  });

  const hook = () => `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;

  async function open(path: string, role = 'Owner') {
    const acme = await platform.tenant({ name: 'Acme Stores' });
    const owner = await platform.person({ tenant: acme });
    const user = role === 'Owner' ? owner : await platform.person({ tenant: acme, role });
    const page = await platform.openAs(user, acme, path);
    return { acme, owner, user, page };
  }

  test('a sandbox is created, opened, recognized by its banner and deleted', async () => {
    const { acme, page } = await open('/developers/sandboxes');
    await platform.kernel.jobs.work(['build']);
    await page.getByRole('heading', { name: 'No sandboxes yet' }).waitFor();
    await inspect(page, 'developers-sandboxes-empty');
    await page.getByRole('button', { name: 'Create a sandbox' }).click();
    const item = page.getByRole('listitem').filter({ hasText: `${acme.id}-sandbox` });
    await item.getByText('find it in the list of organizations').waitFor();
    await inspect(page, 'developers-sandboxes');
    await page.getByRole('button', { name: /Switch organization/ }).click();
    await page.getByRole('menuitem', { name: 'Acme Stores (sandbox)' }).click();
    await page.getByText('This is a sandbox').waitFor();
    await inspect(page, 'sandbox-home');
    await page.getByRole('button', { name: /Switch organization/ }).click();
    await page.getByRole('menuitem', { name: 'Acme Stores', exact: true }).click();
    await page.goto(`${platform.origin}/developers/sandboxes`);
    await item.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('button', { name: 'Delete sandbox' }).click();
    await page.getByRole('heading', { name: 'No sandboxes yet' }).waitFor();
  });

  test('API clients are created with permissions, changed, given a new secret and deleted', async () => {
    const { page, owner } = await open('/developers');
    await page.getByRole('heading', { name: 'No API clients yet' }).waitFor();
    await inspect(page, 'developers-empty');
    await page.keyboard.press('n');
    await page.getByLabel('Name').fill('Shop window');
    await page.getByRole('button', { name: 'Create API client' }).click();
    await page.getByText('Choose at least one permission.').waitFor();
    await page.getByRole('checkbox', { name: /orders\.view$/ }).check();
    await inspect(page, 'developers-new-client');
    await page.getByRole('button', { name: 'Create API client' }).click();
    const secret = await page.locator('code').nth(1).innerText();
    const listed = await owner.get('/api/v1/api-clients');
    const [{ id }] = listed.body.api_clients;
    const signIn = (client_secret: string) =>
      owner.request({
        method: 'POST',
        url: '/oauth/token',
        payload: new URLSearchParams({ grant_type: 'client_credentials', client_id: id, client_secret }).toString(),
        headers: { authorization: '', 'content-type': 'application/x-www-form-urlencoded' },
      });
    expect((await signIn(secret)).status).toBe(200);
    await inspect(page, 'developers-secret');
    await page.getByRole('button', { name: 'I have stored it' }).click();
    expect(await page.getByText(secret).count()).toBe(0);

    const menu = async (item: string) => {
      await page.getByRole('button', { name: 'Actions for Shop window' }).click();
      await page.getByRole('menuitem', { name: item }).click();
    };
    await menu('Edit');
    await page.getByRole('checkbox', { name: /products\.view$/ }).check();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Shop window saved.').waitFor();
    expect((await owner.get(`/api/v1/api-clients/${id}`)).body.api_client.scopes.toSorted()).toEqual([
      'orders.view',
      'products.view',
    ]);
    await menu('Replace the secret');
    await page.getByRole('dialog').getByRole('button', { name: 'Replace the secret' }).click();
    await page.getByRole('button', { name: 'I have stored it' }).waitFor();
    expect((await signIn(secret)).body.error).toBe('invalid_client');
    await menu('Delete');
    await page.getByRole('button', { name: 'Delete API client' }).click();
    await page.getByRole('heading', { name: 'No API clients yet' }).waitFor();
  });

  test('a webhook is created, tested, and a failed delivery is read and sent again', async () => {
    const { page, owner } = await open('/webhooks');
    await page.getByRole('heading', { name: 'No webhooks yet' }).waitFor();
    await inspect(page, 'webhooks-empty');
    await page.keyboard.press('n');
    await page.getByLabel('Address').fill('http://10.0.0.1/');
    await page.getByRole('button', { name: 'Create webhook' }).click();
    await page.locator('[aria-invalid=true]').waitFor();
    await page.getByText('Choose at least one event.').waitFor();
    await page.getByLabel('Address').fill(hook());
    await page.getByLabel('Name').fill('Warehouse');
    await page.getByRole('checkbox', { name: /order\.created$/ }).check();
    await inspect(page, 'webhook-new');
    await page.getByRole('button', { name: 'Create webhook' }).click();
    await heading(page, 'Warehouse').waitFor();
    await page.locator('code', { hasText: 'whsec_' }).waitFor();
    await inspect(page, 'webhook-secret');
    await page.getByRole('button', { name: 'I have stored it' }).click();

    answer = { status: 500, body: 'Sorry, we are closed.' };
    await page.getByRole('button', { name: 'Send a test' }).click();
    await page.getByRole('button', { name: /webhook\.test 500/ }).click();
    await page.getByText('Sorry, we are closed.').waitFor();
    await page.getByText('"type": "webhook.test"').waitFor();
    await inspect(page, 'webhook-delivery');
    answer = { status: 200, body: 'Thank you.' };
    await page.getByRole('button', { name: 'Send again' }).click();
    await page.getByText('Thank you.').waitFor();
    await page.getByText('It is no longer stored').waitFor();
    const { webhooks } = (await owner.get('/api/v1/webhooks')).body;
    expect(webhooks).toMatchObject([{ description: 'Warehouse', events: ['order.created'], is_active: true }]);

    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Edit' }).click();
    await page.getByLabel('Name').fill('Main warehouse');
    await page.getByRole('button', { name: 'Save' }).click();
    await heading(page, 'Main warehouse').waitFor();
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await page.getByRole('button', { name: 'Delete webhook' }).click();
    await page.getByRole('heading', { name: 'No webhooks yet' }).waitFor();
  });

  test('a webhook that the platform disabled says why, and is enabled again', async () => {
    const { acme, page, owner } = await open('/developers/tools');
    const { body } = await owner.post('/api/v1/webhooks', { url: hook(), events: ['*'] });
    await acme.db.run(sql`UPDATE webhooks SET is_active = false, disabled_at = now()`);
    await page.getByRole('link', { name: 'Webhooks' }).click();
    await page.getByRole('link', { name: '127.0.0.1', exact: true }).click();
    await page.getByText('no delivery had succeeded for three days').waitFor();
    await inspect(page, 'webhook-disabled');
    await page.getByRole('button', { name: 'Enable again' }).click();
    await page.getByText('127.0.0.1 gets events again.').waitFor();
    await eventually(async () =>
      expect((await owner.get(`/api/v1/webhooks/${body.webhook.id}`)).body.webhook).toMatchObject({
        is_active: true,
        disabled_at: null,
      }),
    );
  });

  test('leads to the reference, the playground and personal tokens', async () => {
    const { page } = await open('/developers/tools');
    await page.getByRole('link', { name: /^API reference/ }).waitFor();
    await inspect(page, 'developers-tools');
    expect((await page.request.get(`${platform.origin}/api/openapi.json`)).status()).toBe(200);
    await page.getByRole('link', { name: /OpenAPI description/ }).waitFor();
    await page.getByRole('link', { name: /Personal access tokens/ }).click();
    await page.getByRole('heading', { name: 'No tokens yet' }).waitFor();
  });

  test('a lockdown is rehearsed, what it would refuse is registered, and it is switched on and off', async () => {
    const { page, owner } = await open('/developers/graphql');
    await page.getByRole('link', { name: 'Open the playground' }).waitFor();
    await page.getByRole('button', { name: 'Start recording' }).click();
    await page.getByText('No unregistered operation was sent yet.').waitFor();
    const query = 'query Names { __typename }';
    expect((await owner.post('/api/v1/graphql', { query })).status).toBe(200);
    await eventually(async () => {
      await page.reload();
      await page.getByText('One operation would be refused.').waitFor({ timeout: 3_000 });
    });
    await inspect(page, 'developers-graphql');
    await page.getByRole('button', { name: 'Register', exact: true }).click();
    await page.getByText('One operation would be refused.').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Delete Names' }).waitFor();
    await page.getByRole('button', { name: 'Lock down' }).click();
    await page.getByText('The rehearsal found nothing that would be refused.').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Lock down' }).click();
    await page.getByRole('button', { name: 'End the lockdown' }).waitFor();
    expect((await owner.get('/api/v1/settings')).body.settings['graphql.persisted_queries_only']).toBe(true);
    await page.getByRole('button', { name: 'End the lockdown' }).click();
    await page.getByRole('button', { name: 'Lock down' }).waitFor();
  });

  test('others learn which permission is missing', async () => {
    const { page } = await open('/developers', 'Manager');
    await page.getByText('settings.api_clients').waitFor();
  });
});
