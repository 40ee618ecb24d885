import { once } from 'node:events';
import { Agent, get } from 'node:http';
import { connect, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Answer, action, sql } from '@chowk/kit/kernel';
import type { FastifyInstance } from 'fastify';
import { expect, test } from 'vitest';
import { startPlatform } from '../../testing/platform.ts';
import { getPort } from '../../testing/raw-http.ts';
import { createHttpServer } from './server.ts';

/** Requests that wait until the test continues them. */
const waiting: { finish(): void }[] = [];
let arrived = Promise.withResolvers<void>();

const common = { summary: 'Test', public: true } as const;
const platform = await startPlatform({
  environment: { RATE_LIMIT_PER_MINUTE: '0' },
  actions: {
    'test.ping': action({ ...common, http: 'GET /ping', tenant: 'none', run: async () => ({}) }),
    'test.wait': action({
      ...common,
      http: 'GET /wait',
      run: async (ctx) => {
        const gate = Promise.withResolvers<void>();
        waiting.push({ finish: gate.resolve });
        arrived.resolve();
        await gate.promise;
        return ctx.db.row(sql`SELECT 'finished' AS work`);
      },
    }),
    'test.stream': action({
      ...common,
      http: 'GET /stream',
      run: async () => {
        const gate = Promise.withResolvers<void>();
        waiting.push({ finish: gate.resolve });
        async function* parts() {
          yield 'begun';
          await gate.promise;
          yield ' and finished';
        }
        return new Answer(Readable.from(parts()));
      },
    }),
  },
});
const acme = await platform.tenant();

test('a connection without a request does not delay the stop', async () => {
  const { app, port } = await listen();
  const idle = connect(port, '127.0.0.1');
  idle.on('error', () => {});
  await once(idle, 'connect');
  const gone = once(idle, 'close');
  await expect(within(3_000, app.close())).resolves.toBe('in time');
  await gone;
});

test('the stop waits for a request in flight, whose response closes the connection', async () => {
  const { app, port } = await listen();
  const answer = fetchAnswer(port, '/api/v1/wait');
  await workUnderWay();
  const closed = app.close();
  await waitUntilRefused(port);
  letAllFinish();
  expect(await answer).toEqual({ status: 200, connection: 'close', body: '{"work":"finished"}' });
  // The client would keep its connection open; a stop that waits for it would last over a minute.
  await expect(within(3_000, closed)).resolves.toBe('in time');
});

test('the stop waits for a streamed response that began before it', async () => {
  const { app, port } = await listen();
  const response = await request(port, '/api/v1/stream');
  const closed = app.close();
  await waitUntilRefused(port);
  letAllFinish();
  expect(await response.text()).toBe('begun and finished');
  await expect(within(3_000, closed)).resolves.toBe('in time');
});

test('an idle keep-alive connection is closed without a response', async () => {
  const { app, port } = await listen();
  const socket = connect(port, '127.0.0.1');
  const received = collect(socket);
  socket.write(requestText('/api/health'));
  await expect.poll(received).toContain('"status":"ok"');
  const before = received();
  await app.close();
  await ended(socket);
  expect(received()).toBe(before);
});

test('a further request on a busy connection gets its response or is disconnected, but never fails', async () => {
  const { app, port } = await listen();
  const socket = connect(port, '127.0.0.1');
  const received = collect(socket);
  socket.write(requestText('/api/v1/wait'));
  await workUnderWay();
  const closed = app.close();
  await waitUntilRefused(port);
  socket.write(requestText('/api/health'));
  letAllFinish();
  await ended(socket);
  await closed;
  const statuses = [...received().matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status);
  expect(statuses[0]).toBe('200');
  expect(statuses.filter((status) => status !== '200')).toEqual([]);
});

test('no request of sixty busy keep-alive clients fails, in twenty stops', async () => {
  const outcomes = new Map<string, number>();
  for (let stop = 0; stop < 20; stop += 1) {
    const { app, port } = await listen(['test.ping']);
    const clients = Array.from({ length: 60 }, () => new Agent({ keepAlive: true, maxSockets: 1 }));
    const send = async (agent: Agent) => {
      const outcome = await ping(port, agent);
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
      return outcome;
    };
    await Promise.all(clients.map(send));
    const running = clients.map(async (agent) => {
      while ((await send(agent)) === '200');
    });
    // Stops at different moments of these requests.
    for (let turn = 0; turn < stop % 5; turn += 1) await nextTurn();
    await Promise.all([app.close(), ...running]);
    for (const agent of clients) agent.destroy();
  }
  // Each client learns from a refused new connection that the server has stopped.
  expect([...outcomes.keys()].toSorted()).toEqual(['200', 'ECONNREFUSED']);
  expect(outcomes.get('ECONNREFUSED')).toBe(20 * 60);
});

/** The status of the response, or the code of the error. */
function ping(port: number, agent: Agent): Promise<string> {
  return new Promise((resolve) => {
    get({ host: '127.0.0.1', port, path: '/api/v1/ping', agent }, (response) => {
      response.resume().once('end', () => resolve(String(response.statusCode)));
    }).once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
  });
}

async function listen(only?: string[]): Promise<{ app: FastifyInstance; port: number }> {
  const { actions } = platform.kernel;
  const served = only ? actions.filter(({ name }) => only.includes(name)) : actions;
  const app = await createHttpServer({ ...platform.kernel, actions: served });
  await app.listen({ host: '127.0.0.1', port: 0 });
  return { app, port: getPort(app) };
}

/** Through `fetch`, whose connections stay open for the next request. */
function request(port: number, path: string): Promise<Response> {
  return fetch(`http://127.0.0.1:${port}${path}`, { headers: { 'x-tenant': acme.id } });
}

async function fetchAnswer(port: number, path: string) {
  const response = await request(port, path);
  return { status: response.status, connection: response.headers.get('connection'), body: await response.text() };
}

async function workUnderWay(): Promise<void> {
  await arrived.promise;
  arrived = Promise.withResolvers();
}

function letAllFinish(): void {
  for (const { finish } of waiting.splice(0)) finish();
}

function within(milliseconds: number, work: Promise<unknown>): Promise<string> {
  const late = new Promise<string>((resolve) => setTimeout(() => resolve('late'), milliseconds).unref());
  return Promise.race([work.then(() => 'in time'), late]);
}

/** Resolves when the server accepts no new connections. */
async function waitUntilRefused(port: number): Promise<void> {
  await expect.poll(() => connectionProblem(port)).toBe('ECONNREFUSED');
}

async function connectionProblem(port: number): Promise<string | undefined> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return undefined;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code;
  } finally {
    socket.destroy();
  }
}

function requestText(path: string): string {
  return `GET ${path} HTTP/1.1\r\nHost: ${acme.id}.localhost\r\n\r\n`;
}

function collect(socket: Socket): () => string {
  let text = '';
  socket.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  return () => text;
}

async function ended(socket: Socket): Promise<void> {
  if (!socket.closed) await once(socket, 'close');
}
