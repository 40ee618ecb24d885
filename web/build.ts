import { createHash } from 'node:crypto';
import { readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';
import zlib from 'node:zlib';

/** Builds the console into `dist`, unless it is there already, built from the same sources. */
const web = import.meta.dirname;
const root = dirname(web);
const dist = join(web, 'dist');
const stamp = 'sources.sha256';
const isSource = (path: string) => !/\.test\.tsx?$/.test(path);

const sources = await hashSources();
if ((await readFile(join(dist, stamp), 'utf8').catch(() => '')) !== sources) {
  process.stderr.write('Building the console…\n');
  const started = performance.now();
  await build();
  process.stderr.write(`Built the console in ${((performance.now() - started) / 1_000).toFixed(1)} s\n`);
}

async function build(): Promise<void> {
  // Whatever the platform or a test runs as: React has a slow build for development.
  process.env.NODE_ENV = 'production';
  const { build: viteBuild } = await import('vite');
  // Complete before it replaces the last one: a server may be reading that.
  const outDir = `${dist}.${process.pid}`;
  try {
    await viteBuild({ root: web, logLevel: 'warn', build: { outDir, emptyOutDir: true } });
    for (const path of await filesIn(outDir)) if (/\.(js|css|html|svg)$/.test(path)) await compress(path);
    await writeFile(join(outDir, stamp), sources);
    await rm(dist, { recursive: true, force: true });
    await rename(outDir, dist).catch((error) => {
      // Another process has built the same at the same time.
      if (!['ENOTEMPTY', 'EEXIST'].includes(error.code)) throw error;
    });
  } finally {
    await rm(outDir, { recursive: true, force: true });
  }
}

async function compress(path: string): Promise<void> {
  const content = await readFile(path);
  await writeFile(`${path}.br`, await promisify<Buffer, Buffer>(zlib.brotliCompress)(content));
  await writeFile(`${path}.gz`, await promisify<Buffer, Buffer>(zlib.gzip)(content));
}

/** The content counts, not the time: a checkout or a copy changes that. */
async function hashSources(): Promise<string> {
  const files = [
    ...['index.html', 'vite.config.ts', 'build.ts', 'package.json'].map((name) => join(web, name)),
    ...(await filesIn(join(web, 'src'))),
    ...(await filesIn(join(web, 'public'))),
    ...(await filesIn(join(root, 'client/src'))),
    join(root, 'package-lock.json'),
  ].filter(isSource);
  const hash = createHash('sha256');
  for (const file of files.sort()) hash.update(relative(root, file)).update(await readFile(file));
  return hash.digest('hex');
}

async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
}
