import { resolve } from 'node:path';
import { figure, median, printTable } from './figures.ts';
import { type Platform, startPlatform } from './platform.ts';
import { onStage, repository, type Stage } from './stage.ts';

/*
 * How many events a second are emitted, delivered to a listener of another module, and read by a client that follows the event log?
 * With the folder of another checkout, both are measured in turn.
 */

const rounds = 7;
const events = 2_000;
const checkouts = [repository, ...process.argv.slice(2).map((folder) => resolve(folder))];

interface Round {
  readonly emitted: number;
  readonly delivered: number;
  /** By a client that follows the event log; older checkouts have none. */
  readonly read: number;
}

await onStage(async (stage) => {
  const platforms: Platform[] = [];
  for (const checkout of checkouts) platforms.push(await prepare(stage, checkout));
  const measured: Round[][] = platforms.map(() => []);
  const followers: Follower[] = platforms.map(() => ({ cursor: undefined }));
  // The first round warms up.
  for (let round = 0; round <= rounds; round += 1) {
    for (const [side, platform] of platforms.entries()) {
      const headers = platform.headers('bench');
      const times: Round = await platform.post('/api/v1/bench/events', { events }, headers);
      const read = await follow(platform, followers[side] as Follower);
      if (round > 0) measured[side]?.push({ ...times, read });
    }
  }
  const perSecond = (side: readonly Round[], step: keyof Round) =>
    figure(median(side.map((round) => (events * 1_000) / round[step])), '/s');
  printTable(
    `${events} events, ten in each transaction, one listener after the commit: medians of ${rounds} rounds`,
    ['', 'emitted and committed', 'delivered and acknowledged', 'read by a follower'],
    measured.map((side, index) => [
      checkouts[index] as string,
      perSecond(side, 'emitted'),
      perSecond(side, 'delivered'),
      perSecond(side, 'read'),
    ]),
  );
});

async function prepare(stage: Stage, checkout: string): Promise<Platform> {
  const platform = await startPlatform(stage, { checkout, storagePath: await stage.folder() });
  await platform.post('/api/v1/bench/tenants', { id: 'bench' });
  return platform;
}

interface Follower {
  cursor: string | undefined;
}

interface EventPage {
  readonly events: readonly unknown[];
  readonly pagination: { readonly next_cursor: string; readonly has_more: boolean };
}

/** Reads the events of a round, and returns the milliseconds. */
async function follow(platform: Platform, follower: Follower): Promise<number> {
  const startedAt = performance.now();
  for (let hasMore = true; hasMore; ) {
    const cursor = follower.cursor === undefined ? '' : `&cursor=${follower.cursor}`;
    const path = `/api/v1/events?limit=1000${cursor}`;
    const page = await platform.get<EventPage>(path, platform.headers('bench')).catch(() => undefined);
    if (!page) return Number.NaN;
    follower.cursor = page.pagination.next_cursor;
    hasMore = page.pagination.has_more;
  }
  return performance.now() - startedAt;
}
