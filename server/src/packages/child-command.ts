import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { repository } from '../loader/lock-path.ts';

const program = join(repository, 'server/src/main.ts');

export interface ChildOptions {
  readonly environment: NodeJS.ProcessEnv;
  /** Options of Node.js. */
  readonly nodeOptions?: readonly string[];
  /** How long the child may run. */
  readonly timeoutMs?: number;
  /** A new limit from the time of a line of its output on; `undefined` leaves it as it is. */
  readonly limitAfter?: (line: string) => number | undefined;
}

export interface ChildResult {
  readonly code: number | null;
  /** The lines of standard output. */
  readonly out: readonly string[];
  /** Why the command failed, or how the process ended. */
  readonly problem: string;
  readonly isTimeout: boolean;
}

/** Runs another command of `chowkd` in a process of its own, which code of a module cannot take this one down with. */
export async function runChild(args: readonly string[], options: ChildOptions): Promise<ChildResult> {
  const { environment, nodeOptions = [], timeoutMs, limitAfter } = options;
  const child = spawn(process.execPath, [...nodeOptions, program, ...args], {
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let isTimeout = false;
  const kill = () => {
    isTimeout = true;
    child.kill('SIGKILL');
  };
  let timer = timeoutMs === undefined ? undefined : setTimeout(kill, timeoutMs);
  const [out, errors]: [string[], string[]] = [[], []];
  createInterface({ input: child.stdout }).on('line', (line) => {
    out.push(line);
    const limit = limitAfter?.(line);
    if (limit === undefined) return;
    clearTimeout(timer);
    timer = setTimeout(kill, limit);
  });
  createInterface({ input: child.stderr }).on('line', (line) => void errors.push(line));
  const end = Promise.withResolvers<{ code: number | null; signal: NodeJS.Signals | null }>();
  child.on('error', end.reject);
  child.on('close', (code, signal) => end.resolve({ code, signal }));
  // Processes that it has started may keep its output open.
  child.on('exit', () =>
    setTimeout(() => [child.stdout, child.stderr].forEach((stream) => void stream.destroy()), 1_000).unref(),
  );
  try {
    const { code, signal } = await end.promise;
    const ending = signal === null ? `the process ended with code ${code}` : `the process was ended by ${signal}`;
    const said = errors.findLast((line) => line.startsWith('chowkd: '))?.slice('chowkd: '.length);
    const thrown = errors.find((line) => /^\w*Error\b/.test(line));
    return { code, out, problem: said ?? thrown ?? ending, isTimeout };
  } finally {
    clearTimeout(timer);
  }
}
