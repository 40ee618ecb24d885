import { figure, median, printTable } from './figures.ts';
import { startPlatform } from './platform.ts';
import { onStage } from './stage.ts';

/* What does an audited call over the bus cost, compared with a plain function call? */

const rounds = 15;
const calls = 2_000;

await onStage(async (stage) => {
  const platform = await startPlatform(stage, { storagePath: await stage.folder() });
  await platform.post('/api/v1/bench/tenants', { id: 'bench' });
  const measured: { plain: number; bus: number }[] = [];
  for (let round = 0; round < rounds; round += 1) {
    measured.push(await platform.post('/api/v1/bench/bus', { calls }, platform.headers('bench')));
  }
  // The first rounds warm up the JIT compiler.
  const [plain, bus] = (['plain', 'bus'] as const).map((side) => median(measured.slice(5).map((round) => round[side])));
  printTable(
    `An action called ${calls} times, medians of ${rounds - 5} rounds`,
    ['', 'per call', 'target'],
    [
      ['plain function', figure(plain ?? 0, 'µs'), ''],
      ['over the bus, audited', figure(bus ?? 0, 'µs'), ''],
      ['difference', figure((bus ?? 0) - (plain ?? 0), 'µs'), '< 15 µs'],
    ],
  );
});
