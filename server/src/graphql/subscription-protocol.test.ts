import { createHash } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { defineEvent, type ResolverContext, sql, Type } from '@chowk/kit/kernel';
import { handleProtocols } from 'graphql-ws';
import { beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import WebSocket, { WebSocketServer } from 'ws';
import { eventually } from '../../testing/eventually.ts';
import { startPlatform, type TestCaller, type TestPlatform, type TestTenant } from '../../testing/platform.ts';
import { getPort } from '../../testing/raw-http.ts';
import { repositoryModules } from '../../testing/repository-modules.ts';
import { testModule } from '../../testing/test-module.ts';
import { SubscriptionServer } from './subscription-server.ts';

/* The protocol without a library, for messages that no library sends. */

const kiosk = {
  ...testModule({
    alias: 'kiosk',
    events: {
      'kiosk.sold': defineEvent({
        summary: 'Something was sold',
        payload: Type.Object({ text: Type.String(), number: Type.Integer() }),
        graphql: 'kioskSold',
        needs: 'kiosk.view',
      }),
    },
  }),
  graphql: {
    sdl: ['extend type KioskSoldEvent { margin: String @can(permission: "kiosk.margins") account: String @auth }'],
    resolvers: [
      {
        KioskSoldEvent: { margin: () => '20 %', account: (_: never, __: never, ctx: ResolverContext) => ctx.user.name },
      },
    ],
  },
};
const modules = [...(await repositoryModules()), kiosk];
const platform = await startPlatform({ modules });
const small = await startPlatform({ modules, sharedWith: platform, environment: { SOCKETS_PER_NETWORK: '1' } });
const { kernel } = platform;
const acme = await platform.tenant();
const asha = acme.caller(
  'kiosk.view',
  'orders.view',
  'settings.edit',
  'graphql.settings.manage',
  'graphql.persisted.manage',
);

beforeAll(async () => {
  await kernel.work();
  for (const { app } of [platform, small]) await app.listen({ host: '127.0.0.1', port: 0 });
});

const sold = 'subscription { kioskSold { text number } }';
const sell = (text: string, number = 1, tenant: TestTenant = acme) =>
  tenant.context('kiosk').emit('kiosk.sold' as never, { text, number } as never);

interface Options {
  readonly headers?: Record<string, string>;
  readonly protocol?: string;
  readonly app?: TestPlatform['app'];
  readonly port?: number;
}

class RawClient {
  // biome-ignore lint/suspicious/noExplicitAny: tests read messages of every shape
  readonly messages: any[] = [];
  readonly socket: WebSocket;
  readonly closed: Promise<number>;

  constructor({
    headers = {},
    protocol = 'graphql-transport-ws',
    app = platform.app,
    port = getPort(app),
  }: Options = {}) {
    this.socket = new WebSocket(`ws://127.0.0.1:${port}/api/v1/graphql`, protocol, { headers });
    this.socket.on('message', (text) => this.messages.push(JSON.parse(String(text))));
    this.socket.on('error', () => {});
    this.closed = new Promise((resolve) => this.socket.on('close', resolve));
    onTestFinished(() => this.socket.terminate());
  }

  async open(): Promise<this> {
    await new Promise((resolve) => this.socket.once('open', resolve));
    return this;
  }

  send(message: unknown): void {
    this.socket.send(typeof message === 'string' ? message : JSON.stringify(message));
  }

  async next(type: string) {
    return eventually(() => {
      const index = this.messages.findIndex((message) => message.type === type);
      const [message] = index === -1 ? [] : this.messages.splice(index, 1);
      if (!message) throw new Error(`no ${type}; received are ${JSON.stringify(this.messages)}`);
      return message;
    });
  }

  /** Subscribes, and waits until events are delivered. */
  async subscribe(id: string, query: string): Promise<void> {
    const { calls } = vi.spyOn(kernel.feed, 'subscribe').mock;
    const before = calls.length;
    this.send({ id, type: 'subscribe', payload: { query } });
    await eventually(() => expect(calls.length).toBe(before + 1));
  }

  /** The code of the error that answers the operation. */
  async refusal(payload: object): Promise<string> {
    this.send({ id: 'refused', type: 'subscribe', payload });
    const { id, payload: errors } = await this.next('error');
    expect(id).toBe('refused');
    return errors[0].extensions.code;
  }
}

const connectionParams = ({ token }: TestCaller, tenant = acme) => ({ token, 'X-Tenant': tenant.id });

async function signedIn(caller = asha, options: Options = {}): Promise<RawClient> {
  const client = await new RawClient(options).open();
  client.send({ type: 'connection_init', payload: connectionParams(caller) });
  await client.next('connection_ack');
  return client;
}

test.each<[string, (caller: TestCaller) => object]>([
  ['in Authorization', ({ token }) => ({ Authorization: `Bearer ${token}` })],
  ['in authorization', ({ token }) => ({ authorization: `bearer ${token}` })],
  ['as token', ({ token }) => ({ token })],
])('a client signs in with a token %s of connection_init', async (_, params) => {
  const client = await new RawClient({ headers: { host: `${acme.id}.localhost` } }).open();
  client.send({ type: 'connection_init', payload: params(asha) });
  expect(await client.next('connection_ack')).toEqual({ type: 'connection_ack' });
});

test('a client signs in with the headers of its request', async () => {
  const headers = { authorization: `Bearer ${asha.token}`, 'x-tenant': acme.id };
  const client = await new RawClient({ headers }).open();
  client.send({ type: 'connection_init' });
  await client.next('connection_ack');
});

const stranger = (await platform.tenant()).caller('kiosk.view');

test.each<[string, object | undefined, number]>([
  ['no token', { 'X-Tenant': acme.id }, 4401],
  ['a wrong token', { token: 'wrong', 'X-Tenant': acme.id }, 4401],
  ['no tenant', { token: asha.token }, 4403],
  ['an unknown tenant', { token: asha.token, 'X-Tenant': 'nobody' }, 4403],
  ['a tenant of others', { token: stranger.token, 'X-Tenant': acme.id }, 4403],
  ['no parameters', undefined, 4403],
])('a client with %s is refused', async (_, payload, code) => {
  const client = await new RawClient().open();
  client.send({ type: 'connection_init', payload });
  expect(await client.closed).toBe(code);
});

test.each(['host', 'x-tenant'])(
  'a member of both is refused if %s and connection_init name two tenants',
  async (name) => {
    const other = await platform.tenant();
    platform.identity.join(asha.user, other.id, ['kiosk.view']);
    const client = await new RawClient({
      headers: { [name]: name === 'host' ? `${acme.id}.localhost` : acme.id },
    }).open();
    client.send({ type: 'connection_init', payload: connectionParams(asha, other) });
    expect(await client.closed).toBe(4403);
  },
);

test('unknown tokens count against the limit of the network', async () => {
  const take = vi.spyOn(kernel.limiter, 'take');
  const client = await new RawClient().open();
  const before = take.mock.calls.length;
  client.send({ type: 'connection_init', payload: { token: 'wrong', 'X-Tenant': acme.id } });
  await client.closed;
  expect(take.mock.calls.slice(before)).toMatchObject([['127.0.0.1', expect.anything(), expect.anything()]]);
});

test('the protocol is graphql-transport-ws only', async () => {
  expect(await new RawClient({ protocol: 'graphql-ws' }).closed).toSatisfy((code) => [1006, 4406].includes(code));
});

test('a subscription gets events until the client ends it', async () => {
  const client = await signedIn();
  await client.subscribe('a', sold);
  await sell('tea');
  expect(await client.next('next')).toEqual({
    id: 'a',
    type: 'next',
    payload: { data: { kioskSold: { text: 'tea', number: 1 } } },
  });
  client.send({ id: 'a', type: 'complete' });
  await eventually(() => expect(kernel.feed.subscribers).toBe(0));
  await client.subscribe('a', sold);
  await sell('coffee');
  expect((await client.next('next')).payload.data.kioskSold.text).toBe('coffee');
});

test('aliases, fragments and variables work as in queries', async () => {
  const client = await signedIn();
  await client.subscribe(
    'a',
    `subscription Sales($more: Boolean = false) { ...Sale }
     fragment Sale on Subscription { sale: kioskSold { title: text number @include(if: $more) __typename } }`,
  );
  // The first ones are interpreted, later ones compiled.
  for (let number = 0; number < 5; number += 1) {
    await sell('tea', number);
    const { payload } = await client.next('next');
    expect(payload).toEqual({ data: { sale: { title: 'tea', __typename: 'KioskSoldEvent' } } });
  }
});

test('@can and @auth hold for the fields of events', async () => {
  const query = 'subscription { kioskSold { margin account } }';
  const clients = [await signedIn(), await signedIn(acme.caller('kiosk.view', 'kiosk.margins'))];
  for (const client of clients) await client.subscribe('a', query);
  await sell('tea');
  const [without, having] = await Promise.all(clients.map((client) => client.next('next')));
  expect(having.payload).toMatchObject({ data: { kioskSold: { margin: '20 %', account: expect.any(String) } } });
  expect(without.payload).toMatchObject({
    data: { kioskSold: { margin: null, account: asha.user.name } },
    errors: [{ path: ['kioskSold', 'margin'], extensions: { code: 'FORBIDDEN' } }],
  });
});

test('a client that pings gets a pong with its payload', async () => {
  const client = await new RawClient().open();
  client.send({ type: 'ping', payload: { at: 7 } });
  expect(await client.next('pong')).toEqual({ type: 'pong', payload: { at: 7 } });
});

test('subscribing before connection_init, signing in twice and using an id twice end the connection', async () => {
  const early = await new RawClient().open();
  early.send({ id: 'a', type: 'subscribe', payload: { query: sold } });
  expect(await early.closed).toBe(4401);
  const twice = await signedIn();
  twice.send({ type: 'connection_init', payload: connectionParams(asha) });
  expect(await twice.closed).toBe(4429);
  const client = await signedIn();
  await client.subscribe('a', sold);
  client.send({ id: 'a', type: 'subscribe', payload: { query: sold } });
  expect(await client.closed).toBe(4409);
  await eventually(() => expect(kernel.feed.subscribers).toBe(0));
});

const nested = (depth: number) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;

test.each<[string, string | Buffer]>([
  ['no JSON', '{'],
  ['null', 'null'],
  ['a list', '[]'],
  ['an unknown type', '{"type":"hello"}'],
  ['a message of servers', '{"type":"next","id":"a","payload":{}}'],
  ['a subscription without a query', '{"type":"subscribe","id":"a","payload":{}}'],
  ['an id that is no string', '{"type":"subscribe","id":7,"payload":{"query":"{a}"}}'],
  ['a payload that is no object', '{"type":"connection_init","payload":[1]}'],
  ['deeply nested parameters', `{"type":"connection_init","payload":${nested(2_000)}}`],
  ['deeply nested variables', `{"type":"subscribe","id":"a","payload":{"query":"{a}","variables":${nested(2_000)}}}`],
  ['binary data', Buffer.from([0, 255])],
])('a message with %s ends the connection', async (_, message) => {
  const client = await new RawClient().open();
  client.socket.send(message);
  expect(await client.closed).toBe(4400);
});

test('messages of unusual form do no harm', async () => {
  const client = await signedIn();
  client.send('{"type":"complete","id":"__proto__"}');
  client.send('{"type":"pong","payload":{"toString":1}}');
  client.send('{"type":"subscribe","id":"__proto__","payload":{"query":"","extensions":{"persistedQuery":7}}}');
  expect(await client.next('error')).toMatchObject({
    id: '__proto__',
    payload: [{ extensions: { code: 'BAD_INPUT' } }],
  });
  client.send({ type: 'ping' });
  await client.next('pong');
});

test('too large a message and too many messages end the connection', async () => {
  const large = await signedIn();
  large.send(`"${'x'.repeat(70_000)}"`);
  expect(await large.closed).toBe(1009);
  const busy = await signedIn();
  for (let count = 0; count < 600; count += 1) busy.send({ type: 'pong' });
  expect(await busy.closed).toBe(4100);
});

const deep =
  'subscription { orderCreated { order { customer { orders { nodes { customer { orders { nodes { id } } } } } } } } }';

test.each<[string, object, string]>([
  ['a query', { query: '{ __typename }' }, 'BAD_INPUT'],
  ['a mutation', { query: 'mutation { markAllNotificationsAsRead { updated } }' }, 'GRAPHQL_VALIDATION_FAILED'],
  ['an event that does not exist', { query: 'subscription { nothingHappened }' }, 'GRAPHQL_VALIDATION_FAILED'],
  ['two events', { query: `subscription { a: kioskSold { text } kioskSold { text } }` }, 'GRAPHQL_VALIDATION_FAILED'],
  ['no event', { query: 'subscription { __typename }' }, 'GRAPHQL_VALIDATION_FAILED'],
  [
    'an event under a condition',
    { query: 'subscription($on: Boolean!) { kioskSold @include(if: $on) { text } }', variables: { on: true } },
    'GRAPHQL_VALIDATION_FAILED',
  ],
  ['introspection', { query: 'subscription { __schema { types { name } } }' }, 'GRAPHQL_VALIDATION_FAILED'],
  ['too many levels', { query: deep }, 'QUERY_TOO_DEEP'],
  [
    'too many aliases',
    { query: `subscription { kioskSold { ${Array.from({ length: 31 }, (_, n) => `a${n}: text`).join(' ')} } }` },
    'TOO_MANY_ALIASES',
  ],
  [
    'a variable of a wrong type',
    { query: `subscription($on: Boolean!) { kioskSold { text @skip(if: $on) } }`, variables: { on: 7 } },
    'BAD_INPUT',
  ],
  ['no permission', { query: 'subscription { customerCreated { customer { id } } }' }, 'FORBIDDEN'],
  ['no GraphQL', { query: 'subscription {' }, 'GRAPHQL_PARSE_FAILED'],
])('a subscription with %s is refused, and the socket stays open', async (_, payload, code) => {
  const client = await signedIn();
  expect(await client.refusal(payload)).toBe(code);
  client.send({ type: 'ping' });
  await client.next('pong');
});

test('a socket has a hundred subscriptions at most', async () => {
  const client = await signedIn();
  for (let count = 0; count < 100; count += 1) {
    client.send({ id: String(count), type: 'subscribe', payload: { query: sold } });
  }
  await eventually(() => expect(kernel.feed.subscribers).toBe(100));
  expect(await client.refusal({ query: sold })).toBe('TOO_MANY_SUBSCRIPTIONS');
  client.socket.close();
  await eventually(() => expect(kernel.feed.subscribers).toBe(0));
});

test('with lockdown only registered subscriptions are accepted, also by their hash', async () => {
  const tenant = await platform.tenant();
  const caller = tenant.caller('kiosk.view', 'settings.edit', 'graphql.settings.manage', 'graphql.persisted.manage');
  const set = await caller.request({
    method: 'PATCH',
    url: '/api/v1/settings',
    payload: { 'graphql.persisted_queries_only': true },
  });
  expect(set.status).toBe(200);
  const client = await new RawClient().open();
  client.send({ type: 'connection_init', payload: connectionParams(caller, tenant) });
  await client.next('connection_ack');
  expect(await client.refusal({ query: sold })).toBe('PERSISTED_QUERY_REQUIRED');
  const registered = await caller.post('/api/v1/graphql/persisted', { query: sold, name: 'Sold' });
  expect(registered.status).toBe(201);
  const sha256Hash = createHash('sha256').update(sold).digest('hex');
  client.send({
    id: 'a',
    type: 'subscribe',
    payload: { query: '', extensions: { persistedQuery: { version: 1, sha256Hash } } },
  });
  await eventually(() => expect(kernel.feed.subscribers).toBe(1));
  await sell('tea', 1, tenant);
  expect((await client.next('next')).id).toBe('a');
});

test('a subscription that is not registered ends when lockdown begins, others continue', async () => {
  const tenant = await platform.tenant();
  const caller = tenant.caller('kiosk.view', 'settings.edit', 'graphql.settings.manage', 'graphql.persisted.manage');
  expect((await caller.post('/api/v1/graphql/persisted', { query: sold, name: 'Sold' })).status).toBe(201);
  const client = await new RawClient().open();
  client.send({ type: 'connection_init', payload: connectionParams(caller, tenant) });
  await client.next('connection_ack');
  await client.subscribe('registered', sold);
  await client.subscribe('other', `${sold} `);
  const lock = (isLocked: boolean) => caller.patch('/api/v1/settings', { 'graphql.persisted_queries_only': isLocked });
  expect((await lock(true)).status).toBe(200);
  expect(await client.next('error')).toMatchObject({
    id: 'other',
    payload: [{ extensions: { code: 'PERSISTED_QUERY_REQUIRED' } }],
  });
  await sell('tea', 1, tenant);
  expect((await client.next('next')).id).toBe('registered');
});

test('a subscription counts as a request of the user', async () => {
  const take = vi.spyOn(kernel.limiter, 'take');
  onTestFinished(() => take.mockRestore());
  const client = await signedIn();
  await client.subscribe('a', sold);
  expect(take.mock.calls.filter(([key]) => key === `${acme.id} ${asha.user.id}`)).toHaveLength(1);
});

test('a network has no more sockets than the limit, of any protocol', async () => {
  const first = await new RawClient({ app: small.app }).open();
  expect(await new RawClient({ app: small.app }).closed).toBe(4100);
  const pusher = new WebSocket(`ws://127.0.0.1:${getPort(small.app)}/app/${small.kernel.realtime.key}`);
  expect(await new Promise((resolve) => pusher.on('close', resolve))).toBe(4100);
  first.socket.close();
  await first.closed;
  await eventually(() => expect(small.kernel.realtime.sockets.total).toBe(0));
  await new RawClient({ app: small.app }).open();
  expect(small.kernel.realtime.sockets.total).toBe(1);
});

test('a client that does not read is disconnected', async () => {
  const client = await signedIn();
  await client.subscribe('a', sold);
  client.socket.pause();
  const text = 'x'.repeat(200_000);
  await eventually(async () => {
    await sell(text);
    expect(kernel.feed.subscribers).toBe(0);
  });
  client.socket.resume();
  expect(await client.closed).toSatisfy((code) => [4100, 1006].includes(code));
});

test('clients that send nothing or do not sign in are disconnected', async () => {
  const server = new SubscriptionServer(kernel);
  const listening = new WebSocketServer({ port: 0, host: '127.0.0.1', handleProtocols, autoPong: false });
  onTestFinished(() => void listening.close());
  listening.on('connection', (socket, request) =>
    server.accept(socket, {
      network: '127.0.0.1',
      tenant: undefined,
      token: undefined,
      onFailedLookup: () => {},
      source: { ip: '127.0.0.1', host: 'localhost', headers: request.headers, socket: {} },
    }),
  );
  await once(listening, 'listening');
  const { port } = listening.address() as AddressInfo;
  const [silent, unsigned] = [await new RawClient({ port }).open(), await new RawClient({ port }).open()];
  silent.send({ type: 'connection_init', payload: connectionParams(asha) });
  await silent.next('connection_ack');
  const pinged = once(silent.socket, 'ping');
  await server.sweep(Date.now() + 31_000);
  await pinged;
  expect(await unsigned.closed).toBe(4408);
  await server.sweep(Date.now() + 121_000);
  expect(await silent.closed).toBe(4201);
  server.close();
});

test('subscriptions over HTTP are refused with the reason', async () => {
  const { status, body } = await asha.post('/api/v1/graphql', { query: sold });
  expect({ status, code: body.errors[0].extensions.code }).toEqual({ status: 200, code: 'SOCKET_REQUIRED' });
  expect(body.errors[0].message).toContain('graphql-transport-ws');
  const parameters = new URLSearchParams({ query: sold });
  const byGet = await asha.get(`/api/v1/graphql?${parameters}`);
  expect(byGet.body.errors[0].extensions.code).toBe('SOCKET_REQUIRED');
});

test('an event that nobody subscribes to is neither stored nor published', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 10_000 });
  onTestFinished(() => void vi.useRealTimers());
  const tenant = await platform.tenant();
  await eventually(() => expect(kernel.feed.hasSubscriber(tenant.id, 'kiosk.sold')).toBe(false));
  const publish = vi.spyOn(kernel.pubsub, 'publish');
  onTestFinished(() => publish.mockRestore());
  const stored = () =>
    tenant.db.row<{ last: number }>(sql`
    SELECT coalesce(pg_sequence_last_value(pg_get_serial_sequence('event_deliveries', 'seq')), 0) AS last`);
  const before = await stored();
  await sell('tea', 1, tenant);
  expect(await stored()).toEqual(before);
  expect(publish).not.toHaveBeenCalled();
  expect(small.kernel.feed.hasSubscriber(acme.id, 'kiosk.sold')).toBe(false);
  const client = await signedIn();
  await client.subscribe('a', sold);
  await eventually(() => expect(small.kernel.feed.hasSubscriber(acme.id, 'kiosk.sold')).toBe(true));
  expect(small.kernel.feed.hasSubscriber(tenant.id, 'kiosk.sold')).toBe(false);
});
