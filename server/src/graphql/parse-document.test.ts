import { print } from 'graphql';
import { expect, test } from 'vitest';
import { GraphqlRefusal } from './graphql-refusal.ts';
import { parseDocument } from './parse-document.ts';

function refusal(text: string) {
  try {
    parseDocument(text);
    return undefined;
  } catch (error) {
    if (error instanceof GraphqlRefusal) return error.error;
    throw error;
  }
}

const repeat = (count: number, text: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => text(index)).join(' ');

test('an operation is parsed', () => {
  expect(print(parseDocument('{a}'))).toBe('{\n  a\n}');
});

test('a syntax error has a code and a position', () => {
  expect(refusal('{\n  a(\n}')).toEqual({
    message: 'Syntax Error: Expected Name, found "}".',
    locations: [{ line: 3, column: 1 }],
    extensions: { code: 'GRAPHQL_PARSE_FAILED' },
  });
});

test('a message quotes only the beginning of a long text', () => {
  expect(refusal(`{ "${'x'.repeat(10_000)}" }`)?.message).toMatch(
    /^Syntax Error: Expected Name, found String "x{400,500}…$/,
  );
});

test.each([
  ['tokens', 5_000, (count: number) => `{ ${'a '.repeat(count - 2)} }`],
  ['operations', 20, (count: number) => repeat(count, (index) => `query q${index} { a }`)],
  ['operations and fragments', 50, (count: number) => repeat(count, (index) => `fragment F${index} on Query { a }`)],
  ['levels of nested brackets', 64, (count: number) => `{ a(b: ${'['.repeat(count - 2)}${']'.repeat(count - 2)}) }`],
  ['directives', 200, (count: number) => `{ a ${'@b '.repeat(count)} }`],
  ['fragment spreads and inline fragments', 300, (count: number) => `{ ${'...F '.repeat(count)} }`],
  ['characters in a name', 128, (count: number) => `{ ${'a'.repeat(count)} }`],
  ['comments', 1_000, (count: number) => `${'#\n'.repeat(count)}{ a }`],
  ['lines', 2_000, (count: number) => `${'\n'.repeat(count - 1)}{ a }`],
])('the limit of %s is %i', (what, limit, text) => {
  expect(refusal(text(limit))).toBeUndefined();
  const { message, extensions } = refusal(text(limit + 1)) ?? {};
  expect(extensions).toEqual({ code: 'GRAPHQL_PARSE_FAILED' });
  expect(message).toContain(`${limit} ${what}.`);
});
