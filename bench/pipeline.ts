import { deepStrictEqual } from 'node:assert';
import { join } from 'node:path';
import { figure, median, printTable } from './figures.ts';
import { type Load, load } from './load.ts';
import { startPlatform } from './platform.ts';
import { cpuSeconds } from './process-figures.ts';
import { node, onStage, type Running, repository, type Stage } from './stage.ts';

/* What does the whole pipeline cost, beside the same query behind bare Fastify? */

const tenant = 'bench';
/** Fresh processes each time: how well a compiler does on one of them is partly luck. */
const pairs = 3;
const rounds = 3;
const seconds = 2;
const connections = 16;
/** Before that many requests the JIT compiler is still at work, longer at ours than at so little code as theirs. */
const warmUp = 15_000;
/** The platform's default share of a tenant; the bare server gets a pool of the same size. */
const databaseConnections = '10';
const questions = [
  { name: 'one row by id', path: '/api/v1/bench/items/5000', aim: '≥ 0.85' },
  { name: 'list of 20 in 10,000', path: '/api/v1/bench/items?per_page=20', aim: '≥ 0.85' },
  { name: 'no query', path: '/api/v1/bench/nothing', aim: '' },
];

interface Side {
  readonly pid: number;
  readonly port: number;
}

interface Round {
  readonly perSecond: number;
  /** Processor time of the server for one request; says more than `perSecond` while others use the machine. */
  readonly cpuMicros: number;
}

await onStage(async (stage) => {
  const measured = questions.map((): [Round[], Round[]] => [[], []]);
  for (let pair = 0; pair < pairs; pair += 1) {
    const storagePath = await stage.folder();
    const platform = await startPlatform(stage, { storagePath, environment: { SPARE_DATABASES: '0' } });
    const { database } = await platform.post<{ database: string }>('/api/v1/bench/tenants', { id: tenant });
    const headers = platform.headers(tenant);
    await platform.post('/api/v1/bench/items', { rows: 10_000 }, headers);
    const bare = await startBare(stage, { ...platform.database, database });
    for (const [index, { path }] of questions.entries()) {
      await mustAgree(path, headers, [platform, bare]);
      for (const side of [platform, bare]) await press(stage, side, path, headers, { requests: warmUp });
      const [ours, theirs] = measured[index] as [Round[], Round[]];
      for (let round = 0; round < rounds; round += 1) {
        // The sides in turn, so that whatever else the machine does falls on both.
        ours.push(await press(stage, platform, path, headers, { seconds }));
        theirs.push(await press(stage, bare, path, headers, { seconds }));
      }
    }
    await bare.stop();
    await platform.stop();
  }
  printTable(
    `The whole pipeline beside bare Fastify: ${connections} clients, ${pairs} pairs of processes, ${rounds} rounds of ${seconds} s in turn, medians`,
    ['', 'Chowk', 'its CPU', 'bare', 'its CPU', 'ratio', 'of the rounds', 'aim'],
    questions.map(({ name, aim }, index) => {
      const sides = measured[index] as [Round[], Round[]];
      return [name, ...sides.flatMap(sideCells), ...ratioCells(sides), aim];
    }),
  );
});

async function startBare(stage: Stage, database: object): Promise<Side & Pick<Running, 'stop'>> {
  const running = stage.start(node, [join(repository, 'bench/bare-fastify.ts')], {
    NODE_ENV: 'production',
    DATABASE: JSON.stringify(database),
    CONNECTIONS: databaseConnections,
  });
  return { ...JSON.parse(await running.firstLine()), stop: running.stop };
}

async function mustAgree(path: string, headers: Record<string, string>, sides: readonly Side[]): Promise<void> {
  const [ours, theirs] = await Promise.all(
    sides.map(async ({ port }) => {
      const answer = await fetch(`http://127.0.0.1:${port}${path}`, { headers });
      if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
      return answer.json();
    }),
  );
  deepStrictEqual(ours, theirs);
}

async function press(
  stage: Stage,
  { pid, port }: Side,
  path: string,
  headers: Record<string, string>,
  amount: Load['amount'],
): Promise<Round> {
  const before = await cpuSeconds(pid);
  const url = `http://127.0.0.1:${port}${path}`;
  const { requests, perSecond } = await load(stage, { url, headers, connections, amount });
  return { perSecond, cpuMicros: (((await cpuSeconds(pid)) - before) * 1e6) / requests };
}

function sideCells(side: readonly Round[]): string[] {
  const perSecond = median(side.map((round) => round.perSecond));
  return [figure(perSecond, '/s'), figure(median(side.map(({ cpuMicros }) => cpuMicros)), 'µs')];
}

function ratioCells([ours, theirs]: readonly [Round[], Round[]]): string[] {
  const ratios = ours.map(({ perSecond }, round) => perSecond / (theirs[round]?.perSecond ?? Number.NaN));
  const spread = `${Math.min(...ratios).toFixed(2)} – ${Math.max(...ratios).toFixed(2)}`;
  return [median(ratios).toFixed(2), spread];
}
