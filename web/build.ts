import { rmSync } from 'node:fs';
import { readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { hashFiles, hashSources } from './fingerprint.ts';

/**
 * Builds the console into `dist`, unless that was built from the same sources. `dist` is committed, so that a platform runs
 * without the tools of the build. With `--check`, fails instead of building.
 */
const web = import.meta.dirname;
const dist = join(web, 'dist');
const stamp = 'fingerprint.json';
const maxBuildMs = 3_600_000;

const sources = await hashSources();
if (!process.argv.includes('--check')) await removeLeftovers();
if (await isCurrent()) process.exit();
if (process.argv.includes('--check')) {
  fail("web/dist was built from other sources: run 'npm run fix' and commit it");
}
const { build: viteBuild } = await import('vite').catch(() =>
  fail("web/dist was built from other sources. To build it, run 'npm install' without --omit=dev."),
);
process.stderr.write('Building the console…\n');
const started = performance.now();
await build();
process.stderr.write(`Built the console in ${((performance.now() - started) / 1_000).toFixed(1)} s\n`);

function fail(problem: string): never {
  process.stderr.write(`${problem}\n`);
  process.exit(1);
}

async function isCurrent(): Promise<boolean> {
  const text = await readFile(join(dist, stamp), 'utf8').catch(() => '');
  return text !== '' && text === (await fingerprint(dist).catch(() => undefined));
}

async function fingerprint(folder: string): Promise<string> {
  return `${JSON.stringify({ sources, files: await hashFiles(folder, stamp) }, null, 2)}\n`;
}

async function build(): Promise<void> {
  // Whatever the platform or a test runs as: React has a slow build for development.
  process.env.NODE_ENV = 'production';
  // Complete before it replaces the last one: a server may be reading that.
  const [outDir, replaced] = [`${dist}.${process.pid}`, `${dist}.${process.pid}.replaced`];
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      rmSync(outDir, { recursive: true, force: true });
      process.exit(1);
    });
  }
  try {
    await viteBuild({ root: web, logLevel: 'warn', build: { outDir, emptyOutDir: true } });
    await writeFile(join(outDir, stamp), await fingerprint(outDir));
    await replaceDist(outDir, replaced);
  } finally {
    for (const folder of [outDir, replaced]) await rm(folder, { recursive: true, force: true });
  }
}

/** Another process may build the same at the same time, and replace `dist` between any two steps. */
async function replaceDist(outDir: string, replaced: string): Promise<void> {
  for (let triesLeft = 3; ; triesLeft -= 1) {
    if (await isCurrent()) return;
    await rm(replaced, { recursive: true, force: true });
    await rename(dist, replaced).catch(() => {});
    try {
      return await rename(outDir, dist);
    } catch (error) {
      if (triesLeft === 1) throw error;
    }
  }
}

/** Removes what builds left that were killed. */
async function removeLeftovers(): Promise<void> {
  for (const name of await readdir(web)) {
    const [, pid] = /^dist\.(\d+)/.exec(name) ?? [];
    if (pid === undefined) continue;
    // Another process may have got the id of a killed build.
    const { mtimeMs } = await stat(join(web, name));
    const isOld = Date.now() - mtimeMs > maxBuildMs;
    if (isOld || !isRunning(Number(pid))) await rm(join(web, name), { recursive: true, force: true });
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // A process of another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
