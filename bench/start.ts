import { figure, median, printTable } from './figures.ts';
import { awaitHealth } from './health.ts';
import { freePort, onStage, type Stage } from './stage.ts';

/* How long from `npm start` until the platform says that it is well? */

const rounds = 5;

await onStage(async (stage) => {
  const first: number[] = [];
  const second: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const storagePath = await stage.folder();
    first.push(await start(stage, storagePath));
    second.push(await start(stage, storagePath));
  }
  const row = (name: string, seconds: readonly number[], aim: string) => [
    name,
    figure(median(seconds), 's'),
    figure(Math.max(...seconds), 's'),
    aim,
  ];
  printTable(
    `From npm start to 200 from /api/health: ${rounds} times each`,
    ['', 'median', 'slowest', 'aim'],
    [row('first start, empty storage', first, '≤ 10 s'), row('second start', second, '≤ 4 s')],
  );
});

async function start(stage: Stage, storagePath: string): Promise<number> {
  const port = await freePort();
  const began = performance.now();
  const running = stage.start('npm', ['start'], { PORT: `${port}`, STORAGE_PATH: storagePath });
  await awaitHealth(port);
  const seconds = (performance.now() - began) / 1_000;
  await running.stop();
  return seconds;
}
