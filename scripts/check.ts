import { mkdir, writeFile } from 'node:fs/promises';
import { basename, join, relative, resolve } from 'node:path';
import { root, run } from './run.ts';

/** The checks before the tests, or those of one folder. Prints nothing if all of them succeed. */
const [folder] = process.argv.slice(2);
const checks = folder === undefined ? allChecks() : await folderChecks(relative(root, resolve(folder)));
const results = await Promise.all(
  Object.entries(checks).map(async ([name, command]) => ({ name, ...(await run(command)) })),
);
for (const { name, failed, output } of results) if (failed) process.stderr.write(`\n${name}:\n${output}\n`);
process.exitCode = results.some(({ failed }) => failed) ? 1 : 0;

function allChecks(): Record<string, string[]> {
  return {
    // Several checkers would repeat much of the work, on cores that the other checks need.
    types: ['tsc', '-p', '.', '--checkers', '1'],
    'types of the console': ['tsc', '-p', 'web', '--checkers', '1'],
    'lint and format': ['biome', 'check', '--error-on-warnings', '.'],
    imports: ['node', 'scripts/check-imports.ts'],
    'tables of other modules': ['node', 'scripts/foreign-tables.ts'],
    'inline spreads': ['node', 'scripts/inline-spreads.ts'],
    migrations: ['node', 'scripts/check-migrations.ts'],
    'dead code': ['knip', '--treat-config-hints-as-errors'],
    'script of the chat': ['node', 'scripts/widget-script.ts', '--check'],
    'changes of the API': ['node', 'scripts/api-changes.ts'],
    'generated files': ['node', 'scripts/generate.ts', '--check'],
    console: ['node', 'web/build.ts', '--check'],
    'lock file': ['node', 'server/src/main.ts', 'module:lock', '--check'],
  };
}

/** Only the files of the folder and what they import are read. */
async function folderChecks(path: string): Promise<Record<string, string[]>> {
  const isModule = /^modules\/[^/]+$/.test(path);
  return {
    types: ['tsc', '-p', await writeTsconfig(path), '--checkers', '1'],
    'lint and format': ['biome', 'check', '--error-on-warnings', path],
    imports: ['node', 'scripts/check-imports.ts', path],
    'tables of other modules': ['node', 'scripts/foreign-tables.ts'],
    migrations: ['node', 'scripts/check-migrations.ts'],
    ...(isModule ? { module: ['node', 'server/src/main.ts', 'module:show', basename(path)] } : {}),
  };
}

async function writeTsconfig(path: string): Promise<string> {
  const cache = join(root, 'node_modules/.cache');
  await mkdir(cache, { recursive: true });
  const file = join(cache, `tsconfig.${path.replaceAll('/', '-')}.json`);
  const config = {
    extends: join(root, 'tsconfig.json'),
    compilerOptions: { incremental: false, typeRoots: [join(root, 'node_modules/@types')] },
    // Modules and the test harness add to the types of the kit.
    include: [path, 'modules/*/module.ts', 'server/testing/global-setup.ts'].map((name) => join(root, name)),
    exclude: [join(root, '**/node_modules')],
  };
  await writeFile(file, JSON.stringify(config));
  return file;
}
