import { createHmac, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { sql } from '@chowk/kit';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, inject, onTestFinished, test } from 'vitest';
import { freePort } from '../../server/src/free-port.ts';
import { chowkd, serve, temporaryFolder } from '../../server/testing/chowkd.ts';
import { eventually } from '../../server/testing/eventually.ts';
import { type TestResponse, type TestTenant, uniqueId } from '../../server/testing/platform.ts';
import { onSeparateConnection } from '../../server/testing/scratch-database.ts';
import { type Console, chromiumPath, inspect, openPage, sizes, startConsole } from '../testing/console.ts';

const conversations = '/api/v1/conversations';

/** As the server of a shop makes it. */
function signIdentity(secret: string, claims: object): string {
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const text = `${encode({ alg: 'HS256', typ: 'JWT' })}.${encode(claims)}`;
  return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`;
}

interface PageOptions {
  readonly identity?: string;
  readonly direction?: 'ltr' | 'rtl';
  /** Whether the policy of the page allows sockets. */
  readonly hasSockets?: boolean;
}

/** A page of another site, whose policy allows the host of the shop only. Returns its origin. */
async function servePage(host: string, { identity = '', direction = 'ltr', hasSockets = true }: PageOptions = {}) {
  const sockets = hasSockets ? `ws://${host}` : '';
  const policy =
    `default-src 'none'; script-src http://${host}; connect-src http://${host} ${sockets}; ` +
    "base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'";
  const html = `<!doctype html><html lang="en" dir="${direction}"><meta charset="utf-8"><title>Shop</title>
    <meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark">
    <script src="http://${host}/widget.js" data-identity="${identity}" async></script><main><h1>Our teas</h1></main></html>`;
  const server = createServer((_request, response) => {
    response.setHeader('content-security-policy', policy).setHeader('content-type', 'text/html').end(html);
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  return `http://shop.localhost:${(server.address() as AddressInfo).port}`;
}

describe.skipIf(!chromiumPath)('the web chat', () => {
  let platform: Console;
  beforeAll(async () => {
    platform = await startConsole();
    return () => platform.close();
  });

  async function openShop({ visitor, ...options }: PageOptions & { visitor?: object } = {}, settings: object = {}) {
    const acme = await platform.tenant({ name: 'Chai & Co' });
    const asha = await platform.person({ tenant: acme, name: 'Asha Rao' });
    const host = `${acme.id}.localhost:${new URL(platform.origin).port}`;
    const secret = visitor && (await asha.post('/api/v1/widget/identity-secret')).body.secret;
    const identity = visitor ? signIdentity(secret, visitor) : '';
    const origin = await servePage(host, { identity, ...options });
    const enabled = { 'widget.enabled': true, 'widget.allowed_origins': [origin], ...settings };
    expect(await asha.patch('/api/v1/settings', enabled)).toMatchObject({ status: 200 });
    const page = await openPage(origin, sizes.wide, options.hasSockets === false ? /connect-src/ : undefined);
    return { acme, asha, page };
  }

  const open = (page: Page) => page.getByRole('button', { name: /^Open chat/ }).click();
  const write = async (page: Page, text: string) => {
    await page.getByRole('textbox', { name: 'Message' }).fill(text);
    await page.keyboard.press('Enter');
  };
  const log = (page: Page) => page.getByRole('log', { name: 'Messages' });
  const findConversation = (asha: { get(url: string): Promise<{ body: { conversations: { id: string }[] } }> }) =>
    eventually(async () => {
      const [first] = (await asha.get(conversations)).body.conversations;
      expect(first).toBeDefined();
      return (first as { id: string }).id;
    });

  test('on a page of another site talks live with the console', async () => {
    const { acme, asha, page } = await openShop({}, { 'widget.opening_hours': 'Monday to Friday, 9 to 18' });
    const frames: string[] = [];
    page.on('websocket', (socket) => socket.on('framereceived', ({ payload }) => frames.push(String(payload))));
    await open(page);
    await log(page).getByText('Hello! How can we help?').waitFor();
    expect(await page.getByText('We are closed now').count()).toBe(0);
    await inspect(page, 'widget-open', 'complete');
    await write(page, 'Do you ship to Pune?');
    const id = await findConversation(asha);
    const team = await platform.openAs(asha, acme, `/conversations/${id}`);
    await team.getByText('Do you ship to Pune?').first().waitFor();
    await team.getByRole('textbox', { name: 'Reply' }).fill('Yes, in two days: https://example.com/track');
    await page.getByText('Asha is typing…').waitFor();
    await inspect(page, 'widget-typing', 'complete');
    frames.length = 0;
    await team.keyboard.press('Control+Enter');
    await log(page).getByText('Yes, in two days').waitFor();
    await page.getByText('Asha is typing…').waitFor({ state: 'hidden' });
    await page.getByRole('textbox', { name: 'Message' }).pressSequentially('Wo');
    await team.getByText('Visitor is writing…').waitFor();
    // Over the socket, not by asking for news every few seconds.
    expect(frames.filter((frame) => frame.includes('"event":"message"')).length).toBeGreaterThan(0);
    expect(await log(page).getByRole('link').getAttribute('href')).toBe('https://example.com/track');
    await eventually(async () => {
      const { messages } = (await asha.get(`${conversations}/${id}`)).body.conversation;
      expect(messages[0].delivery_status).toBe('read');
    });
    await write(page, 'Wonderful!');
    await team.getByText('Wonderful!').first().waitFor();
    await inspect(page, 'widget', 'complete');

    // The team is told that the answer waits, before and after it is sent.
    await page.close();
    await acme.db.run(sql`UPDATE widget_sessions SET last_seen_at = now() - interval '2 minutes'`);
    await team.reload();
    await team.getByText('The visitor has left, and sees it on the next visit.').waitFor();
    await team.getByRole('textbox', { name: 'Reply' }).fill('You get a mail with the number.');
    await team.keyboard.press('Control+Enter');
    await team.getByRole('log').getByText('The visitor has left, and sees it on the next visit.').waitFor();
  });

  test('counts what is unread while it is closed, also after the page is left', async () => {
    const email = `${uniqueId()}@example.com`;
    const visitor = { sub: 'customer-7', email, name: 'Meera', exp: Date.now() / 1_000 + 600 };
    const day = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'][(new Date().getUTCDay() + 3) % 7];
    const hours = [{ days: [day], from: '09:00', to: '17:00' }];
    const { asha, page } = await openShop({ visitor }, { 'conversations.opening_hours': hours });
    await open(page);
    await page.getByText('We are closed now.').waitFor();
    // Who is known to the shop is not asked for an address.
    expect(await page.getByRole('textbox', { name: /Your email/ }).count()).toBe(0);
    await write(page, 'Hello');
    const id = await findConversation(asha);
    const { customer } = (await asha.get(`${conversations}/${id}`)).body.conversation;
    expect(customer).toMatchObject({ email, first_name: 'Meera' });
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Open chat', exact: true }).waitFor();
    expect(await page.evaluate('document.activeElement.shadowRoot.activeElement.className')).toContain('launcher');
    await asha.post(`${conversations}/${id}/messages`, { body: 'One' });
    await asha.post(`${conversations}/${id}/messages`, { body: 'Two' });
    await page.getByRole('button', { name: 'Open chat, 2 unread messages' }).waitFor();
    await inspect(page, 'widget-closed', 'complete');
    await page.reload();
    await page.getByRole('button', { name: 'Open chat, 2 unread messages' }).click();
    await log(page).getByText('Two').waitFor();
    await page.getByRole('button', { name: 'Close chat' }).first().click();
    await page.reload();
    await page.getByRole('button', { name: 'Open chat', exact: true }).waitFor();
    await asha.delete(`${conversations}/${id}`);
  });

  test('sends files, and says what is wrong with one', async () => {
    const { asha, page } = await openShop();
    await open(page);
    const png = Buffer.from(
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
      'base64',
    );
    const input = page.locator('chowk-chat input[type=file]');
    await input.setInputFiles({ name: 'cup.png', mimeType: 'image/png', buffer: png });
    await page.getByRole('button', { name: 'Send' }).click();
    await log(page).getByRole('link', { name: 'cup.png' }).waitFor();
    const { messages } = (await asha.get(`${conversations}/${await findConversation(asha)}`)).body.conversation;
    expect(messages).toMatchObject([{ attachments: [{ file_name: 'cup.png', type: 'image/png' }] }]);
    await input.setInputFiles({ name: 'cup.png', mimeType: 'image/png', buffer: Buffer.from('not a picture') });
    await page.getByRole('button', { name: 'Send' }).click();
    await log(page)
      .getByText(/JPEG, PNG, WebP or PDF/)
      .waitFor();
    await log(page).getByRole('button', { name: 'Remove' }).click();
    await write(page, 'Never mind');
    await log(page).getByText('Never mind').waitFor();
  });

  test('asks for an address first, from right to left, without sockets, in a light color on the left', async () => {
    const { asha, page } = await openShop(
      { direction: 'rtl', hasSockets: false },
      {
        'widget.ask_for_email': true,
        'widget.position': 'left',
        'widget.color': '#ffd54f',
        'widget.greeting': 'مرحبا! كيف نساعدك؟',
      },
    );
    await open(page);
    await write(page, 'مرحبا');
    expect(await log(page).getByText('مرحبا', { exact: true }).count()).toBe(0);
    await page.getByRole('textbox', { name: 'Your email' }).fill('meera@example.com');
    await page.getByRole('button', { name: 'Send' }).click();
    await log(page).getByText('مرحبا', { exact: true }).waitFor();
    const id = await findConversation(asha);
    const { customer } = (await asha.get(`${conversations}/${id}`)).body.conversation;
    expect(customer).toMatchObject({ email: 'meera@example.com' });
    await asha.post(`${conversations}/${id}/messages`, { body: 'أهلا' });
    await log(page).getByText('أهلا').waitFor();
    await inspect(page, 'widget-rtl', 'complete');
  });

  test('shows nothing on a page that is not allowed', async () => {
    const acme: TestTenant = await platform.tenant();
    const asha = await platform.person({ tenant: acme });
    await asha.patch('/api/v1/settings', {
      'widget.enabled': true,
      'widget.allowed_origins': ['https://shop.example'],
    });
    const host = `${acme.id}.localhost:${new URL(platform.origin).port}`;
    const page = await openPage(undefined, sizes.wide, /CORS policy/);
    const refused = page.waitForEvent('requestfailed');
    await page.goto(await servePage(host));
    expect((await refused).url()).toBe(`http://${host}/api/v1/widget/config`);
    expect(await page.locator('chowk-chat').count()).toBe(0);
  });

  test('loses no message when the server is killed', async () => {
    const { url, host, restart, kill } = await installPlatform();
    const origin = await servePage(host);
    const team = await signIn(url);
    await team('PATCH', 'settings', { 'widget.enabled': true, 'widget.allowed_origins': [origin] });
    const page = await openPage(origin, sizes.wide, /net::ERR_|WebSocket/);
    await open(page);
    await write(page, 'One');
    await log(page).getByText('Sending…').waitFor({ state: 'detached' });
    await kill();
    await write(page, 'Two');
    await write(page, 'Three');
    await eventually(async () => expect(await log(page).getByText('Sending…').count()).toBe(2));
    await restart();
    await log(page).getByText('Sending…').first().waitFor({ state: 'detached' });
    const [{ id }] = (await team('GET', 'conversations')).conversations;
    await team('POST', `conversations/${id}/messages`, { body: 'We are back.' });
    await log(page).getByText('We are back.').waitFor();
    const { messages } = await team('GET', `conversations/${id}/messages?sort_order=asc`);
    const bodies = messages.map(({ body }: { body: string }) => body);
    expect(bodies).toEqual(['One', 'Two', 'Three', 'We are back.']);
  });
});

const credentials = { email: 'asha@example.com', password: 'correct horse' };

/** A platform in a process of its own, which can be killed. */
async function installPlatform() {
  const { user, password, port: databasePort } = inject('server');
  const database = `central_${randomBytes(6).toString('hex')}`;
  await onSeparateConnection('postgres', (connection) => connection.script(`CREATE DATABASE ${database}`));
  const port = await freePort();
  const environment = {
    PORT: String(port),
    STORAGE_PATH: await temporaryFolder(),
    DATABASE_URL: `postgres://${user}:${encodeURIComponent(password)}@127.0.0.1:${databasePort}/${database}`,
  };
  const slug = uniqueId();
  const owner = [`--email=${credentials.email}`, `--password=${credentials.password}`];
  expect(await chowkd(['install', '--organization=Chai & Co', `--slug=${slug}`, ...owner], environment)).toMatchObject({
    code: 0,
  });
  let running = await serve(environment);
  return {
    url: `http://localhost:${port}`,
    host: `${slug}.localhost:${port}`,
    kill: () => running.stop('SIGKILL'),
    restart: async () => {
      running = await serve(environment);
    },
  };
}

/** Requests of the owner. */
async function signIn(url: string) {
  const post = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(credentials) };
  const { access_token, user } = await read(await fetch(`${url}/api/v1/auth/login`, post));
  const authorization = `Bearer ${access_token}`;
  const { tenants } = await read(await fetch(`${url}/api/v1/auth/me`, { headers: { authorization } }));
  expect(user).toMatchObject({ email: credentials.email });
  return async (method: string, path: string, body?: object) => {
    const headers = { authorization, 'x-tenant': tenants[0].id, ...(body && { 'content-type': 'application/json' }) };
    const response = await fetch(`${url}/api/v1/${path}`, {
      method,
      headers,
      ...(body && { body: JSON.stringify(body) }),
    });
    expect(response.ok, `${method} ${path}`).toBe(true);
    return read(response);
  };
}

function read(response: Response): Promise<TestResponse['body']> {
  return response.json();
}
