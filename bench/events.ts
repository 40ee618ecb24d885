import { figure, median, printTable } from './figures.ts';
import { startPlatform } from './platform.ts';
import { onStage } from './stage.ts';

/* How many events a second are told, and how many arrive at a listener of another module? */

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
    figure(median(measured.map((one) => (events * 1_000) / one[side])), '/s');
  printTable(
    `${events} events, ten to a transaction, one listener that runs after: medians of ${rounds} rounds`,
    ['', 'events'],
    [
      ['emitted and committed', perSecond('emitted')],
      ['delivered, acknowledged by its listener', perSecond('delivered')],
    ],
  );
});
