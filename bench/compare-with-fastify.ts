import { deepStrictEqual } from 'node:assert';
import { join } from 'node:path';
import { figure, median, printTable } from './figures.ts';
import { type Load, load } from './load.ts';
import { type Platform, startPlatform } from './platform.ts';
import { cpuSeconds } from './process-figures.ts';
import { node, onStage, type Running, repository, type Stage } from './stage.ts';

/* Compares the platform with plain Fastify and the same queries. */

export interface Comparison {
  readonly name: string;
  readonly path: string;
  readonly target: string;
}

const tenant = 'bench';
/** New processes for each pair, because JIT compilation differs from process to process. */
const pairs = 3;
const rounds = 3;
const seconds = 2;
const connections = 16;
/** For the JIT compiler. */
const warmUpRequests = 15_000;
/** The platform's default limit per tenant; the plain server gets a pool of the same size. */
const databaseConnections = '10';

interface Side {
  readonly pid: number;
  readonly port: number;
}

interface Round {
  readonly perSecond: number;
  /** CPU time of the server per request; steadier than `perSecond` on a busy machine. */
  readonly cpuMicros: number;
}

type Rounds = [ours: Round[], theirs: Round[]];

/** Measures each path on both sides and prints a table. `fill` prepares the tenant and its database. */
export async function compareWithFastify(
  title: string,
  comparisons: readonly Comparison[],
  fill: (platform: Platform, headers: Record<string, string>, database: string) => Promise<unknown>,
): Promise<void> {
  await onStage(async (stage) => {
    const measured = comparisons.map((): Rounds => [[], []]);
    for (let pair = 0; pair < pairs; pair += 1) {
      const storagePath = await stage.folder();
      const platform = await startPlatform(stage, { storagePath, environment: { SPARE_DATABASES: '0' } });
      const { database } = await platform.post<{ database: string }>('/api/v1/bench/tenants', { id: tenant });
      const headers = platform.headers(tenant);
      await fill(platform, headers, database);
      const bare = await startBare(stage, { ...platform.database, database });
      for (const [index, { path }] of comparisons.entries()) {
        await measure(stage, path, headers, [platform, bare], measured[index] as Rounds);
      }
      await bare.stop();
      await platform.stop();
    }
    printTable(
      `${title}: ${connections} clients, ${pairs} pairs of processes, ${rounds} rounds of ${seconds} s each, alternating, medians`,
      ['', 'Chowk', 'CPU', 'plain Fastify', 'CPU', 'ratio', 'range', 'target'],
      comparisons.map(({ name, target }, index) => {
        const sides = measured[index] as Rounds;
        return [name, ...sides.flatMap(sideCells), ...ratioCells(sides), target];
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
  await assertSameResponse(path, headers, [ours, theirs]);
  for (const side of [ours, theirs]) await measureLoad(stage, side, path, headers, { requests: warmUpRequests });
  for (let round = 0; round < rounds; round += 1) {
    // Alternating, so that other load on the machine affects both.
    measured[0].push(await measureLoad(stage, ours, path, headers, { seconds }));
    measured[1].push(await measureLoad(stage, theirs, path, headers, { seconds }));
  }
}

async function assertSameResponse(
  path: string,
  headers: Record<string, string>,
  sides: readonly Side[],
): Promise<void> {
  const [ours, theirs] = await Promise.all(
    sides.map(async ({ port }) => {
      const response = await fetch(`http://127.0.0.1:${port}${path}`, { headers });
      if (response.status !== 200) throw new Error(`${path}: ${response.status} ${await response.text()}`);
      return response.json();
    }),
  );
  deepStrictEqual(ours, theirs);
}

async function measureLoad(
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
  const range = `${Math.min(...ratios).toFixed(2)} – ${Math.max(...ratios).toFixed(2)}`;
  return [median(ratios).toFixed(2), range];
}
