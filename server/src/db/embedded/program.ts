import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:fs';
import { type FileHandle, open, rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { programIn } from './binaries.ts';
import type { ServerDirectory } from './server-directory.ts';

/** A program of PostgreSQL. Its output goes to the log file, because the server may outlive this process. */
export interface RunningProgram {
  isRunning(): boolean;
  /** Settles when the program exits: `true` for exit code 0. */
  readonly exitedCleanly: Promise<boolean>;
  /** Why it failed, in one line, from the log. */
  failureReason(): Promise<string>;
  /** Lets this process exit before the program does. */
  unref(): void;
}

const maxLogBytes = 10 * 2 ** 20;
const maxReasonBytes = 64 * 2 ** 10;

export function logFile(directory: ServerDirectory): string {
  return join(directory.path, 'log');
}

/**
 * A path in the server directory for a program started by `runProgram`. `/proc/self/fd/3` refers to the open directory,
 * even if the account cannot enter its parents, and is inherited by forked processes.
 */
export function pathForProgram(directory: ServerDirectory, name: string): string {
  return join(directory.isPassedAsHandle ? '/proc/self/fd/3' : directory.path, name);
}

export async function runProgram(
  directory: ServerDirectory,
  name: 'postgres' | 'initdb',
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<RunningProgram> {
  const program = programIn(directory.binaries, name);
  const folder = await open(directory.path, constants.O_RDONLY | constants.O_DIRECTORY);
  const log = await openLog(directory).catch((error) => folder.close().then(() => Promise.reject(error)));
  try {
    const { size: logSize } = await log.stat();
    const child = spawn(program, args, {
      cwd: '/',
      // A process group of its own: Ctrl-C in the terminal must not stop the server.
      detached: true,
      // Not this environment: it holds secrets, and PG* variables would change the programs. `C` for messages in English.
      env: { PATH: '/usr/bin:/bin', LC_ALL: 'C', ...environment },
      stdio: ['ignore', 'ignore', log.fd, folder.fd],
      ...(directory.account && { uid: directory.account.uid, gid: directory.account.gid }),
    });
    const exitedCleanly = new Promise<boolean>((resolve) => child.once('exit', (code) => resolve(code === 0)));
    await once(child, 'spawn').catch((error: Error) => {
      const account = directory.account ? ` as the account ${directory.account.name}` : '';
      throw new Error(
        `${program} cannot be executed${account} (${error.message}): set DATABASE_URL to another server.`,
      );
    });
    return {
      isRunning: () => child.exitCode === null && child.signalCode === null,
      exitedCleanly,
      failureReason: async () => findFailureReason(await readLog(directory, logSize), child.pid),
      unref: () => child.unref(),
    };
  } finally {
    await Promise.all([log.close(), folder.close()]);
  }
}

async function openLog(directory: ServerDirectory): Promise<FileHandle> {
  const path = logFile(directory);
  const size = await stat(path).then(
    (log) => log.size,
    () => 0,
  );
  // Another process may have renamed it already.
  if (size > maxLogBytes) await rename(path, `${path}.1`).catch(() => {});
  // The directory may belong to another account: root must not follow a link in it.
  const { O_APPEND, O_CREAT, O_WRONLY, O_NOFOLLOW } = constants;
  const log = await open(path, O_APPEND | O_CREAT | O_WRONLY | O_NOFOLLOW, 0o600);
  if (directory.account) await log.chown(directory.account.uid, directory.account.gid);
  return log;
}

async function readLog(directory: ServerDirectory, from: number): Promise<string> {
  const log = await open(logFile(directory));
  try {
    const { size } = await log.stat();
    const start = Math.max(from, size - maxReasonBytes);
    const { buffer, bytesRead } = await log.read({ buffer: Buffer.alloc(Math.max(size - start, 0)), position: start });
    return buffer.toString('utf8', 0, bytesRead);
  } finally {
    await log.close();
  }
}

/**
 * Finds the last fatal line and its details. Children of the process and the last sessions of a dead server write to the
 * same log, so lines of the process itself are preferred.
 */
export function findFailureReason(log: string, pid?: number): string {
  const lines = log.trim().split('\n');
  const isFatal = (line: string) => /\b(FATAL|PANIC|error):/.test(line);
  const ownIndex = lines.findLastIndex((line) => line.includes(`[${pid}]`) && isFatal(line));
  const index = ownIndex === -1 ? lines.findLastIndex(isFatal) : ownIndex;
  if (index === -1) return lines.at(-1) || 'it wrote nothing to its log';
  const next = lines.slice(index + 1).findIndex((line) => !/\b(detail|hint):/i.test(line));
  const reason = lines.slice(index, next === -1 ? undefined : index + 1 + next);
  return reason.map((line) => line.replace(/^.*?\b(FATAL|PANIC|error|DETAIL|HINT|detail|hint): +/, '')).join(' ');
}
