import { Type } from './schema.ts';

/** Tags in an input. Lists of them are written with commas, so none has one. */
export const Tags = Type.Array(Type.String({ minLength: 1, maxLength: 50, pattern: '^[^,\\p{Cc}]*$' }), {
  maxItems: 50,
});

/** Tags in the query of a list; `readTags` reads them. */
export const TagsFilter = Type.Array(Type.String({ maxLength: 2_600 }), {
  maxItems: 50,
  description: 'All of them; commas separate.',
});

export function readTags(texts: readonly string[]): string[] {
  return distinct(texts.flatMap((text) => text.split(',')));
}

/** Each text once, without spaces around it, and none that is empty. */
export function distinct(texts: readonly string[]): string[] {
  return [...new Set(texts.map((text) => text.trim()).filter(Boolean))];
}
