import type { Build } from './build.ts';

export interface Output {
  write(text: string): void;
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
