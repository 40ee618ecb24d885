import { expect, test } from 'vitest';
import { fromThousandths, isPayable, plainAmount, remainingAmount, toThousandths, typedAmount } from './amount.ts';

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
  ['199.5', 199500n],
  ['1,20,000.07', 120000070n],
  ['1.205', 1205n],
  ['1,50', undefined],
  ['1.9995', undefined],
  ['-1', undefined],
  ['', undefined],
])('the thousandths of %j', (typed, thousandths) => {
  expect(toThousandths(typed)).toBe(thousandths);
});

test('amounts of currencies with three decimals are exact', () => {
  expect(fromThousandths(1_205n, 'KWD')).toBe('1.205');
  expect(fromThousandths(50n, 'INR')).toBe('0.05');
  expect(remainingAmount({ paid_total: '10.000', refunded_total: '0.205', currency: 'KWD' })).toBe('9.795');
});

test.each([
  ['199.65', 'INR', '199.65'],
  ['500.00', 'JPY', '500'],
  ['1.20', 'KWD', '1.200'],
  ['1.205', 'KWD', '1.205'],
  // What the user has to correct stays.
  ['500.50', 'JPY', '500.50'],
  ['1.205', 'INR', '1.205'],
  ['', 'INR', ''],
  ['7.50', undefined, '7.50'],
])('a field has %j in %s as %j', (amount, currency, typed) => {
  expect(typedAmount(amount, currency)).toBe(typed);
});

test('an amount is payable in whole minor units', () => {
  expect([isPayable(500_000n, 'JPY'), isPayable(500_500n, 'JPY')]).toEqual([true, false]);
  expect([isPayable(1_205n, 'KWD'), isPayable(1_205n, 'INR'), isPayable(1_210n, 'INR')]).toEqual([true, false, true]);
});
