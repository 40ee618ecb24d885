import type { SystemCtx } from './context.ts';

/** What a command says, and where. */
export interface Terminal {
  /** Writes a line for the operator. */
  say(line: string): void;
  /** Writes a line about the work under way, where it does not disturb the output. */
  progress(line: string): void;
  /** Rows as a table, or as JSON with `--json`. */
  table(rows: readonly object[], whenEmpty: string): void;
  /** Asks the operator and waits for a line; `undefined` where nobody can answer. */
  ask(question: string, options?: { readonly hidden?: boolean }): Promise<string | undefined>;
}

export interface CommandInput {
  readonly words: readonly string[];
  readonly options: Readonly<Record<string, string | boolean | undefined>>;
}

interface Option {
  readonly type: 'string' | 'boolean';
  readonly default?: string | boolean;
}

/** What a command of the operator program is called, and how. */
export interface CommandForm {
  readonly name: string;
  /** What follows the name: `<id> [--name=<text>]`. */
  readonly usage: string;
  readonly summary: string;
  readonly options?: Readonly<Record<string, Option>>;
  /** How many words it takes besides options. */
  readonly words?: { readonly least: number; readonly most: number };
}

/** A command that a module adds to `chowkd`. A failure is thrown, with one clear line. */
export interface ModuleCommand extends CommandForm {
  run(ctx: SystemCtx, input: CommandInput, terminal: Terminal): Promise<void>;
}

/** The command was called wrongly: exit code 2. */
export class UsageError extends Error {}
