import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decimalsProblem, fromCents, toCents, toMoney } from './money.ts';

test.each([
  [0, '0.00'],
  ['0', '0.00'],
  [5, '5.00'],
  [19.9, '19.90'],
  ['19.90', '19.90'],
  [' 007.5 ', '7.50'],
  [9_999_999_999.99, '9999999999.99'],
])('%j is %s', (input, expected) => {
  expect(toMoney(input)).toBe(expected);
});

test.each([
  -1,
  '-1',
  0.0001,
  1e10,
  1e21,
  1e-7,
  '1e3',
  '1,50',
  '1.2345',
  '.5',
  '5.',
  '',
  'ten',
  '٣',
  '0x10',
  Number.NaN,
])('%j is no amount', (input) => {
  expect(toMoney(input)).toBeUndefined();
});

test('all amounts are accepted as number and as text', () => {
  const cents = fc.bigInt({ min: 0n, max: 999_999_999_999n });
  fc.assert(
    fc.property(cents, (value) => {
      const text = `${value / 100n}.${String(value % 100n).padStart(2, '0')}`;
      expect(toMoney(text)).toBe(text);
      expect(toMoney(Number(text))).toBe(text);
    }),
  );
});

test.each([
  ['1.234', '1.234'],
  [0.5, '0.50'],
  ['1.230', '1.23'],
  ['7.000', '7.00'],
])('%j is %j with up to three decimals', (input, expected) => {
  expect(toMoney(input)).toBe(expected);
});

test.each([
  ['JPY', '1200.00', undefined],
  ['JPY', '1200', undefined],
  ['JPY', '1200.50', 'An amount in JPY has no decimals.'],
  ['INR', '1.230', undefined],
  ['INR', '1.235', 'An amount in INR has at most 2 decimals.'],
  ['KWD', '1.235', undefined],
])('the decimals of %s: %s', (currency, money, problem) => {
  expect(decimalsProblem(money, currency)).toBe(problem);
});

test.each([
  ['JPY', '1200.00', 1_200n],
  ['KWD', '1.234', 1_234n],
  ['KWD', '0.50', 500n],
  ['INR', '0.05', 5n],
  ['BHD', '9999999999.999', 9_999_999_999_999n],
])('in %s, %s is %s minor units', (currency, money, units) => {
  expect(toCents(money, currency)).toBe(units);
  expect(fromCents(units, currency)).toBe(money);
});

test.each([
  [undefined, '1.234', 123n],
  [undefined, '1.235', 124n],
  ['JPY', '1199.50', 1_200n],
  ['JPY', '0.49', 0n],
  ['KWD', '1.2', 1_200n],
])('more decimals than the currency %s has are rounded, halves up: %s', (currency, money, units) => {
  expect(toCents(money, currency)).toBe(units);
});

test('minor units of all currencies are exact', () => {
  const units = fc.bigInt({ min: 0n, max: 10n ** 15n });
  fc.assert(
    fc.property(units, fc.constantFrom('JPY', 'INR', 'KWD'), (value, currency) => {
      expect(fromCents(value, currency)).toMatch(/^\d+\.\d{2,3}$/);
      expect(toCents(fromCents(value, currency), currency)).toBe(value);
    }),
  );
});

test('sums of cents are exact', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 10n ** 30n }), (cents) => {
      expect(fromCents(cents)).toMatch(/^\d+\.\d{2}$/);
      expect(toCents(fromCents(cents))).toBe(cents);
    }),
  );
});
