import { expect, test } from 'vitest';
import { textColor } from './text-color.ts';

test.each([
  ['#ffffff', '#000'],
  ['#ffd54f', '#000'],
  ['#000000', '#fff'],
  ['#1d4ed8', '#fff'],
  ['#b3261e', '#fff'],
])('text on %s is %s', (color, text) => {
  expect(textColor(color)).toBe(text);
});
