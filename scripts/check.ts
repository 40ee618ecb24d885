import { spawn } from 'node:child_process';
import { resolve } from 'node:path';

/** What must hold before the tests are worth running. Silent when all of it does. */
const checks: Record<string, string[]> = {
  types: ['tsc', '-p', '.'],
  'lint and format': ['biome', 'check', '--error-on-warnings', '.'],
  layers: ['depcruise', '--output-type', 'err-long', 'kit', 'server', 'modules', 'e2e', 'bench', 'scripts'],
  'dead code': ['knip', '--treat-config-hints-as-errors'],
  'generated files': ['node', 'scripts/generate.ts', '--check'],
};

const root = resolve(import.meta.dirname, '..');
const results = await Promise.all(Object.entries(checks).map(([name, command]) => run(name, command)));
for (const { name, failed, output } of results) if (failed) process.stderr.write(`\n${name}:\n${output}\n`);
process.exitCode = results.some(({ failed }) => failed) ? 1 : 0;

function run(name: string, [program = '', ...args]: string[]) {
  return new Promise<{ name: string; failed: boolean; output: string }>((done) => {
    const child = spawn(resolve(root, 'node_modules/.bin', program), args, { cwd: root });
    let output = '';
    child.stdout.on('data', (chunk) => (output += chunk));
    child.stderr.on('data', (chunk) => (output += chunk));
    child.on('close', (code) => done({ name, failed: code !== 0, output }));
  });
}
