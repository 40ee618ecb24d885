import { run } from './run.ts';

/**
 * Formats, generates and locks. A module must be in the lock file before its files are generated, and the lock file
 * pins the generated `module.json`, so it is written twice.
 */
const lock = ['node', 'server/src/main.ts', 'module:lock'];
const steps = [lock, ['node', 'scripts/generate.ts'], ['biome', 'check', '--write', '.'], lock];

for (const command of steps) {
  const { failed, output } = await run(command);
  if (!failed) continue;
  process.stderr.write(`\n${command.join(' ')}:\n${output}\n`);
  process.exitCode = 1;
}
