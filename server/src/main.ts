import { Failure, type ModuleCommand } from '@chowk/kit/kernel';
import { type Config, readConfig } from './config/config.ts';
import { requireEmbedded } from './db/embedded/require-embedded.ts';
import { openServer } from './db/server.ts';
import type { Kernel } from './kernel.ts';
import { createLog } from './log.ts';
import { type Command, readInput, type Session, UsageError } from './operator/command.ts';
import { formatTable } from './operator/format-table.ts';
import { prompt } from './operator/prompt.ts';
import { SecretBox } from './secrets.ts';
import { serveCommand } from './serve.ts';
import { openStorage, readAppKey } from './storage.ts';
import { version } from './version.ts';

/** The other commands change neither the schema of the central database nor create one. */
const settingUp: ReadonlySet<string> = new Set(['serve', 'work', 'migrate', 'install']);

/** The environment and the output of the program. Tests replace them to run commands in their own process. */
export interface MainOptions {
  readonly environment: NodeJS.ProcessEnv;
  readonly print: (line: string) => void;
  readonly printError: (line: string) => void;
}

if (import.meta.main) {
  // The reader of the output, such as `head`, may stop early.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', ignoreClosedPipe);
  process.exitCode = await main(process.argv.slice(2), {
    environment: process.env,
    print: (line) => void process.stdout.write(`${line}\n`),
    printError: (line) => void process.stderr.write(`${line}\n`),
  });
}

function ignoreClosedPipe(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error;
}

/** Runs one command and returns the exit code: 0 success, 1 failure, 2 wrong usage. */
export async function main([name = 'help', ...argv]: readonly string[], options: MainOptions): Promise<number> {
  const say = (line: string) => {
    options.print(line);
    return 0;
  };
  const fail = (message: string, code: 1 | 2) => {
    options.printError(`chowkd: ${message.split('\n')[0]}`);
    return code;
  };
  const moduleCommands = () => readModuleCommands(options.environment);
  const kernelCommands = await listKernelCommands(name);
  if (['help', '--help', '-h'].includes(name)) {
    if (argv[0] !== undefined && !argv[0].startsWith('-')) return main([argv[0], '--help'], options);
    return say(help([...kernelCommands, ...(await moduleCommands())]));
  }
  if (['version', '--version', '-v'].includes(name)) return say(version);
  const hasName = (command: Command) => command.name === name;
  const command = kernelCommands.find(hasName) ?? (await moduleCommands()).find(hasName);
  if (!command) return fail(`unknown command ${name}; run 'chowkd help' to see all commands`, 2);
  if (argv.includes('--help') || argv.includes('-h')) return say(commandHelp(command));
  try {
    await runCommand(command, argv, options);
    return 0;
  } catch (error) {
    return fail(errorMessage(error), error instanceof UsageError ? 2 : 1);
  }
}

/** `serve` loads no other commands. */
async function listKernelCommands(name: string): Promise<readonly Command[]> {
  if (name === serveCommand.name) return [serveCommand];
  const { operatorCommands } = await import('./operator/commands.ts');
  return [serveCommand, ...operatorCommands];
}

async function runCommand(
  command: Command,
  argv: readonly string[],
  { environment, print, printError }: MainOptions,
): Promise<void> {
  const input = readInput(command, argv);
  const config = readConfig(environment);
  const json = Boolean(input.options.json);
  const platform = openLazily(config, command.name, printError);
  const session: Session = {
    config,
    environment,
    say: print,
    progress: printError,
    table: (rows, whenEmpty) => print(json ? JSON.stringify(rows, null, 2) : formatTable(rows) || whenEmpty),
    ask: prompt,
    kernel: platform.open,
    async bootOn(other) {
      const { boot } = await import('./boot.ts');
      return boot({ ...other, log: createLog({ ...other.config, logLevel: 'error' }) });
    },
  };
  try {
    await command.run(session, input);
  } finally {
    await platform.close();
  }
}

/** The platform of a command: booted on first use. */
function openLazily(
  config: Config,
  command: string,
  onProgress: (line: string) => void,
): { open: Session['kernel']; close: () => Promise<void> } {
  const closers: (() => Promise<void>)[] = [];
  let opened: Promise<Kernel> | undefined;
  const open: Session['kernel'] = async (overrides) => {
    const setsUp = settingUp.has(command);
    // Before anything is written to a folder that may be the wrong one.
    if (!setsUp && config.databaseUrl === undefined) await requireEmbedded(config.storagePath);
    const secrets = new SecretBox(
      await readAppKey(await openStorage(config.storagePath), config),
      ...previousKeys(config),
    );
    // Commands print their own output; only `serve` and `work` log.
    const isQuiet = !['serve', 'work'].includes(command) && !config.setVariables.includes('LOG_LEVEL');
    const log = createLog(isQuiet ? { ...config, logLevel: 'error' } : config);
    const server = await openServer(config, onProgress, { creates: setsUp });
    closers.unshift(server.close);
    const { boot } = await import('./boot.ts');
    const kernel = await boot({ config, log, server, secrets, migrates: setsUp }, overrides);
    closers.unshift(kernel.close);
    return kernel;
  };
  return {
    open: (options) => {
      opened ??= open(options);
      return opened;
    },
    close: async () => {
      for (const close of closers) await close();
    },
  };
}

function previousKeys({ appPreviousKey, appPreviousKeys }: Config): Buffer[] {
  const keys = [...appPreviousKeys, ...(appPreviousKey === undefined ? [] : [appPreviousKey])];
  return keys.map((key) => Buffer.from(key, 'base64'));
}

/** The commands of modules. If modules do not load, `help` still works; other commands report the error. */
async function readModuleCommands(environment: NodeJS.ProcessEnv): Promise<Command[]> {
  try {
    const { loadModules } = await import('./loader/load-modules.ts');
    const modules = await loadModules(readConfig(environment));
    return modules.flatMap(({ alias, definition }) =>
      (definition.commands ?? []).map((command) => toCommand(alias, command)),
    );
  } catch {
    return [];
  }
}

function toCommand(module: string, command: ModuleCommand): Command {
  return {
    ...command,
    async run(session, input) {
      const { Context } = await import('./context/context.ts');
      const ctx = new Context(await session.kernel(), { requestId: command.name, module, system: true });
      await command.run(ctx, input, session);
    },
  };
}

function help(commands: readonly Command[]): string {
  const width = Math.max(...commands.map(({ name }) => name.length));
  const lines = commands.map((command) => `  ${command.name.padEnd(width)}  ${command.summary}`);
  return [
    'usage: chowkd <command> [options]',
    '',
    ...lines,
    '',
    "Run 'chowkd help <command>' for the options of a command.",
  ].join('\n');
}

function commandHelp({ name, summary, usage }: Command): string {
  return `${summary}\nusage: chowkd ${name} ${usage}`.trimEnd();
}

/** The message of an error; for invalid input, the messages of its fields. */
function errorMessage(error: unknown): string {
  if (error instanceof Failure && error.extras.errors)
    return Object.values(error.extras.errors)
      .flat()
      .map(({ message }) => message)
      .join(' ');
  return error instanceof Error ? error.message : String(error);
}
