import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { onTestFinished } from 'vitest';
import { main } from '../src/main.ts';

const repository = resolve(import.meta.dirname, '../..');
const program = join(repository, 'chowkd');

export interface Outcome {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

export interface RunningServe {
  readonly url: string;
  readonly child: ChildProcess;
  /** Sends the signal and waits until the process has exited. */
  stop(signal?: NodeJS.Signals): Promise<Outcome>;
}

/** A minimal environment, so that variables of the shell do not change the result. */
function minimal(environment: Record<string, string>): Record<string, string> {
  const { PATH = '', HOME = '', NODE_COMPILE_CACHE = '' } = process.env;
  return { PATH, HOME, NODE_COMPILE_CACHE, APP_ENV: 'testing', PORT: '0', SPARE_DATABASES: '0', ...environment };
}

function launch(args: readonly string[], environment: Record<string, string>, command = program) {
  // A process group of its own, so that a test can tell whether any of its processes is left.
  const child = spawn(command, args, {
    env: minimal(environment),
    cwd: repository,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = { out: '', err: '' };
  child.stdout.on('data', (chunk) => {
    output.out += chunk;
  });
  child.stderr.on('data', (chunk) => {
    output.err += chunk;
  });
  const exited = once(child, 'close').then(([code]): Outcome => ({ code, ...output }));
  return { child, output, exited };
}

/** Runs `chowkd` as an operator does, in a process of its own. Most of its time is the start of the process. */
export function chowkdProcess(args: readonly string[], environment: Record<string, string> = {}): Promise<Outcome> {
  return launch(args, environment).exited;
}

/** Starts `chowkd`, for a test that kills it with all of its processes. */
export function startChowkd(
  args: readonly string[],
  environment: Record<string, string>,
): { readonly exited: Promise<Outcome>; kill(): void } {
  const { child, exited } = launch(args, environment);
  return { exited, kill: () => void process.kill(-(child.pid as number), 'SIGKILL') };
}

/** Runs `npm start` with arguments for `chowkd serve`, which refuses them. */
export function npmStart(args: readonly string[], environment: Record<string, string> = {}): Promise<Outcome> {
  return launch(['start', '--', ...args], environment, 'npm').exited;
}

/** Runs a command of `chowkd` in this process; not `serve` or `work`, which wait for signals. */
export async function chowkd(args: readonly string[], environment: Record<string, string> = {}): Promise<Outcome> {
  const output = { out: '', err: '' };
  const code = await main(args, {
    environment: minimal(environment),
    print: (line) => {
      output.out += `${line}\n`;
    },
    printError: (line) => {
      output.err += `${line}\n`;
    },
  });
  return { code, ...output };
}

/** Starts `chowkd serve`, or another command that does, and waits until it is ready. Stopped after the test. */
export async function serve(environment: Record<string, string>, command?: 'npm start'): Promise<RunningServe> {
  const { child, output, exited } = command ? launch(['start'], environment, 'npm') : launch(['serve'], environment);
  let hasExited = false;
  void exited.then(() => {
    hasExited = true;
  });
  const stop = async (signal: NodeJS.Signals = 'SIGTERM') => {
    if (!hasExited) child.kill(signal);
    return exited;
  };
  onTestFinished(async () => void (await stop()));
  for (;;) {
    const url = /ready at (\S+)/.exec(output.out)?.[1];
    if (url) return { url, child, stop };
    if (hasExited) throw new Error(`chowkd serve exited: ${output.err}`);
    await Promise.race([once(child.stdout as NodeJS.ReadableStream, 'data'), exited]);
  }
}

/** A folder that is removed after the test. */
export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'chowk-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}
