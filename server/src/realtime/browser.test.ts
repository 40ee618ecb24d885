import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { chromium } from 'playwright-core';
import { expect, onTestFinished, test } from 'vitest';
import { startAccounts } from '../../testing/accounts.ts';
import { chromiumPath } from '../../testing/chromium.ts';
import { eventually } from '../../testing/eventually.ts';
import { getPort } from '../../testing/raw-http.ts';
import { createHttpServer } from '../http/server.ts';

/* The browser builds of pusher-js and laravel-echo, unmodified, in a page of another origin. */

const builds: Record<string, string> = {
  '/pusher.js': import.meta.resolve('pusher-js/dist/web/pusher.min.js'),
  '/echo.js': import.meta.resolve('laravel-echo').replace(/[^/]*$/, 'echo.iife.js'),
};

const html = `<!doctype html><script src="/pusher.js"></script><script src="/echo.js"></script><script>
  const received = { pusher: [], echo: [] };
  const refusals = { pusher: [], echo: [] };
  let api, headers, user, pusher, echo;

  async function get(path) {
    return (await fetch(api + path, { headers })).json();
  }

  /** Shows a notification once, whether it comes over the socket, from the list or both. */
  function show(library, { id, title }) {
    if (!received[library].some((one) => one.id === id)) received[library].push({ id, title });
  }

  /** Whenever the channel is subscribed: what was sent while it was not. */
  async function catchUp(library) {
    const last = received[library].at(-1);
    if (!last) return;
    const { notifications } = await get('/api/v1/notifications?sort_order=asc&after=' + last.id);
    for (const one of notifications) show(library, one);
  }

  async function start(url, credentials) {
    api = url;
    const json = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(credentials) };
    const session = await (await fetch(api + '/api/v1/auth/login', json)).json();
    headers = { authorization: 'Bearer ' + session.access_token };
    user = session.user;
    const { key, host, port, scheme, auth_endpoint } = await get('/api/v1/realtime/config');
    const options = { cluster: '', wsHost: host, wsPort: port, wssPort: port, forceTLS: scheme === 'https',
      enabledTransports: ['ws', 'wss'], authEndpoint: api + auth_endpoint, auth: { headers } };
    pusher = new Pusher(key, options);
    echo = new Echo.default({ broadcaster: 'pusher', key, ...options });
    const channel = pusher.subscribe('private-user.' + user.id);
    channel.bind('notification.created', (one) => show('pusher', one));
    channel.bind('pusher:subscription_succeeded', () => catchUp('pusher'));
    echo.private('user.' + user.id).listen('.notification.created', (one) => show('echo', one)).subscribed(() => catchUp('echo'));
  }

  function subscribeTo(id) {
    pusher.subscribe('private-user.' + id).bind('pusher:subscription_error', ({ status }) => refusals.pusher.push(status));
    echo.private('user.' + id).error(({ status }) => refusals.echo.push(status));
  }

  function state() {
    // One that is sent in the moment of the connection can arrive live, before those that were missed.
    const byId = (one, other) => one.id < other.id ? -1 : 1;
    const titles = (library) => received[library].toSorted(byId).map(({ title }) => title);
    const channels = [pusher, echo.connector.pusher].map((one) => one.channel('private-user.' + user.id));
    return { subscribed: channels.map(({ subscribed }) => subscribed), pusher: titles('pusher'), echo: titles('echo'), refusals };
  }
</script>`;

/** Returns its address. */
async function servePage(): Promise<string> {
  const server = createServer(async ({ url = '' }, response) => {
    const build = builds[url];
    response.setHeader('content-type', build ? 'text/javascript' : 'text/html');
    response.end(build ? await readFile(new URL(build)) : html);
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  return `http://localhost:${(server.address() as AddressInfo).port}/`;
}

test.skipIf(!chromiumPath)('in a browser, both libraries receive every notification, over a restart too', async () => {
  const platform = await startAccounts();
  const acme = await platform.tenant();
  const asha = await platform.person({ tenant: acme });
  const other = await platform.person({ tenant: acme });
  const first = await createHttpServer(platform.kernel);
  await first.listen({ host: '127.0.0.1', port: 0 });
  const port = getPort(first);
  const send = (title: string) => acme.context('orders').notify(asha.id, { type: 'order.created', title });

  const browser = await chromium.launch({ executablePath: chromiumPath as string, chromiumSandbox: false });
  onTestFinished(() => browser.close());
  const page = await browser.newPage();
  await page.goto(await servePage());
  const { email, password } = asha;
  await page.evaluate(`start('http://${acme.id}.localhost:${port}', ${JSON.stringify({ email, password })})`);
  const expectState = (expected: object) =>
    eventually(async () => expect(await page.evaluate('state()')).toMatchObject(expected));

  await expectState({ subscribed: [true, true] });
  await send('live');
  await expectState({ pusher: ['live'], echo: ['live'] });
  await page.evaluate(`subscribeTo(${other.id})`);
  await expectState({ refusals: { pusher: [403], echo: [403] } });

  const next = await createHttpServer(platform.kernel);
  onTestFinished(() => next.close());
  // pusher-js waits 15 seconds after a refused connection, unless the browser comes back online.
  await page.context().setOffline(true);
  await first.close();
  await send('missed');
  await send('missed too');
  await next.listen({ host: '127.0.0.1', port });
  await page.context().setOffline(false);
  const all = ['live', 'missed', 'missed too'];
  await expectState({ subscribed: [true, true], pusher: all, echo: all });
  await send('live again');
  await expectState({ pusher: [...all, 'live again'], echo: [...all, 'live again'] });
});
