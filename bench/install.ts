import { join, resolve } from 'node:path';
import { figure, median, printTable } from './figures.ts';
import { onStage, repository, type Stage } from './stage.ts';

/*
 * What does an installation bring, and how long does it take? `node_modules/.bin/node bench/install.ts [<another checkout>]`
 * Installs what is committed into new folders, with a warm cache of npm, alternating.
 */

const checkouts = [repository, ...process.argv.slice(2).map((folder) => resolve(folder))];
const commands = ['npm install', 'npm install --omit=dev'];
const rounds = Number(process.env.ROUNDS ?? 3);

interface Installation {
  readonly packages: number;
  readonly megabytes: number;
  readonly seconds: number;
  readonly cpuSeconds: number;
}

await onStage(async (stage) => {
  const measured = new Map<string, Installation[]>();
  // The first round fills the cache.
  for (let round = 0; round <= rounds; round += 1) {
    for (const command of commands) {
      for (const checkout of round % 2 === 0 ? checkouts : checkouts.toReversed()) {
        const key = `${command}, ${checkout}`;
        const installation = await install(stage, checkout, command);
        if (round > 0) measured.set(key, [...(measured.get(key) ?? []), installation]);
      }
    }
  }
  const rows = commands.flatMap((command) =>
    checkouts.map((checkout) => {
      const key = `${command}, ${checkout}`;
      const of = (name: keyof Installation) => (measured.get(key) ?? []).map((one) => one[name]);
      const seconds = of('seconds');
      return [
        key,
        figure(median(of('packages'))),
        figure(median(of('megabytes')), 'MB'),
        figure(median(seconds), 's'),
        `${figure(Math.min(...seconds))} – ${figure(Math.max(...seconds))}`,
        figure(median(of('cpuSeconds')), 's'),
      ];
    }),
  );
  printTable(
    `Installations: ${rounds} times each, alternating, medians`,
    ['', 'packages', 'size', 'time', 'range', 'CPU'],
    rows,
  );
});

async function install(stage: Stage, checkout: string, command: string): Promise<Installation> {
  const folder = join(await stage.folder(), 'checkout');
  await shell(stage, `git clone --quiet '${checkout}' '${folder}'`);
  const startedAt = performance.now();
  // The second line of `times` is the CPU time of the commands.
  const output = await shell(stage, `cd '${folder}' && ${command} && times`);
  const seconds = (performance.now() - startedAt) / 1_000;
  const [, packages = ''] = /added (\d+) packages/.exec(output) ?? [];
  const [, ...cpu] = /(\d+)m([\d.]+)s (\d+)m([\d.]+)s\s*$/.exec(output)?.map(Number) ?? [];
  const [userMinutes = 0, userSeconds = 0, systemMinutes = 0, systemSeconds = 0] = cpu;
  const size = await shell(stage, `cd '${folder}' && du -smc $(find . -name node_modules -prune) | tail -1`);
  await shell(stage, `rm -rf '${folder}'`);
  return {
    packages: Number(packages),
    megabytes: Number.parseInt(size, 10),
    seconds,
    cpuSeconds: (userMinutes + systemMinutes) * 60 + userSeconds + systemSeconds,
  };
}

function shell(stage: Stage, script: string): Promise<string> {
  return stage.start('sh', ['-c', script]).output();
}
