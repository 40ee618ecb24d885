import { parseArgs } from 'node:util';
import { type CommandForm, type CommandInput, type Terminal, UsageError } from '@chowk/kit/kernel';
import type { Config } from '../config/config.ts';
import type { DatabaseServer } from '../db/server.ts';
import type { Kernel } from '../kernel.ts';
import type { SecretBox } from '../secrets.ts';

export type { CommandInput };
export { UsageError };

/** A command of `chowkd`. */
export interface Command extends CommandForm {
  run(session: Session, input: CommandInput): Promise<void>;
}

/** The configuration, the terminal and the platform of a running command. */
export interface Session extends Terminal {
  readonly config: Config;
  /** That of the program, for commands that it starts. */
  readonly environment: NodeJS.ProcessEnv;
  /**
   * The platform: booted on first use, closed when the command ends. Without modules it boots also if those of the lock file
   * do not load.
   */
  readonly kernel: (options?: { readonly modules: readonly [] }) => Promise<Kernel>;
  /** Boots another platform, on a server that is open. The command closes it. */
  readonly bootOn: (platform: OtherPlatform) => Promise<Kernel>;
}

export interface OtherPlatform {
  readonly config: Config;
  readonly server: DatabaseServer;
  readonly secrets: SecretBox;
}

export function readInput(command: CommandForm, argv: readonly string[]): CommandInput {
  const { min, max } = command.positionals ?? { min: 0, max: 0 };
  const usage = `usage: chowkd ${command.name} ${command.usage}`.trimEnd();
  try {
    const { positionals, values } = parseArgs({
      args: [...argv],
      options: { json: { type: 'boolean' }, ...command.options },
      allowPositionals: true,
    });
    if (positionals.length < min || positionals.length > max) throw new Error('wrong number of arguments');
    return { positionals, options: values as CommandInput['options'] };
  } catch (error) {
    const reason = (error as Error).message.split('. ')[0];
    throw new UsageError(`${reason}; ${usage}`);
  }
}
