import { randomBytes } from 'node:crypto';
import { mkdir, readdir, rm } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';

const prefix = '.chowk-staging-';
/** Several machines may share the folder. */
const host = hostname().replaceAll(/[^A-Za-z0-9.-]/g, '');

/** Runs `work` with a new folder in `parent`, which is removed afterwards. */
export async function withStaging<Result>(parent: string, work: (folder: string) => Promise<Result>): Promise<Result> {
  const folder = join(parent, `${prefix}${host}_${process.pid}_${randomBytes(4).toString('hex')}`);
  await mkdir(parent, { recursive: true });
  await removeAbandoned(parent);
  await mkdir(folder);
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Removes what killed processes of this machine have left. */
async function removeAbandoned(parent: string): Promise<void> {
  for (const name of await readdir(parent)) {
    if (!name.startsWith(prefix)) continue;
    const [machine, pid] = name.slice(prefix.length).split('_');
    if (machine !== host || isRunning(Number(pid))) continue;
    await rm(join(parent, name), { recursive: true, force: true });
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
