import type { FieldErrors, TSchema } from '@chowk/kit';
import { Ajv2020, type ErrorObject, type Options, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { unknownFieldStripper } from './unknown-fields.ts';

export type { FieldErrors };

/** Answers with what is wrong, or `undefined`. Fields the schema does not know are removed from the value. */
export type Validator = (value: unknown) => FieldErrors | undefined;

/** More messages than this help nobody and would let a large body make a larger answer. */
const mostErrors = 50;
/** Finding everything wrong in a value of more parts than this would hold up everyone else. */
const mostParts = 10_000;

// Without `strictNumbers`, 1e999 is read as Infinity and taken for a number.
const shared = { removeAdditional: true, useDefaults: true, strict: false, strictNumbers: true } as const;
/** Bodies say what they mean: `"5"` is not a number. */
const exact = pair(shared);
/** A query string or a path has only text, so `5` and `true` are read as what the schema wants. */
const fromText = pair({ ...shared, coerceTypes: 'array' });

/** One that stops at the first thing wrong, and one that goes on to name them all. */
interface Pair {
  readonly quick: Ajv2020;
  readonly thorough: Ajv2020;
}

export function compileBody(schema: TSchema): Validator {
  return compile(exact, schema);
}

const known = new WeakMap<TSchema, Validator>();

/** The validator of a schema, compiled when it is first asked for. */
export function validatorOf(schema: TSchema): Validator {
  const validator = known.get(schema) ?? compileBody(schema);
  known.set(schema, validator);
  return validator;
}

export function compileText(schema: TSchema): Validator {
  const read = compile(fromText, schema);
  // Once more, as what it was read as: to the reader `Infinity` is an integer.
  const check = compile(exact, schema);
  return (value) => read(value) ?? check(value);
}

function pair(options: Options): Pair {
  return {
    quick: withFormats(new Ajv2020(options)),
    thorough: withFormats(new Ajv2020({ ...options, allErrors: true, verbose: true })),
  };
}

function withFormats(ajv: Ajv2020): Ajv2020 {
  addFormats.default(ajv);
  return ajv.addFormat('time-zone', isTimeZone);
}

function isTimeZone(text: string): boolean {
  try {
    return Boolean(new Intl.DateTimeFormat('en', { timeZone: text }));
  } catch {
    return false;
  }
}

function compile({ quick, thorough }: Pair, schema: TSchema): Validator {
  const check = quick.compile(schema);
  const strip = unknownFieldStripper(schema, (branch) => quick.compile(branch));
  // Compiled when the first invalid value comes.
  let checkAll: ValidateFunction | undefined;
  return (value) => {
    if (check(value)) {
      strip?.(value);
      return undefined;
    }
    const first = check.errors ?? [];
    if (hasManyParts(value)) return fieldErrors(first);
    checkAll ??= thorough.compile(schema);
    return fieldErrors(checkAll(value) ? first : (checkAll.errors ?? []));
  };
}

function hasManyParts(value: unknown): boolean {
  const parts = [value];
  for (let index = 0; index < parts.length; index += 1) {
    const part = parts[index];
    if (typeof part !== 'object' || part === null) continue;
    for (const inner of Object.values(part)) {
      if (parts.length >= mostParts) return true;
      parts.push(inner);
    }
  }
  return false;
}

function fieldErrors(errors: readonly ErrorObject[]): FieldErrors {
  // No prototype: a field may be called `constructor`.
  const fields: FieldErrors = Object.create(null);
  const own = withoutBranches(errors);
  for (const error of (own.length > 0 ? own : errors).slice(0, mostErrors)) {
    const field = fieldName(error);
    const messages = fields[field] ?? [];
    fields[field] = messages;
    const message = sentence(error, lastName(field));
    if (!messages.includes(message)) messages.push(message);
  }
  return fields;
}

const branch = /^(.*?)\/anyOf(?:\/(\d+)\/|$)/;

/**
 * The branches of a union each complain; the union's own error says it once. A value that may be null is no choice: there
 * the other branch says what is wrong.
 */
function withoutBranches(errors: readonly ErrorObject[]): ErrorObject[] {
  const located = errors.map((error) => {
    const [, union, index] = branch.exec(error.schemaPath) ?? [];
    return { error, union, index, isNull: error.params.type === 'null' };
  });
  const nullable = new Set(located.filter(({ index, isNull }) => index === '1' && isNull).map(({ union }) => union));
  for (const { union, index } of located) if (Number(index) > 1) nullable.delete(union);
  const kept = located.filter(({ union, index, isNull }) =>
    nullable.has(union) ? index !== undefined && !isNull : index === undefined,
  );
  return kept.map(({ error }) => error);
}

/** `price` of `items.2.price`, but `tags.0` of `tags.0`: a number alone names nothing. */
function lastName(field: string): string {
  const parts = field.split('.');
  const named = parts.findLastIndex((part) => !/^\d+$/.test(part));
  return parts.slice(Math.max(0, named)).join('.');
}

function fieldName({ instancePath, params, keyword }: ErrorObject): string {
  const path = instancePath
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
  if (keyword === 'required') path.push(String(params.missingProperty));
  return path.join('.') || 'body';
}

function sentence({ keyword, params, message, parentSchema }: ErrorObject, name: string): string {
  const field = `The ${name.replaceAll('_', ' ')}`;
  const limit = String(params.limit);
  const entries = limit === '1' ? 'entry' : 'entries';
  const described = parentSchema?.description && `must be of this form: ${lowerFirst(parentSchema.description)}`;
  switch (keyword) {
    case 'required':
      return `${field} is required.`;
    case 'type':
      return `${field} must be of type ${String(params.type)}.`;
    case 'minLength':
      return limit === '1' ? `${field} must not be empty.` : `${field} must have at least ${limit} characters.`;
    case 'maxLength':
      return `${field} must have at most ${limit} characters.`;
    case 'minimum':
      return `${field} must be at least ${limit}.`;
    case 'maximum':
      return `${field} must be at most ${limit}.`;
    case 'minItems':
      return `${field} must have at least ${limit} ${entries}.`;
    case 'maxItems':
      return `${field} must have at most ${limit} ${entries}.`;
    case 'enum':
      return `${field} must be one of ${(params.allowedValues as unknown[]).join(', ')}.`;
    case 'format':
      return `${field} must be a valid ${example[String(params.format)] ?? String(params.format)}.`;
    case 'pattern':
      return `${field} ${keptOut(String(params.pattern)) ?? described ?? 'has a form or a character that is not allowed.'}`;
    case 'anyOf':
      return `${field} ${described ?? 'has none of the forms that are allowed.'}`;
    default:
      return `${field} ${message ?? 'is not valid'}.`;
  }
}

const example: Readonly<Record<string, string>> = {
  date: 'date, such as 2026-01-31',
  'date-time': 'date-time, such as 2026-01-31T09:30:00Z',
};

/** The parts of a pattern that only keeps characters out, in words. */
const characters: Readonly<Record<string, readonly string[]>> = {
  ',': ['commas'],
  '|': ['vertical bars'],
  '\\0': ['NUL characters'],
  '\\p{Cc}': ['line breaks', 'other control characters'],
  '\\p{Cs}': ['halves of characters'],
};

/** What a pattern such as `^[^,\\p{Cc}]*$` asks for; of any other nothing can be said. */
function keptOut(pattern: string): string | undefined {
  const [, inside] = /^\^\[\^(.+)\](?:\*|\{1,\d+\})\$$/.exec(pattern) ?? [];
  const words = inside?.match(/\\p\{\w+\}|\\.|./gu)?.map((part) => characters[part]);
  if (!words?.every((word) => word !== undefined)) return undefined;
  const [last, ...before] = words.flat().reverse();
  return `must not have ${before.length === 0 ? last : `${before.reverse().join(', ')} or ${last}`}.`;
}

function lowerFirst(text: string): string {
  return text.slice(0, 1).toLowerCase() + text.slice(1);
}
