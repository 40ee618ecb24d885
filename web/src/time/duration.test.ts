import { expect, test } from 'vitest';
import { duration } from './duration.ts';

test.each([
  [null, '–'],
  [0, '0 s'],
  [59, '59 s'],
  [90, '2 min'],
  [3_600, '1 h'],
  [11_100, '3 h 5 min'],
  [86_399, '24 h'],
  [86_400, '1 d'],
  [187_200, '2 d 4 h'],
])('%s seconds are %s', (seconds, text) => {
  expect(duration(seconds)).toBe(text);
});
