import { rmSync } from 'node:fs';
import { link, readFile, rm, writeFile } from 'node:fs/promises';
import { ExitError, exitCodes } from '../exit.ts';
import { temporaryFileFor } from '../temporary-files.ts';

/** Runs the function unless another process is replacing the same program. */
export async function withLock<Result>(binary: string, run: () => Promise<Result>): Promise<Result> {
  const file = `${binary}.lock`;
  await acquire(file);
  const release = () => rmSync(file, { force: true });
  process.once('exit', release);
  try {
    return await run();
  } finally {
    process.off('exit', release);
    release();
  }
}

/** The lock of a process that has ended is taken over. */
async function acquire(file: string): Promise<void> {
  if (await create(file)) return;
  const holder = Number(await readFile(file, 'utf8').catch(() => ''));
  if (!isRunning(holder)) {
    await rm(file, { force: true });
    if (await create(file)) return;
  }
  throw new ExitError(
    exitCodes.general,
    `Another upgrade is running (process ${holder}). Wait until it has ended. If there is none, delete ${file}.`,
  );
}

/** The lock appears together with its content. */
async function create(file: string): Promise<boolean> {
  const own = temporaryFileFor(file);
  try {
    await writeFile(own, String(process.pid));
    await link(own, file);
    return true;
  } catch (error) {
    // EEXIST: another process has it. ENOENT: that one has removed our file as a leftover.
    if (['EEXIST', 'ENOENT'].includes((error as NodeJS.ErrnoException).code ?? '')) return false;
    throw error;
  } finally {
    await rm(own, { force: true });
  }
}

function isRunning(pid: number): boolean {
  if (!Number.isSafeInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
