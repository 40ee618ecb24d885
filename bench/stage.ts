import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';

export const repository = resolve(import.meta.dirname, '..');
/** The project's own Node, whatever the machine has. */
export const node = join(repository, 'node_modules/.bin/node');

/** Where a measurement happens: what it starts is ended and what it makes is removed, however it ends. */
export interface Stage {
  /** A new temporary folder. */
  folder(): Promise<string>;
  start(command: string, args: readonly string[], environment?: Readonly<Record<string, string>>): Running;
  /** Runs `close` at the end, before everything that was set up before it is ended. */
  atEnd(close: () => Promise<unknown>): void;
}

export interface Running {
  readonly pid: number;
  /** The first line it says. */
  firstLine(): Promise<string>;
  /** All it says, once it has ended well. */
  output(): Promise<string>;
  /** Ends it with all it has started; settles when all of it is gone. */
  stop(): Promise<void>;
}

type Child = ChildProcessByStdio<Writable, Readable, Readable>;

const patienceMs = 20_000;
const mostComplaint = 2_000;

export async function onStage(work: (stage: Stage) => Promise<void>): Promise<void> {
  const closers: (() => Promise<unknown>)[] = [];
  const clear = async () => {
    for (let close = closers.pop(); close; close = closers.pop()) await close().catch(console.error);
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => void clear().then(() => process.exit(130)));
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
    await clear();
  }
}

function run(command: string, args: readonly string[], environment: Readonly<Record<string, string>>): Running {
  const { PATH = '', HOME = '' } = process.env;
  const child: Child = spawn(command, args, {
    cwd: repository,
    // A group of its own, so that it can be ended whole and Ctrl-C reaches it through us, in order.
    detached: true,
    // Nothing else of ours: a DATABASE_URL left in the shell must not be measured.
    env: { PATH, HOME, ...environment },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  child.stdin.on('error', () => {});
  let complaint = '';
  child.stderr.on('data', (chunk) => {
    complaint = `${complaint}${chunk}`.slice(-mostComplaint);
  });
  const failure = () => new Error(`${command} ${args.join(' ')} failed: ${complaint}`);
  const ended = new Promise<number | null>((done) => child.once('exit', (code) => done(code)));
  const pid = child.pid ?? 0;
  return {
    pid,
    firstLine: () =>
      new Promise((done, fail) => {
        createInterface(child.stdout).once('line', done);
        child.once('error', fail);
        void ended.then(() => fail(failure()));
      }),
    async output() {
      const chunks = await child.stdout.toArray();
      if ((await ended) !== 0) throw failure();
      return Buffer.concat(chunks).toString();
    },
    async stop() {
      const began = Date.now();
      for (let signal: NodeJS.Signals = 'SIGTERM'; signalGroup(pid, signal); await pause(20)) {
        while (signalGroup(pid, 0) && Date.now() - began < patienceMs) await pause(20);
        signal = 'SIGKILL';
      }
    },
  };
}

/** `false` when nobody of the group is left. */
function signalGroup(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return pid > 0 && process.kill(-pid, signal);
  } catch {
    return false;
  }
}

/** The embedded PostgreSQL stops with its last user; one whose user had to be killed is stopped here. */
async function removeFolder(path: string): Promise<void> {
  const postmaster = await postmasterOf(path).catch(() => undefined);
  try {
    if (postmaster) process.kill(postmaster, 'SIGQUIT');
  } catch {}
  await rm(path, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
}

/** The process id of the embedded PostgreSQL in a storage folder. */
export async function postmasterOf(storagePath: string): Promise<number> {
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
