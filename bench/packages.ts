import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const folder = import.meta.dirname;

/** The path of a program of `bench/package.json`, whose packages are installed if they are missing or outdated. */
export async function installed(name: string): Promise<string> {
  const { dependencies } = await readPackage(join(folder, 'package.json'));
  const current = await readPackage(join(folder, 'node_modules', name, 'package.json')).catch(() => undefined);
  if (current?.version !== dependencies[name]) {
    console.error('Installing the packages of the benchmarks…');
    await promisify(execFile)('npm', ['ci'], { cwd: folder });
  }
  return fileURLToPath(import.meta.resolve(name));
}

async function readPackage(path: string): Promise<{ version: string; dependencies: Record<string, string> }> {
  return JSON.parse(await readFile(path, 'utf8'));
}
