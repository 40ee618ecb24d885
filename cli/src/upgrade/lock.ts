import { link, readFile, rm, writeFile } from 'node:fs/promises';
import { ExitError, exitCodes } from '../exit.ts';

/** Runs the function unless another process is replacing the same program. */
export async function withLock<Result>(binary: string, run: () => Promise<Result>): Promise<Result> {
  const file = `${binary}.lock`;
  await acquire(file);
  try {
    return await run();
  } finally {
    await rm(file, { force: true });
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
  const own = `${file}-${process.pid}`;
  try {
    await writeFile(own, String(process.pid));
    await link(own, file);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
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
