import {
  type FieldError,
  type FieldErrorCode,
  type FieldErrors,
  Issues,
  inWords,
  type TSchema,
} from '@chowk/kit/kernel';
import { Ajv2020, type ErrorObject, type Options, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { addKeywords } from './keywords.ts';
import { unknownFieldStripper } from './unknown-fields.ts';

export type { FieldErrors };

/**
 * Returns the errors, or `undefined` for a valid value. Modifies the value: adds defaults, normalizes fields and removes
 * unknown fields, whose names are added to `ignored`.
 */
export type Validator = (value: unknown, ignored?: string[]) => FieldErrors | undefined;

/** Limits the size of the response for a large body. */
const maxErrors = 50;
/** In a value with more parts only the first error is reported, because finding all blocks the event loop. */
const maxParts = 10_000;

const currencies: ReadonlySet<string> = new Set(Intl.supportedValuesOf('currency'));

/** Formats that are not in the standard. */
export const ownFormats: ReadonlyMap<string, (text: string) => boolean> = new Map([
  ['time-zone', isTimeZone],
  ['currency', (text) => currencies.has(text)],
]);

// Without `strictNumbers`, 1e999 would be accepted as Infinity. The schemas are validated by a test: compiling the schema
// of schemas would take a third of the start.
const commonOptions = { useDefaults: true, strict: false, strictNumbers: true, validateSchema: false } as const;
/** For bodies: `"5"` is not a number. */
const exact = createPair(commonOptions);
/** For queries and paths: text such as `5` and `true` is converted to the type in the schema. */
const coercing = createPair({ ...commonOptions, coerceTypes: 'array' });

interface AjvPair {
  /** Stops at the first error. */
  readonly quick: Ajv2020;
  /** Reports all errors. */
  readonly thorough: Ajv2020;
}

export function compileBody(schema: TSchema): Validator {
  return compile(exact, schema);
}

const validators = new WeakMap<TSchema, Validator>();

/** The validator of a schema, compiled on first use. */
export function getValidator(schema: TSchema): Validator {
  const validator = validators.get(schema) ?? compileBody(schema);
  validators.set(schema, validator);
  return validator;
}

/** For paths and queries, whose values are text. An unknown field is an error. */
export function compileText(schema: TSchema): Validator {
  const read = compile(coercing, schema);
  // Numbers are checked again after the conversion, which accepts `Infinity` as an integer.
  const check = /"type":"(number|integer)"/.test(JSON.stringify(schema)) ? compile(exact, schema) : undefined;
  const { properties = {} } = schema as { properties?: Record<string, { type?: unknown }> };
  const booleans = Object.keys(properties).filter((name) => properties[name]?.type === 'boolean');
  return (value) => {
    const fields = value as Record<string, unknown>;
    for (const name of booleans) if (fields[name] === '1' || fields[name] === '0') fields[name] = fields[name] === '1';
    const unknown = unknownParameters(properties, fields);
    const invalid = read(value) ?? check?.(value);
    return unknown ? { ...unknown, ...invalid } : invalid;
  };
}

/** Names that begin with `_` are ignored, for the client's own use. */
function unknownParameters(properties: object, fields: Record<string, unknown>): FieldErrors | undefined {
  let issues: Issues | undefined;
  for (const name of Object.keys(fields)) {
    if (Object.hasOwn(properties, name) || name.startsWith('_')) continue;
    issues ??= new Issues();
    issues.add(name.slice(0, 100), `There is no parameter ${name.slice(0, 100)}.`, 'unknown');
  }
  return issues?.errors;
}

function createPair(options: Options): AjvPair {
  return {
    quick: addExtensions(new Ajv2020(options)),
    thorough: addExtensions(new Ajv2020({ ...options, allErrors: true, verbose: true })),
  };
}

function addExtensions(ajv: Ajv2020): Ajv2020 {
  addFormats.default(ajv);
  addKeywords(ajv);
  for (const [name, isValid] of ownFormats) ajv.addFormat(name, isValid);
  return ajv;
}

/** The formats in a schema that no validator knows. */
export function unknownFormats(schema: unknown): string[] {
  const unknown = new Set<string>();
  JSON.stringify(schema, (key, value) => {
    const isFormat = key === 'format' && typeof value === 'string';
    if (isFormat && !Object.hasOwn(exact.quick.formats, value)) unknown.add(value);
    // Examples and defaults are values, not schemas.
    return key === 'examples' || key === 'default' || key === 'const' ? undefined : value;
  });
  return [...unknown];
}

/** An offset such as +05:30 is none: PostgreSQL reads its sign the other way. */
function isTimeZone(text: string): boolean {
  if (!/^[A-Za-z]/.test(text)) return false;
  try {
    return Boolean(new Intl.DateTimeFormat('en', { timeZone: text }));
  } catch {
    return false;
  }
}

function compile({ quick, thorough }: AjvPair, schema: TSchema): Validator {
  // Compiled with the first value, and `checkAll` with the first invalid one: a process starts without compiling them all.
  let check: ValidateFunction | undefined;
  let checkAll: ValidateFunction | undefined;
  const strip = unknownFieldStripper(schema, (branch) => {
    let fits: ValidateFunction | undefined;
    return (value) => {
      fits ??= quick.compile(branch);
      return fits(value);
    };
  });
  const allErrors = (value: unknown, first: readonly ErrorObject[]) => {
    if (hasManyParts(value)) {
      const errors = fieldErrors(first);
      incomplete.add(errors);
      return errors;
    }
    checkAll ??= thorough.compile(schema);
    return fieldErrors(checkAll(value) ? first : (checkAll.errors ?? []));
  };
  return (value, ignored) => {
    check ??= quick.compile(schema);
    const errors = check(value) ? undefined : allErrors(value, check.errors ?? []);
    strip?.(value, '', ignored ?? []);
    return errors;
  };
}

/** Errors that do not name all fields that are wrong. */
const incomplete = new WeakSet<FieldErrors>();

/** Whether the errors of a validator name all fields that are wrong. */
export function namesAllFields(errors: FieldErrors): boolean {
  return !incomplete.has(errors);
}

/** The errors of several validators. Those of a later one replace those of an earlier one for the same field. */
export function mergeErrors(...parts: readonly (FieldErrors | undefined)[]): FieldErrors {
  const merged: FieldErrors = Object.assign({}, ...parts);
  if (parts.some((errors) => errors && incomplete.has(errors))) incomplete.add(merged);
  return merged;
}

function hasManyParts(value: unknown): boolean {
  const parts = [value];
  for (let index = 0; index < parts.length; index += 1) {
    const part = parts[index];
    if (typeof part !== 'object' || part === null) continue;
    for (const inner of Object.values(part)) {
      if (parts.length >= maxParts) return true;
      parts.push(inner);
    }
  }
  return false;
}

function fieldErrors(errors: readonly ErrorObject[]): FieldErrors {
  const issues = new Issues();
  const own = withoutBranches(errors);
  const reported = own.length > 0 ? own : errors;
  for (const error of reported.slice(0, maxErrors)) {
    const field = fieldName(error);
    const { message, code } = describeError(error, lastName(field));
    issues.add(field, message, code);
  }
  if (reported.length > maxErrors) incomplete.add(issues.errors);
  return issues.errors;
}

const branch = /^(.*?)\/anyOf(?:\/(\d+)\/|$)/;

/**
 * Each branch of a union reports errors; only the error of the union is kept. For a nullable value the errors of its
 * other branch are kept instead.
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

/** `price` of `items.2.price`, but `tags.0` of `tags.0`. */
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
  if (keyword === 'additionalProperties') path.push(String(params.additionalProperty));
  return path.join('.') || 'body';
}

const codes: Readonly<Record<string, FieldErrorCode>> = {
  required: 'required',
  type: 'wrong_type',
  minLength: 'too_short',
  notBlank: 'too_short',
  maxLength: 'too_long',
  minimum: 'too_small',
  maximum: 'too_large',
  minItems: 'too_few',
  maxItems: 'too_many',
  maxProperties: 'too_many',
  enum: 'not_allowed',
  const: 'not_allowed',
  eachEnum: 'not_allowed',
  sameAs: 'mismatch',
  additionalProperties: 'unknown',
};

function describeError(error: ErrorObject, name: string): FieldError {
  return { code: codes[error.keyword] ?? 'invalid', message: sentence(error, `The ${inWords(name)}`) };
}

function sentence({ keyword, params, message, parentSchema }: ErrorObject, field: string): string {
  const limit = String(params.limit);
  const entries = limit === '1' ? 'entry' : 'entries';
  const described = parentSchema?.description && `must have this format: ${lowerFirst(parentSchema.description)}`;
  switch (keyword) {
    case 'required':
      return `${field} is required.`;
    case 'type':
      return `${field} must be ${[params.type].flat().map(withArticle).join(' or ')}.`;
    case 'notBlank':
      return `${field} must not be empty.`;
    case 'minLength':
      return limit === '1' ? `${field} must not be empty.` : `${field} must have at least ${limit} characters.`;
    case 'maxLength':
      return `${field} must have at most ${limit} characters.`;
    case 'maxBytes':
      return `${field} must have at most ${parentSchema?.maxBytes} bytes.`;
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
    case 'additionalProperties':
      return `${field} is unknown.`;
    case 'money':
      return `${field} must be an amount from 0 to 9999999999.999 with at most three decimals.`;
    case 'eachEnum':
      return `${field} must be one of ${parentSchema?.eachEnum.join(', ')}.`;
    case 'timestamp':
      return `${field} must be a valid ${example['date-time']}.`;
    case 'sameAs':
      return `${field} does not match.`;
    case 'format':
      return `${field} must be a valid ${example[String(params.format)] ?? String(params.format)}.`;
    case 'pattern':
      return `${field} ${describeExcluded(String(params.pattern)) ?? described ?? 'has a format or a character that is not allowed.'}`;
    case 'anyOf':
      return `${field} ${described ?? 'has no allowed format.'}`;
    default:
      return `${field} ${message ?? 'is not valid'}.`;
  }
}

/** `a string`, `an array`, but `null`. */
function withArticle(type: string): string {
  if (type === 'null') return type;
  return /^[aeio]/.test(type) ? `an ${type}` : `a ${type}`;
}

const example: Readonly<Record<string, string>> = {
  date: 'date, such as 2026-01-31',
  'date-time': 'date-time, such as 2026-01-31T09:30:00Z',
  'time-zone': 'time zone, such as Asia/Kolkata',
  currency: 'ISO 4217 currency, such as INR',
};

/** Names of the characters that patterns exclude. */
const characterNames: Readonly<Record<string, readonly string[]>> = {
  ',': ['commas'],
  '|': ['vertical bars'],
  '\\0': ['NUL characters'],
  '\\p{Cc}': ['line breaks', 'other control characters'],
  '\\p{Cs}': ['unpaired surrogates'],
};

/** A sentence for patterns such as `^[^,\\p{Cc}]*$`; `undefined` for others. */
function describeExcluded(pattern: string): string | undefined {
  const [, inside] = /^\^\[\^(.+)\](?:\*|\{1,\d+\})\$$/.exec(pattern) ?? [];
  const words = inside?.match(/\\p\{\w+\}|\\.|./gu)?.map((part) => characterNames[part]);
  if (!words?.every((word) => word !== undefined)) return undefined;
  const [last, ...before] = words.flat().reverse();
  return `must not have ${before.length === 0 ? last : `${before.reverse().join(', ')} or ${last}`}.`;
}

function lowerFirst(text: string): string {
  return text.slice(0, 1).toLowerCase() + text.slice(1);
}
