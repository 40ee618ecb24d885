import { expect, test } from 'vitest';
import { fromThousandths, parseCents, plainAmount, remainingAmount, toThousandths } from './amount.ts';

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

test('amounts of currencies with three decimals are exact', () => {
  expect(toThousandths('1.205')).toBe(1_205n);
  expect(toThousandths('1.2055')).toBeUndefined();
  expect(fromThousandths(1_205n, 'KWD')).toBe('1.205');
  expect(fromThousandths(50n, 'INR')).toBe('0.05');
  expect(remainingAmount({ paid_total: '10.000', refunded_total: '0.205', currency: 'KWD' })).toBe('9.795');
});
