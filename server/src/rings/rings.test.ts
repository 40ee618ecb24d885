import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { createClient } from 'graphql-ws';
import { expect, onTestFinished, test, vi } from 'vitest';
import WebSocket from 'ws';
import { chowkd } from '../../testing/chowkd.ts';
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
/** Waits for no table of the module. */
const readRing = (tenant: string) => platform.get(tenant, '/api/v1/modules');
const runs = (tenant: string) =>
  platform.query(tenant, 'SELECT kind, version, count(*)::int AS n FROM probe_runs GROUP BY 1, 2 ORDER BY 1');

interface Sent {
  readonly client: number;
  readonly at: number;
  readonly answer: RingResponse | Error;
}

/** Sends requests without a pause from some clients until `stop`. Returns their responses. */
function sendRepeatedly(clients: number, send: () => Promise<RingResponse>) {
  const sent: Sent[] = [];
  let isStopped = false;
  onTestFinished(() => {
    isStopped = true;
  });
  const work = async (client: number) => {
    while (!isStopped) {
      const at = performance.now();
      const answer = await send().catch((error: Error) => error);
      sent.push({ client, at, answer });
    }
  };
  const done = Promise.all(Array.from({ length: clients }, (_, client) => work(client)));
  return {
    sent,
    stop: async () => {
      isStopped = true;
      await done;
      return sent;
    },
  };
}

function outcome({ answer }: Sent): string | number {
  return answer instanceof Error ? String(answer.cause ?? answer) : (answer.body.code ?? answer.status);
}

const outcomes = (sent: readonly Sent[]) => [...new Set(sent.map(outcome))];

/** A process of a ring starts in two seconds, but not while others need the machine. */
const soon = <Result>(check: () => Result | Promise<Result>) => vi.waitFor(check, { timeout: 90_000, interval: 20 });
const minutes = 60_000;

test('each ring serves its version over REST: a field more, an operation changed, an operation more', async () => {
  for (const ring of rings) {
    expect(await readVersion(tenants[ring])).toMatchObject({
      status: 200,
      ring,
      body: { version: ringVersions[ring] },
    });
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
    expect((await query(ring, 'version')).body.data).toEqual({ probeVersion: { version: ringVersions[ring] } });
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
  const writes = sendRepeatedly(1, () => create('edge'));
  expect((await first).value).toEqual({ data: { probeCreated: { version: '2.0.0', entry: { color: 'none' } } } });
  expect(outcomes(await writes.stop())).toEqual([200]);
});

test('the health of a ring is found at its host', async () => {
  const ringAt = async (host: string) => {
    const sent = request({ port, host: '127.0.0.1', path: '/api/health', headers: { host } }).end();
    const [response] = await once(sent, 'response');
    let text = '';
    for await (const chunk of response) text += chunk;
    return JSON.parse(text).ring.name;
  };
  for (const ring of rings) expect(await ringAt(`${tenants.stable}.${ring}.localhost`)).toBe(ring);
  expect(await ringAt('localhost')).toBe('stable');
});

test(
  'assignments under load fail no request, lose no work, and every socket is back',
  async () => {
    const moving = tenants.edge;
    const sockets = Array.from({ length: 20 }, () => openSocket(moving));
    const areOpen = () => expect(sockets.every(({ isOpen }) => isOpen)).toBe(true);
    await soon(areOpen);
    const reads = sendRepeatedly(4, () => readVersion(moving));
    const writes = sendRepeatedly(2, () => create('edge', moving));
    const others = [tenants.stable, tenants.canary].map((tenant) => sendRepeatedly(1, () => readVersion(tenant)));
    for (let index = 0; index < 10; index += 1) {
      await platform.assign(moving, index % 2 === 0 ? 'stable' : 'edge');
      await soon(() => expect(Math.min(...sockets.map(({ codes }) => codes.length))).toBeGreaterThan(index));
      await soon(areOpen);
      // What a socket gets now comes from the new ring.
      const ring = index % 2 === 0 ? 'stable' : 'edge';
      const before = sockets.map(({ events }) => events.length);
      await create('edge', moving);
      await soon(() =>
        sockets.forEach(({ events }, at) => {
          expect(events.slice(before[at]).map(({ data }) => data.version)).toContain(ringVersions[ring]);
        }),
      );
    }
    const sent = (await Promise.all([reads, writes].map(({ stop }) => stop()))).flat();
    const sentToOthers = (await Promise.all(others.map(({ stop }) => stop()))).flat();
    expect(outcomes([...sent, ...sentToOthers])).toEqual([200]);
    const answers = sent.map(({ answer }) => answer as RingResponse);
    for (const { body, ring } of answers) expect(body.version).toBe(ringVersions[ring as RingName]);
    expect(new Set(answers.map(({ ring }) => ring))).toEqual(new Set(['stable', 'edge']));
    for (const { codes } of sockets) expect(new Set(codes)).toEqual(new Set([4200]));
    // Each entry had its job and its delivery, of a version that the tenant has had. Both happen at least once.
    await soon(async () => {
      const rows = await platform.query(
        moving,
        `SELECT count(*)::int AS entries, coalesce(bool_or(missing), false) AS missing, coalesce(bool_or(wrong), false) AS wrong
       FROM (SELECT count(DISTINCT kind) < 2 AS missing, bool_or(version = '3.0.0') AS wrong
         FROM probe_entries e LEFT JOIN probe_runs r ON r.entry = e.id GROUP BY e.id) s`,
      );
      expect(rows).toEqual([{ entries: expect.any(Number), missing: false, wrong: false }]);
      expect(rows[0].entries).toBeGreaterThanOrEqual(writes.sent.length);
    });
  },
  5 * minutes,
);

test(
  'a request in progress finishes on the ring that began it',
  async () => {
    const moving = tenants.edge;
    const lock = await platform.lockTable(moving, 'probe_entries');
    const slow = create('edge', moving);
    await soon(lock.isAwaited);
    await platform.assign(moving, 'stable');
    await soon(async () => expect((await readRing(moving)).ring).toBe('stable'));
    await lock.release();
    expect(await slow).toMatchObject({ status: 200, ring: 'edge', body: { version: '2.0.0' } });
    await platform.assign(moving, 'edge');
    await soon(async () => expect((await readRing(moving)).ring).toBe('edge'));
  },
  5 * minutes,
);

test(
  'after kill -9 of a ring under load, only its requests in flight fail, and it comes back',
  async () => {
    const writes = sendRepeatedly(4, () => create('edge'));
    const others = sendRepeatedly(2, () => readVersion(tenants.stable));
    await soon(() => expect(writes.sent.length).toBeGreaterThan(20));
    const pid = (await platform.ringPid('edge')) as number;
    process.kill(pid, 'SIGKILL');
    await soon(async () => expect(await readVersion(tenants.edge)).toMatchObject({ status: 200, ring: 'edge' }));
    const backAt = performance.now();
    expect(await platform.ringPid('edge')).not.toBe(pid);
    const count = writes.sent.length;
    await soon(() => expect(writes.sent.length).toBeGreaterThan(count + 20));
    expect(outcomes(await others.stop())).toEqual([200]);
    const failed = (await writes.stop()).filter((one) => outcome(one) !== 200);
    // Nothing that was sent after the ring is back fails, and of what was sent before, only what was in flight at the kill.
    expect(failed.filter(({ at }) => at > backAt)).toEqual([]);
    // Others wait for the ring, but not for ever.
    const interrupted = failed.filter((one) => outcome(one) !== 'rings.unreachable');
    expect(interrupted.length).toBeLessThanOrEqual(4);
    for (const one of interrupted) {
      expect(outcome(one)).toBe('rings.interrupted');
      // Each client waits for its response, so at most one of its requests was in flight.
      expect(interrupted.filter(({ client }) => client === one.client)).toHaveLength(1);
    }
    expect(platform.output()).toMatch(/the process of the ring edge has ended[\s\S]*SIGKILL/);
  },
  5 * minutes,
);

test(
  'ring:reload replaces the process, and nothing fails',
  async () => {
    const socket = openSocket(tenants.edge);
    await soon(() => expect(socket.isOpen).toBe(true));
    const before = await platform.ringPid('edge');
    const writes = sendRepeatedly(2, () => create('edge'));
    const reads = sendRepeatedly(1, () => readVersion(tenants.edge));
    const reloaded = await chowkd(['ring:reload', 'edge'], platform.environment);
    // The command has waited until the new process serves.
    expect(await platform.ringPid('edge')).not.toBe(before);
    expect(reloaded).toMatchObject({
      code: 0,
      err: expect.stringContaining('starting a new process of the ring edge'),
    });
    expect(reloaded.out).toMatch(/^The ring edge runs a new process behind \S+:\d+\.\n$/);
    await soon(() => expect(socket.codes).toContain(4200));
    await soon(() => expect(socket.isOpen).toBe(true));
    const after = writes.sent.length;
    await soon(() => expect(writes.sent.length).toBeGreaterThan(after + 20));
    expect(outcomes([...(await writes.stop()), ...(await reads.stop())])).toEqual([200]);
  },
  5 * minutes,
);

test(
  'ring:reload with a lock file that cannot be used fails, and the earlier process goes on',
  async () => {
    const before = await platform.ringPid('edge');
    const lock = await readFile(platform.locks.edge, 'utf8');
    const restore = () => writeFile(platform.locks.edge, lock);
    onTestFinished(restore);
    const reads = sendRepeatedly(1, () => readVersion(tenants.edge));
    await writeFile(platform.locks.edge, lock.replace('"2.0.0"', '"2.0.9"'));
    const failed = await chowkd(['ring:reload', 'edge'], platform.environment);
    expect(failed).toMatchObject({ code: 1, out: '' });
    expect(failed.err).toMatch(
      /^chowkd: the new process did not start, and the earlier one goes on; see the log of \S+:\d+$/m,
    );
    expect(platform.output()).toMatch(/probe 2\.0\.9[\s\S]*the earlier process of the ring edge goes on/);
    expect(await platform.ringPid('edge')).toBe(before);
    await restore();
    expect(await chowkd(['ring:reload', 'edge'], platform.environment)).toMatchObject({ code: 0 });
    expect(await platform.ringPid('edge')).not.toBe(before);
    expect(outcomes(await reads.stop())).toEqual([200]);
  },
  5 * minutes,
);
