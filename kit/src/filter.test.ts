import { expect, test } from 'vitest';
import type { Ctx } from './context.ts';
import { isIn, isShortWord, splitList, splitWords } from './filter.ts';
import { sql } from './sql.ts';

test('list parameters can be repeated and separated by commas', () => {
  expect(splitList(['hot, new', ' sale ', ',', 'hot', ''])).toEqual(['hot', 'new', 'sale']);
});

test('a search uses a limited number of words', () => {
  expect(splitWords('  green\ttea \n')).toEqual(['green', 'tea']);
  expect(splitWords('a b c d e f g h i j')).toHaveLength(8);
  expect(splitWords(' ')).toEqual([]);
});

test.each([
  ['te', true],
  ['चा', true],
  ['😀😀', true],
  ['tea', false],
])('%s is too short for the index: %s', (word, expected) => {
  expect(isShortWord(word)).toBe(expected);
});

test('a filter with one value can use the order of an index', () => {
  const filter = isIn(['open', 'closed'], sql`c.state`);
  const where = (...texts: string[]) => filter.where(texts, {} as Ctx);
  expect(where('open', 'closed')).toMatchObject({ values: [['open', 'closed']] });
  expect(where('open,')).toMatchObject({ values: ['open'] });
});
