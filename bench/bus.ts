import { figure, median, printTable } from './figures.ts';
import { startPlatform } from './platform.ts';
import { onStage } from './stage.ts';

/* What does a call over the bus cost beside the plain function, with its audit log written meanwhile? */

const rounds = 15;
const calls = 2_000;

await onStage(async (stage) => {
  const platform = await startPlatform(stage, { storagePath: await stage.folder() });
  await platform.post('/api/v1/bench/tenants', { id: 'bench' });
  const measured: { plain: number; bus: number }[] = [];
  for (let round = 0; round < rounds; round += 1) {
    measured.push(await platform.post('/api/v1/bench/bus', { calls }, platform.headers('bench')));
  }
  // The first rounds are the compiler's.
  const [plain, bus] = (['plain', 'bus'] as const).map((side) => median(measured.slice(5).map((one) => one[side])));
  printTable(
    `An operation called ${calls} times, medians of ${rounds - 5} rounds`,
    ['', 'one call', 'aim'],
    [
      ['plain function', figure(plain ?? 0, 'µs'), ''],
      ['over the bus, audited', figure(bus ?? 0, 'µs'), ''],
      ['more', figure((bus ?? 0) - (plain ?? 0), 'µs'), '< 15 µs'],
    ],
  );
});
