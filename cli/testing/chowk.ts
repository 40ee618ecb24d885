import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join, resolve } from 'node:path';
import { runProgram } from '../src/program.ts';
import { testEnvironment } from './environment.ts';

const root = resolve(import.meta.dirname, '../..');
export const node = join(root, 'node_modules/.bin/node');
export const mainFile = join(root, 'cli/src/main.ts');

export interface Outcome {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

export interface RunOptions {
  readonly input?: string;
  readonly variables?: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

/** Starts the program as a user does, in a process of its own. */
export function startChowk(configFolder: string, args: readonly string[], { input, variables, cwd }: RunOptions = {}) {
  const child = spawn(node, [mainFile, ...args], { env: environment(configFolder, variables), cwd });
  const output = { out: '', err: '' };
  child.stdout.on('data', (chunk) => {
    output.out += chunk;
  });
  child.stderr.on('data', (chunk) => {
    output.err += chunk;
  });
  child.stdin.on('error', () => {});
  child.stdin.end(input ?? '');
  const exited = once(child, 'close').then(([code]): Outcome => ({ code, ...output }));
  return { child, output, exited };
}

/** Runs the program in a process of its own. Most of its time is the start of the process. */
export function chowkProcess(configFolder: string, args: readonly string[], options?: RunOptions): Promise<Outcome> {
  return startChowk(configFolder, args, options).exited;
}

/** Runs a command line in this process, without a terminal. */
export async function runChowk(
  configFolder: string,
  args: readonly string[],
  { input = '', variables }: Omit<RunOptions, 'cwd'> = {},
): Promise<Outcome> {
  const { environment, output } = testEnvironment({
    configFolder,
    input,
    variables: { SERVICE_NO_UPGRADE_CHECK: '1', ...variables },
  });
  const code = await runProgram(environment, args);
  return { code, ...output };
}

/** Runs the program in a terminal of the given width. What a terminal shows is one stream. */
export async function runInTerminal(
  configFolder: string,
  args: readonly string[],
  { columns, variables, cwd, input }: RunOptions & { readonly columns: number },
): Promise<{ readonly code: number | null; readonly screen: string }> {
  const quoted = [node, mainFile, ...args].map((arg) => `'${arg.replaceAll("'", "'\\''")}'`).join(' ');
  const command = `stty cols ${columns} rows 50; exec ${quoted}`;
  const child = spawn('script', ['-qec', command, '/dev/null'], {
    env: { ...environment(configFolder, variables), TERM: 'xterm' },
    cwd,
    stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
  });
  child.stdin?.write(input ?? '');
  let screen = '';
  child.stdout?.on('data', (chunk) => {
    screen += chunk;
  });
  const [code] = await once(child, 'close');
  return { code, screen: screen.replaceAll('\r\n', '\n') };
}

/** A minimal environment, so that variables of the shell do not change the result. */
function environment(configFolder: string, variables: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv {
  const { PATH = '', HOME = '', NODE_COMPILE_CACHE } = process.env;
  return {
    PATH,
    HOME,
    ...(NODE_COMPILE_CACHE && { NODE_COMPILE_CACHE }),
    LC_ALL: 'C.UTF-8',
    CHOWK_CONFIG_DIR: configFolder,
    SERVICE_NO_UPGRADE_CHECK: '1',
    ...variables,
  };
}
