import { expect, test } from 'vitest';
import type { Ctx } from './context.ts';
import { isOneOf, isShortWord, splitList, wordsOf } from './filter.ts';
import { sql } from './sql.ts';

test('a list in a query is separated by commas, however often the query names it', () => {
  expect(splitList(['hot, new', ' sale ', ',', 'hot', ''])).toEqual(['hot', 'new', 'sale']);
});

test('a search looks for a few words at most', () => {
  expect(wordsOf('  green\ttea \n')).toEqual(['green', 'tea']);
  expect(wordsOf('a b c d e f g h i j')).toHaveLength(8);
  expect(wordsOf(' ')).toEqual([]);
});

test.each([
  ['te', true],
  ['चा', true],
  ['😀😀', true],
  ['tea', false],
])('%s is too short for the index: %s', (word, expected) => {
  expect(isShortWord(word)).toBe(expected);
});

test('a choice of one value can use an index in its order', () => {
  const filter = isOneOf(['open', 'closed'], sql`c.state`);
  const where = (...texts: string[]) => filter.where(texts, {} as Ctx);
  expect(where('open', 'closed')).toMatchObject({ values: [['open', 'closed']] });
  expect(where('open,')).toMatchObject({ values: ['open'] });
});
