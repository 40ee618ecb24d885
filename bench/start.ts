import { figure, median, printTable } from './figures.ts';
import { waitUntilHealthy } from './health.ts';
import { freePort, onStage, type Stage } from './stage.ts';

/* How long does it take from `npm start` until `/api/health` responds with 200? */

const rounds = 5;

await onStage(async (stage) => {
  const first: number[] = [];
  const second: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const storagePath = await stage.folder();
    first.push(await measureStart(stage, storagePath));
    second.push(await measureStart(stage, storagePath));
  }
  const row = (name: string, seconds: readonly number[], target: string) => [
    name,
    figure(median(seconds), 's'),
    figure(Math.max(...seconds), 's'),
    target,
  ];
  printTable(
    `From npm start to 200 from /api/health: ${rounds} times each`,
    ['', 'median', 'slowest', 'target'],
    [row('first start, empty storage', first, '≤ 10 s'), row('second start', second, '≤ 4 s')],
  );
});

async function measureStart(stage: Stage, storagePath: string): Promise<number> {
  const port = await freePort();
  const startedAt = performance.now();
  const running = stage.start('npm', ['start'], { PORT: `${port}`, STORAGE_PATH: storagePath });
  await waitUntilHealthy(port);
  const seconds = (performance.now() - startedAt) / 1_000;
  await running.stop();
  return seconds;
}
