import type { Command, CommandInput, Option } from './command.ts';
import { ExitError, exitCodes } from './exit.ts';
import { globalOptions } from './global-options.ts';
import { findNearest } from './nearest.ts';

type Options = Readonly<Record<string, Option>>;
type Value = string | boolean | string[];

/** Splits the words of a command line from its options, which may stand before and between them. */
export function leadingWords(args: readonly string[]): string[] {
  const words: string[] = [];
  for (let index = 0; index < args.length; index += 1) {
    const arg = args[index] as string;
    if (arg === '--') break;
    if (!isOption(arg)) words.push(arg);
    else if (takesNext(arg, globalOptions)) index += 1;
  }
  return words;
}

/** A negative number is not an option. */
function isOption(arg: string): boolean {
  return arg.length > 1 && arg.startsWith('-') && !/^-[\d.]/.test(arg);
}

function takesNext(arg: string, options: Options): boolean {
  return !arg.includes('=') && findOption(arg, options)?.option.type === 'string';
}

interface Found {
  readonly name: string;
  readonly option: Option;
  /** Written as `--no-name`. */
  readonly isNegated?: true;
}

function findOption(arg: string, options: Options): Found | undefined {
  const [written = ''] = arg.split('=', 1);
  if (!written.startsWith('--')) {
    const [name, option] = Object.entries(options).find(([, { short }]) => `-${short}` === written) ?? [];
    return name === undefined || option === undefined ? undefined : { name, option };
  }
  const name = written.slice(2);
  if (Object.hasOwn(options, name)) return { name, option: options[name] as Option };
  const positive = name.replace(/^no-/, '');
  const option = Object.hasOwn(options, positive) ? options[positive] : undefined;
  return option?.type === 'boolean' && positive !== name ? { name: positive, option, isNegated: true } : undefined;
}

/** Fills the record that a command runs with. Throws an `ExitError` for what the command does not take. */
export function parseInput(command: Command, args: readonly string[]): CommandInput {
  const options: Options = { ...command.options, ...globalOptions };
  const values: Record<string, Value> = {};
  const positions: string[] = [];
  for (let index = 0; index < args.length; index += 1) {
    const arg = args[index] as string;
    if (arg === '--') {
      positions.push(...args.slice(index + 1));
      break;
    }
    if (!isOption(arg)) {
      positions.push(arg);
      continue;
    }
    const found = findOption(arg, options);
    if (!found) throw unknownOption(command, arg, options);
    const equals = arg.indexOf('=');
    const isSeparate = equals === -1 && found.option.type === 'string';
    if (isSeparate) index += 1;
    addValue(command, values, found, isSeparate ? args[index] : equals === -1 ? undefined : arg.slice(equals + 1));
  }
  const input = { arguments: positions.slice(command.words.length), options: values };
  // The help needs no arguments.
  if (!values.help) checkArguments(command, input.arguments);
  return input;
}

function addValue(command: Command, values: Record<string, Value>, found: Found, text: string | undefined): void {
  const { name, option } = found;
  if (option.type === 'boolean') {
    values[name] = readBoolean(command, found, text);
    return;
  }
  if (text === undefined) throw usage(command, `--${name} needs a value: --${name}=${option.value ?? '<value>'}.`);
  for (const choice of option.multiple ? text.split(',') : [text]) {
    if (option.choices && choice !== '' && !option.choices.includes(choice))
      throw usage(command, `--${name} must be one of ${option.choices.join(', ')}; got '${choice}'.`);
  }
  if (!option.multiple) values[name] = text;
  else values[name] = [...((values[name] as string[] | undefined) ?? []), text];
}

function readBoolean(command: Command, { name, isNegated }: Found, text = 'true'): boolean {
  if (!/^(true|false|1|0)$/.test(text) || (isNegated && text !== 'true'))
    throw usage(command, `--${name} is either --${name} or --${name}=false.`);
  return (text === 'true' || text === '1') !== Boolean(isNegated);
}

function checkArguments(command: Command, given: readonly string[]): void {
  const { arguments: expected = [] } = command;
  const missing = expected.slice(given.length).filter(({ optional }) => !optional);
  if (missing.length > 0) throw usage(command, `Missing: ${missing.map(({ name }) => `<${name}>`).join(' ')}.`);
  if (given.length > expected.length)
    throw usage(command, `Unexpected: '${given[expected.length]}'. Quote a value that has spaces.`);
  for (const [index, { name, choices }] of expected.entries()) {
    const value = given[index];
    if (value !== undefined && choices && !choices.includes(value))
      throw usage(command, `<${name}> must be one of ${choices.join(', ')}; got '${value}'.`);
  }
}

function unknownOption(command: Command, arg: string, options: Options): ExitError {
  const [written = ''] = arg.split('=', 1);
  const nearest = findNearest(
    written,
    Object.keys(options).map((name) => `--${name}`),
  );
  return usage(command, `There is no option ${written}.${nearest ? ` Did you mean ${nearest}?` : ''}`);
}

export function usage(command: Pick<Command, 'words'>, message: string): ExitError {
  return new ExitError(exitCodes.usage, `${message}\nSee 'chowk ${command.words.join(' ')} --help'.`);
}
