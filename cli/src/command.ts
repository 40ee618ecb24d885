import type { Environment } from './environment.ts';

export interface Option {
  readonly type: 'string' | 'boolean';
  readonly short?: string;
  readonly multiple?: boolean;
  readonly choices?: readonly string[];
  /** The word for the value in the help, such as `<version>`. */
  readonly value?: string;
  readonly help: string;
}

export interface Argument {
  readonly name: string;
  readonly help: string;
  readonly optional?: boolean;
  readonly choices?: readonly string[];
}

/** A command with its words, such as `customers list`. Parsing fills the record that `run` uses. */
export interface Command {
  readonly words: readonly string[];
  /** Imperative, as in `List customers`. */
  readonly summary: string;
  readonly description?: string;
  readonly arguments?: readonly Argument[];
  readonly options?: Readonly<Record<string, Option>>;
  readonly examples?: readonly string[];
  run(environment: Environment, input: CommandInput): Promise<void>;
}

export interface CommandInput {
  readonly arguments: readonly string[];
  readonly options: Readonly<Record<string, string | boolean | readonly string[] | undefined>>;
}
