import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { BareRequest } from './bare-ws.ts';
import { figure, median, percentile, printTable } from './figures.ts';
import { startPlatform } from './platform.ts';
import { cpuSeconds } from './process-figures.ts';
import type { ClientRequest, Target } from './realtime-clients.ts';
import { node, onStage, repository, type Stage } from './stage.ts';

/*
 * What does a socket cost in memory, and how long do events and notifications take to their clients? Compared with a server
 * that only sends, on the same library. Needs `ulimit -n` above the number of sockets.
 */

const idleSockets = Number(process.env.SOCKETS ?? 10_000);
const warmUpSockets = 1_000;
const rounds = 5;
const seconds = 5;
const broadcasts = { sockets: 2_000, perSecond: 1_000 };
const notifications = { sockets: 1, perSecond: 200 };

interface Side {
  readonly name: string;
  readonly pid: number;
  /** The subscription of the sockets: one private channel, or a public one for each. */
  target(kind: 'private' | 'public'): Omit<Target, 'sockets'>;
  memory(): Promise<NodeJS.MemoryUsage>;
  broadcast(events: number, perSecond: number): Promise<unknown>;
  notify(events: number, perSecond: number): Promise<unknown>;
}

await onStage(async (stage) => {
  const sides = [await startOurs(stage), await startBare(stage)];
  const memory: string[][] = [];
  for (const side of sides) memory.push(await measureMemory(stage, side));
  printTable(
    `${idleSockets.toLocaleString('en')} idle sockets with a private channel, growth per socket`,
    ['', 'heap and buffers after garbage collection', 'resident', 'target'],
    memory,
  );
  await compareDelays(stage, sides, {
    title: 'Events, each to one of the sockets',
    kind: 'public',
    load: broadcasts,
    target: '',
    send: (side, ...amount) => side.broadcast(...amount),
  });
  await compareDelays(stage, sides, {
    title: 'Notifications: stored, queued and sent',
    kind: 'private',
    load: notifications,
    target: 'p99 < 150 ms',
    send: (side, ...amount) => side.notify(...amount),
  });
});

async function startOurs(stage: Stage): Promise<Side> {
  const platform = await startPlatform(stage, {
    storagePath: await stage.folder(),
    flags: ['--expose-gc'],
    environment: { SOCKETS_PER_NETWORK: '100000' },
  });
  const { port, pid } = platform;
  await platform.post('/api/v1/bench/tenants', { id: 'bench' });
  const headers = platform.headers('bench');
  const user = await platform.get<{ id: number }>('/api/v1/auth/me', headers);
  const { key } = await platform.get<{ key: string }>('/api/v1/realtime/config', headers);
  const auth = { url: `http://127.0.0.1:${port}/broadcasting/auth`, headers };
  const channels = { private: { name: `private-user.${user.id}`, auth }, public: { name: 'bench.', isNumbered: true } };
  return {
    name: 'Chowk',
    pid,
    target: (kind) => ({
      url: `ws://127.0.0.1:${port}/app/${key}?protocol=7`,
      headers: { host: 'bench.localhost' },
      channel: channels[kind],
    }),
    memory: () => platform.get('/api/v1/bench/memory'),
    broadcast: (events, perSecond) =>
      platform.post('/api/v1/bench/broadcasts', { events, perSecond, channels: broadcasts.sockets }, headers),
    notify: (events, perSecond) => platform.post('/api/v1/bench/notifications', { events, perSecond }, headers),
  };
}

async function startBare(stage: Stage): Promise<Side> {
  const { ask, pid, first } = await startChild<BareRequest>(stage, 'bare-ws.ts');
  const send = (events: number, perSecond: number) => ask({ events, perSecond });
  return {
    name: 'only ws',
    pid,
    broadcast: send,
    notify: send,
    target: () => ({ url: `ws://127.0.0.1:${first}` }),
    memory: () => ask<NodeJS.MemoryUsage>({ memory: true }),
  };
}

/** A process of the benchmark. `ask` resolves with its next message; `first` is the one that it sends by itself. */
async function startChild<Request extends object>(stage: Stage, file: string, isSilent = false) {
  const options = { execPath: node, execArgv: ['--expose-gc'] };
  const child = fork(join(repository, 'bench', file), options);
  const exited = once(child, 'exit');
  const stop = async () => {
    child.kill();
    await exited;
  };
  stage.atEnd(stop);
  const next = async (): Promise<unknown> => {
    const [message] = await Promise.race([once(child, 'message'), exited.then(() => [undefined])]);
    if (message === undefined) throw new Error(`${file} has ended`);
    return message;
  };
  const first = isSilent ? undefined : await next();
  return {
    pid: child.pid ?? 0,
    first,
    stop,
    ask<Response>(request: Request): Promise<Response> {
      const response = next();
      child.send(request);
      return response as Promise<Response>;
    },
  };
}

async function openSockets(stage: Stage, target: Target) {
  const clients = await startChild<ClientRequest>(stage, 'realtime-clients.ts', true);
  await clients.ask({ open: target });
  return clients;
}

async function measureMemory(stage: Stage, side: Side): Promise<string[]> {
  // Opened and closed first, so that compiled code does not count as growth.
  await (await openSockets(stage, { ...side.target('private'), sockets: warmUpSockets })).stop();
  const before = await settledMemory(side);
  const clients = await openSockets(stage, { ...side.target('private'), sockets: idleSockets });
  const after = await settledMemory(side);
  await clients.stop();
  await settledMemory(side);
  const kilobytes = (of: (memory: NodeJS.MemoryUsage) => number) => (of(after) - of(before)) / 1_024 / idleSockets;
  return [
    side.name,
    figure(
      kilobytes(({ heapUsed, external }) => heapUsed + external),
      'KB',
    ),
    figure(
      kilobytes(({ rss }) => rss),
      'KB',
    ),
    side.name === 'Chowk' ? '≤ 15 KB' : '',
  ];
}

/** When closed sockets and finished requests have been cleaned up. */
async function settledMemory(side: Side): Promise<NodeJS.MemoryUsage> {
  await delay(2_000);
  return side.memory();
}

interface Comparison {
  readonly title: string;
  readonly kind: 'private' | 'public';
  readonly load: { readonly sockets: number; readonly perSecond: number };
  readonly target: string;
  send(side: Side, events: number, perSecond: number): Promise<unknown>;
}

async function compareDelays(stage: Stage, sides: readonly Side[], comparison: Comparison): Promise<void> {
  const { title, kind, load, target, send } = comparison;
  const { sockets, perSecond } = load;
  const clients = [];
  for (const side of sides) clients.push(await openSockets(stage, { ...side.target(kind), sockets }));
  const measured = sides.map(() => ({ p50: [] as number[], p99: [] as number[], cpu: [] as number[] }));
  const events = perSecond * seconds;
  // The first round warms up.
  for (let round = 0; round <= rounds; round += 1) {
    for (const [index, side] of sides.entries()) {
      const cpuBefore = await cpuSeconds(side.pid);
      const collected = clients[index]?.ask<number[]>({ collect: events });
      await send(side, events, perSecond);
      const delays = (await collected) ?? [];
      if (round === 0) continue;
      measured[index]?.p50.push(percentile(delays, 50));
      measured[index]?.p99.push(percentile(delays, 99));
      measured[index]?.cpu.push((((await cpuSeconds(side.pid)) - cpuBefore) * 1e6) / events);
    }
  }
  for (const { stop } of clients) await stop();
  printTable(
    `${title}: ${perSecond} a second, ${sockets} sockets, from sending to the client, medians of ${rounds} rounds of ${seconds} s`,
    ['', 'p50', 'p99', 'CPU', 'target'],
    measured.map(({ p50, p99, cpu }, index) => [
      sides[index]?.name ?? '',
      figure(median(p50), 'ms'),
      figure(median(p99), 'ms'),
      figure(median(cpu), 'µs'),
      index === 0 ? target : '',
    ]),
  );
}
