import { parseArgs } from 'node:util';
import { type CommandForm, type CommandInput, type Terminal, UsageError } from '@chowk/kit';
import type { Config } from '../config.ts';
import type { Kernel } from '../kernel.ts';

export type { CommandInput };
export { UsageError };

/** One command of the operator program. */
export interface Command extends CommandForm {
  run(session: Session, input: CommandInput): Promise<void>;
}

/** What a command has to work with. */
export interface Session extends Terminal {
  readonly config: Config;
  /** The platform, put together on first use and taken apart when the command is over. */
  readonly kernel: () => Promise<Kernel>;
}

export function readInput(command: CommandForm, argv: readonly string[]): CommandInput {
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
