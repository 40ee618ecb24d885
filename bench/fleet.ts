import { figure, printTable } from './figures.ts';
import { startPlatform } from './platform.ts';
import { onStage } from './stage.ts';

/* What does the central database have to do for 100,000 tenants? Their rows exist, their databases do not. */

const tenants = Number(process.env.TENANTS ?? 100_000);

await onStage(async (stage) => {
  const environment = { SPARE_DATABASES: '0', DATABASE_QUERY_TIMEOUT_MS: '600000' };
  const platform = await startPlatform(stage, {
    storagePath: await stage.folder(),
    environment,
    flags: ['--expose-gc'],
  });
  await platform.post('/api/v1/bench/tenants', { id: 'real' });
  const figures = await platform.post<Record<string, number>>('/api/v1/bench/fleet', { tenants });
  printTable(
    `${tenants} tenants in the central database`,
    ['', 'measured'],
    Object.entries(figures).map(([name, value]) => [name, figure(value)]),
  );
});
