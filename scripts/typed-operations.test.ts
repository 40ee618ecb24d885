import { expect, test } from 'vitest';
import { generate } from './typed-operations.ts';

const sdl = 'type Query { product(id: ID!): Product } type Product { title: String price: Money } scalar Money';

test('an operation contains the fragments that it uses and no others', async () => {
  const code = await generate(sdl, {
    'products.graphql': 'query Title { product(id: 1) { ...Titled } } query Price { product(id: 1) { price } }',
    'fragments.graphql': 'fragment Titled on Product { title }',
  });
  expect(code).toContain('...Titled\n  }\n}\n\nfragment Titled on Product {');
  expect(code.match(/fragment Titled/g)).toHaveLength(1);
  expect(code).toContain('export type PriceQuery = { product: { price: string | null } | null }');
});

test('text of an operation cannot end its constant', async () => {
  const operation = `query Find {\n  find(text: "\`\${text}\` \\\\")\n}`;
  const code = await generate('type Query { find(text: String): Int }', { 'find.graphql': operation });
  const constant = /FindDocument = (`.*`) as/s.exec(code)?.[1];
  expect(new Function(`return ${constant}`)()).toBe(operation);
});

test.each([
  [
    'query Colour { product(id: 1) { colour } }',
    /Cannot query field "colour" on type "Product".*products.graphql:1:33/s,
  ],
  ['{ product(id: 1) { title } }', /an operation has no name/],
])('%s is refused', async (text, message) => {
  await expect(generate(sdl, { 'products.graphql': text })).rejects.toThrow(message);
});

test('a scalar whose type in TypeScript is not known is refused', async () => {
  const withColor = sdl.replaceAll('Money', 'Color');
  await expect(generate(withColor, { 'a.graphql': 'query A { product(id: 1) { price } }' })).rejects.toThrow(/Color/);
});
