import { figure, percentile, printTable } from './figures.ts';
import { startPlatform } from './platform.ts';
import { onStage } from './stage.ts';

/* How long does a job wait before a worker starts it? */

const jobs = 1_000;
const perSecond = 100;

await onStage(async (stage) => {
  const platform = await startPlatform(stage, { storagePath: await stage.folder() });
  await platform.post('/api/v1/bench/tenants', { id: 'bench' });
  const measureWaits = async (amount: { jobs: number; perSecond: number }) =>
    (await platform.post<{ waited: number[] }>('/api/v1/bench/jobs', amount, platform.headers('bench'))).waited;
  await measureWaits({ jobs: 200, perSecond });
  const waited = await measureWaits({ jobs, perSecond });
  printTable(
    `${jobs} jobs, ${perSecond} a second, from adding a job to its start`,
    ['', 'p50', 'p99', 'target'],
    [['wait', figure(percentile(waited, 50), 'ms'), figure(percentile(waited, 99), 'ms'), 'p99 < 50 ms']],
  );
});
