import type { TSchema } from '@chowk/kit';
import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

/** Field name, dots for nested fields, to what is wrong with it. */
export type FieldErrors = Record<string, string[]>;

/** Answers with what is wrong, or `undefined`. Fields the schema does not know are removed from the value. */
export type Validator = (value: unknown) => FieldErrors | undefined;

/** More messages than this help nobody and would let a large body make a larger answer. */
const mostErrors = 50;

const shared = { allErrors: true, removeAdditional: 'all', useDefaults: true, strict: false } as const;
/** Bodies say what they mean: `"5"` is not a number. */
const exact = withFormats(new Ajv2020(shared));
/** A query string or a path has only text, so `5` and `true` are read as what the schema wants. */
const fromText = withFormats(new Ajv2020({ ...shared, coerceTypes: 'array' }));

export function compileBody(schema: TSchema): Validator {
  return compile(exact, schema);
}

export function compileText(schema: TSchema): Validator {
  return compile(fromText, schema);
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

function compile(ajv: Ajv2020, schema: TSchema): Validator {
  const check = ajv.compile(schema);
  return (value) => (check(value) ? undefined : fieldErrors(check.errors ?? []));
}

function fieldErrors(errors: readonly ErrorObject[]): FieldErrors {
  const fields: FieldErrors = {};
  for (const error of errors.slice(0, mostErrors)) {
    // The branches of a union each complain; the union's own error says it once.
    if (error.schemaPath.includes('/anyOf/')) continue;
    const field = fieldName(error);
    const messages = fields[field] ?? [];
    fields[field] = messages;
    const message = sentence(error, field.split('.').at(-1) ?? field);
    if (!messages.includes(message)) messages.push(message);
  }
  return fields;
}

function fieldName({ instancePath, params, keyword }: ErrorObject): string {
  const path = instancePath
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
  if (keyword === 'required') path.push(String(params.missingProperty));
  return path.join('.') || 'body';
}

function sentence({ keyword, params, message }: ErrorObject, name: string): string {
  const field = `The ${name.replaceAll('_', ' ')}`;
  const limit = String(params.limit);
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
      return `${field} must have at least ${limit} entries.`;
    case 'maxItems':
      return `${field} must have at most ${limit} entries.`;
    case 'enum':
      return `${field} must be one of ${(params.allowedValues as unknown[]).join(', ')}.`;
    case 'format':
      return `${field} must be a valid ${String(params.format)}.`;
    case 'anyOf':
      return `${field} has none of the forms that are allowed.`;
    default:
      return `${field} ${message ?? 'is not valid'}.`;
  }
}
