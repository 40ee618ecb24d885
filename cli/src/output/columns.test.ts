import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { columns } from './columns.ts';

interface Schema {
  readonly $ref?: string;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly anyOf?: readonly Schema[];
}

const file = join(import.meta.dirname, '../../../docs/openapi.json');
const { components, paths } = JSON.parse(await readFile(file, 'utf8'));

function resolve(schema: Schema = {}): Schema {
  const { $ref, anyOf } = schema;
  if ($ref) return resolve(components.schemas[$ref.slice($ref.lastIndexOf('/') + 1)]);
  return anyOf?.map(resolve).find(({ properties }) => properties) ?? schema;
}

function hasField(schema: Schema, [first = '', ...rest]: readonly string[]): boolean {
  const field = resolve(schema).properties?.[first];
  return field !== undefined && (rest.length === 0 || hasField(field, rest));
}

/** The records of each list of the API, by the field of the response that has them. */
const lists = new Map<string, Schema[]>();
// biome-ignore lint/suspicious/noExplicitAny: an API description
for (const { get } of Object.values<any>(paths)) {
  const { properties = {} } = resolve(get?.responses['200']?.content?.['application/json']?.schema);
  for (const [key, schema] of Object.entries(properties)) {
    const { items } = resolve(schema);
    if (items) lists.set(key, [...(lists.get(key) ?? []), items]);
  }
}

test.each(Object.entries(columns))('the columns of %s are fields of a list', (key, names) => {
  const paths = names.flatMap((name) => name.slice(name.indexOf('=') + 1).split('+'));
  const missing = paths.filter((path) => !lists.get(key)?.some((record) => hasField(record, path.split('.'))));
  expect(missing).toEqual([]);
});
