import { findCommand, firstWords, listCommands } from './catalogue.ts';
import type { Command, CommandInput } from './command.ts';
import type { Environment } from './environment.ts';
import { type ExitCode, ExitError, exitCodes } from './exit.ts';
import { findNearest } from './nearest.ts';
import { leadingWords, parseInput } from './parse.ts';

/** Runs one command line: words → command → input → run. Never throws. */
export async function runProgram(environment: Environment, args: readonly string[]): Promise<ExitCode> {
  let command: Command | undefined;
  try {
    const words = leadingWords(args);
    if (words[0] === '__complete') {
      await (await import('./completion/complete.ts')).complete(
        environment,
        args.slice(args.indexOf('__complete') + 1),
      );
      return exitCodes.done;
    }
    if (await showedHelp(environment, words, args)) return exitCodes.done;
    command = await findCommand(words);
    if (!command) throw await unknownCommand(words);
    const input = parseInput(command, args);
    if (input.options.help) await (await import('./help.ts')).showCommandHelp(environment, command);
    else await command.run(environment, input);
    await afterCommand(environment, input.options);
    return exitCodes.done;
  } catch (error) {
    const { reportError } = await import('./report-error.ts');
    return reportError(environment, error, { command, args });
  }
}

/** `chowk`, `chowk help [command]`, `chowk --help`, `chowk --version`, and a group without a verb, such as `chowk customers`. */
async function showedHelp(
  environment: Environment,
  words: readonly string[],
  args: readonly string[],
): Promise<boolean> {
  const [first, second] = words;
  if (first === undefined && args.includes('--version')) {
    environment.stdout.write(`chowk ${environment.build.version}\n`);
    return true;
  }
  const topic = first === 'help' ? words.slice(1) : words;
  if (topic[0] === undefined) {
    await (await import('./help.ts')).showOverview(environment);
    return true;
  }
  const command = first === 'help' || second === undefined ? await findCommand(topic) : undefined;
  if (command && first !== 'help') return false;
  const help = await import('./help.ts');
  if (command) await help.showCommandHelp(environment, command);
  else if (topic.length === 1 && firstWords().includes(topic[0])) await help.showGroupHelp(environment, topic[0]);
  else if (first === 'help') throw await unknownCommand(topic);
  else return false;
  return true;
}

async function unknownCommand(words: readonly string[]): Promise<ExitError> {
  const [first = '', second = ''] = words;
  const isGroup = firstWords().includes(first);
  const candidates = isGroup ? (await listCommands(first)).map(({ words }) => words[1] ?? '') : firstWords();
  const nearest = findNearest(isGroup ? second : first, candidates);
  const name = isGroup ? `${first} ${second}` : first;
  const found = nearest ? `${isGroup ? `${first} ` : ''}${nearest}` : await findInGroups(name);
  const suggestion = found ? ` Did you mean 'chowk ${found}'?` : '';
  return new ExitError(
    exitCodes.usage,
    `There is no command '${name}'.${suggestion}\nSee 'chowk ${isGroup ? `${first} ` : ''}--help'.`,
  );
}

/** The command of a group that has this word as its verb: `pricing discounts` for `discounts list`. */
async function findInGroups(name: string): Promise<string | undefined> {
  const [word = ''] = name.split(' ');
  for (const group of firstWords()) {
    const verbs = (await listCommands(group)).map(({ words }) => words[1]);
    if (verbs.includes(word)) return `${group} ${word}`;
  }
  return undefined;
}

async function afterCommand(environment: Environment, options: CommandInput['options']): Promise<void> {
  if (!environment.stdout.isTerminal) return;
  const { startBackgroundCheck } = await import('./upgrade/background-check.ts');
  startBackgroundCheck(environment, options);
}
