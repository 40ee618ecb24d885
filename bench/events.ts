import { figure, median, printTable } from './figures.ts';
import { startPlatform } from './platform.ts';
import { onStage } from './stage.ts';

/* How many events a second are emitted, and delivered to a listener of another module? */

const rounds = 5;
const events = 2_000;

await onStage(async (stage) => {
  const platform = await startPlatform(stage, { storagePath: await stage.folder() });
  await platform.post('/api/v1/bench/tenants', { id: 'bench' });
  const measured: { emitted: number; delivered: number }[] = [];
  for (let round = 0; round < rounds; round += 1) {
    measured.push(await platform.post('/api/v1/bench/events', { events }, platform.headers('bench')));
  }
  const perSecond = (side: 'emitted' | 'delivered') =>
    figure(median(measured.map((round) => (events * 1_000) / round[side])), '/s');
  printTable(
    `${events} events, ten in each transaction, one listener after the commit: medians of ${rounds} rounds`,
    ['', 'events'],
    [
      ['emitted and committed', perSecond('emitted')],
      ['delivered and acknowledged', perSecond('delivered')],
    ],
  );
});
