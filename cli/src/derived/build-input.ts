import { basename } from 'node:path';
import type { CommandInput } from '../command.ts';
import type { Environment } from '../environment.ts';
import { ExitError, exitCodes } from '../exit.ts';
import { parseJson, readInput, readJsonObject } from '../read-input.ts';
import { type DerivedCommand, type DerivedField, type FieldType, optionName } from './derived-command.ts';

type Fields = Record<string, unknown>;

/** The input of the action: `--input`, then the options, then the arguments. */
export async function buildInput(
  environment: Environment,
  { arguments: args = [], options = [], isOpen }: DerivedCommand,
  input: CommandInput,
): Promise<Fields> {
  const given = input.options.input;
  const fields: Fields = typeof given === 'string' ? await readJsonObject(environment, given) : {};
  if (isOpen) Object.assign(fields, readPairs((input.options.set ?? []) as readonly string[], '--set'));
  for (const field of options) {
    const value = input.options[optionName(field.name)];
    if (value !== undefined) assign(fields, field.name.split('.'), readValue(field, value as string | boolean));
  }
  for (const [index, field] of args.entries()) {
    const text = input.arguments[index] as string;
    fields[field.name] = field.type === 'file' ? await readUpload(environment, field, text) : readValue(field, text);
  }
  return fields;
}

function assign(fields: Fields, [first = '', ...rest]: readonly string[], value: unknown): void {
  if (rest.length === 0) fields[first] = value;
  else {
    fields[first] = { ...(fields[first] as Fields | undefined) };
    assign(fields[first] as Fields, rest, value);
  }
}

async function readUpload(environment: Environment, { name }: DerivedField, path: string): Promise<unknown> {
  const content = await readInput(environment, path);
  return name === 'csv' ? content.toString('utf8') : new File([new Uint8Array(content)], basename(path));
}

function readValue(field: DerivedField, value: string | boolean | readonly string[]): unknown {
  if (typeof value === 'boolean') return value;
  if (!Array.isArray(value)) return readText(field, value as string, field.type);
  const items = field.choices ? value.flatMap((text: string) => text.split(',')) : value;
  return items.filter((text) => text !== '').map((text) => readText(field, text, field.type));
}

/** Texts that are no number are sent as they are: the platform says what is wrong with them. An empty text is no value. */
function readText(field: DerivedField, text: string, type: FieldType | undefined): unknown {
  switch (type) {
    case 'integer':
    case 'number':
      if (text === '') return null;
      return /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text;
    case 'boolean':
      return text === 'true' || text === '1' ? true : text === 'false' || text === '0' ? false : text;
    case 'json':
      return readJson(field, text);
    case 'record':
      return text.trimStart().startsWith('{')
        ? parseJson(text, `--${optionName(field.name)} is not valid JSON`)
        : readRecord(field, text);
    default:
      return text === '' ? null : text;
  }
}

/** A value that may have several types: what is not JSON is a text. */
function readJson({ name }: DerivedField, text: string): unknown {
  if (text === '') return null;
  const isText = !/^\s*([[{"\d-]|(true|false|null)\s*$)/.test(text);
  return isText ? text : parseJson(text, `--${optionName(name)} is not valid JSON`);
}

/** `name=Tea,quantity=2`: a comma before a word and `=` begins the next field. */
function readRecord(field: DerivedField, text: string): Fields {
  const record: Fields = {};
  for (const part of text.split(/,(?=\s*\w+=)/)) {
    const [name, value] = splitPair(part.trim(), `--${optionName(field.name)}`);
    record[name] = readText(field, value, field.types?.[name]);
  }
  return record;
}

/** `key=value`; a value that is JSON, such as a number or `true`, keeps its type. */
export function readPairs(pairs: readonly string[], option: string): Fields {
  return Object.fromEntries(
    pairs.map((pair) => {
      const [name, text] = splitPair(pair, option);
      try {
        return [name, JSON.parse(text)];
      } catch {
        return [name, text];
      }
    }),
  );
}

function splitPair(text: string, option: string): [name: string, value: string] {
  const equals = text.indexOf('=');
  if (equals < 1) throw new ExitError(exitCodes.usage, `${option} needs the form name=value; got '${text}'.`);
  return [text.slice(0, equals), text.slice(equals + 1)];
}
