import { spawn } from 'node:child_process';
import { resolve } from 'node:path';

export const root = resolve(import.meta.dirname, '..');

// The programs start in half the time with cached code.
process.env.NODE_COMPILE_CACHE ??= resolve(root, 'node_modules/.cache/chowkd');

/** Runs a program of the packages in the root folder and settles with its whole output. */
export function run([program = '', ...args]: readonly string[]): Promise<{ failed: boolean; output: string }> {
  return new Promise((done) => {
    const child = spawn(resolve(root, 'node_modules/.bin', program), args, { cwd: root });
    let output = '';
    child.stdout.on('data', (chunk) => (output += chunk));
    child.stderr.on('data', (chunk) => (output += chunk));
    child.on('close', (code) => done({ failed: code !== 0, output }));
  });
}
