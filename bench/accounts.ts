import { setTimeout as delay } from 'node:timers/promises';
import { figure, median, percentile, printTable } from './figures.ts';
import { load } from './load.ts';
import { type Platform, startPlatform } from './platform.ts';
import { onStage, type Stage } from './stage.ts';

/* What does authentication cost, and do many simultaneous sign-ins slow down other requests? */

const tenant = 'bench';
const pairs = 3;
const rounds = 3;
const seconds = 2;
const connections = 16;
const warmUpRequests = 15_000;
const perSecond = 100;
const secondsPerPhase = 10;
const signInClients = 16;

await onStage(async (stage) => {
  const ratios: number[] = [];
  const speeds: [me: number, nothing: number][] = [];
  for (let pair = 0; pair < pairs; pair += 1) {
    const platform = await start(stage);
    for (const path of ['/api/v1/auth/me', '/api/v1/bench/nothing'])
      await measureLoad(stage, platform, path, { requests: warmUpRequests });
    for (let round = 0; round < rounds; round += 1) {
      const me = await measureLoad(stage, platform, '/api/v1/auth/me', { seconds });
      const nothing = await measureLoad(stage, platform, '/api/v1/bench/nothing', { seconds });
      speeds.push([me, nothing]);
      ratios.push(me / nothing);
    }
    await platform.stop();
  }
  printTable(
    `GET /auth/me: ${connections} clients, ${pairs} processes, ${rounds} rounds of ${seconds} s each, alternating, medians`,
    ['', 'GET /auth/me', 'the pipeline alone', 'ratio', 'range', 'target'],
    [
      [
        'with a real token',
        figure(median(speeds.map(([me]) => me)), '/s'),
        figure(median(speeds.map(([, nothing]) => nothing)), '/s'),
        median(ratios).toFixed(2),
        `${Math.min(...ratios).toFixed(2)} – ${Math.max(...ratios).toFixed(2)}`,
        '≥ 0.8',
      ],
    ],
  );
  await measureSignIns(stage);
});

async function start(stage: Stage): Promise<Platform> {
  const storagePath = await stage.folder();
  const environment = { SPARE_DATABASES: '0', LOGIN_FAILURES_PER_MINUTE: '10000' };
  const platform = await startPlatform(stage, { storagePath, environment });
  await platform.post('/api/v1/bench/tenants', { id: tenant });
  return platform;
}

async function measureLoad(
  stage: Stage,
  platform: Platform,
  path: string,
  amount: { seconds: number } | { requests: number },
): Promise<number> {
  const url = `http://127.0.0.1:${platform.port}${path}`;
  return (await load(stage, { url, headers: platform.headers(tenant), connections, amount })).perSecond;
}

/** Sends the same requests at the same rate, alternately without and with simultaneous sign-ins. */
async function measureSignIns(stage: Stage): Promise<void> {
  const platform = await start(stage);
  await platform.post('/api/v1/bench/items', { rows: 10_000 }, platform.headers(tenant));
  await requestItems(platform, 3);
  const [quiet, busy]: [number[], number[]] = [[], []];
  let signIns = 0;
  for (let round = 0; round < 2; round += 1) {
    quiet.push(...(await requestItems(platform, secondsPerPhase)));
    const end = new AbortController();
    const clients = Array.from({ length: signInClients }, () => signInUntil(platform, end.signal));
    busy.push(...(await requestItems(platform, secondsPerPhase)));
    end.abort();
    for (const count of await Promise.all(clients)) signIns += count;
  }
  const cells = (times: readonly number[]) => [50, 99].map((percent) => figure(percentile(times, percent), 'ms'));
  printTable(
    `One row by id, ${perSecond} a second, while ${signInClients} clients sign in without pause (bcrypt, cost 12)`,
    ['', 'p50', 'p99', 'sign-ins a second'],
    [
      ['no sign-ins', ...cells(quiet), ''],
      ['with sign-ins', ...cells(busy), figure(signIns / secondsPerPhase / 2)],
    ],
  );
}

async function requestItems({ port, headers }: Platform, forSeconds: number): Promise<number[]> {
  const url = `http://127.0.0.1:${port}/api/v1/bench/items/5000`;
  const durations: Promise<number>[] = [];
  const startedAt = performance.now();
  for (let index = 0; index < perSecond * forSeconds; index += 1) {
    await delay(Math.max(0, startedAt + (index * 1_000) / perSecond - performance.now()));
    durations.push(timeRequest(url, headers(tenant)));
  }
  return Promise.all(durations);
}

async function timeRequest(url: string, headers: Record<string, string>): Promise<number> {
  const startedAt = performance.now();
  const response = await fetch(url, { headers });
  await response.arrayBuffer();
  if (response.status !== 200) throw new Error(`${url}: ${response.status}`);
  return performance.now() - startedAt;
}

/** Signs in until aborted; returns the number of sign-ins. */
async function signInUntil({ port, credentials }: Platform, end: AbortSignal): Promise<number> {
  let count = 0;
  while (!end.aborted) {
    const response = await fetch(`http://127.0.0.1:${port}/api/v1/auth/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(credentials),
    });
    if (response.status !== 200) throw new Error(`sign-in failed: ${response.status} ${await response.text()}`);
    await response.arrayBuffer();
    count += 1;
  }
  return count;
}
