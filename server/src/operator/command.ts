import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';
import type { Config } from '../config.ts';
import type { Kernel } from '../kernel.ts';

/** One command of the operator program. */
export interface Command {
  readonly name: string;
  /** What follows the name: `<id> [--name=<text>]`. */
  readonly usage: string;
  readonly summary: string;
  readonly options?: ParseArgsOptionsConfig;
  /** How many words it takes besides options. */
  readonly words?: { readonly least: number; readonly most: number };
  run(session: Session, input: CommandInput): Promise<void>;
}

export interface CommandInput {
  readonly words: readonly string[];
  readonly options: Readonly<Record<string, string | boolean | undefined>>;
}

/** What a command has to work with. */
export interface Session {
  readonly config: Config;
  /** Writes a line for the operator. */
  readonly say: (line: string) => void;
  /** Writes a line about the work under way, where it does not disturb the output. */
  readonly progress: (line: string) => void;
  /** Rows as a table, or as JSON with `--json`. */
  readonly table: (rows: readonly object[], whenEmpty: string) => void;
  /** The platform, put together on first use and taken apart when the command is over. */
  readonly kernel: () => Promise<Kernel>;
}

/** The command was called wrongly: exit code 2. */
export class UsageError extends Error {}

export function readInput(command: Command, argv: readonly string[]): CommandInput {
  const { least, most } = command.words ?? { least: 0, most: 0 };
  const usage = `usage: chowkd ${command.name} ${command.usage}`.trimEnd();
  try {
    const { positionals, values } = parseArgs({
      args: [...argv],
      options: { json: { type: 'boolean' }, ...command.options },
      allowPositionals: true,
    });
    if (positionals.length < least || positionals.length > most) throw new Error('wrong number of words');
    return { words: positionals, options: values as CommandInput['options'] };
  } catch (error) {
    const reason = (error as Error).message.split('. ')[0];
    throw new UsageError(`${reason}; ${usage}`);
  }
}
