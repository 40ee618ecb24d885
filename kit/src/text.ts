import { Type } from './schema.ts';

/*
 * Text in an input. `trim`, `lowercase`, `nullIfEmpty` and `distinct` change the value before it reaches the action, so
 * that no module has to.
 */

/** No control characters, and no half of a character, which PostgreSQL cannot store. */
const line = '^[^\\p{Cc}\\p{Cs}]*$';
/** As `line`, but with line breaks. */
const lines = '^[^\\0\\p{Cs}]*$';

interface Rules {
  readonly minLength?: number;
  readonly pattern?: string;
  readonly format?: string;
  readonly description?: string;
  readonly examples?: readonly string[];
}

/** A line that must not be empty. */
export function Line(maxLength: number, rules: Rules = {}) {
  return Type.String({ minLength: 1, maxLength, pattern: line, trim: true, ...rules });
}

/** A line or null; an empty one is null. */
export function NullableLine(maxLength: number, rules: Rules = {}) {
  return nullable({ maxLength, pattern: line, trim: true, ...rules });
}

/** Text with line breaks that must not be empty. */
export function Text(maxLength: number, rules: Rules = {}) {
  return Type.String({ minLength: 1, maxLength, pattern: lines, notBlank: true, ...rules });
}

/** Text with line breaks, or null; a blank one is null. */
export function NullableText(maxLength: number, rules: Rules = {}) {
  return nullable({ maxLength, pattern: lines, ...rules });
}

/** An email address, in lower case. */
export const Email = Type.String({ format: 'email', maxLength: 254, trim: true, lowercase: true });
export const NullableEmail = nullable({ format: 'email', maxLength: 254, trim: true, lowercase: true });

/** One schema and not a union, so that messages are about the text itself. */
function nullable(rules: object) {
  return Type.Unsafe<string | null>({ type: ['string', 'null'], nullIfEmpty: true, ...rules });
}

/** Lists of tags are written with commas, so no tag has one. */
export const Tags = Type.Array(
  Type.String({ minLength: 1, maxLength: 50, pattern: '^[^,\\p{Cc}\\p{Cs}]*$', trim: true }),
  {
    maxItems: 50,
    distinct: true,
  },
);
