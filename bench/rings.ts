import { once } from 'node:events';
import { readdir, readFile, readlink } from 'node:fs/promises';
import { Agent, createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { figure, median, percentile, printTable } from './figures.ts';
import { load } from './load.ts';
import { cpuSeconds, listChildren, readMemory } from './process-figures.ts';
import { type RingName, RingSocket, ringVersions, writeRingPackages } from './server/rings.ts';
import { onStage, repository, type Stage } from './stage.ts';

/*
 * Three rings with three versions of a module behind a front: what the front costs, whether it buffers, what a ring needs,
 * and assignments under load. `ASSIGNMENTS=20 RATE=100 SOCKETS=50` for a smaller run.
 */

const assignments = Number(process.env.ASSIGNMENTS ?? 100);
const rate = Number(process.env.RATE ?? 500);
const socketCount = Number(process.env.SOCKETS ?? 200);
const megabytes = 200;
const credentials = { email: 'bench@example.com', password: 'correct horse battery' };
const tenants: Record<RingName, string> = { stable: 'acme', edge: 'bold', canary: 'cato' };

interface Rings {
  readonly pid: number;
  readonly port: number;
  readonly pids: Record<string, number>;
  headers(tenant: string): Record<string, string>;
  assign(tenant: string, ring: string): Promise<void>;
}

await onStage(async (stage) => {
  const sink = await startSink(stage);
  const rings = await startRings(stage, sink);
  const { pids } = rings;
  const direct = await listeningPort(pids.stable ?? 0);
  await measureCost(stage, rings, direct);
  await measureStreams(rings);
  await printMemory(rings);
  await measureAssignments(rings);
  await measureRestart(rings);
});

/** A ring of its own that takes and sends long bodies. */
async function startSink(stage: Stage): Promise<number> {
  const server = createServer(async (message, response) => {
    if (message.method === 'GET') return void pipeline(longBody(), response).catch(() => {});
    let bytes = 0;
    for await (const chunk of message) bytes += chunk.length;
    response.end(String(bytes));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  stage.atEnd(async () => server.close());
  return (server.address() as AddressInfo).port;
}

function longBody(): Readable {
  const chunk = Buffer.alloc(65_536, 'x');
  return Readable.from(
    (function* () {
      for (let sent = 0; sent < megabytes * 16; sent += 1) yield chunk;
    })(),
  );
}

async function startRings(stage: Stage, sink: number): Promise<Rings> {
  const folder = await stage.folder();
  const locks = await writeRingPackages(folder);
  const environment = {
    APP_ENV: 'production',
    PORT: '0',
    HOST: '127.0.0.1',
    STORAGE_PATH: join(folder, 'storage'),
    MODULES_PATH: join(folder, 'modules'),
    SPARE_DATABASES: '0',
    RATE_LIMIT_PER_MINUTE: '0',
    LOG_LEVEL: 'error',
    RING_URLS: `sink=http://127.0.0.1:${sink}`,
  };
  const chowkd = (args: readonly string[], extra: Record<string, string> = {}) =>
    stage.start(join(repository, 'chowkd'), args, { ...environment, ...extra });
  const withAll = { MODULE_LOCK_PATH: locks.canary };
  const owner = ['--organization=Acme', '--slug=acme', `--email=${credentials.email}`];
  await chowkd(['install', ...owner, `--password=${credentials.password}`], withAll).output();
  for (const id of ['bold', 'cato']) await chowkd(['tenant:create', id], withAll).output();
  // Keeps the embedded PostgreSQL running while the rings are set up.
  const worker = chowkd(['work'], withAll);
  await worker.firstLine();
  const db = await openCentral(environment.STORAGE_PATH);
  stage.atEnd(() => db.end());
  await db.query("UPDATE module_rings SET manifest_path = $1 WHERE name = 'stable'", [locks.stable]);
  for (const name of ['edge', 'canary', 'sink']) {
    await db.query(
      `INSERT INTO module_rings (name, display_name, manifest_path, k8s_namespace, k8s_service, hostname_segment)
       VALUES ($1, $1, $2, '', '', $1)`,
      [name, locks[name as RingName] ?? ''],
    );
  }
  const assign = async (tenant: string, ring: string) =>
    void (await db.query(
      'UPDATE tenants SET module_ring_id = (SELECT id FROM module_rings WHERE name = $2) WHERE id = $1',
      [tenant, ring],
    ));
  for (const [ring, tenant] of Object.entries(tenants)) {
    await assign(tenant, ring);
    await db.query(
      `INSERT INTO memberships (user_id, tenant_id, permissions) SELECT id, $1, ARRAY['probe.use'] FROM users
       ON CONFLICT (user_id, tenant_id) DO UPDATE SET permissions = excluded.permissions, role_id = NULL`,
      [tenant],
    );
  }
  const front = chowkd(['serve', '--no-build', `--rings=${Object.keys(ringVersions).join(',')}`]);
  const port = Number(/:(\d+) /.exec(await front.firstLine())?.[1]);
  await worker.stop();
  const response = await fetch(`http://127.0.0.1:${port}/api/v1/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(credentials),
  });
  const { access_token } = (await response.json()) as { access_token: string };
  return {
    pid: front.pid,
    port,
    pids: await ringPids(front.pid),
    headers: (tenant) => ({ authorization: `Bearer ${access_token}`, 'x-tenant': tenant }),
    assign,
  };
}

async function openCentral(storagePath: string): Promise<pg.Client> {
  const [, , , port] = (await readFile(join(storagePath, 'postgres/data/postmaster.pid'), 'utf8')).split('\n');
  const password = (await readFile(join(storagePath, 'postgres/password'), 'utf8')).trim();
  const client = new pg.Client({ host: '127.0.0.1', port: Number(port), user: 'chowk', password, database: 'chowk' });
  await client.connect();
  client.on('error', () => {});
  return client;
}

async function ringPids(front: number): Promise<Record<string, number>> {
  const found: Record<string, number> = {};
  for (const pid of await listChildren(front)) {
    const environment = await readFile(`/proc/${pid}/environ`, 'utf8').catch(() => '');
    const ring = /(?:^|\0)RING_NAME=([^\0]+)/.exec(environment)?.[1];
    if (ring) found[ring] = pid;
  }
  return found;
}

/** The port on which a process listens. */
async function listeningPort(pid: number): Promise<number> {
  const descriptors = await readdir(`/proc/${pid}/fd`);
  const targets = await Promise.all(descriptors.map((name) => readlink(`/proc/${pid}/fd/${name}`).catch(() => '')));
  const inodes = new Set(targets.flatMap((target) => /^socket:\[(\d+)\]$/.exec(target)?.[1] ?? []));
  for (const line of (await readFile('/proc/net/tcp', 'utf8')).split('\n').slice(1)) {
    const [, local = '', , state, , , , , , inode = ''] = line.trim().split(/\s+/);
    if (state === '0A' && inodes.has(inode)) return Number.parseInt(local.split(':')[1] ?? '', 16);
  }
  throw new Error(`process ${pid} does not listen`);
}

interface Answer {
  readonly version: string;
  readonly sentAt: number;
  readonly ms: number;
}

async function ask(agent: Agent, port: number, headers: Record<string, string>): Promise<Answer> {
  const sentAt = performance.now();
  const sent = request({ agent, port, host: '127.0.0.1', path: '/api/v1/probe/version', headers }).end();
  const [response] = await once(sent, 'response');
  let text = '';
  for await (const chunk of response) text += chunk;
  if (response.statusCode !== 200) throw new Error(`status ${response.statusCode}: ${text}`);
  return { version: JSON.parse(text).version, sentAt, ms: performance.now() - sentAt };
}

/** Sends requests at the rate, however long their answers take. Returns a function that stops and waits for the last answers. */
function sendSteadily(send: (count: number) => Promise<void>): () => Promise<void> {
  const pending = new Set<Promise<void>>();
  const startedAt = performance.now();
  let count = 0;
  const timer = setInterval(() => {
    for (; count < ((performance.now() - startedAt) / 1_000) * rate; count += 1) {
      const one: Promise<void> = send(count).finally(() => pending.delete(one));
      pending.add(one);
    }
  }, 2);
  return async () => {
    clearInterval(timer);
    await Promise.all(pending);
  };
}

async function measureCost(stage: Stage, { port, pid, headers }: Rings, direct: number): Promise<void> {
  const agent = new Agent({ keepAlive: true });
  const times = { direct: [] as number[], front: [] as number[] };
  for (let count = 0; count < 6_000; count += 1) {
    const [a, b] = [await ask(agent, direct, headers('acme')), await ask(agent, port, headers('acme'))];
    if (count >= 2_000) {
      times.direct.push(a.ms);
      times.front.push(b.ms);
    }
  }
  agent.destroy();
  const perSecond = { direct: [] as number[], front: [] as number[] };
  let requests = 0;
  const cpuBefore = await cpuSeconds(pid);
  for (let round = 0; round < 3; round += 1) {
    for (const [side, target] of [
      ['direct', direct],
      ['front', port],
    ] as const) {
      const url = `http://127.0.0.1:${target}/api/v1/probe/version`;
      const result = await load(stage, { url, headers: headers('acme'), connections: 16, amount: { seconds: 3 } });
      perSecond[side].push(result.perSecond);
      if (side === 'front') requests += result.requests;
    }
  }
  const cpu = ((await cpuSeconds(pid)) - cpuBefore) / requests;
  const added = median(times.front) - median(times.direct);
  printTable(
    'A request without a query, without and with the front',
    ['', 'median', 'p99', 'requests/s'],
    [
      ...(['direct', 'front'] as const).map((side) => [
        side,
        figure(median(times[side]), 'ms'),
        figure(percentile(times[side], 99), 'ms'),
        figure(median(perSecond[side])),
      ]),
      ['added', figure(added, 'ms'), '', `${figure(cpu * 1e6, 'µs')} CPU of the front`],
    ],
  );
}

async function measureStreams({ port, pid, headers, assign }: Rings): Promise<void> {
  await assign('cato', 'sink');
  await delay(500);
  const before = (await readMemory(pid)).rss;
  let most = before;
  const timer = setInterval(async () => {
    most = Math.max(most, (await readMemory(pid)).rss);
  }, 50);
  const upload = request({ port, host: '127.0.0.1', method: 'POST', path: '/x', headers: headers('cato') });
  await pipeline(longBody(), upload, { end: true });
  const [received] = await once(upload, 'response');
  let text = '';
  for await (const chunk of received) text += chunk;
  const download = request({ port, host: '127.0.0.1', path: '/x', headers: headers('cato') }).end();
  const [response] = await once(download, 'response');
  let bytes = 0;
  for await (const chunk of response) {
    bytes += chunk.length;
    // A client that is slower than the ring.
    if (bytes % (32 * 1_048_576) < chunk.length) await delay(100);
  }
  clearInterval(timer);
  if (Number(text) !== megabytes * 1_048_576 || bytes !== Number(text)) throw new Error(`${text} up, ${bytes} down`);
  await assign('cato', 'canary');
  printTable(
    `${megabytes} MB up and ${megabytes} MB down, to a slow client`,
    ['memory of the front', 'MB'],
    [
      ['before', figure(before)],
      ['most', figure(most)],
    ],
  );
}

async function printMemory({ pid, pids }: Rings): Promise<void> {
  const rows = await Promise.all(
    Object.entries({ front: pid, ...pids }).map(async ([name, process]) => {
      const { rss, pss, own } = await readMemory(process);
      return [name, figure(rss), figure(pss), figure(own)];
    }),
  );
  printTable('Memory in MB', ['process', 'resident', 'proportional', 'private'], rows);
}

async function measureAssignments({ port, headers, assign }: Rings): Promise<void> {
  const { key } = (await (
    await fetch(`http://127.0.0.1:${port}/api/v1/realtime/config`, { headers: headers('bold') })
  ).json()) as {
    key: string;
  };
  const sockets = Array.from({ length: socketCount }, () => new RingSocket(port, key, 'bold.localhost'));
  while (!sockets.every(({ isOpen }) => isOpen)) await delay(50);
  for (const socket of sockets) socket.longestGapMs = 0;
  const agent = new Agent({ keepAlive: true });
  const answers: Answer[] = [];
  const failures: string[] = [];
  const startedAt = performance.now();
  const stop = sendSteadily(async () => {
    await ask(agent, port, headers('bold')).then(
      (answer) => void answers.push(answer),
      (error: Error) => void failures.push(error.message),
    );
  });
  const switches: Switch[] = [{ ring: 'edge', beganAt: 0, endedAt: 0 }];
  for (let index = 0; index < assignments; index += 1) {
    const [ring, beganAt] = [index % 2 === 0 ? 'stable' : 'edge', performance.now()] as const;
    await assign('bold', ring);
    switches.push({ ring, beganAt, endedAt: performance.now() });
    await delay(500);
  }
  const seconds = (performance.now() - startedAt) / 1_000;
  await stop();
  await assign('bold', 'edge');
  const deadline = performance.now() + 10_000;
  while (!sockets.every(({ isOpen }) => isOpen) && performance.now() < deadline) await delay(20);
  const gap = Math.max(...sockets.map(({ longestGapMs }) => longestGapMs));
  const away = sockets.filter(({ isOpen }) => !isOpen).length;
  const otherCodes = sockets.flatMap(({ codes }) => codes).filter((code) => code !== 4200).length;
  for (const socket of sockets) socket.end();
  agent.destroy();
  const times = answers.map(({ ms }) => ms);
  const late = answers.flatMap((answer) => lateness(answer, switches));
  printTable(
    `${assignments} assignments, ${rate} requests/s asked for, ${socketCount} sockets`,
    ['', ''],
    [
      ['requests/s', figure(times.length / seconds)],
      ['failed', String(failures.length)],
      ['median', figure(median(times), 'ms')],
      ['p99', figure(percentile(times, 99), 'ms')],
      ['answered by the version before, though sent after the assignment', String(late.length)],
      ['the last of these was sent after', figure(Math.max(0, ...late), 'ms')],
      ['longest without a socket', figure(gap, 'ms')],
      ['sockets away', String(away)],
      ['sockets closed otherwise', String(otherCodes)],
    ],
  );
  if (failures.length > 0 || away > 0) throw new Error(`failed: ${[...new Set(failures)].join(', ')}`);
}

/** An assignment, from before it was sent to after it was committed. */
interface Switch {
  readonly ring: RingName;
  readonly beganAt: number;
  readonly endedAt: number;
}

/** How long after an assignment a request was sent that the ring before answered; nothing if it was the right ring. */
function lateness({ version, sentAt, ms }: Answer, switches: readonly Switch[]): number[] {
  const last = switches.findLast(({ endedAt }) => endedAt <= sentAt) as Switch;
  const possible = switches.filter(({ beganAt, endedAt }) => endedAt > sentAt && beganAt < sentAt + ms);
  return [last, ...possible].some(({ ring }) => ringVersions[ring] === version) ? [] : [sentAt - last.endedAt];
}

/** Requests to two rings, one of which is killed. */
async function measureRestart({ port, pid, pids, headers }: Rings): Promise<void> {
  const agent = new Agent({ keepAlive: true });
  const outcomes: { tenant: string; sentAt: number; endedAt: number; error: string | undefined }[] = [];
  const stop = sendSteadily(async (count) => {
    const [tenant, sentAt] = [count % 2 === 0 ? 'bold' : 'acme', performance.now()];
    const error = await ask(agent, port, headers(tenant)).then(
      () => undefined,
      ({ message }: Error) => message,
    );
    outcomes.push({ tenant, sentAt, endedAt: performance.now(), error });
  });
  await delay(3_000);
  process.kill(pids.edge ?? 0, 'SIGKILL');
  const killedAt = performance.now();
  await delay(7_000);
  await stop();
  agent.destroy();
  const isInFlight = ({ sentAt, endedAt }: (typeof outcomes)[number]) => sentAt < killedAt && endedAt > killedAt;
  const [killed, other] = ['bold', 'acme'].map((tenant) => outcomes.filter((one) => one.tenant === tenant));
  const failed = (killed ?? []).filter(({ error }) => error !== undefined);
  const back = (killed ?? []).filter(({ sentAt, error }) => sentAt > killedAt && error === undefined);
  printTable(
    `kill -9 of a ring under ${rate} requests/s, half of them to it`,
    ['', ''],
    [
      ['back after', figure(Math.min(...back.map(({ endedAt }) => endedAt)) - killedAt, 'ms')],
      ['new process', String((await ringPids(pid)).edge !== pids.edge)],
      ['requests to it in flight', String((killed ?? []).filter(isInFlight).length)],
      ['failed of these', String(failed.filter(isInFlight).length)],
      ['failed later', String(failed.filter((one) => !isInFlight(one)).length)],
      ['failed to the other ring', String((other ?? []).filter(({ error }) => error !== undefined).length)],
      ['errors', [...new Set(failed.map(({ error }) => error?.slice(0, 120)))].join('; ')],
    ],
  );
}
