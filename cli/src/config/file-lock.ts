import { link, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { ExitError, exitCodes } from '../exit.ts';

const pauseMs = 20;
/** Longer than any refresh takes. A process id may belong to another program by then. */
const staleAfterMs = 60_000;
const guardStaleAfterMs = 10_000;

let count = 0;

/** Runs a function while no other process does, with the same path. A lock of a process that has ended is taken over. */
export async function withFileLock<Result>(path: string, run: () => Promise<Result>): Promise<Result> {
  const deadline = Date.now() + 2 * staleAfterMs;
  while (!(await create(path))) {
    if (await isStale(path)) await removeStale(path);
    else if (Date.now() > deadline)
      throw new ExitError(exitCodes.general, `Another chowk holds ${path}. End it, or delete the file.`);
    else await pause(pauseMs * (0.5 + Math.random()));
  }
  try {
    return await run();
  } finally {
    await rm(path, { force: true });
  }
}

/** A file appears with its whole content, so that no other process reads half of it. */
async function create(path: string): Promise<boolean> {
  count += 1;
  const own = `${path}.${process.pid}.${count}`;
  await writeFile(own, String(process.pid), { mode: 0o600 });
  try {
    await link(own, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    await rm(own, { force: true });
  }
}

async function isStale(path: string, afterMs = staleAfterMs): Promise<boolean> {
  try {
    const [owner, { mtimeMs }] = await Promise.all([readFile(path, 'utf8'), stat(path)]);
    return Date.now() - mtimeMs > afterMs || !isRunning(Number(owner));
  } catch {
    return false;
  }
}

function isRunning(pid: number): boolean {
  try {
    return pid > 0 && process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** One process at a time removes a lock, and looks again before: another one may have taken it over. */
async function removeStale(path: string): Promise<void> {
  const guard = `${path}.stale`;
  if (!(await create(guard))) {
    if (await isStale(guard, guardStaleAfterMs)) await rm(guard, { force: true });
    return;
  }
  try {
    if (await isStale(path)) await rm(path, { force: true });
  } finally {
    await rm(guard, { force: true });
  }
}
