import { constants, existsSync } from 'node:fs';
import { copyFile, link, open, readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { ExitError, exitCodes } from '../exit.ts';
import { withFileLock } from '../file-lock.ts';
import { temporaryFileFor } from '../temporary-files.ts';
import { type Probe, probe } from './probe.ts';

export interface Program {
  /** The program to replace, with all links resolved. */
  readonly binary: string;
  readonly os: string;
}

/** Where the program before the last upgrade is kept. */
export function previousPath({ binary, os }: Program): string {
  return `${binary}.${os === 'windows' ? 'old' : 'previous'}`;
}

/**
 * Runs the function, which obtains the new program, and puts that in the place of the present one. At every moment the
 * file is the whole old or the whole new program. (Not on Windows, where a running program can only be moved aside first.)
 */
export function replaceProgram(
  program: Program,
  expected: Omit<Probe, 'program'>,
  obtain: () => Promise<Buffer>,
): Promise<void> {
  return exclusively(program, async () => {
    const content = await obtain();
    const fresh = temporaryFileFor(program.binary);
    await write(fresh, content);
    await probe({ ...expected, program: fresh });
    await exchange(program, fresh);
  });
}

/** Puts the kept program in the place of the present one, which is kept in turn. Returns its version. */
export function rollBack(program: Program, expected: Omit<Probe, 'program' | 'version'>): Promise<string> {
  return exclusively(program, async () => {
    const previous = previousPath(program);
    if (!existsSync(previous)) {
      throw new ExitError(exitCodes.general, 'No earlier version is kept here. Use --target=<version> to install one.');
    }
    const version = await probe({ ...expected, program: previous });
    const fresh = temporaryFileFor(program.binary);
    await duplicate(previous, fresh);
    await exchange(program, fresh);
    return version;
  });
}

async function write(path: string, content: Buffer): Promise<void> {
  const file = await open(path, 'wx', 0o755);
  try {
    await file.writeFile(content);
    // The mode above is reduced by the umask.
    await file.chmod(0o755);
    await file.sync();
  } finally {
    await file.close();
  }
}

async function exchange(program: Program, fresh: string): Promise<void> {
  const { binary, os } = program;
  const previous = previousPath(program);
  if (os === 'windows') {
    await rename(binary, previous);
    await rename(fresh, binary).catch(async (error) => {
      await rename(previous, binary);
      throw error;
    });
    return;
  }
  // A second name for the present program, so that the first never disappears.
  const kept = temporaryFileFor(previous);
  await duplicate(binary, kept);
  await rename(kept, previous);
  await rename(fresh, binary);
  await syncFolder(dirname(binary));
}

/** A second name, or a copy where the file system or its protection allows no second name. */
async function duplicate(path: string, other: string): Promise<void> {
  await link(path, other).catch(() => copyFile(path, other, constants.COPYFILE_EXCL));
}

/** Otherwise a power failure could undo the renames. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

async function exclusively<Result>(program: Program, run: () => Promise<Result>): Promise<Result> {
  const { binary } = program;
  try {
    const withoutLeftovers = async () => {
      await removeLeftovers(binary);
      try {
        return await run();
      } finally {
        await removeLeftovers(binary);
      }
    };
    // Without a limit: a download may take long.
    const options = { staleAfterMs: Number.POSITIVE_INFINITY, busy: alreadyRunning(binary) };
    return await withFileLock(lockPath(binary), withoutLeftovers, options);
  } catch (error) {
    throw withRemedy(binary, error);
  }
}

function lockPath(binary: string): string {
  return `${binary}.lock`;
}

function alreadyRunning(binary: string): (processId: string) => ExitError {
  return (processId) =>
    new ExitError(
      exitCodes.general,
      `Another upgrade is running (process ${processId}). Wait until it has ended. If there is none, delete ${lockPath(binary)}.`,
    );
}

/** Temporary files, also those of upgrades that were killed. */
async function removeLeftovers(binary: string): Promise<void> {
  const folder = dirname(binary);
  const pattern = new RegExp(`^\\.${RegExp.escape(basename(binary))}\\.(\\w+\\.)*\\d+\\.part$`);
  const leftovers = (await readdir(folder)).filter((name) => pattern.test(name));
  await Promise.all(leftovers.map((name) => rm(join(folder, name), { force: true })));
}

/** Failures of the file system, with what to do. */
function withRemedy(binary: string, error: unknown): unknown {
  const { code } = error as NodeJS.ErrnoException;
  if (error instanceof ExitError || typeof code !== 'string') return error;
  const folder = dirname(binary);
  const advice: Record<string, string> = {
    EACCES: `You may not write to ${folder}. Run the command as the owner of that folder, for instance with sudo.`,
    EPERM: `You may not write to ${folder}. Run the command as the owner of that folder, for instance with sudo.`,
    EROFS: `${folder} is read-only. Install chowk in another folder.`,
    ENOSPC: `The disk of ${folder} is full. Free some space and repeat the command.`,
  };
  const message = advice[code] ?? `${binary} cannot be replaced (${code}). The present version stays in place.`;
  return new ExitError(exitCodes.general, message, { cause: error });
}
