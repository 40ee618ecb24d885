import { resolve } from 'node:path';
import { figure, median, printTable } from './figures.ts';
import { type Platform, startPlatform } from './platform.ts';
import { onStage, repository, type Stage } from './stage.ts';

/*
 * How many events a second are emitted, and delivered to a listener of another module? With the folder of another checkout,
 * both are measured in turn.
 */

const rounds = 7;
const events = 2_000;
const checkouts = [repository, ...process.argv.slice(2).map((folder) => resolve(folder))];

interface Round {
  readonly emitted: number;
  readonly delivered: number;
}

await onStage(async (stage) => {
  const platforms: Platform[] = [];
  for (const checkout of checkouts) platforms.push(await prepare(stage, checkout));
  const measured: Round[][] = platforms.map(() => []);
  // The first round warms up.
  for (let round = 0; round <= rounds; round += 1) {
    for (const [side, platform] of platforms.entries()) {
      const times: Round = await platform.post('/api/v1/bench/events', { events }, platform.headers('bench'));
      if (round > 0) measured[side]?.push(times);
    }
  }
  const perSecond = (side: readonly Round[], step: keyof Round) =>
    figure(median(side.map((round) => (events * 1_000) / round[step])), '/s');
  printTable(
    `${events} events, ten in each transaction, one listener after the commit: medians of ${rounds} rounds`,
    ['', 'emitted and committed', 'delivered and acknowledged'],
    measured.map((side, index) => [
      checkouts[index] as string,
      perSecond(side, 'emitted'),
      perSecond(side, 'delivered'),
    ]),
  );
});

async function prepare(stage: Stage, checkout: string): Promise<Platform> {
  const platform = await startPlatform(stage, { checkout, storagePath: await stage.folder() });
  await platform.post('/api/v1/bench/tenants', { id: 'bench' });
  return platform;
}
