import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:fs';
import { type FileHandle, open, rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { programIn } from './binaries.ts';
import type { Home } from './home.ts';

/** A program of PostgreSQL at work. What it says goes to the log, which outlives us as the server may. */
export interface Run {
  running(): boolean;
  /** Settles when it has ended: whether well. */
  readonly ended: Promise<boolean>;
  /** Why it ended badly, in one line. */
  complaint(): Promise<string>;
  /** From now on our process does not wait for it. */
  letGo(): void;
}

const largestLog = 10 * 2 ** 20;
const largestComplaint = 64 * 2 ** 10;

export function logFile(home: Home): string {
  return join(home.folder, 'log');
}

/**
 * The path of something in the home folder as a program started by `runProgram` must spell it. `/proc/self/fd/3` leads
 * straight to the opened folder, past parents the account may not enter, and forked processes inherit it.
 */
export function seenFromInside(home: Home, name: string): string {
  return join(home.byHandle ? '/proc/self/fd/3' : home.folder, name);
}

export async function runProgram(
  home: Home,
  name: 'postgres' | 'initdb',
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<Run> {
  const program = programIn(home.binaries, name);
  const folder = await open(home.folder, constants.O_RDONLY | constants.O_DIRECTORY);
  const log = await openLog(home).catch((error) => folder.close().then(() => Promise.reject(error)));
  try {
    const { size: logged } = await log.stat();
    const child = spawn(program, args, {
      cwd: '/',
      // A session of its own: Ctrl-C in the terminal is for us, and we stop the server when we are done with it.
      detached: true,
      // Nothing of ours: it holds secrets, and PG* variables would change what the programs do. Messages in English.
      env: { PATH: '/usr/bin:/bin', LC_ALL: 'C', ...environment },
      stdio: ['ignore', 'ignore', log.fd, folder.fd],
      ...(home.account && { uid: home.account.uid, gid: home.account.gid }),
    });
    const ended = new Promise<boolean>((resolve) => child.once('exit', (code) => resolve(code === 0)));
    await once(child, 'spawn').catch((error: Error) => {
      const whom = home.account ? ` as the account ${home.account.name}` : '';
      throw new Error(`${program} cannot be run${whom} (${error.message}): set DATABASE_URL to another server.`);
    });
    return {
      running: () => child.exitCode === null && child.signalCode === null,
      ended,
      complaint: async () => findComplaint(await readLog(home, logged), child.pid),
      letGo: () => child.unref(),
    };
  } finally {
    await Promise.all([log.close(), folder.close()]);
  }
}

async function openLog(home: Home): Promise<FileHandle> {
  const path = logFile(home);
  const size = await stat(path).then(
    (log) => log.size,
    () => 0,
  );
  // Another process that starts now may have moved it already.
  if (size > largestLog) await rename(path, `${path}.1`).catch(() => {});
  // The folder may belong to another account, whose link must not lead root to write elsewhere.
  const { O_APPEND, O_CREAT, O_WRONLY, O_NOFOLLOW } = constants;
  const log = await open(path, O_APPEND | O_CREAT | O_WRONLY | O_NOFOLLOW, 0o600);
  if (home.account) await log.chown(home.account.uid, home.account.gid);
  return log;
}

async function readLog(home: Home, from: number): Promise<string> {
  const log = await open(logFile(home));
  try {
    const { size } = await log.stat();
    const start = Math.max(from, size - largestComplaint);
    const { buffer, bytesRead } = await log.read({ buffer: Buffer.alloc(Math.max(size - start, 0)), position: start });
    return buffer.toString('utf8', 0, bytesRead);
  } finally {
    await log.close();
  }
}

/**
 * The reason is the last fatal line with what explains it; "database system is shut down" may follow. Others write to
 * the same log: what the process said itself goes before what its children, or a dead server's last sessions, said.
 */
export function findComplaint(logged: string, pid?: number): string {
  const lines = logged.trim().split('\n');
  const isFatal = (line: string) => /\b(FATAL|PANIC|error):/.test(line);
  const own = lines.findLastIndex((line) => line.includes(`[${pid}]`) && isFatal(line));
  const at = own === -1 ? lines.findLastIndex(isFatal) : own;
  if (at === -1) return lines.at(-1) || 'it said nothing';
  const next = lines.slice(at + 1).findIndex((line) => !/\b(detail|hint):/i.test(line));
  const reason = lines.slice(at, next === -1 ? undefined : at + 1 + next);
  return reason.map((line) => line.replace(/^.*?\b(FATAL|PANIC|error|DETAIL|HINT|detail|hint): +/, '')).join(' ');
}
