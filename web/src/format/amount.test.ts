import { expect, test } from 'vitest';
import { parseCents, plainAmount } from './amount.ts';

test.each([
  [' 1200.50 ', '1200.50'],
  ['1,200', '1200'],
  ['1,200.5', '1200.5'],
  ['1,20,000.00', '120000.00'],
  ['12,345,678', '12345678'],
  // Perhaps decimals.
  ['1,50', '1,50'],
  ['1.200,50', '1.200,50'],
  ['1234,567', '1234,567'],
  ['1,', '1,'],
  ['abc', 'abc'],
])('%j is sent as %j', (typed, sent) => {
  expect(plainAmount(typed)).toBe(sent);
});

test.each([
  ['0', 0n],
  ['199.5', 19950n],
  ['1,20,000.07', 12000007n],
  ['1,50', undefined],
  ['1.999', undefined],
  ['-1', undefined],
  ['', undefined],
])('the hundredths of %j', (typed, cents) => {
  expect(parseCents(typed)).toBe(cents);
});
