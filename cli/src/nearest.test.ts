import { expect, test } from 'vitest';
import { findNearest } from './nearest.ts';

const words = ['customers', 'config', 'conversations', 'orders', 'use'];

test.each([
  ['custmers', 'customers'],
  ['cutsomers', 'customers'],
  ['oders', 'orders'],
  ['conv', 'conversations'],
  ['ues', 'use'],
  ['xyz', undefined],
  ['', undefined],
])('%s is near to %s', (word, expected) => {
  expect(findNearest(word, words)).toBe(expected);
});
