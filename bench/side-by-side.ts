import { deepStrictEqual } from 'node:assert';
import { join } from 'node:path';
import { figure, median, printTable } from './figures.ts';
import { type Load, load } from './load.ts';
import { type Platform, startPlatform } from './platform.ts';
import { cpuSeconds } from './process-figures.ts';
import { node, onStage, type Running, repository, type Stage } from './stage.ts';

/* The platform beside Fastify with the same queries and nothing else: what does all the rest cost? */

export interface Question {
  readonly name: string;
  readonly path: string;
  readonly aim: string;
}

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

interface Side {
  readonly pid: number;
  readonly port: number;
}

interface Round {
  readonly perSecond: number;
  /** Processor time of the server for one request; says more than `perSecond` while others use the machine. */
  readonly cpuMicros: number;
}

type Rounds = [ours: Round[], theirs: Round[]];

/** Asks both the same questions and prints how they compare. `fill` prepares the tenant and its database. */
export async function sideBySide(
  title: string,
  questions: readonly Question[],
  fill: (platform: Platform, headers: Record<string, string>, database: string) => Promise<unknown>,
): Promise<void> {
  await onStage(async (stage) => {
    const measured = questions.map((): Rounds => [[], []]);
    for (let pair = 0; pair < pairs; pair += 1) {
      const storagePath = await stage.folder();
      const platform = await startPlatform(stage, { storagePath, environment: { SPARE_DATABASES: '0' } });
      const { database } = await platform.post<{ database: string }>('/api/v1/bench/tenants', { id: tenant });
      const headers = platform.headers(tenant);
      await fill(platform, headers, database);
      const bare = await startBare(stage, { ...platform.database, database });
      for (const [index, { path }] of questions.entries()) {
        await measure(stage, path, headers, [platform, bare], measured[index] as Rounds);
      }
      await bare.stop();
      await platform.stop();
    }
    printTable(
      `${title}: ${connections} clients, ${pairs} pairs of processes, ${rounds} rounds of ${seconds} s in turn, medians`,
      ['', 'Chowk', 'its CPU', 'bare', 'its CPU', 'ratio', 'of the rounds', 'aim'],
      questions.map(({ name, aim }, index) => {
        const sides = measured[index] as Rounds;
        return [name, ...sides.flatMap(sideCells), ...ratioCells(sides), aim];
      }),
    );
  });
}

async function startBare(stage: Stage, database: object): Promise<Side & Pick<Running, 'stop'>> {
  const running = stage.start(node, [join(repository, 'bench/bare-fastify.ts')], {
    NODE_ENV: 'production',
    DATABASE: JSON.stringify(database),
    CONNECTIONS: databaseConnections,
  });
  return { ...JSON.parse(await running.firstLine()), stop: running.stop };
}

async function measure(
  stage: Stage,
  path: string,
  headers: Record<string, string>,
  [ours, theirs]: readonly [Side, Side],
  measured: Rounds,
): Promise<void> {
  await mustAgree(path, headers, [ours, theirs]);
  for (const side of [ours, theirs]) await press(stage, side, path, headers, { requests: warmUp });
  for (let round = 0; round < rounds; round += 1) {
    // In turn, so that whatever else the machine does falls on both.
    measured[0].push(await press(stage, ours, path, headers, { seconds }));
    measured[1].push(await press(stage, theirs, path, headers, { seconds }));
  }
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

function ratioCells([ours, theirs]: Rounds): string[] {
  const ratios = ours.map(({ perSecond }, round) => perSecond / (theirs[round]?.perSecond ?? Number.NaN));
  const spread = `${Math.min(...ratios).toFixed(2)} – ${Math.max(...ratios).toFixed(2)}`;
  return [median(ratios).toFixed(2), spread];
}
