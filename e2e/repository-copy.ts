import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readlink, rm, stat, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll } from 'vitest';
import { type LockedPackages, readLock } from './locked-packages.ts';

const repository = resolve(import.meta.dirname, '..');
const execute = promisify(execFile);

/** A copy of the tracked files with the installed packages, or with those that `npm install --omit=dev` installs. */
export async function copyRepository({ omitDev = false } = {}): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'chowk-copy-'));
  afterAll(() => rm(folder, { recursive: true, force: true }));
  const { stdout } = await execute('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: repository,
    maxBuffer: 2 ** 24,
  });
  for (const path of stdout.split('\0').filter(Boolean)) {
    await cp(join(repository, path), join(folder, path)).catch((error: NodeJS.ErrnoException) => {
      // Deleted but still in the index.
      if (error.code !== 'ENOENT') throw error;
    });
  }
  const packages = await readLock();
  for (const [path, { dev = false }] of Object.entries(packages)) {
    // Packages inside of others come with those.
    const isOutermost = path.split('node_modules/').length === 2;
    if (isOutermost && !(dev && omitDev)) await linkPackage(folder, path, packages);
  }
  await linkPrograms(folder, omitDev);
  return folder;
}

async function linkPackage(folder: string, path: string, packages: LockedPackages): Promise<void> {
  const source = join(repository, path);
  // Packages for other platforms are not installed.
  if (!(await stat(source).catch(() => undefined))) return;
  await mkdir(dirname(join(folder, path)), { recursive: true });
  // Those of the project itself are links already and lead into the copy.
  await symlink(packages[path]?.link ? await readlink(source) : source, join(folder, path));
}

async function linkPrograms(folder: string, omitDev: boolean): Promise<void> {
  const programs = 'node_modules/.bin';
  if (!omitDev) return symlink(join(repository, programs), join(folder, programs));
  await mkdir(join(folder, programs));
  await symlink(join(repository, programs, 'node'), join(folder, programs, 'node'));
}
