import { toMoney } from '@chowk/kit';
import type { Ajv2020, FuncKeywordDefinition } from 'ajv/dist/2020.js';

interface Place {
  readonly parentData: Record<string, unknown> | unknown[];
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
      if (changed !== undefined && changed !== value) {
        (parentData as Record<string | number, unknown>)[parentDataProperty] = changed;
      }
      return changed !== undefined;
    },
  };
}

/** Equal to the field of that name beside it. */
function sameAs(name: string, value: unknown, _schema?: unknown, place?: unknown): boolean {
  const other = ((place as Place).parentData as Record<string, unknown>)[name];
  return other === undefined || other === value;
}

const distinct = (list: readonly unknown[]) => (new Set(list).size === list.length ? list : [...new Set(list)]);

/**
 * What the kit's schemas can ask for besides JSON Schema. They are no part of the API description. To apply one again
 * changes nothing.
 */
const keywords: readonly FuncKeywordDefinition[] = [
  changing('trim', 'string', (text: string) => text.trim(), 'maxLength'),
  changing('lowercase', 'string', (text: string) => text.toLowerCase(), 'maxLength'),
  changing('money', ['string', 'number'], toMoney),
  changing('distinct', 'array', distinct),
  { keyword: 'sameAs', type: 'string', schemaType: 'string', errors: false, validate: sameAs },
  { keyword: 'notBlank', type: 'string', errors: false, validate: (_: boolean, text: string) => text.trim() !== '' },
  // Last, because the keywords of strings do not expect null.
  changing('nullIfEmpty', 'string', (text: string) => (text.trim() === '' ? null : text)),
];

export const keywordNames: ReadonlySet<string> = new Set(keywords.map(({ keyword }) => keyword as string));

export function addKeywords(ajv: Ajv2020): void {
  for (const definition of keywords) ajv.addKeyword(definition);
}
