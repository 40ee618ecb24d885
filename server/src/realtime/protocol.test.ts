import { randomBytes } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import { eventually } from '../../testing/eventually.ts';
import { startPlatform, type TestCaller, type TestPlatform } from '../../testing/platform.ts';
import { RealtimeClient, subscribe } from '../../testing/realtime-client.ts';
import { createHttpServer } from '../http/server.ts';

const environment = { RATE_LIMIT_PER_MINUTE: '0' };
const platform = await startPlatform({ environment });
const second = await startPlatform({
  environment: { ...environment, SOCKETS_PER_NETWORK: '5' },
  sharedWith: platform,
  identity: platform.identity,
});
const { kernel, app } = platform;
const { key } = kernel.realtime;
const acme = await platform.tenant();
const globex = await platform.tenant();
const path = `/app/${key}?protocol=7&client=test&version=1`;

beforeAll(async () => {
  for (const { app } of [platform, second]) await app.listen({ host: '127.0.0.1', port: 0 });
});

function connect(to: TestPlatform = platform, headers: Record<string, string> = {}) {
  return new RealtimeClient(to.app, path, headers);
}

async function connectAs(caller: TestCaller, to: TestPlatform = platform) {
  const client = connect(to);
  const socketId = await client.socketId();
  await subscribe(client, caller, socketId, `private-user.${caller.user.id}`);
  return client;
}

function authorize(caller: TestCaller, socket_id: string, channel_name: string) {
  return caller.post('/broadcasting/auth', { socket_id, channel_name });
}

test('a socket is greeted with its id and the activity timeout', async () => {
  const { data } = await connect().next('pusher:connection_established');
  expect(data).toEqual({ socket_id: expect.stringMatching(/^\d+\.\d+$/), activity_timeout: 30 });
});

test('an unknown key and another version of the protocol are refused', async () => {
  const unknown = new RealtimeClient(app, '/app/unknown?protocol=7');
  expect((await unknown.next('pusher:error')).data.code).toBe(4001);
  expect(await unknown.closed).toBe(4001);
  expect(await new RealtimeClient(app, `/app/${key}?protocol=4`).closed).toBe(4007);
});

test('a request without an upgrade is answered with 426, and an unknown tenant with 404', async () => {
  const { status, body, headers } = await platform.request({ method: 'GET', url: path });
  expect({ status, code: body.code, upgrade: headers.upgrade }).toEqual({
    status: 426,
    code: 'realtime.upgrade_required',
    upgrade: 'websocket',
  });
  const { socket } = connect(platform, { host: 'nobody-here.localhost' });
  const refusal = await new Promise((resolve) => socket.on('error', ({ message }) => resolve(message)));
  expect(refusal).toMatch(/404/);
});

test('a ping is answered with a pong', async () => {
  const client = connect();
  await client.socketId();
  await client.flush();
});

test('a user receives the events of the own channel, with the tenant', async () => {
  const asha = acme.caller('notifications.view');
  const client = await connectAs(asha);
  await acme.context('orders').broadcast(`private-user.${asha.user.id}`, 'notification.created', { title: 'Hello' });
  expect(await client.next('notification.created')).toEqual({
    event: 'notification.created',
    channel: `private-user.${asha.user.id}`,
    data: { title: 'Hello', tenant_id: acme.id },
  });
});

test('an event of a transaction is sent after the commit, and not after a rollback', async () => {
  const asha = acme.caller('notifications.view');
  const channel = `private-user.${asha.user.id}`;
  const client = await connectAs(asha);
  const ctx = acme.context('orders');
  const failing = ctx.tx(async (tx) => {
    await tx.broadcast(channel, 'lost', {});
    throw new Error('rolled back');
  });
  await expect(failing).rejects.toThrow('rolled back');
  await ctx.tx(async (tx) => {
    await tx.tx((inner) => inner.broadcast(channel, 'kept', {}));
  });
  await client.next('kept');
  expect(client.frames).toEqual([]);
});

test('an event that is larger than one notification arrives whole', async () => {
  const asha = acme.caller('notifications.view');
  const client = await connectAs(asha, second);
  for (const text of [randomBytes(30_000).toString('hex'), 'x'.repeat(60_000)]) {
    await acme.context('orders').broadcast(`private-user.${asha.user.id}`, 'large', { text });
    expect((await client.next('large')).data.text).toBe(text);
  }
});

test('events that are broadcast at once arrive in their order, over another process', async () => {
  const asha = acme.caller('notifications.view');
  const client = await connectAs(asha, second);
  const numbers = [...Array(40).keys()];
  const ctx = acme.context('orders');
  const broadcast = (n: number) =>
    ctx.broadcast(`private-user.${asha.user.id}`, 'news', { n, text: 'x'.repeat(n % 7 === 0 ? 20_000 : 10) });
  await Promise.all(numbers.map(broadcast));
  const received = [];
  for (const _ of numbers) received.push((await client.next('news')).data.n);
  expect(received).toEqual(numbers);
});

test("only the own channel is authorized: another user's, unknown and malformed ones are refused", async () => {
  const asha = acme.caller('notifications.view');
  const other = acme.caller('notifications.view');
  for (const channel of [
    `private-user.${other.user.id}`,
    `private-user.${asha.user.id}0`,
    `private-user.${asha.user.id}:x`,
    'private-orders',
    'presence-other',
    'public',
  ]) {
    expect((await authorize(asha, '1.2', channel)).body.code, channel).toBe('realtime.channel_forbidden');
  }
});

test.each(['', '1', '1.2:private-user.1', '1.2\n', ' 1.2', 'a.b', '1.2.3'])(
  'the malformed socket id %j is not signed',
  async (socketId) => {
    const asha = acme.caller('notifications.view');
    expect((await authorize(asha, socketId, `private-user.${asha.user.id}`)).status).toBe(422);
  },
);

test('a subscription is authorized for members of the tenant only', async () => {
  const asha = acme.caller('notifications.view');
  const channel = `private-user.${asha.user.id}`;
  const headers = { 'x-tenant': globex.id };
  const body = { socket_id: '1.2', channel_name: channel };
  expect((await asha.post('/broadcasting/auth', body, headers)).status).toBe(403);
  const anonymous = { method: 'POST', url: '/broadcasting/auth', payload: body, headers } as const;
  expect((await platform.request(anonymous)).status).toBe(401);
});

test('a signature is valid for one socket and one channel only', async () => {
  const asha = acme.caller('notifications.view');
  const channel = `private-user.${asha.user.id}`;
  const client = connect();
  const socketId = await client.socketId();
  const thief = connect();
  await thief.socketId();
  const { auth } = (await authorize(asha, socketId, channel)).body;
  expect(auth).toMatch(new RegExp(`^${key}:[0-9a-f]{64}:`));
  thief.send('pusher:subscribe', { channel, auth });
  client.send('pusher:subscribe', { channel: 'private-user.999', auth });
  client.send('pusher:subscribe', { channel: 'presence-tenant', auth, channel_data: '{"user_id":"1"}' });
  for (const refused of [thief, client, client]) {
    expect((await refused.next('pusher:error')).data.code).toBe(4009);
  }
});

test('a private channel without a valid signature is refused', async () => {
  const client = connect();
  await client.socketId();
  for (const auth of [undefined, 7, '', 'x', `${key}:`, `${key}:${'0'.repeat(64)}`]) {
    client.send('pusher:subscribe', { channel: 'private-user.1', auth });
    expect((await client.next('pusher:error')).data.code).toBe(4009);
  }
});

test('a forged signature is refused at once, before the next message is answered', async () => {
  const asha = acme.caller('notifications.view');
  const channel = `private-user.${asha.user.id}`;
  const client = connect(second);
  const { auth } = (await authorize(asha, await client.socketId(), channel)).body;
  const [, signature, holder] = auth.split(':');
  const others = Buffer.from(JSON.stringify([globex.id, asha.user.id, asha.user.session.id])).toString('base64url');
  const forged = [
    [key, '0'.repeat(64), holder],
    [key, signature, others],
    [key, signature, Buffer.from('{').toString('base64url')],
    [key, signature, Buffer.from('null').toString('base64url')],
    [key, signature],
  ];
  for (const parts of forged) client.send('pusher:subscribe', { channel, auth: parts.join(':') });
  await client.flush();
  expect(client.frames).toMatchObject(forged.map(() => ({ event: 'pusher:error', data: { code: 4009 } })));
});

test('a changed member of a presence channel is refused', async () => {
  const asha = acme.caller('notifications.view');
  const client = connect();
  const socketId = await client.socketId();
  const { auth, channel_data } = (await authorize(asha, socketId, 'presence-tenant')).body;
  const forged = JSON.stringify({ ...JSON.parse(channel_data), user_id: '999' });
  client.send('pusher:subscribe', { channel: 'presence-tenant', auth, channel_data: forged });
  expect((await client.next('pusher:error')).data.code).toBe(4009);
});

test('a member of two tenants gets the events of each tenant on its own sockets only', async () => {
  const asha = acme.caller('notifications.view');
  const { user } = asha;
  platform.identity.join(user, globex.id, ['notifications.view']);
  const channel = `private-user.${user.id}`;
  const inAcme = await connectAs(asha);
  const inGlobex = connect();
  const inGlobexId = await inGlobex.socketId();
  const body = { socket_id: inGlobexId, channel_name: channel };
  const signed = await asha.post('/broadcasting/auth', body, { 'x-tenant': globex.id });
  inGlobex.send('pusher:subscribe', { channel, ...signed.body });
  await inGlobex.next('pusher_internal:subscription_succeeded');
  await acme.context('orders').broadcast(channel, 'news', {});
  await globex.context('orders').broadcast(channel, 'news', {});
  expect((await inAcme.next('news')).data).toEqual({ tenant_id: acme.id });
  expect((await inGlobex.next('news')).data).toEqual({ tenant_id: globex.id });
  await Promise.all([inAcme.flush(), inGlobex.flush()]);
  expect([inAcme.frames, inGlobex.frames]).toEqual([[], []]);
});

test('a socket keeps its tenant: that of its host, or of its first private channel', async () => {
  const asha = acme.caller('notifications.view');
  platform.identity.join(asha.user, globex.id, ['notifications.view']);
  const channel = `private-user.${asha.user.id}`;
  const unbound = connect();
  const socketId = await unbound.socketId();
  await subscribe(unbound, asha, socketId, channel);
  const inGlobex = { 'x-tenant': globex.id };
  const again = await asha.post('/broadcasting/auth', { socket_id: socketId, channel_name: channel }, inGlobex);
  unbound.send('pusher:subscribe', { channel, ...again.body });
  expect((await unbound.next('pusher:error')).data.code).toBe(4009);

  const onTenantHost = connect(platform, { host: `${globex.id}.localhost` });
  const signed = await authorize(asha, await onTenantHost.socketId(), channel);
  onTenantHost.send('pusher:subscribe', { channel, ...signed.body });
  expect((await onTenantHost.next('pusher:error')).data.code).toBe(4009);
});

test('a public channel is one of the tenant', async () => {
  const [inAcme, inGlobex] = [acme, globex].map(({ id }) => connect(platform, { host: `${id}.localhost` }));
  for (const client of [inAcme, inGlobex]) {
    await client?.socketId();
    client?.send('pusher:subscribe', { channel: 'prices' });
    await client?.next('pusher_internal:subscription_succeeded');
  }
  await acme.context('orders').broadcast('prices', 'changed', {});
  await inAcme?.next('changed');
  await inGlobex?.flush();
  expect(inGlobex?.frames).toEqual([]);
});

test('after unsubscribing no more events arrive', async () => {
  const asha = acme.caller('notifications.view');
  const channel = `private-user.${asha.user.id}`;
  const [leaving, staying] = [await connectAs(asha), await connectAs(asha)];
  leaving.send('pusher:unsubscribe', { channel });
  await leaving.flush();
  await acme.context('orders').broadcast(channel, 'news', {});
  await staying.next('news');
  await leaving.flush();
  expect(leaving.frames).toEqual([]);
});

test('an event reaches the sockets of another process, whichever process signed the subscription', async () => {
  const asha = acme.caller('notifications.view');
  const client = await connectAs(asha, second);
  await acme.context('orders').broadcast(`private-user.${asha.user.id}`, 'news', {});
  await client.next('news');
});

test('members of a presence channel are listed across all processes', async () => {
  const tenant = await platform.tenant();
  const [asha, ravi] = [tenant.caller('notifications.view'), tenant.caller('notifications.view')];
  const presenceMember = ({ user: { id, name } }: TestCaller) => ({ user_id: String(id), user_info: { id, name } });
  const first = connect();
  const joined = await subscribe(first, asha, await first.socketId(), 'presence-tenant');
  expect(joined.data.presence).toMatchObject({ count: 1, ids: [String(asha.user.id)] });
  const other = connect(second);
  const { data } = await subscribe(other, ravi, await other.socketId(), 'presence-tenant');
  // Its process may learn of the first member only now.
  if (data.presence.count === 1) {
    expect((await other.next('pusher_internal:member_added')).data).toEqual(presenceMember(asha));
  }
  const again = connect(second);
  const { data: later } = await subscribe(again, ravi, await again.socketId(), 'presence-tenant');
  expect(later.presence.count).toBe(2);
  expect(later.presence.hash[asha.user.id]).toEqual({ id: asha.user.id, name: asha.user.name });
  expect((await first.next('pusher_internal:member_added')).data).toEqual(presenceMember(ravi));

  const sameUser = connect();
  await subscribe(sameUser, ravi, await sameUser.socketId(), 'presence-tenant');
  for (const { socket } of [sameUser, again, other]) socket.close();
  expect((await first.next('pusher_internal:member_removed')).data).toEqual({ user_id: String(ravi.user.id) });
  await first.flush();
  expect(first.frames).toEqual([]);
});

test('a socket that is subscribed for another user leaves as the first one', async () => {
  const tenant = await platform.tenant();
  const [owner, asha, ravi] = [
    tenant.caller('notifications.view'),
    tenant.caller('notifications.view'),
    tenant.caller('notifications.view'),
  ];
  const [watcher, shared] = [connect(), connect()];
  await subscribe(watcher, owner, await watcher.socketId(), 'presence-tenant');
  const socketId = await shared.socketId();
  await subscribe(shared, asha, socketId, 'presence-tenant');
  const { data } = await subscribe(shared, ravi, socketId, 'presence-tenant');
  expect(data.presence.ids).toEqual([owner, ravi].map(({ user }) => String(user.id)));
  expect((await watcher.next('pusher_internal:member_removed')).data).toEqual({ user_id: String(asha.user.id) });
});

test('the members of a process that has died leave, and come back if it was only late', async () => {
  const tenant = await platform.tenant();
  const [asha, ravi] = [tenant.caller('notifications.view'), tenant.caller('notifications.view')];
  const [first, other] = [connect(), connect(second)];
  await subscribe(first, asha, await first.socketId(), 'presence-tenant');
  await subscribe(other, ravi, await other.socketId(), 'presence-tenant');
  await first.next('pusher_internal:member_added');
  await kernel.realtime.sweep(Date.now() + 50_000);
  expect((await first.next('pusher_internal:member_removed')).data).toEqual({ user_id: String(ravi.user.id) });
  await second.kernel.realtime.sweep();
  expect((await first.next('pusher_internal:member_added')).data.user_id).toBe(String(ravi.user.id));
});

test('an idle client gets a ping, and is disconnected if it does not answer', async () => {
  const client = connect();
  await client.socketId();
  await kernel.realtime.sweep(Date.now() + 70_000);
  await client.next('pusher:ping');
  await kernel.realtime.sweep(Date.now() + 130_000);
  expect(await client.closed).toBe(4201);
});

test('client events are refused', async () => {
  const asha = acme.caller('notifications.view');
  const [sender, receiver] = [await connectAs(asha), await connectAs(asha)];
  const channel = `private-user.${asha.user.id}`;
  sender.socket.send(JSON.stringify({ event: 'client-typing', channel, data: {} }));
  expect((await sender.next('pusher:error')).data.code).toBe(4301);
  await receiver.flush();
  expect(receiver.frames).toEqual([]);
});

const hostileMessages: Record<string, string | Buffer> = {
  'no text': '',
  null: 'null',
  'a list': '[]',
  'broken JSON': '{',
  'no event': '{}',
  'an event that is a number': '{"event":7}',
  'data that is broken JSON': '{"event":"pusher:subscribe","data":"{"}',
  'data that is a list': '{"event":"pusher:subscribe","data":[]}',
  'a subscription without a channel': '{"event":"pusher:subscribe"}',
  'a channel that is an object': '{"event":"pusher:subscribe","data":{"channel":{}}}',
  'a channel with a space': '{"event":"pusher:subscribe","data":{"channel":"a b"}}',
  'a channel with a NUL': '{"event":"pusher:subscribe","data":{"channel":"a\\u0000"}}',
  'a long channel': `{"event":"pusher:subscribe","data":{"channel":"${'a'.repeat(165)}"}}`,
  'an unknown event': '{"event":"pusher:unknown"}',
  'deep nesting': `{"event":"pusher:ping","data":${'['.repeat(7_000)}${']'.repeat(7_000)}}`,
  'binary data': Buffer.from([0, 255, 1]),
};

test.each(Object.keys(hostileMessages))('%s is answered with an error, and the socket stays usable', async (name) => {
  const client = connect();
  await client.socketId();
  client.socket.send(hostileMessages[name] as string | Buffer);
  await client.next('pusher:error');
  await client.flush();
});

test('a message above the size limit closes the socket', async () => {
  const client = connect();
  await client.socketId();
  client.socket.send('x'.repeat(20_000));
  expect(await client.closed).toBe(1009);
});

test('text that is not UTF-8 closes the socket', async () => {
  const client = connect();
  await client.socketId();
  client.socket.send(Buffer.from([0xc3, 0x28]), { binary: false });
  expect(await client.closed).toBe(1007);
});

test('a flood of messages closes the socket with a code to come back later', async () => {
  const client = connect();
  await client.socketId();
  for (let count = 0; count < 600; count += 1) client.send('pusher:ping', {});
  expect(await client.closed).toBe(4100);
});

test('a network can have a limited number of sockets', async () => {
  const clients = Array.from({ length: 6 }, () => connect(second));
  expect(await Promise.race(clients.map(({ closed }) => closed))).toBe(4100);
  await eventually(() => expect(second.kernel.realtime.connections).toBe(5));
});

test('a socket can subscribe to 100 channels', async () => {
  const client = connect();
  await client.socketId();
  for (let count = 0; count <= 100; count += 1) client.send('pusher:subscribe', { channel: `channel-${count}` });
  expect((await client.next('pusher:error')).data.message).toMatch(/at most 100/);
});

test('a client that does not read is disconnected', async () => {
  const asha = acme.caller('notifications.view');
  const channel = `private-user.${asha.user.id}`;
  const slow = await connectAs(asha);
  const before = kernel.realtime.connections;
  slow.socket.pause();
  const text = 'x'.repeat(500_000);
  await eventually(async () => {
    for (let count = 0; count < 4; count += 1)
      await kernel.realtime.broadcast({ tenantId: acme.id, channel, event: 'large', data: { text } });
    expect(kernel.realtime.connections).toBe(before - 1);
  });
});

test('a server that stops asks its sockets to reconnect at once', async () => {
  const stopping = await createHttpServer(kernel);
  await stopping.listen({ host: '127.0.0.1', port: 0 });
  const client = new RealtimeClient(stopping, path);
  await client.socketId();
  await stopping.close();
  expect(await client.closed).toBe(4200);
});

test('the settings for a client name the address of the request', async () => {
  const asha = acme.caller('notifications.view');
  const { body } = await asha.get('/api/v1/realtime/config', { host: `${acme.id}.localhost:8080` });
  expect(body).toEqual({
    key,
    host: `${acme.id}.localhost`,
    port: 8080,
    scheme: 'http',
    auth_endpoint: '/broadcasting/auth',
  });
});
