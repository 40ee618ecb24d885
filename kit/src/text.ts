import { type TSchema, Type } from './schema.ts';

/*
 * Text in an input. Validation applies `trim`, `lowercase`, `nullIfEmpty` and `distinct` before the action gets the value.
 */

/** No control characters and no lone surrogates, which PostgreSQL cannot store. */
const line = '^[^\\p{Cc}\\p{Cs}]*$';
/** Also allows line breaks. */
const lines = '^[^\\0\\p{Cs}]*$';

interface Rules {
  readonly minLength?: number;
  readonly pattern?: string;
  readonly format?: string;
  readonly description?: string;
  readonly examples?: readonly string[];
}

/** A non-empty line. */
export function Line(maxLength: number, rules: Rules = {}) {
  return Type.String({ minLength: 1, maxLength, pattern: line, trim: true, ...rules });
}

/** A line or null; empty becomes null. */
export function NullableLine(maxLength: number, rules: Rules = {}) {
  return nullable({ maxLength, pattern: line, trim: true, ...rules });
}

/** Non-empty text with line breaks. */
export function Text(maxLength: number, rules: Rules = {}) {
  return Type.String({ minLength: 1, maxLength, pattern: lines, notBlank: true, ...rules });
}

/** Text with line breaks or null; blank becomes null. */
export function NullableText(maxLength: number, rules: Rules = {}) {
  return nullable({ maxLength, pattern: lines, ...rules });
}

/** An email address, in lower case. */
export const Email = Type.String({ format: 'email', maxLength: 254, trim: true, lowercase: true });
export const NullableEmail = nullable({ format: 'email', maxLength: 254, trim: true, lowercase: true });

/** One schema instead of a union gives better messages. */
function nullable(rules: object) {
  return Type.Unsafe<string | null>({ type: ['string', 'null'], nullIfEmpty: true, ...rules });
}

/** Tags have no commas, which separate them in lists. */
export const Tags = Type.Array(
  Type.String({ minLength: 1, maxLength: 50, pattern: '^[^,\\p{Cc}\\p{Cs}]*$', trim: true }),
  {
    maxItems: 50,
    distinct: true,
  },
);

interface MapRules {
  readonly description: string;
  readonly examples: readonly Readonly<Record<string, string>>[];
}

/** At most 50 texts by their names, such as ids on other platforms. */
export function TextMap<Value extends TSchema>(nameLength: number, value: Value, { description, examples }: MapRules) {
  const Name = Type.String({
    pattern: `^[^\\p{Cc}\\p{Cs}]{1,${nameLength}}$`,
    examples: examples.flatMap((example) => Object.keys(example)),
  });
  // `propertyNames` rejects invalid names; otherwise they would be dropped like unknown fields.
  return Type.Record(Name, value, { propertyNames: Name, maxProperties: 50, description, examples });
}
