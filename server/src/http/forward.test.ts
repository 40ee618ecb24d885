import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type RequestListener, request, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { action, sql, Type } from '@chowk/kit/kernel';
import { afterAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import WebSocket, { WebSocketServer } from 'ws';
import { temporaryFolder } from '../../testing/chowkd.ts';
import { eventually } from '../../testing/eventually.ts';
import { startPlatform, uniqueId } from '../../testing/platform.ts';
import { getPort, sendLines } from '../../testing/raw-http.ts';
import { repositoryModules } from '../../testing/repository-modules.ts';
import { SubscriptionClient } from '../../testing/subscription-client.ts';
import { freePort } from '../free-port.ts';

/* A process of the ring stable. The ring edge is an HTTP server of the test; the ring lost is nowhere. */

const edgePort = await freePort();
const tlsPort = await freePort();
let handle: RequestListener = (_request, response) => void response.end('from edge');
let received: { method: string; url: string; headers: IncomingMessage['headers']; body: string }[] = [];
let edge: Server;
const sockets = new WebSocketServer({ noServer: true });

const upgrade = (message: IncomingMessage, socket: Duplex, head: Buffer) =>
  sockets.handleUpgrade(message, socket, head, (client) =>
    client.on('message', (data) => client.send(`${message.headers['x-chowk-hops']} ${data}`)),
  );

async function startEdge(): Promise<void> {
  edge = createServer((message, response) => handle(message, response));
  edge.on('upgrade', upgrade);
  edge.listen(edgePort, '127.0.0.1');
  await once(edge, 'listening');
}
await startEdge();
afterAll(() => {
  edge.closeAllConnections();
  edge.close();
});

const platform = await startPlatform({
  modules: await repositoryModules('graphql'),
  environment: {
    RING_URLS: `edge=http://127.0.0.1:${edgePort},tls=https://localhost:${tlsPort},six=http://[::1]:${edgePort}`,
  },
  actions: {
    'test.where': action({
      summary: 'Where',
      http: 'GET /where',
      public: true,
      output: Type.Object({ tenant: Type.String() }),
      run: async (ctx) => ({ tenant: ctx.tenant.id }),
    }),
  },
});
const { kernel, app } = platform;
const { db } = kernel.central;
await app.listen({ host: '127.0.0.1', port: 0 });
const port = getPort(app);
await db.run(sql`
  INSERT INTO module_rings (name, display_name, manifest_path, k8s_namespace, k8s_service, hostname_segment)
  VALUES ('edge', 'Edge', '', '', '', 'edge'), ('lost', 'Lost', '', '', '', 'lost'), ('tls', 'TLS', '', '', '', 'tls'),
    ('six', 'Six', '', '', '', 'six'), ('service', 'Service', '', '', ${`127.0.0.1:${edgePort}`}, 'service')`);

async function assign(id: string, ring: string): Promise<void> {
  await db.run(sql`
    UPDATE tenants SET module_ring_id = (SELECT id FROM module_rings WHERE name = ${ring}) WHERE id = ${id}`);
  await kernel.signals.waitUntilApplied();
}

async function tenantOn(ring: string): Promise<string> {
  const { id } = await platform.tenant();
  await assign(id, ring);
  return id;
}

const acme = await tenantOn('edge');

async function readAll(stream: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of stream) text += chunk;
  return text;
}

/** Records the requests, then responds. */
function recording(respond: RequestListener = (_request, response) => void response.end('from edge')): RequestListener {
  return async (message, response) => {
    const { method = '', url = '', headers } = message;
    received.push({ method, url, headers, body: await readAll(message) });
    respond(message, response);
  };
}

beforeEach(() => {
  received = [];
  handle = recording();
});

interface Sent {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string;
}

function open({ method = 'GET' } = {}) {
  return request({ port, host: '127.0.0.1', method, path: '/stream', headers: { host: `${acme}.localhost` } });
}

async function send({ method = 'GET', path = '/api/v1/where', headers = {}, body }: Sent = {}) {
  const sent = request({ port, host: '127.0.0.1', method, path, headers: { host: `${acme}.localhost`, ...headers } });
  sent.end(body);
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  const text = await readAll(response);
  const isJson = response.headers['content-type']?.startsWith('application/json');
  return { status: response.statusCode, headers: response.headers, text, body: isJson ? JSON.parse(text) : undefined };
}

test('a request of a tenant of another ring is answered there, also at a path that this ring does not have', async () => {
  handle = recording((_request, response) => {
    response.writeHead(418, [
      ...['X-Ring', 'edge', 'Set-Cookie', 'a=1', 'Set-Cookie', 'b=2'],
      ...['Connection', 'x-private', 'X-Private', 'yes', 'Content-Type', 'text/plain'],
    ]);
    response.end('teapot');
  });
  const answer = await send({
    method: 'PUT',
    path: '/api/v1/only/on%20edge?x=1&y',
    body: 'tea',
    headers: { 'x-request-id': 'mine', 'x-custom': 'kept', connection: 'x-drop', 'x-drop': 'dropped', te: 'trailers' },
  });
  expect(answer).toMatchObject({ status: 418, text: 'teapot' });
  expect(answer.headers).toMatchObject({ 'x-ring': 'edge', 'set-cookie': ['a=1', 'b=2'] });
  expect(answer.headers).not.toHaveProperty('x-private');
  const [{ headers, ...rest } = { headers: {} }] = received;
  expect(rest).toEqual({ method: 'PUT', url: '/api/v1/only/on%20edge?x=1&y', body: 'tea' });
  const expected = { host: `${acme}.localhost`, 'x-custom': 'kept', 'x-request-id': 'mine', 'x-chowk-hops': '1' };
  expect(headers).toMatchObject({ ...expected, 'content-length': '3' });
  for (const name of ['x-drop', 'te']) expect(headers).not.toHaveProperty(name);
});

test('headers about the client are those that this process believes', async () => {
  await send({
    headers: { 'x-forwarded-for': '203.0.113.7', 'x-forwarded-host': 'evil.localhost', forwarded: 'for=x' },
  });
  expect(received[0]?.headers).toMatchObject({ 'x-forwarded-for': '127.0.0.1', 'x-forwarded-proto': 'http' });
  for (const name of ['x-forwarded-host', 'forwarded']) expect(received[0]?.headers).not.toHaveProperty(name);
  await send();
  // A request from this machine stays one.
  expect(received[1]?.headers).not.toHaveProperty('x-forwarded-for');
});

test('the tenant decides, whatever ring the host names; without a tenant, the host does', async () => {
  const other = await tenantOn('stable');
  const ringFor = async (host: string, path?: string) => {
    const { text, headers } = await send({ headers: { host }, ...(path ? { path } : {}) });
    return text === 'from edge' ? 'edge' : (headers['x-ring'] ?? JSON.parse(text).ring?.name);
  };
  expect(await ringFor(`${acme}.stable.localhost`)).toBe('edge');
  expect(await ringFor(`${other}.edge.localhost`)).toBe('stable');
  expect(await ringFor(`${acme}.localhost`, '/docs')).toBe('edge');
  for (const host of [`${other}.edge.localhost`, 'www.edge.localhost', 'edge.localhost']) {
    expect(await ringFor(host, '/api/health')).toBe('edge');
  }
  for (const host of ['localhost', `${acme}.localhost`, `${acme}.stable.localhost`]) {
    expect(await ringFor(host, '/api/health')).toBe('stable');
  }
  expect(await send({ headers: { host: `${uniqueId()}.localhost` } })).toMatchObject({ status: 404 });
});

test('files of the console are served by the process that gets the request', async () => {
  expect(await send({ path: '/favicon.svg' })).toMatchObject({
    status: 200,
    headers: { 'content-type': 'image/svg+xml' },
  });
  expect(received).toEqual([]);
});

test('request and response are streamed: each side sees what the other has sent so far', async () => {
  handle = (message, response) => void message.on('data', (chunk) => response.write(`echo ${chunk}`));
  const sent = open({ method: 'POST' });
  sent.write('one');
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  expect(String((await once(response, 'data'))[0])).toBe('echo one');
  sent.write('two');
  expect(String((await once(response, 'data'))[0])).toBe('echo two');
  sent.destroy();
});

test('a response whose first part takes long begins at once', async () => {
  handle = (_message, response) => response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
  const sent = open();
  sent.end();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  expect(response.headers['content-type']).toBe('text/event-stream');
  sent.destroy();
});

test('a response may come before the request is complete', async () => {
  handle = (_message, response) => response.writeHead(413, { connection: 'close' }).end('too large');
  const sent = open({ method: 'POST' });
  sent.write('x'.repeat(100_000));
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  expect({ status: response.statusCode, text: await readAll(response) }).toEqual({ status: 413, text: 'too large' });
  sent.destroy();
});

test('a client that leaves ends the request of the ring', async () => {
  const arrived = Promise.withResolvers<IncomingMessage>();
  handle = (message) => arrived.resolve(message);
  const sent = open();
  sent.on('error', () => {});
  sent.end();
  const { socket } = await arrived.promise;
  sent.destroy();
  await once(socket, 'close');
});

test('a response that breaks off breaks off for the client', async () => {
  handle = (_message, response) => {
    response.writeHead(200, { 'content-length': '10' });
    response.write('half');
    setTimeout(() => response.destroy(), 20);
  };
  await expect(send()).rejects.toThrow('aborted');
});

test('a ring that cannot be reached is 503 with its name, never the wrong version', async () => {
  const id = await tenantOn('lost');
  const { status, body, headers } = await send({ headers: { host: `${id}.localhost` } });
  expect({ status, code: body.code }).toEqual({ status: 503, code: 'rings.unreachable' });
  expect(body.message).toContain('The ring lost cannot be reached');
  expect(headers['retry-after']).toBe('1');
});

test('a request waits for a ring that restarts', async () => {
  edge.closeAllConnections();
  edge.close();
  await once(edge, 'close');
  const waiting = send({ method: 'POST', body: 'keep me' });
  const refused = await send({ headers: { host: `${await tenantOn('lost')}.localhost` } });
  expect(refused.status).toBe(503);
  await startEdge();
  expect(await waiting).toMatchObject({ status: 200, text: 'from edge' });
  expect(received.map(({ body }) => body)).toEqual(['keep me']);
});

test('after a reset, only a request that changes nothing is sent again, once', async () => {
  handle = recording((message) => message.socket.destroy());
  expect(await send({ method: 'POST', body: 'x' })).toMatchObject({ status: 502, body: { code: 'rings.interrupted' } });
  expect(received).toHaveLength(1);
  expect(await send()).toMatchObject({ status: 502, body: { code: 'rings.interrupted' } });
  expect(received).toHaveLength(3);
});

test('a process that is sent a request for another ring reads the assignment, and forwards at most eight times', async () => {
  const id = await tenantOn('edge');
  const ask = (hops: number) => send({ headers: { host: `${id}.localhost`, 'x-chowk-hops': String(hops) } });
  expect(await ask(7)).toMatchObject({ text: 'from edge' });
  expect(received[0]?.headers['x-chowk-hops']).toBe('8');
  expect(await ask(8)).toMatchObject({ status: 503, body: { code: 'rings.too_many_hops' } });
  // Without a notification, as if it had not arrived yet.
  await db.tx(async (tx) => {
    await tx.run(sql`SET LOCAL session_replication_role = replica`);
    await tx.run(sql`
      UPDATE tenants SET module_ring_id = (SELECT id FROM module_rings WHERE name = 'stable') WHERE id = ${id}`);
  });
  expect(await ask(0)).toMatchObject({ text: 'from edge' });
  // A client cannot make every request read the assignment.
  const remote = { url: '/api/v1/where', headers: { host: `${id}.localhost`, 'x-chowk-hops': '1' } };
  expect((await app.inject({ ...remote, remoteAddress: '203.0.113.7' })).body).toBe('from edge');
  expect(await ask(1)).toMatchObject({ body: { tenant: id }, headers: { 'x-ring': 'stable' } });
});

test('sockets are forwarded', async () => {
  const client = new WebSocket(`ws://127.0.0.1:${port}/app/key?protocol=7`, { headers: { host: `${acme}.localhost` } });
  onTestFinished(() => client.terminate());
  await once(client, 'open');
  client.send('hello');
  expect(String((await once(client, 'message'))[0])).toBe('1 hello');
});

test('a ring is found by k8s_service of its row, and at an IPv6 address', async () => {
  const ask = async (ring: string) => send({ headers: { host: `${await tenantOn(ring)}.localhost` } });
  expect(await ask('service')).toMatchObject({ status: 200, text: 'from edge' });
  const six = createServer((message, response) => handle(message, response)).listen(edgePort, '::1');
  await once(six, 'listening');
  onTestFinished(() => {
    six.closeAllConnections();
    six.close();
  });
  expect(await ask('six')).toMatchObject({ status: 200, text: 'from edge' });
});

test('requests and sockets are forwarded over TLS, and only to a certificate that is trusted', async () => {
  const folder = await temporaryFolder();
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost', '-days', '2'];
  spawnSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-keyout', key, '-out', cert, ...subject]);
  const options = { key: await readFile(key), cert: await readFile(cert) };
  const server = createTlsServer(options, (message, response) => handle(message, response));
  server.on('upgrade', upgrade).listen(tlsPort, 'localhost');
  await once(server, 'listening');
  const trusted = getCACertificates();
  onTestFinished(() => {
    setDefaultCACertificates(trusted);
    server.closeAllConnections();
    server.close();
  });
  const host = `${await tenantOn('tls')}.localhost`;
  expect(await send({ headers: { host } })).toMatchObject({ status: 503, body: { code: 'rings.unreachable' } });
  expect(received).toEqual([]);
  setDefaultCACertificates([...trusted, String(options.cert)]);
  for (let count = 0; count < 2; count += 1) {
    expect(await send({ method: 'POST', body: 'secret', headers: { host } })).toMatchObject({ text: 'from edge' });
  }
  expect(received.map(({ body, headers }) => [body, headers.host])).toEqual([
    ['secret', host],
    ['secret', host],
  ]);
  const client = new WebSocket(`ws://127.0.0.1:${port}/app/key?protocol=7`, { headers: { host } });
  onTestFinished(() => client.terminate());
  await once(client, 'open');
  client.send('hello');
  expect(String((await once(client, 'message'))[0])).toBe('1 hello');
});

test('a socket for a ring that cannot be reached is refused with 503', async () => {
  const id = await tenantOn('lost');
  const headers = { host: `${id}.localhost` };
  const client = new WebSocket(`ws://127.0.0.1:${port}/app/key?protocol=7`, { headers });
  const [error] = await once(client, 'error');
  expect(error.message).toBe('Unexpected server response: 503');
});

test('a subscription socket whose first message names a tenant of another ring learns where to connect', async () => {
  const reasons: string[] = [];
  const client = new SubscriptionClient({ app, kernel }, { 'X-Tenant': acme });
  client.client.on('closed', (event) => reasons.push((event as { reason: string }).reason));
  client.start('subscription { x }');
  await eventually(() => expect(client.closed).toEqual([4400]));
  expect(reasons[0]).toMatch(new RegExp(`^Connect to ${acme}\\.localhost`));
});

test('a request with two Host headers is refused', async () => {
  const lines = ['GET /api/v1/where HTTP/1.1', `Host: ${acme}.localhost`, 'Host: other.localhost', 'Connection: close'];
  expect((await sendLines(port, lines)).status).toBe(400);
  expect(received).toEqual([]);
});
