import { expect, test } from 'vitest';
import { textWidth, truncate } from './text-width.ts';

test.each([
  ['Ravi', 4],
  ['Théo', 4],
  ['Théo'.normalize('NFD'), 4],
  ['रवि', 2],
  ['शर्मा', 3],
  ['李小龙', 6],
  ['한국', 4],
  ['한국'.normalize('NFD'), 4],
  ['👩‍👩‍👧', 2],
  ['🇮🇳', 2],
  ['a\u200bb', 2],
  ['', 0],
])('%s takes %d columns', (text, width) => {
  expect(textWidth(text)).toBe(width);
});

test.each([
  ['Ravi Shankar', 6, 'Ravi …'],
  ['Ravi', 4, 'Ravi'],
  ['李小龙', 5, '李小…'],
  ['李小龙', 4, '李…'],
  ['शर्मा', 3, 'शर्मा'],
  ['शर्मा जी', 4, 'शर्मा…'],
  ['👩‍👩‍👧👩‍👩‍👧', 3, '👩‍👩‍👧…'],
])('%s in %d columns is %s', (text, columns, expected) => {
  expect(truncate(text, columns)).toBe(expected);
});
