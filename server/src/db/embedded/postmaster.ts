import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';

/** The server described by the lock file `postmaster.pid`. */
export interface Postmaster {
  readonly pid: number;
  readonly port: number;
  /** Whether it listens on a Unix socket in `socket/` besides TCP. */
  readonly hasSocket: boolean;
  /** A killed server leaves its lock file behind. */
  readonly isRunning: boolean;
  /** Whether it accepts connections; otherwise it is starting, recovering or stopping. */
  readonly isReady: boolean;
}

const fastShutdownMs = 20_000;
const immediateShutdownMs = 8_000;

export async function findPostmaster(folder: string): Promise<Postmaster | undefined> {
  const text = await readFile(join(folder, 'data', 'postmaster.pid'), 'utf8').catch(() => '');
  const [pid, , , port, socketFolder, , , status] = text.split('\n').map((line) => line.trim());
  if (!pid) return undefined;
  const server = { pid: Number(pid), port: Number(port), hasSocket: Boolean(socketFolder) };
  const isRunning =
    (await isPostmaster(server.pid, folder)) || (server.hasSocket && (await acceptsConnection(folder, server.port)));
  return { ...server, isRunning, isReady: isRunning && status === 'ready' };
}

/** The Unix socket of a server, named as PostgreSQL and its clients expect. */
export function socketFile(folder: string, port: number): string {
  return join(folder, 'socket', `.s.PGSQL.${port}`);
}

/** A setting without effect at the end of the command line that identifies the server of a folder. */
export function ownerSetting(folder: string): string {
  return `chowk.home=${folder}`;
}

/** Stops the server and waits for its end. Open sessions are terminated and their transactions rolled back. */
export async function stopPostmaster(folder: string, onProgress: (line: string) => void): Promise<void> {
  const pid = (await findPostmaster(folder))?.pid;
  if (pid === undefined) return;
  if (await hasExitedAfter('SIGINT', pid, folder, fastShutdownMs)) return;
  // An immediate shutdown skips the checkpoint. The next start recovers from the log; no commit is lost.
  if (await hasExitedAfter('SIGQUIT', pid, folder, immediateShutdownMs)) return;
  onProgress(`PostgreSQL (process ${pid}) does not stop; the next start will use it again.`);
}

async function hasExitedAfter(
  signal: NodeJS.Signals,
  pid: number,
  folder: string,
  timeoutMs: number,
): Promise<boolean> {
  if (!(await isPostmaster(pid, folder))) return true;
  try {
    process.kill(pid, signal);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
  const deadline = Date.now() + timeoutMs;
  for (let wait = 10; Date.now() < deadline; wait = Math.min(wait * 1.3, 250)) {
    if (!(await isPostmaster(pid, folder))) return true;
    await pause(wait);
  }
  return false;
}

/**
 * Whether the process is the server of this folder, by its command line. After a crash, above all in containers, the id may
 * belong to another process.
 */
async function isPostmaster(pid: number, folder: string): Promise<boolean> {
  if (!(pid > 0)) return false;
  return (await readCommandLine(pid)).endsWith(ownerSetting(folder));
}

async function readCommandLine(pid: number): Promise<string> {
  try {
    if (process.platform === 'linux') return (await readFile(`/proc/${pid}/cmdline`, 'utf8')).replace(/\0$/, '');
    return (await promisify(execFile)('ps', ['-ww', '-p', `${pid}`, '-o', 'command='])).stdout.trimEnd();
  } catch {
    return '';
  }
}

/** A server in another container that shares the folder is not visible as a process, but accepts connections. */
function acceptsConnection(folder: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(socketFile(folder, port));
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
