import { sql } from '@chowk/kit/kernel';
import type { FastifyInstance } from 'fastify';
import Echo from 'laravel-echo';
import pusherModule from 'pusher-js';
import { beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { type Person, startAccounts } from '../../testing/accounts.ts';
import { eventually } from '../../testing/eventually.ts';
import { makeClient } from '../../testing/oauth.ts';
import type { TestTenant } from '../../testing/platform.ts';
import { getPort } from '../../testing/raw-http.ts';
import { startProxy } from '../../testing/tcp-proxy.ts';
import { createHttpServer } from '../http/server.ts';

/* The libraries that frontends use, unmodified. */

// Its types describe another module format than Node loads.
const Pusher = pusherModule as unknown as typeof pusherModule.default;
type Pusher = InstanceType<typeof Pusher>;

const environment = { RATE_LIMIT_PER_MINUTE: '0' };
const platform = await startAccounts({ environment });
const second = await startAccounts({ environment, sharedWith: platform });
const acme = await platform.tenant();
const globex = await platform.tenant();
const { kernel } = platform;

beforeAll(async () => {
  // A revocation applies at once, not with the next sweep.
  for (const { kernel } of [platform, second]) vi.spyOn(kernel.realtime, 'sweep').mockResolvedValue();
  for (const { app } of [platform, second]) await app.listen({ host: '127.0.0.1', port: 0 });
});

type Settings = ReturnType<typeof clientSettings>;

function clientSettings(port: number, { accessToken }: Person, { id }: TestTenant) {
  return {
    cluster: '',
    wsHost: '127.0.0.1',
    wsPort: port,
    forceTLS: false,
    disableStats: true,
    enabledTransports: ['ws' as const],
    authEndpoint: `http://127.0.0.1:${port}/broadcasting/auth`,
    auth: { headers: { Authorization: `Bearer ${accessToken}`, 'X-Tenant': id } },
  };
}

function connect(settings: Settings): Pusher {
  const pusher = new Pusher(kernel.realtime.key, settings as never);
  onTestFinished(() => pusher.disconnect());
  return pusher;
}

/** Connects and subscribes to the own channel. Events and refusals are recorded. */
async function listen(person: Person, tenant: TestTenant, port = getPort(platform.app)) {
  const pusher = connect(clientSettings(port, person, tenant));
  const received: unknown[] = [];
  const channel = pusher.subscribe(`private-user.${person.id}`);
  channel.bind('notification.created', (data: unknown) => received.push(data));
  await eventually(() => expect(channel.subscribed).toBe(true));
  return { pusher, channel, received };
}

function notify(tenant: TestTenant, { id }: Pick<Person, 'id'>, data: object): Promise<void> {
  return tenant.context('orders').broadcast(`private-user.${id}`, 'notification.created', data);
}

test('pusher-js receives the events of its user, over another process too', async () => {
  const asha = await platform.person({ tenant: acme });
  const clients = [await listen(asha, acme), await listen(asha, acme, getPort(second.app))];
  await notify(acme, asha, { title: 'Order 7' });
  for (const { received } of clients) {
    await eventually(() => expect(received).toEqual([{ title: 'Order 7', tenant_id: acme.id }]));
  }
});

test("pusher-js is refused on another user's channel", async () => {
  const asha = await platform.person({ tenant: acme });
  const ravi = await platform.person({ tenant: acme });
  const { pusher } = await listen(asha, acme);
  const refusal = new Promise<{ status: number }>((resolve) => {
    pusher.subscribe(`private-user.${ravi.id}`).bind('pusher:subscription_error', resolve);
  });
  expect((await refusal).status).toBe(403);
});

test('laravel-echo receives notifications and lists the members that are online', async () => {
  const asha = await platform.person({ tenant: acme, name: 'Asha' });
  const ravi = await platform.person({ tenant: acme, name: 'Ravi' });
  const createEcho = (person: Person) => {
    const settings = clientSettings(getPort(platform.app), person, acme);
    const echo = new Echo({ ...settings, broadcaster: 'pusher', key: kernel.realtime.key, Pusher } as never);
    onTestFinished(() => echo.disconnect());
    return echo;
  };
  const titles: string[] = [];
  const names: string[] = [];
  const echo = createEcho(asha);
  const ready = new Promise<void>((resolve) => {
    echo
      .private(`user.${asha.id}`)
      .listen('.notification.created', ({ title }: { title: string }) => titles.push(title))
      .subscribed(resolve);
  });
  echo
    .join('tenant')
    .here((members: { name: string }[]) => names.push(...members.map(({ name }) => name)))
    .joining(({ name }: { name: string }) => names.push(`+${name}`))
    .leaving(({ name }: { name: string }) => names.push(`-${name}`));
  await ready;
  await notify(acme, asha, { title: 'Hello' });
  await eventually(() => expect(titles).toEqual(['Hello']));
  await eventually(() => expect(names).toEqual(['Asha']));
  const other = createEcho(ravi);
  other.join('tenant');
  await eventually(() => expect(names).toEqual(['Asha', '+Ravi']));
  other.disconnect();
  await eventually(() => expect(names).toEqual(['Asha', '+Ravi', '-Ravi']));
});

test('after a restart pusher-js reconnects, and misses nothing with `after`', async () => {
  const asha = await platform.person({ tenant: acme });
  const first = await createHttpServer(kernel);
  const next = await createHttpServer(kernel);
  onTestFinished(() => next.close());
  const { promise: sent, resolve: setSent } = Promise.withResolvers<void>();
  // The client is connected at once, and subscribed when it has missed a notification.
  next.addHook('onRequest', ({ url }) => (url === '/broadcasting/auth' ? sent : Promise.resolve()));
  for (const app of [first, next]) await app.listen({ host: '127.0.0.1', port: 0 });
  const proxyTarget = (app: FastifyInstance) => ({ host: '127.0.0.1', port: getPort(app), user: '', password: '' });
  const proxy = await startProxy(proxyTarget(first));
  const { channel, received } = await listen(asha, acme, proxy.address.port);
  const send = (title: string) => acme.context('orders').notify(asha.id, { type: 'order.created', title });
  await send('seen');
  await eventually(() => expect(received).toMatchObject([{ title: 'seen' }]));
  const [{ id }] = received as [{ id: string }];
  const subscribed = new Promise((resolve) => channel.bind('pusher:subscription_succeeded', resolve));
  proxy.pointAt(proxyTarget(next));
  await first.close();
  await send('missed');
  setSent();
  await subscribed;
  const { body } = await asha.get(`/api/v1/notifications?after=${id}`);
  expect(body.notifications).toMatchObject([{ title: 'missed' }]);
  await send('live');
  await eventually(() => expect(received).toContainEqual(expect.objectContaining({ title: 'live' })));
});

/** The code with which the server ends the connection. */
function closeCode(pusher: Pusher): Promise<number> {
  return new Promise((resolve) => {
    pusher.connection.bind('error', ({ data }: { data?: { code: number } }) => data && resolve(data.code));
  });
}

test('signing out closes the sockets of the session, in all processes, and of no other', async () => {
  const asha = await platform.person({ tenant: acme });
  const ravi = await platform.person({ tenant: acme });
  const clients = [await listen(asha, acme), await listen(asha, acme, getPort(second.app))];
  const other = await listen(ravi, acme);
  const refusals = clients.map(({ pusher }) => closeCode(pusher));
  expect((await asha.post('/api/v1/auth/logout')).status).toBe(200);
  expect(await Promise.all(refusals)).toEqual([4009, 4009]);
  for (const { pusher } of clients) await eventually(() => expect(pusher.connection.state).toBe('disconnected'));
  await notify(acme, ravi, { title: 'Still here' });
  await eventually(() => expect(other.received).toHaveLength(1));
});

test('removing a member closes their sockets of this tenant only', async () => {
  const owner = await platform.person({ tenant: acme });
  const asha = await platform.person({ tenant: acme, role: 'Agent' });
  await platform.join(asha, globex);
  const inAcme = await listen(asha, acme);
  const inGlobex = await listen(asha, globex);
  const refusal = closeCode(inAcme.pusher);
  expect((await owner.delete(`/api/v1/team/${asha.id}`)).status).toBe(200);
  expect(await refusal).toBe(4009);
  await notify(globex, asha, {});
  await eventually(() => expect(inGlobex.received).toEqual([{ tenant_id: globex.id }]));
});

test('a member who may no longer view notifications loses their sockets', async () => {
  const owner = await platform.person({ tenant: acme });
  const { body } = await owner.post('/api/v1/roles', { name: 'Clerk', permissions: ['notifications.view'] });
  const asha = await platform.person({ tenant: acme });
  await kernel.central.db.run(sql`UPDATE memberships SET role_id = ${body.role.id} WHERE user_id = ${asha.id}`);
  const { pusher } = await listen(asha, acme);
  const refusal = closeCode(pusher);
  const changed = await owner.patch(`/api/v1/roles/${body.role.id}`, { permissions: ['orders.view'] });
  expect(changed.status).toBe(200);
  expect(await refusal).toBe(4009);
});

/** The response to the subscription of a socket to the channel of the user, with another token. */
function authorizeWith(token: string, userId: number) {
  return platform.request({
    method: 'POST',
    url: '/broadcasting/auth',
    headers: { authorization: `Bearer ${token}`, 'x-tenant': acme.id },
    payload: { socket_id: '1.2', channel_name: `private-user.${userId}` },
  });
}

test.each([
  { scopes: ['orders.view'], status: 403, code: 'auth.forbidden' },
  { scopes: ['orders.view', 'notifications.view'], status: 200, code: undefined },
])('a token with the scopes $scopes is answered with $status on the own channel', async ({ scopes, ...expected }) => {
  const asha = await platform.person({ tenant: acme });
  const { body } = await asha.post('/api/v1/profile/tokens', { name: 'Phone', scopes });
  const client = await makeClient(asha, scopes);
  const clientUser = await kernel.central.db.row<{ id: number }>(sql`
    SELECT user_id AS id FROM oauth_clients WHERE id = ${client.id}`);
  const responses = [
    await authorizeWith(body.access_token, asha.id),
    await authorizeWith((await client.token(platform)).body.access_token, clientUser?.id ?? 0),
  ];
  for (const { status, body } of responses) expect({ status, code: body.code }).toEqual(expected);
});

test('a tenant that is no longer active loses its sockets', async () => {
  const tenant = await platform.tenant();
  const { pusher } = await listen(await platform.person({ tenant }), tenant);
  const refusal = closeCode(pusher);
  await kernel.central.db.run(sql`UPDATE tenants SET status = 'creating' WHERE id = ${tenant.id}`);
  expect(await refusal).toBe(4009);
});

test('a tenant that moves to another ring: its sockets reconnect at once', async () => {
  const tenant = await platform.tenant();
  const { pusher } = await listen(await platform.person({ tenant }), tenant);
  const socketId = pusher.connection.socket_id;
  await kernel.central.db.run(sql`
    WITH edge AS (
      INSERT INTO module_rings (name, display_name, manifest_path, k8s_namespace, k8s_service, hostname_segment)
      VALUES ('edge', 'Edge', '', 'chowk-edge', 'web', 'edge') RETURNING id)
    UPDATE tenants SET module_ring_id = (SELECT id FROM edge) WHERE id = ${tenant.id}`);
  await eventually(() => expect([undefined, null, socketId]).not.toContain(pusher.connection.socket_id));
});

test('a signature of a session that has ended since is refused', async () => {
  const asha = await platform.person({ tenant: acme });
  const pusher = connect(clientSettings(getPort(platform.app), asha, acme));
  await eventually(() => expect(pusher.connection.state).toBe('connected'));
  const channel_name = `private-user.${asha.id}`;
  const { body } = await asha.post('/broadcasting/auth', { socket_id: pusher.connection.socket_id, channel_name });
  await asha.post('/api/v1/auth/logout');
  const refusal = closeCode(pusher);
  pusher.send_event('pusher:subscribe', { channel: channel_name, ...body });
  expect(await refusal).toBe(4009);
});
