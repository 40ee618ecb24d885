import { expect, test } from 'vitest';
import { labelIndexes, ticksTo, wholeTicksTo } from './ticks.ts';

test.each([
  [0, [0, 1]],
  [1, [0, 0.25, 0.5, 0.75, 1]],
  [1_298.5, [0, 500, 1_000, 1_500]],
  [10_000, [0, 2_500, 5_000, 7_500, 10_000]],
  [98_000, [0, 25_000, 50_000, 75_000, 100_000]],
])('an axis to %d has round values', (max, ticks) => {
  expect(ticksTo(max)).toEqual(ticks);
});

test.each([
  [0, [0, 1]],
  [1, [0, 1]],
  [3, [0, 1, 2, 3]],
  [9, [0, 5, 10]],
  [40, [0, 10, 20, 30, 40]],
])('an axis of counts to %d has whole numbers', (max, ticks) => {
  expect(wholeTicksTo(max)).toEqual(ticks);
});

test('the labels of days include the first and the last', () => {
  expect(labelIndexes(7, 7)).toEqual([0, 1, 2, 3, 4, 5, 6]);
  expect(labelIndexes(30, 5)).toEqual([0, 7, 15, 22, 29]);
  expect(labelIndexes(1, 5)).toEqual([0]);
});
