import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { createClient } from 'graphql-ws';
import { expect, onTestFinished, test } from 'vitest';
import WebSocket from 'ws';
import { chowkdProcess } from '../../testing/chowkd.ts';
import { eventually } from '../../testing/eventually.ts';
import { type RingName, ringVersions } from '../../testing/ring-packages.ts';
import { type RingResponse, startRings } from '../../testing/ring-platform.ts';
import { RingSocket } from '../../testing/ring-sockets.ts';

/* A front and three rings with three versions of a module: four processes. `bench/rings.ts` does the same with more load. */

const platform = await startRings();
const { tenants, port } = platform;
const rings = Object.keys(ringVersions) as RingName[];
const { body: realtime } = await platform.get(tenants.stable, '/api/v1/realtime/config');

function openSocket(tenant: string): RingSocket {
  const socket = new RingSocket(port, realtime.key, `${tenant}.localhost`);
  onTestFinished(() => socket.end());
  return socket;
}

const entryFor = (ring: RingName) => ({ text: 'hello', ...(ring === 'canary' ? { color: 'red' } : {}) });
const create = (ring: RingName, tenant = tenants[ring]) =>
  platform.post(tenant, '/api/v1/probe/entries', entryFor(ring));
const readVersion = (tenant: string) => platform.get(tenant, '/api/v1/probe/version');
const runs = (tenant: string) =>
  platform.query(tenant, 'SELECT kind, version, count(*)::int AS n FROM probe_runs GROUP BY 1, 2 ORDER BY 1');

/** Sends requests at a steady rate until `stop`. Returns their responses. */
function sendSteadily(perSecond: number, send: () => Promise<RingResponse>) {
  const sent: Promise<{ at: number; answer: RingResponse | Error }>[] = [];
  const timer = setInterval(() => {
    const at = performance.now();
    sent.push(
      send().then(
        (answer) => ({ at, answer }),
        (answer: Error) => ({ at, answer }),
      ),
    );
  }, 1_000 / perSecond);
  onTestFinished(() => clearInterval(timer));
  return async () => {
    clearInterval(timer);
    return Promise.all(sent);
  };
}

const statuses = (sent: readonly { answer: RingResponse | Error }[]) => [
  ...new Set(sent.map(({ answer }) => (answer instanceof Error ? String(answer.cause ?? answer) : (answer.body.code ?? answer.status)))),
];

test('each ring serves its version over REST: a field more, an operation changed, an operation more', async () => {
  for (const ring of rings) {
    expect(await readVersion(tenants[ring])).toMatchObject({ status: 200, ring, body: { version: ringVersions[ring] } });
    const { status, body } = await create(ring);
    expect({ status, version: body.version }).toEqual({ status: 200, version: ringVersions[ring] });
    expect(body.entry.color).toBe({ stable: undefined, edge: 'none', canary: 'red' }[ring]);
    const count = await platform.get(tenants[ring], '/api/v1/probe/count');
    expect(count.status).toBe(ring === 'canary' ? 200 : 404);
  }
  expect((await create('stable', tenants.canary)).status).toBe(422);
});

test('each ring has its schema in GraphQL', async () => {
  const query = (ring: RingName, fields: string) =>
    platform.post(tenants[ring], '/api/v1/graphql', { query: `{ probeVersion { ${fields} } }` });
  for (const ring of rings) {
    expect((await query(ring, 'version')).body).toEqual({ data: { probeVersion: { version: ringVersions[ring] } } });
    const { body } = await query(ring, 'colors');
    expect(body.errors?.[0].extensions.code).toBe(ring === 'stable' ? 'GRAPHQL_VALIDATION_FAILED' : undefined);
  }
});

test('jobs, events and sockets are of the version of the ring', async () => {
  const sockets = rings.map((ring) => openSocket(tenants[ring]));
  await eventually(() => expect(sockets.map(({ isOpen }) => isOpen)).toEqual([true, true, true]));
  const before = await Promise.all(rings.map((ring) => runs(tenants[ring])));
  const count = (rows: { n: number }[]) => rows.reduce((sum, { n }) => sum + n, 0);
  for (const [index, ring] of rings.entries()) {
    await create(ring);
    const version = ringVersions[ring];
    await eventually(async () => {
      const rows = await runs(tenants[ring]);
      expect(rows.map((row) => [row.kind, row.version])).toEqual([
        ['event', version],
        ['job', version],
      ]);
      expect(count(rows)).toBe(count(before[index] ?? []) + 2);
    });
    await eventually(() => expect(sockets[index]?.events.at(-1)?.data.version).toBe(version));
  }
  expect(sockets.map(({ events }) => new Set(events.map(({ data }) => data.version)).size)).toEqual([1, 1, 1]);
});

test('subscriptions in GraphQL have the fields of the ring', async () => {
  class HostSocket extends WebSocket {
    constructor(url: string, protocols: string[]) {
      super(url, protocols, { headers: { host: `${tenants.edge}.localhost` } });
    }
  }
  const client = createClient({
    url: `ws://127.0.0.1:${port}/api/v1/graphql`,
    webSocketImpl: HostSocket,
    connectionParams: platform.headers(tenants.edge),
    retryAttempts: 0,
  });
  onTestFinished(() => client.dispose());
  const events = client.iterate({ query: 'subscription { probeCreated { version entry { color } } }' });
  const first = events.next();
  const stop = sendSteadily(5, () => create('edge'));
  expect((await first).value).toEqual({ data: { probeCreated: { version: '2.0.0', entry: { color: 'none' } } } });
  expect(statuses(await stop())).toEqual([200]);
});

test('the health of a ring is found at its host', async () => {
  const ringAt = async (host: string) => {
    const { request } = await import('node:http');
    const sent = request({ port, host: '127.0.0.1', path: '/api/health', headers: { host } }).end();
    const [response] = await once(sent, 'response');
    let text = '';
    for await (const chunk of response) text += chunk;
    return JSON.parse(text).ring.name;
  };
  for (const ring of rings) expect(await ringAt(`${tenants.stable}.${ring}.localhost`)).toBe(ring);
  expect(await ringAt('localhost')).toBe('stable');
});

test('assignments under load fail no request, lose no work, and every socket is back', async () => {
  const moving = tenants.edge;
  const [movingBefore] = await platform.query(moving, 'SELECT count(*)::int AS n FROM probe_entries');
  const sockets = Array.from({ length: 50 }, () => openSocket(moving));
  await eventually(() => expect(sockets.every(({ isOpen }) => isOpen)).toBe(true));
  const reads = sendSteadily(60, () => readVersion(moving));
  const writes = sendSteadily(20, () => create('edge', moving));
  const others = [tenants.stable, tenants.canary].map((tenant) => sendSteadily(10, () => readVersion(tenant)));
  const assignments = 20;
  for (let index = 0; index < assignments; index += 1) {
    await platform.assign(moving, index % 2 === 0 ? 'stable' : 'edge');
    await pause(250);
  }
  const read = await reads();
  const written = await writes();
  expect(statuses([...read, ...written, ...(await Promise.all(others.map((stop) => stop()))).flat()])).toEqual([200]);
  for (const { answer } of [...read, ...written] as { answer: RingResponse }[]) {
    expect(answer.body.version).toBe(ringVersions[answer.ring as RingName]);
  }
  expect(new Set(read.map(({ answer }) => (answer as RingResponse).ring))).toEqual(new Set(['stable', 'edge']));
  const work = `
    SELECT count(*)::int AS n, count(*) FILTER (WHERE jobs = 1 AND events = 1)::int AS once, coalesce(bool_or(foreign_), false) AS wrong
    FROM (SELECT e.id, count(*) FILTER (WHERE kind = 'job') AS jobs, count(*) FILTER (WHERE kind = 'event') AS events,
      bool_or(r.version = '3.0.0') AS foreign_ FROM probe_entries e LEFT JOIN probe_runs r ON r.entry = e.id GROUP BY 1) s`;
  await eventually(async () => {
    const n = movingBefore.n + written.length;
    expect(await platform.query(moving, work)).toEqual([{ n, once: n, wrong: false }]);
  });
  await eventually(() => expect(sockets.every(({ isOpen }) => isOpen)).toBe(true));
  for (const socket of sockets) {
    expect(socket.longestGapMs).toBeLessThan(5_000);
    expect(new Set(socket.codes)).toEqual(new Set([4200]));
  }
  for (const socket of sockets) socket.end();
}, 60_000);

test('after kill -9 of a ring under load, only its requests in flight fail, and it is soon back', async () => {
  const edge = sendSteadily(40, () => create('edge'));
  const stable = sendSteadily(40, () => readVersion(tenants.stable));
  await pause(500);
  const pid = await platform.ringPid('edge');
  const killedAt = performance.now();
  process.kill(pid as number, 'SIGKILL');
  await eventually(async () => expect(await platform.ringPid('edge')).not.toBe(pid));
  expect(await readVersion(tenants.edge)).toMatchObject({ status: 200, ring: 'edge' });
  const backAfterMs = performance.now() - killedAt;
  const sent = await edge();
  expect(statuses(await stable())).toEqual([200]);
  const failed = sent.filter(({ answer }) => answer instanceof Error || answer.status !== 200);
  for (const { at, answer } of failed) {
    expect(answer).toMatchObject({ status: 502, body: { code: 'rings.interrupted' } });
    expect(at).toBeLessThan(killedAt + 100);
  }
  // Alone on the machine it takes one to two seconds.
  expect(backAfterMs).toBeLessThan(10_000);
  expect(platform.output()).toMatch(/the process of the ring edge has ended[\s\S]*SIGKILL/);
}, 60_000);

test('ring:reload replaces the process, and nothing fails', async () => {
  const socket = openSocket(tenants.edge);
  await eventually(() => expect(socket.isOpen).toBe(true));
  const before = await platform.ringPid('edge');
  const stop = sendSteadily(40, () => create('edge'));
  const stopReads = sendSteadily(40, () => readVersion(tenants.edge));
  const outcome = await chowkdProcess(['ring:reload', 'edge'], platform.environment);
  expect(outcome).toMatchObject({ code: 0, err: '' });
  await eventually(() => expect(socket.codes).toEqual([4200]));
  await eventually(() => expect(socket.isOpen).toBe(true));
  expect(await platform.ringPid('edge')).not.toBe(before);
  await pause(1_000);
  expect(statuses([...(await stop()), ...(await stopReads())])).toEqual([200]);
}, 60_000);
