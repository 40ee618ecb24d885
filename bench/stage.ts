import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';

export const repository = resolve(import.meta.dirname, '..');
/** The Node version that the project pins. */
export const node = join(repository, 'node_modules/.bin/node');

/** Resources of a benchmark: processes are stopped and folders removed when it ends, also after a failure or Ctrl-C. */
export interface Stage {
  /** A new temporary folder. */
  folder(): Promise<string>;
  start(command: string, args: readonly string[], environment?: Readonly<Record<string, string>>): Running;
  /** Runs `close` at the end, before earlier resources are closed. */
  atEnd(close: () => Promise<unknown>): void;
}

export interface Running {
  readonly pid: number;
  /** The first line of its standard output. */
  firstLine(): Promise<string>;
  /** Its whole standard output, when it has exited with code 0. */
  output(): Promise<string>;
  /** Stops it and its child processes; resolves when all have exited. */
  stop(): Promise<void>;
}

type Child = ChildProcessByStdio<Writable, Readable, Readable>;

const stopTimeoutMs = 20_000;
const maxErrorLength = 2_000;

export async function onStage(work: (stage: Stage) => Promise<void>): Promise<void> {
  const closers: (() => Promise<unknown>)[] = [];
  const closeAll = async () => {
    for (let close = closers.pop(); close; close = closers.pop()) await close().catch(console.error);
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => void closeAll().then(() => process.exit(130)));
  }
  const stage: Stage = {
    async folder() {
      const path = await mkdtemp(join(tmpdir(), 'chowk-bench-'));
      closers.push(() => removeFolder(path));
      return path;
    },
    start(command, args, environment = {}) {
      const running = run(command, args, environment);
      closers.push(running.stop);
      return running;
    },
    atEnd: (close) => void closers.push(close),
  };
  try {
    await work(stage);
  } finally {
    await closeAll();
  }
}

function run(command: string, args: readonly string[], environment: Readonly<Record<string, string>>): Running {
  const { PATH = '', HOME = '' } = process.env;
  const child: Child = spawn(command, args, {
    cwd: repository,
    // A process group of its own: it is stopped as a whole, and Ctrl-C reaches it only through `stop`.
    detached: true,
    // No other variables: a DATABASE_URL of the shell must not be measured.
    env: { PATH, HOME, ...environment },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  child.stdin.on('error', () => {});
  let errorOutput = '';
  child.stderr.on('data', (chunk) => {
    errorOutput = `${errorOutput}${chunk}`.slice(-maxErrorLength);
  });
  const failure = () => new Error(`${command} ${args.join(' ')} failed: ${errorOutput}`);
  const exited = new Promise<number | null>((done) => child.once('exit', (code) => done(code)));
  const pid = child.pid ?? 0;
  return {
    pid,
    firstLine: () =>
      new Promise((done, fail) => {
        createInterface(child.stdout).once('line', done);
        child.once('error', fail);
        void exited.then(() => fail(failure()));
      }),
    async output() {
      const chunks = await child.stdout.toArray();
      if ((await exited) !== 0) throw failure();
      return Buffer.concat(chunks).toString();
    },
    async stop() {
      const startedAt = Date.now();
      for (let signal: NodeJS.Signals = 'SIGTERM'; signalGroup(pid, signal); await delay(20)) {
        while (signalGroup(pid, 0) && Date.now() - startedAt < stopTimeoutMs) await delay(20);
        signal = 'SIGKILL';
      }
    },
  };
}

/** `false` when no process of the group is left. */
function signalGroup(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return pid > 0 && process.kill(-pid, signal);
  } catch {
    return false;
  }
}

/** Stops the embedded PostgreSQL if its last process was killed and could not stop it. */
async function removeFolder(path: string): Promise<void> {
  const postmaster = await readPostmasterPid(path).catch(() => undefined);
  try {
    if (postmaster) process.kill(postmaster, 'SIGQUIT');
  } catch {}
  await rm(path, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
}

/** The process id of the embedded PostgreSQL in a storage folder. */
export async function readPostmasterPid(storagePath: string): Promise<number> {
  const [line = ''] = (await readFile(join(storagePath, 'postgres/data/postmaster.pid'), 'utf8')).split('\n');
  return Number(line);
}

export function freePort(): Promise<number> {
  return new Promise((done) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => done(typeof address === 'object' && address ? address.port : 0));
    });
  });
}
