import { buildSchema } from 'graphql';
import { expect, test } from 'vitest';
import { schemaChanges } from './schema-changes.ts';

const before = `
  type Query { product(id: ID!): Product }
  type Product { title: String, price: String }
  enum Status { active }`;

function changes(after: string): string[] {
  return schemaChanges(buildSchema(before), buildSchema(after)).map(
    ({ severity, kind, description }) => `${severity} ${kind}: ${description}`,
  );
}

test('equal schemas have no changes', () => {
  expect(changes(before)).toEqual([]);
});

test.each([
  ['a removed field', 'price: String', '', 'breaking FIELD_REMOVED: Product.price was removed.'],
  [
    'a required argument',
    'id: ID!',
    'id: ID!, tenant: ID!',
    'breaking REQUIRED_ARG_ADDED: A required arg tenant on Query.product was added.',
  ],
  [
    'an optional argument',
    'id: ID!',
    'id: ID!, tenant: ID',
    'dangerous OPTIONAL_ARG_ADDED: An optional arg tenant on Query.product was added.',
  ],
  ['an enum value', 'active', 'active, draft', 'dangerous VALUE_ADDED_TO_ENUM: draft was added to enum type Status.'],
  ['a field', 'price: String', 'price: String, sku: String', 'safe FIELD_ADDED: Product.sku was added.'],
  ['a type', 'enum Status', 'type Shop { id: ID } enum Status', 'safe TYPE_ADDED: Shop was added.'],
  ['a directive', 'enum Status', 'directive @a on FIELD enum Status', 'safe DIRECTIVE_ADDED: @a was added.'],
])('%s is classified', (_, text, replacement, change) => {
  expect(changes(before.replace(text, replacement))).toEqual([change]);
});

test('breaking changes come first', () => {
  const after = before.replace('price: String', 'sku: String').replace('active', 'active, draft');
  expect(changes(after).map((change) => change.split(' ')[0])).toEqual(['breaking', 'dangerous', 'safe']);
});
