import { expect, test } from 'vitest';
import { distinct, readTags } from './tags.ts';

test('tags of a query are separated by commas, however often the query names them', () => {
  expect(readTags(['hot, new', ' sale ', ',', 'hot', ''])).toEqual(['hot', 'new', 'sale']);
});

test('of texts that are alike but for the spaces around them one is left', () => {
  expect(distinct([' tea', 'Tea', 'tea ', ' ', '茶'])).toEqual(['tea', 'Tea', '茶']);
});
