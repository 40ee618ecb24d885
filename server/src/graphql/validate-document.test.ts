import { buildSchema } from 'graphql';
import { expect, test } from 'vitest';
import { parseDocument } from './parse-document.ts';
import { validateDocument } from './validate-document.ts';

const schema = buildSchema(`
  type Order { id: ID! total: Int }
  type Query { count: Int order(id: ID): Order }
`);
const errors = (text: string, suggest = true) => validateDocument(schema, parseDocument(text), suggest);

test('an error has a code and a position', () => {
  expect(errors('{\n  count\n  order { id, name }\n}')).toEqual([
    {
      message: 'Cannot query field "name" on type "Order".',
      locations: [{ line: 3, column: 15 }],
      extensions: { code: 'GRAPHQL_VALIDATION_FAILED' },
    },
  ]);
});

test('a single error suggests what was meant, unless names of the schema are not to be disclosed', () => {
  const messages = (text: string, suggest: boolean) => errors(text, suggest).map(({ message }) => message);
  expect(messages('{ coumt }', true)).toEqual(['Cannot query field "coumt" on type "Query". Did you mean "count"?']);
  expect(messages('{ coumt }', false)).toEqual(['Cannot query field "coumt" on type "Query".']);
  expect(messages('{ coumt ordr }', true)).toEqual([
    'Cannot query field "coumt" on type "Query".',
    'Cannot query field "ordr" on type "Query".',
  ]);
});

test('a document with many errors shows five', () => {
  expect(errors('{ a b c d e f g h }').map(({ message }) => message)).toEqual([
    ...['a', 'b', 'c', 'd', 'e'].map((name) => `Cannot query field "${name}" on type "Query".`),
    'Too many validation errors, error limit reached. Validation aborted.',
  ]);
});

test('fields that repeat each other are valid, and conflicting fields are not', () => {
  expect(errors('{ count count order(id: 1) { id } order(id: 1) { id } order(id: 1) { id total } }')).toEqual([]);
  expect(errors('{ order(id: 1) { id } order(id: 1) { id } order(id: 2) { id } }')).toMatchObject([
    { message: expect.stringContaining('they have differing arguments'), locations: [{ column: 3 }, { column: 43 }] },
  ]);
});

test('141 fields of one name are compared with each other, 142 are refused', () => {
  const fields = (count: number) =>
    Array.from({ length: count }, (_, index) => `order(id:${' '.repeat(index)}1) { id }`);
  expect(errors(`{ ${fields(141).join(' ')} }`)).toEqual([]);
  expect(errors(`{ ${fields(142).join(' ')} }`)).toMatchObject([{ extensions: { code: 'QUERY_TOO_COMPLEX' } }]);
});

test('subscriptions are refused', () => {
  expect(errors('subscription { orders }')).toMatchObject([
    { message: 'The schema has no type for a subscription.', extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } },
  ]);
});
