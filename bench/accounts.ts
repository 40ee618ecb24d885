import { setTimeout as pause } from 'node:timers/promises';
import { figure, median, percentile, printTable } from './figures.ts';
import { load } from './load.ts';
import { type Platform, startPlatform } from './platform.ts';
import { onStage, type Stage } from './stage.ts';

/* What does it cost to know who calls? And does a storm of sign-ins harm anyone else? */

const tenant = 'bench';
const pairs = 3;
const rounds = 3;
const seconds = 2;
const connections = 16;
const warmUp = 15_000;
const perSecond = 100;
const stormSeconds = 10;
const storming = 16;

await onStage(async (stage) => {
  const ratios: number[] = [];
  const speeds: [me: number, nothing: number][] = [];
  for (let pair = 0; pair < pairs; pair += 1) {
    const platform = await start(stage);
    for (const path of ['/api/v1/auth/me', '/api/v1/bench/nothing'])
      await press(stage, platform, path, { requests: warmUp });
    for (let round = 0; round < rounds; round += 1) {
      const me = await press(stage, platform, '/api/v1/auth/me', { seconds });
      const nothing = await press(stage, platform, '/api/v1/bench/nothing', { seconds });
      speeds.push([me, nothing]);
      ratios.push(me / nothing);
    }
    await platform.stop();
  }
  printTable(
    `Who am I: ${connections} clients, ${pairs} processes, ${rounds} rounds of ${seconds} s in turn, medians`,
    ['', 'GET /auth/me', 'the pipeline alone', 'ratio', 'of the rounds', 'aim'],
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
  await storm(stage);
});

async function start(stage: Stage): Promise<Platform> {
  const storagePath = await stage.folder();
  const environment = { SPARE_DATABASES: '0', LOGIN_FAILURES_PER_MINUTE: '10000' };
  const platform = await startPlatform(stage, { storagePath, environment });
  await platform.post('/api/v1/bench/tenants', { id: tenant });
  return platform;
}

async function press(
  stage: Stage,
  platform: Platform,
  path: string,
  amount: { seconds: number } | { requests: number },
): Promise<number> {
  const url = `http://127.0.0.1:${platform.port}${path}`;
  return (await load(stage, { url, headers: platform.headers(tenant), connections, amount })).perSecond;
}

/** The same requests at the same pace, without and with many who sign in at once, in turn. */
async function storm(stage: Stage): Promise<void> {
  const platform = await start(stage);
  await platform.post('/api/v1/bench/items', { rows: 10_000 }, platform.headers(tenant));
  await visit(platform, 3);
  const [quiet, stormy]: [number[], number[]] = [[], []];
  let signIns = 0;
  for (let round = 0; round < 2; round += 1) {
    quiet.push(...(await visit(platform, stormSeconds)));
    const over = new AbortController();
    const crowd = Array.from({ length: storming }, () => signInUntil(platform, over.signal));
    stormy.push(...(await visit(platform, stormSeconds)));
    over.abort();
    for (const count of await Promise.all(crowd)) signIns += count;
  }
  const cells = (times: readonly number[]) => [50, 99].map((percent) => figure(percentile(times, percent), 'ms'));
  printTable(
    `One row by id, ${perSecond} a second, while ${storming} clients sign in as fast as they can (bcrypt, cost 12)`,
    ['', 'p50', 'p99', 'sign-ins a second'],
    [
      ['quiet', ...cells(quiet), ''],
      ['in the storm', ...cells(stormy), figure(signIns / stormSeconds / 2)],
    ],
  );
}

async function visit({ port, headers }: Platform, forSeconds: number): Promise<number[]> {
  const url = `http://127.0.0.1:${port}/api/v1/bench/items/5000`;
  const visits: Promise<number>[] = [];
  const began = performance.now();
  for (let index = 0; index < perSecond * forSeconds; index += 1) {
    await pause(Math.max(0, began + (index * 1_000) / perSecond - performance.now()));
    visits.push(timed(url, headers(tenant)));
  }
  return Promise.all(visits);
}

async function timed(url: string, headers: Record<string, string>): Promise<number> {
  const began = performance.now();
  const answer = await fetch(url, { headers });
  await answer.arrayBuffer();
  if (answer.status !== 200) throw new Error(`${url}: ${answer.status}`);
  return performance.now() - began;
}

/** How many sign-ins were answered, whether with tokens or that too many are waiting. */
async function signInUntil({ port, credentials }: Platform, over: AbortSignal): Promise<number> {
  let count = 0;
  while (!over.aborted) {
    const answer = await fetch(`http://127.0.0.1:${port}/api/v1/auth/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(credentials),
    });
    if (answer.status !== 200) throw new Error(`a sign-in: ${answer.status} ${await answer.text()}`);
    await answer.arrayBuffer();
    count += 1;
  }
  return count;
}
