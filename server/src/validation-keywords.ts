import { splitList, toMoney, toTimestamp } from '@chowk/kit';
import type { Ajv2020, FuncKeywordDefinition } from 'ajv/dist/2020.js';

interface Place {
  /** `undefined` for a value that stands alone: it is checked as it is. */
  readonly parentData: Record<string, unknown> | unknown[] | undefined;
  readonly parentDataProperty: string | number;
}

/** A keyword that replaces the value by what `change` makes of it; `undefined` is an error. */
function changing(
  keyword: string,
  type: FuncKeywordDefinition['type'],
  change: (value: never) => unknown,
  before?: string,
): FuncKeywordDefinition {
  return {
    keyword,
    ...(type ? { type } : {}),
    ...(before ? { before } : {}),
    modifying: true,
    schemaType: 'boolean',
    errors: false,
    validate: (wanted: boolean, value: unknown, _schema?: unknown, place?: unknown) => {
      if (!wanted) return true;
      const changed = change(value as never);
      const { parentData, parentDataProperty } = place as Place;
      if (parentData && changed !== undefined && changed !== value) {
        (parentData as Record<string | number, unknown>)[parentDataProperty] = changed;
      }
      return changed !== undefined;
    },
  };
}

/** Equal to the field of that name beside it. */
function sameAs(name: string, value: unknown, _schema?: unknown, place?: unknown): boolean {
  const other = ((place as Place).parentData as Record<string, unknown> | undefined)?.[name];
  return other === undefined || other === value;
}

const distinct = (list: readonly unknown[]) => (new Set(list).size === list.length ? list : [...new Set(list)]);

/** Texts that name one or more of the values, separated by commas. */
function eachIsOneOf(values: readonly string[], texts: readonly unknown[]): boolean {
  const named = splitList(texts.map(String));
  return named.length > 0 && named.every((name) => values.includes(name));
}

/**
 * What the kit's schemas can ask for besides JSON Schema. They are no part of the API description. To apply one again
 * changes nothing.
 */
const keywords: readonly FuncKeywordDefinition[] = [
  // For no type, so that it comes before the keywords of strings, which then pass over null.
  changing('nullIfEmpty', undefined, (value: unknown) =>
    typeof value === 'string' && value.trim() === '' ? null : value,
  ),
  changing('trim', 'string', (text: string) => text.trim(), 'maxLength'),
  changing('lowercase', 'string', (text: string) => text.toLowerCase(), 'maxLength'),
  changing('money', ['string', 'number'], toMoney),
  changing('timestamp', 'string', toTimestamp),
  changing('distinct', 'array', distinct),
  { keyword: 'eachOneOf', type: 'array', schemaType: 'array', errors: false, validate: eachIsOneOf },
  { keyword: 'sameAs', type: 'string', schemaType: 'string', errors: false, validate: sameAs },
  { keyword: 'notBlank', type: 'string', errors: false, validate: (_: boolean, text: string) => text.trim() !== '' },
];

export const keywordNames: ReadonlySet<string> = new Set(keywords.map(({ keyword }) => keyword as string));

export function addKeywords(ajv: Ajv2020): void {
  for (const definition of keywords) ajv.addKeyword(definition);
}
