import { run } from './run.ts';

/** The checks before the tests. Prints nothing if all of them succeed. */
const checks: Record<string, string[]> = {
  // Several checkers would repeat much of the work, on cores that the other checks need.
  types: ['tsc', '-p', '.', '--checkers', '1'],
  'types of the console': ['tsc', '-p', 'web', '--checkers', '1'],
  'lint and format': ['biome', 'check', '--error-on-warnings', '.'],
  layers: [
    'depcruise',
    '--output-type',
    'err-long',
    'kit',
    'client',
    'web',
    'server',
    'modules',
    'e2e',
    'bench',
    'scripts',
  ],
  'tables of other modules': ['node', 'scripts/foreign-tables.ts'],
  'dead code': ['knip', '--treat-config-hints-as-errors'],
  'generated files': ['node', 'scripts/generate.ts', '--check'],
  console: ['node', 'web/build.ts', '--check'],
  'lock file': ['node', 'server/src/main.ts', 'module:lock', '--check'],
};

const results = await Promise.all(
  Object.entries(checks).map(async ([name, command]) => ({ name, ...(await run(command)) })),
);
for (const { name, failed, output } of results) if (failed) process.stderr.write(`\n${name}:\n${output}\n`);
process.exitCode = results.some(({ failed }) => failed) ? 1 : 0;
