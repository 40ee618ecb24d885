import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { onTestFinished } from 'vitest';

const program = resolve(import.meta.dirname, '../../chowkd');

export interface Outcome {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

export interface RunningServe {
  readonly url: string;
  readonly child: ChildProcess;
  /** Sends the signal and waits for the end. */
  stop(signal?: NodeJS.Signals): Promise<Outcome>;
}

/** Only what a bare machine has, and what the test gives. */
function launch(args: readonly string[], environment: Record<string, string>) {
  const { PATH = '', HOME = '' } = process.env;
  const env = { PATH, HOME, APP_ENV: 'testing', PORT: '0', SPARE_DATABASES: '0', ...environment };
  const child = spawn(program, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const heard = { out: '', err: '' };
  child.stdout.on('data', (chunk) => {
    heard.out += chunk;
  });
  child.stderr.on('data', (chunk) => {
    heard.err += chunk;
  });
  const ended = once(child, 'close').then(([code]): Outcome => ({ code, ...heard }));
  return { child, heard, ended };
}

/** Runs the operator program to its end. */
export function chowkd(args: readonly string[], environment: Record<string, string> = {}): Promise<Outcome> {
  return launch(args, environment).ended;
}

/** Starts `chowkd serve` and waits until it says where it is; stops it when the test is over. */
export async function serve(environment: Record<string, string>): Promise<RunningServe> {
  const { child, heard, ended } = launch(['serve'], environment);
  let over = false;
  void ended.then(() => {
    over = true;
  });
  const stop = async (signal: NodeJS.Signals = 'SIGTERM') => {
    if (!over) child.kill(signal);
    return ended;
  };
  onTestFinished(async () => void (await stop()));
  for (;;) {
    const url = /ready at (\S+)/.exec(heard.out)?.[1];
    if (url) return { url, child, stop };
    if (over) throw new Error(`chowkd serve ended: ${heard.err}`);
    await Promise.race([once(child.stdout as NodeJS.ReadableStream, 'data'), ended]);
  }
}

/** A folder that is gone after the test. */
export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'chowk-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}
