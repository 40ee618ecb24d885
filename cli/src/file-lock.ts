import { linkSync, rmSync } from 'node:fs';
import { readFile, rm, stat, writeFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { ExitError, exitCodes } from './exit.ts';
import { temporaryFileFor } from './temporary-files.ts';

const pauseMs = 20;
/** Longer than any refresh takes. A process id may belong to another program by then. */
const refreshMs = 60_000;
const guardMs = 10_000;

interface LockOptions {
  /** A lock that is older is taken over, although a process has its id. */
  readonly staleAfterMs?: number;
  /** Thrown if another process has the lock. Default: wait for it. */
  readonly busy?: (processId: string) => ExitError;
}

/** Runs a function while no other process does, with the same path. A lock of a process that has ended is taken over. */
export async function withFileLock<Result>(
  path: string,
  run: () => Promise<Result>,
  options: LockOptions = {},
): Promise<Result> {
  const release = () => rmSync(path, { force: true });
  await acquire(path, () => process.once('exit', release), options);
  try {
    return await run();
  } finally {
    process.off('exit', release);
    release();
  }
}

async function acquire(
  path: string,
  onCreated: () => void,
  { staleAfterMs = refreshMs, busy }: LockOptions,
): Promise<void> {
  const deadline = Date.now() + 2 * staleAfterMs;
  while (!(await create(path, onCreated))) {
    const holder = await readFile(path, 'utf8').catch(() => undefined);
    if (holder === undefined) continue;
    if (await isStale(path, staleAfterMs)) await removeStale(path, staleAfterMs);
    else if (busy) throw busy(holder);
    else if (Date.now() > deadline)
      throw new ExitError(exitCodes.general, `Another chowk holds ${path}. End it, or delete the file.`);
    else await pause(pauseMs * (0.5 + Math.random()));
  }
}

/**
 * A file appears with its whole content, so that no other process reads half of it.
 * `onCreated` is called at once: a signal that arrived before it would leave the file behind.
 */
async function create(path: string, onCreated = () => {}): Promise<boolean> {
  const own = temporaryFileFor(path);
  try {
    await writeFile(own, String(process.pid), { mode: 0o600 });
    linkSync(own, path);
    onCreated();
    return true;
  } catch (error) {
    // EEXIST: another process has it. ENOENT: an upgrade has removed our file as a leftover.
    if (['EEXIST', 'ENOENT'].includes((error as NodeJS.ErrnoException).code ?? '')) return false;
    throw error;
  } finally {
    await rm(own, { force: true });
  }
}

async function isStale(path: string, afterMs: number): Promise<boolean> {
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
async function removeStale(path: string, staleAfterMs: number): Promise<void> {
  const guard = `${path}.stale`;
  if (!(await create(guard))) {
    if (await isStale(guard, guardMs)) await rm(guard, { force: true });
    return;
  }
  try {
    if (await isStale(path, staleAfterMs)) await rm(path, { force: true });
  } finally {
    await rm(guard, { force: true });
  }
}
