import { splitList, toMoney, toTimestamp } from '@chowk/kit/kernel';
import type { Ajv2020, AnySchemaObject, FuncKeywordDefinition } from 'ajv/dist/2020.js';

interface DataContext {
  /** `undefined` for a value without a parent, which cannot be replaced. */
  readonly parentData: Record<string, unknown> | unknown[] | undefined;
  readonly parentDataProperty: string | number;
}

/** A keyword that replaces the value by the result of `transform`; `undefined` is an error. */
function transforming(
  keyword: string,
  type: FuncKeywordDefinition['type'],
  transform: (value: never, setting: never) => unknown,
  before?: string,
): FuncKeywordDefinition {
  return {
    keyword,
    ...(type ? { type } : {}),
    ...(before ? { before } : {}),
    modifying: true,
    schemaType: ['boolean', 'number'],
    errors: false,
    validate: (setting: boolean | number, value: unknown, _schema?: unknown, context?: unknown) => {
      if (setting === false) return true;
      const transformed = transform(value as never, setting as never);
      const { parentData, parentDataProperty } = context as DataContext;
      if (parentData && transformed !== undefined && transformed !== value) {
        (parentData as Record<string | number, unknown>)[parentDataProperty] = transformed;
      }
      return transformed !== undefined;
    },
  };
}

/** Whether the value equals the sibling field with this name; one that is no text has an error of its own. */
function sameAs(name: string, value: unknown, _schema?: unknown, context?: unknown): boolean {
  const other = ((context as DataContext).parentData as Record<string, unknown> | undefined)?.[name];
  return typeof other !== 'string' || other === value;
}

/** In UTF-8. A text with more than `maxLength` characters has its error already. */
function hasAtMostBytes(limit: number, text: string, schema?: AnySchemaObject): boolean {
  return Buffer.byteLength(text) <= limit || [...text].length > (schema?.['maxLength'] ?? Number.POSITIVE_INFINITY);
}

const distinct = (list: readonly unknown[]) => (new Set(list).size === list.length ? list : [...new Set(list)]);

/** Whether the texts are comma-separated lists of these values. */
function areAllowed(values: readonly string[], texts: readonly unknown[]): boolean {
  const named = splitList(texts.map(String));
  return named.length > 0 && named.every((name) => values.includes(name));
}

/**
 * Extensions of JSON Schema for the kit's schemas, omitted from the API description. All are idempotent.
 */
const keywords: readonly FuncKeywordDefinition[] = [
  // Without a type, so that it runs before the keywords of strings, which then skip null.
  transforming('nullIfEmpty', undefined, (value: unknown) =>
    typeof value === 'string' && value.trim() === '' ? null : value,
  ),
  transforming('trim', 'string', (text: string) => text.trim(), 'maxLength'),
  transforming('lowercase', 'string', (text: string) => text.toLowerCase(), 'maxLength'),
  transforming('money', ['string', 'number'], (amount: string | number) => toMoney(amount)),
  transforming('timestamp', 'string', toTimestamp),
  transforming('distinct', 'array', distinct),
  { keyword: 'eachEnum', type: 'array', schemaType: 'array', errors: false, validate: areAllowed },
  { keyword: 'sameAs', type: 'string', schemaType: 'string', errors: false, validate: sameAs },
  { keyword: 'notBlank', type: 'string', errors: false, validate: (_: boolean, text: string) => text.trim() !== '' },
  { keyword: 'maxBytes', type: 'string', schemaType: 'number', errors: false, validate: hasAtMostBytes },
  // For the GraphQL schema only.
  { keyword: 'graphqlType', schemaType: 'string', errors: false, validate: () => true },
];

export const keywordNames: ReadonlySet<string> = new Set(keywords.map(({ keyword }) => keyword as string));

export function addKeywords(ajv: Ajv2020): void {
  for (const definition of keywords) ajv.addKeyword(definition);
}
