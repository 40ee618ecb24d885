import { findCommand, firstWords, listCommands } from '../catalogue.ts';
import type { Command, Option } from '../command.ts';
import type { Environment } from '../environment.ts';
import { globalOptions } from '../global-options.ts';
import { leadingWords } from '../parse.ts';

interface Candidate {
  readonly text: string;
  readonly help: string;
}

/** Prints what the last word may become, a line each, with its help after a tab. */
export async function complete({ stdout }: Environment, given: readonly string[]): Promise<void> {
  const words = joinAtEquals(given);
  const current = words.at(-1) ?? '';
  const candidates = await listCandidates(words.slice(0, -1), current);
  const matching = candidates.filter(({ text }) => text.startsWith(current));
  stdout.write(matching.map(({ text, help }) => `${text}\t${help}\n`).join(''));
}

/** Bash gives `--status=pe` as three words. */
function joinAtEquals(words: readonly string[]): string[] {
  return words.reduce<string[]>((joined, word, index) => {
    const isPart = word === '=' || (words[index - 1] === '=' && index > 1);
    if (isPart && joined.length > 0) joined.push(`${joined.pop()}${word}`);
    else joined.push(word);
    return joined;
  }, []);
}

async function listCandidates(before: readonly string[], current: string): Promise<Candidate[]> {
  const words = leadingWords(before);
  const [first = ''] = words;
  const command = await findCommand(words);
  if (current.startsWith('-')) return command ? optionCandidates(command, current) : nameOptions(globalOptions);
  if (words.length === 0) return toCandidates(['help', ...firstWords()]);
  const verbs = words.length === 1 ? await listVerbs(first) : [];
  if (!command) return words[0] === 'help' ? toCandidates(firstWords()) : verbs;
  const option = optionBefore(command, before);
  if (option) return toCandidates(option.choices ?? []);
  const argument = command.arguments?.[words.length - command.words.length];
  return [...verbs, ...toCandidates(argument?.choices ?? [])];
}

async function listVerbs(first: string): Promise<Candidate[]> {
  const commands = await listCommands(first);
  return commands.flatMap(({ words, summary }) => (words[1] ? [{ text: words[1], help: summary }] : []));
}

function optionBefore({ options = {} }: Command, before: readonly string[]): Option | undefined {
  const name = before.at(-1)?.replace(/^--/, '') ?? '';
  const option: Option | undefined = options[name];
  return before.at(-1)?.startsWith('--') && option?.type === 'string' ? option : undefined;
}

function optionCandidates({ options = {} }: Command, current: string): Candidate[] {
  const all: Readonly<Record<string, Option>> = { ...options, ...globalOptions };
  const equals = current.indexOf('=');
  if (equals === -1) return nameOptions(all);
  const written = current.slice(0, equals);
  return toCandidates((all[written.slice(2)]?.choices ?? []).map((choice) => `${written}=${choice}`));
}

function nameOptions(options: Readonly<Record<string, Option>>): Candidate[] {
  return Object.entries(options).map(([name, { type, help }]) => ({
    text: type === 'string' ? `--${name}=` : `--${name}`,
    help,
  }));
}

function toCandidates(texts: readonly string[]): Candidate[] {
  return texts.map((text) => ({ text, help: '' }));
}
