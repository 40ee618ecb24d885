import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';

/** What `postmaster.pid` tells of the server that wrote it. */
export interface Postmaster {
  readonly pid: number;
  readonly port: number;
  /** Whether it listens in `socket/` besides TCP. */
  readonly onSocket: boolean;
  /** Whether it lives. The file outlives a server that was killed. */
  readonly running: boolean;
  /** Whether it takes connections; else it is starting, recovering or stopping. */
  readonly ready: boolean;
}

const fastShutdownMs = 20_000;
const immediateShutdownMs = 8_000;

export async function findPostmaster(folder: string): Promise<Postmaster | undefined> {
  const text = await readFile(join(folder, 'data', 'postmaster.pid'), 'utf8').catch(() => '');
  const [pid, , , port, socketFolder, , , status] = text.split('\n').map((line) => line.trim());
  if (!pid) return undefined;
  const found = { pid: Number(pid), port: Number(port), onSocket: Boolean(socketFolder) };
  const running = (await isPostmaster(found.pid, folder)) || (found.onSocket && (await answers(folder, found.port)));
  return { ...found, running, ready: running && status === 'ready' };
}

/** The file a server listens at; PostgreSQL and its clients agree on this name. */
export function socketFile(folder: string, port: number): string {
  return join(folder, 'socket', `.s.PGSQL.${port}`);
}

/** A setting that means nothing to the server; at the end of its command line it tells us whose server it is. */
export function mark(folder: string): string {
  return `chowk.home=${folder}`;
}

/** Asks the server to stop and waits until it has. Sessions still open are ended, their transactions rolled back. */
export async function stopPostmaster(folder: string, say: (line: string) => void): Promise<void> {
  const pid = (await findPostmaster(folder))?.pid;
  if (pid === undefined) return;
  if (await endedAfter('SIGINT', pid, folder, fastShutdownMs)) return;
  // It stops without a last checkpoint and repeats the log when it starts again: slower, and nothing is lost.
  if (await endedAfter('SIGQUIT', pid, folder, immediateShutdownMs)) return;
  say(`PostgreSQL (process ${pid}) does not stop; the next start will use it again.`);
}

async function endedAfter(signal: NodeJS.Signals, pid: number, folder: string, limitMs: number): Promise<boolean> {
  if (!(await isPostmaster(pid, folder))) return true;
  try {
    process.kill(pid, signal);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
  const deadline = Date.now() + limitMs;
  for (let wait = 10; Date.now() < deadline; wait = Math.min(wait * 1.3, 250)) {
    if (!(await isPostmaster(pid, folder))) return true;
    await pause(wait);
  }
  return false;
}

/**
 * Whether the process is the server of this folder. After a crash its number may belong to anyone, above all in
 * containers, where the same few numbers are used at every start. The command line is the one thing about a process
 * that root may read without further capabilities; the server's children overwrite theirs, and a zombie has none.
 */
async function isPostmaster(pid: number, folder: string): Promise<boolean> {
  if (!(pid > 0)) return false;
  return (await commandOf(pid)).endsWith(mark(folder));
}

async function commandOf(pid: number): Promise<string> {
  try {
    if (process.platform === 'linux') return (await readFile(`/proc/${pid}/cmdline`, 'utf8')).replace(/\0$/, '');
    return (await promisify(execFile)('ps', ['-ww', '-p', `${pid}`, '-o', 'command='])).stdout.trimEnd();
  } catch {
    return '';
  }
}

/** A server we cannot see, say in another container that shares the folder, is alive when it takes a connection. */
function answers(folder: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(socketFile(folder, port));
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
