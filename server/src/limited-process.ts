import { type ChildProcess, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

interface Limits {
  readonly args: readonly string[];
  /** Limits what it allocates, not what it reserves or maps from files. Linux enforces it; other systems may not. */
  readonly maxMegabytes: number;
}

interface LimitedProcess extends Limits {
  /** Its standard input. */
  readonly input: Readable;
  readonly maxSeconds: number;
}

/** Starts a program of this platform in a child process, to which messages can be sent. */
export function spawnLimited(program: string, { args, maxMegabytes }: Limits): ChildProcess {
  const limit = `ulimit -d ${maxMegabytes * 1_000}; exec "$0" "$@"`;
  return spawn('sh', ['-c', limit, process.execPath, program, ...args], {
    stdio: ['pipe', 'ignore', 'ignore', 'ipc'],
    serialization: 'advanced',
    // Without the secrets of this process. Fewer threads allocate less.
    env: { PATH: process.env.PATH, UV_THREADPOOL_SIZE: '1', MALLOC_ARENA_MAX: '1' },
  });
}

/** Runs a program of this platform in a child process. Resolves to the message that it sends, or `undefined` if it ends without. */
export async function runLimited<Message>(
  program: string,
  { args, input, maxSeconds, maxMegabytes }: LimitedProcess,
): Promise<Message | undefined> {
  const child = spawnLimited(program, { args, maxMegabytes });
  const timer = setTimeout(() => child.kill('SIGKILL'), maxSeconds * 1_000);
  try {
    return await new Promise<Message | undefined>((resolve, reject) => {
      child.once('message', (message) => resolve(message as Message));
      child.once('error', reject);
      child.once('exit', () => resolve(undefined));
      // A child that ends early closes its input.
      pipeline(input, child.stdin as Writable).catch(() => {});
    });
  } finally {
    clearTimeout(timer);
    child.kill('SIGKILL');
  }
}
