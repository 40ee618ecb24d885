import { firstWords, listCommands } from './catalogue.ts';
import type { Command, Option } from './command.ts';
import type { Environment } from './environment.ts';
import { globalOptions } from './global-options.ts';
import { textWidth } from './output/text-width.ts';

type Row = readonly [name: string, help: string];

const started: readonly string[] = ['login', 'logout', 'whoami', 'tenants', 'use', 'config'];
const general: readonly string[] = ['api', 'graphql', 'docs', 'completion', 'upgrade', 'version'];

export async function showOverview(environment: Environment): Promise<void> {
  const others = firstWords().filter((word) => !started.includes(word) && !general.includes(word));
  const list = async (words: readonly string[]) =>
    Promise.all(words.map(async (word): Promise<Row> => [word, await groupSummary(word)]));
  print(environment, [
    'Chowk on the command line.',
    section('Usage', ['chowk <command> [options]']),
    section('Start', rows(environment, await list(started))),
    section('Records', wrap(others.join(', '), environment.stdout.columns - 2)),
    section('General', rows(environment, await list(general))),
    section('Options of all commands', optionRows(environment, globalOptions)),
    "Run 'chowk <command> --help' for the help of a command, such as 'chowk customers --help'.",
  ]);
}

async function groupSummary(word: string): Promise<string> {
  const commands = await listCommands(word);
  const own = commands.find(({ words }) => words.length === 1);
  return own?.summary ?? commands.map(({ words }) => words[1]).join(', ');
}

export async function showGroupHelp(environment: Environment, word: string): Promise<void> {
  const commands = await listCommands(word);
  const list = commands.map((command): Row => [usageWords(command).slice(word.length).trim() || word, command.summary]);
  print(environment, [
    section('Usage', [`chowk ${word} <command> [options]`]),
    section('Commands', rows(environment, list)),
    `Run 'chowk ${word} <command> --help' for the options of a command.`,
  ]);
}

export async function showCommandHelp(environment: Environment, command: Command): Promise<void> {
  const { columns } = environment.stdout;
  const { summary, description, arguments: args = [], options = {}, examples = [] } = command;
  print(environment, [
    [`${summary}.`, ...(description ? ['', ...wrap(description, columns)] : [])].join('\n'),
    section('Usage', [`chowk ${usageWords(command)} [options]`]),
    section(
      'Arguments',
      rows(
        environment,
        args.map(({ name, help, choices }): Row => [`<${name}>`, help + listChoices(choices)]),
      ),
    ),
    section('Options', optionRows(environment, options)),
    section('Options of all commands', optionRows(environment, globalOptions)),
    section('Examples', [...examples]),
  ]);
}

function usageWords({ words, arguments: args = [] }: Command): string {
  return [...words, ...args.map(({ name, optional }) => (optional ? `[${name}]` : `<${name}>`))].join(' ');
}

function optionRows(environment: Environment, options: Readonly<Record<string, Option>>): string[] {
  const list = Object.entries(options).map(([name, option]): Row => {
    const short = option.short ? `-${option.short}, ` : '';
    const value = option.type === 'boolean' ? '' : `=${option.value ?? '<value>'}`;
    const repeated = option.multiple ? ' May be repeated.' : '';
    return [`${short}--${name}${value}`, option.help + listChoices(option.choices) + repeated];
  });
  return rows(environment, list);
}

function listChoices(choices: readonly string[] | undefined): string {
  return choices ? ` One of ${choices.join(', ')}.` : '';
}

/** Two columns; a name that is too long stands on a line of its own. */
function rows({ stdout }: Environment, list: readonly Row[]): string[] {
  const room = stdout.columns - 2;
  const first = Math.min(Math.max(0, ...list.map(([name]) => textWidth(name))), Math.floor(room / 2.5));
  const pad = ' '.repeat(first + 2);
  return list.flatMap(([name, help]) => {
    const lines = wrap(help, room - first - 2);
    if (textWidth(name) > first) return [name, ...lines.map((line) => pad + line)];
    return lines.map((line, index) => (index === 0 ? name.padEnd(first + 2) : pad) + line);
  });
}

function section(title: string, lines: readonly string[]): string {
  return lines.length === 0 ? '' : `${title}\n${lines.map((line) => `  ${line}`).join('\n')}`;
}

function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(/\s+/)) {
    const line = lines.at(-1);
    if (line === undefined || textWidth(line) + 1 + textWidth(word) > width) lines.push(word);
    else lines[lines.length - 1] = `${line} ${word}`;
  }
  return lines;
}

function print({ stdout }: Environment, parts: readonly string[]): void {
  stdout.write(`${parts.filter((part) => part !== '').join('\n\n')}\n`);
}
