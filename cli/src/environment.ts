import { homedir } from 'node:os';
import { join } from 'node:path';
import { type Build, build } from './build.ts';
import { openOutput } from './process-output.ts';

export interface Output {
  write(data: string | Uint8Array): void;
  readonly isTerminal: boolean;
  /** The width of the terminal; 80 if it is unknown. */
  readonly columns: number;
}

/** What surrounds the program. Tests replace parts of it. */
export interface Environment {
  readonly variables: Readonly<Record<string, string | undefined>>;
  readonly stdin: AsyncIterable<Buffer> & { readonly isTerminal: boolean };
  readonly stdout: Output;
  readonly stderr: Output;
  /** `CHOWK_CONFIG_DIR`, else `$XDG_CONFIG_HOME/chowk`, else `~/.config/chowk`. */
  readonly configFolder: string;
  readonly build: Build;
  /** The path of the running program. */
  readonly executable: string;
  readonly platform: { readonly os: string; readonly arch: string };
  readonly now: () => Date;
  readonly fetch: typeof fetch;
}

/** The environment of this process. */
export function processEnvironment(): Environment {
  const { env } = process;
  return {
    variables: env,
    stdin: {
      get isTerminal() {
        return Boolean(process.stdin.isTTY);
      },
      [Symbol.asyncIterator]: () => process.stdin[Symbol.asyncIterator](),
    },
    stdout: openOutput(1),
    stderr: openOutput(2),
    configFolder: env.CHOWK_CONFIG_DIR || join(env.XDG_CONFIG_HOME || join(homedir(), '.config'), 'chowk'),
    build,
    // A compiled program is its own runtime.
    executable: process.versions.bun ? process.execPath : (process.argv[1] ?? process.execPath),
    platform: { os: process.platform, arch: process.arch },
    now: () => new Date(),
    fetch: (input, init) => fetch(input, init),
  };
}
