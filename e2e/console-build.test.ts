import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test, vi } from 'vitest';
import { startInstalledPlatform } from './platform.ts';
import { copyRepository } from './repository-copy.ts';

/** Builds, and starts of the platform as a program. */
const timeout = 600_000;

const folder = await copyRepository();
const web = join(folder, 'web');

/** Runs the build as the commands of the repository do, and returns what it prints. */
async function build(...args: string[]): Promise<{ code: number; output: string }> {
  const node = join(folder, 'node_modules/.bin/node');
  const { code, stderr } = await promisify(execFile)(node, [join(web, 'build.ts'), ...args]).then(
    ({ stderr }) => ({ code: 0, stderr }),
    (error: { code: number; stderr: string }) => error,
  );
  return { code, output: stderr };
}

async function change(file: string, from: string, to: string): Promise<void> {
  const path = join(web, file);
  await writeFile(path, (await readFile(path, 'utf8')).replace(from, to));
}

const fetchPage = async ({ url }: { url: string }) =>
  (await fetch(`${url}/login`, { headers: { accept: 'text/html' } })).text();

test('a console whose sources have not changed is not built again', async () => {
  expect(await build()).toEqual({ code: 0, output: '' });
  expect(await build('--check')).toEqual({ code: 0, output: '' });
});

test('a changed console is built before the platform is ready; if that fails, the last build is served, and a later one without a restart', {
  timeout,
}, async () => {
  await change('index.html', 'needs JavaScript.', 'needs scripts.');
  expect((await build('--check')).output).toMatch(/built from other sources: run 'npm run fix'/);
  const platform = await startInstalledPlatform(folder);
  expect(await fetchPage(platform)).toContain('needs scripts.');
  expect(platform.errors()).toMatch(/^Building the console…\nBuilt the console in [\d.]+ s\n$/);

  await change('src/main.tsx', 'import', 'import import');
  await platform.killAndRestart();
  expect(await fetchPage(platform)).toContain('needs scripts.');
  expect(platform.errors()).toContain('src/main.tsx');

  // Without any build, pages say so and the platform is healthy.
  await rename(join(web, 'dist'), join(folder, 'dist.saved'));
  await platform.killAndRestart();
  expect(await fetchPage(platform)).toContain('The console is not built');
  expect((await fetch(`${platform.url}/api/health`)).status).toBe(200);
  await change('src/main.tsx', 'import import', 'import');
  await rename(join(folder, 'dist.saved'), join(web, 'dist'));
  expect(await fetchPage(platform)).toContain('needs scripts.');
});

test('a build that is killed leaves nothing, and the next one removes what others left', { timeout }, async () => {
  await mkdir(join(web, 'dist.999999999'));
  expect(await build()).toEqual({ code: 0, output: '' });
  expect((await readdir(web)).filter((name) => name.startsWith('dist'))).toEqual(['dist']);
  await change('index.html', 'needs scripts.', 'needs scripts!');
  const child = spawn(join(folder, 'node_modules/.bin/node'), [join(web, 'build.ts')], { stdio: 'ignore' });
  const exited = once(child, 'exit');
  await vi.waitFor(async () => expect(await readdir(web)).toContain(`dist.${child.pid}`), { timeout: 60_000 });
  child.kill('SIGTERM');
  await exited;
  expect((await readdir(web)).filter((name) => name.startsWith('dist'))).toEqual(['dist']);
  await change('index.html', 'needs scripts!', 'needs scripts.');
});

test('builds at the same time do not disturb each other, and what killed ones left is removed', {
  timeout,
}, async () => {
  await mkdir(join(web, 'dist.999999999'));
  await change('index.html', 'needs scripts.', 'needs JavaScript.');
  const outcomes = await Promise.all([build(), build()]);
  expect(outcomes.map(({ code }) => code)).toEqual([0, 0]);
  expect((await readdir(web)).filter((name) => name.startsWith('dist'))).toEqual(['dist']);
  expect((await build('--check')).code).toBe(0);
});

test('a file of another build is found, as a merge may leave it', async () => {
  await writeFile(join(web, 'dist/assets/other.js'), '');
  expect((await build('--check')).code).toBe(1);
});
