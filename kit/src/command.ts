import type { SystemCtx } from './context.ts';

/** The output of a command and its dialogue with the operator. */
export interface Terminal {
  /** Writes a line for the operator. */
  say(line: string): void;
  /** Writes a progress line to standard error. */
  progress(line: string): void;
  /** Writes rows as a table, or as JSON with `--json`. */
  table(rows: readonly object[], whenEmpty: string): void;
  /** Asks the operator and waits for a line; `undefined` without a terminal. */
  ask(question: string, options?: { readonly hidden?: boolean }): Promise<string | undefined>;
}

export interface CommandInput {
  readonly positionals: readonly string[];
  readonly options: Readonly<Record<string, string | boolean | undefined>>;
}

interface Option {
  readonly type: 'string' | 'boolean';
  readonly default?: string | boolean;
}

/** The name, usage and options of a command of `chowkd`. */
export interface CommandForm {
  readonly name: string;
  /** The arguments: `<id> [--name=<text>]`. */
  readonly usage: string;
  readonly summary: string;
  readonly options?: Readonly<Record<string, Option>>;
  /** The number of arguments that are not options. */
  readonly positionals?: { readonly min: number; readonly max: number };
}

/** A command that a module adds to `chowkd`. Failures are thrown with a one-line message. */
export interface ModuleCommand extends CommandForm {
  run(ctx: SystemCtx, input: CommandInput, terminal: Terminal): Promise<void>;
}

/** Wrong usage of a command: exit code 2. */
export class UsageError extends Error {}
