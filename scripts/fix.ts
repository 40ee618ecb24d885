import { run } from './run.ts';

/**
 * Formats, locks, generates and builds the console. A module must be in the lock file, as it is formatted, before files are
 * generated from it.
 */
const steps = [
  ['biome', 'check', '--write', '.'],
  ['node', 'scripts/widget-script.ts'],
  ['node', 'server/src/main.ts', 'module:lock'],
  ['node', 'scripts/generate.ts'],
  ['node', 'web/build.ts'],
];

for (const command of steps) {
  const { failed, output } = await run(command);
  if (!failed) continue;
  process.stderr.write(`\n${command.join(' ')}:\n${output}\n`);
  process.exitCode = 1;
}
