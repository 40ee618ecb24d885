import { setTimeout as delay } from 'node:timers/promises';
import { figure, median, percentile, printTable } from './figures.ts';
import { load } from './load.ts';
import { type Platform, startPlatform } from './platform.ts';
import { node, onStage, repository, type Stage } from './stage.ts';

/* What does a tenant that sends as much as it can cost another one, with and without limits of its plan? */

const rounds = Number(process.env.ROUNDS ?? 3);
const seconds = Number(process.env.SECONDS ?? 8);
const perSecond = 25;
const noisyConnections = 64;
const plans = { connections: '--connections=2', requests: '--requests-per-minute=60' };
const path = '/api/v1/customers?search=a&per_page=100';

await onStage(async (stage) => {
  const storagePath = await stage.folder();
  const platform = await startPlatform(stage, { storagePath });
  for (const id of ['quiet', 'noisy']) await platform.post('/api/v1/bench/tenants', { id });
  const operate = (...args: string[]) => runOperator(stage, platform, storagePath, args);
  await operate('demo:seed', '--tenant=quiet', '--customers=2000', '--seed=1');
  await operate('demo:seed', '--tenant=noisy', '--customers=2000', '--seed=1');
  for (const [name, limit] of Object.entries(plans)) await operate('plan:set', name, limit);

  const phases = {
    alone: async () => {},
    'beside a noisy tenant': async () => operate('plan:assign', 'noisy', '--default'),
    'with a plan of two connections': async () => operate('plan:assign', 'noisy', 'connections'),
    'with a plan of 60 requests a minute': async () => operate('plan:assign', 'noisy', 'requests'),
  };
  const results = new Map<string, { waits: number[]; noise: number[] }>();
  for (let round = 0; round < rounds; round += 1) {
    for (const [name, prepare] of Object.entries(phases)) {
      await prepare();
      const result = results.get(name) ?? { waits: [], noise: [] };
      results.set(name, result);
      const noise = name === 'alone' ? undefined : makeNoise(stage, platform);
      await delay(1_000);
      result.waits.push(...(await measure(platform)));
      result.noise.push((await noise)?.perSecond ?? 0);
    }
  }
  const base = results.get('alone')?.waits ?? [];
  printTable(
    `a tenant with ${perSecond} requests a second, beside another one with ${noisyConnections} connections`,
    ['', 'p50', 'p99', 'ratio of p50', 'ratio of p99', 'answers to the noisy one'],
    [...results].map(([name, { waits, noise }]) => [
      name,
      figure(percentile(waits, 50), 'ms'),
      figure(percentile(waits, 99), 'ms'),
      figure(percentile(waits, 50) / percentile(base, 50)),
      figure(percentile(waits, 99) / percentile(base, 99)),
      figure(median(noise), '/s'),
    ]),
  );
});

function makeNoise(stage: Stage, platform: Platform) {
  return load(stage, {
    url: `http://127.0.0.1:${platform.port}${path}`,
    headers: platform.headers('noisy'),
    connections: noisyConnections,
    amount: { seconds: seconds + 2 },
    allowsRefusals: true,
  });
}

/** The milliseconds of each request. */
async function measure(platform: Platform): Promise<number[]> {
  const waits: Promise<number>[] = [];
  const send = async () => {
    const startedAt = performance.now();
    await platform.get(path, platform.headers('quiet'));
    return performance.now() - startedAt;
  };
  for (let count = 0; count < seconds * perSecond; count += 1) {
    waits.push(send());
    await delay(1_000 / perSecond);
  }
  return Promise.all(waits);
}

async function runOperator(stage: Stage, { database, central }: Platform, storagePath: string, args: string[]) {
  const { user, password, port } = database;
  await stage
    .start(node, [`${repository}/server/src/main.ts`, ...args], {
      APP_ENV: 'production',
      DATABASE_URL: `postgres://${user}:${encodeURIComponent(password)}@127.0.0.1:${port}/${central}`,
      STORAGE_PATH: storagePath,
    })
    .output();
}
