import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fromCents, toCents, toMoney } from './money.ts';

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

test.each([-1, '-1', 0.001, 1e10, 1e21, 1e-7, '1e3', '1,50', '1.234', '.5', '5.', '', 'ten', '٣', '0x10', Number.NaN])(
  '%j is no amount',
  (input) => {
    expect(toMoney(input)).toBeUndefined();
  },
);

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

test('sums of cents are exact', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 10n ** 30n }), (cents) => {
      expect(fromCents(cents)).toMatch(/^\d+\.\d{2}$/);
      expect(toCents(fromCents(cents))).toBe(cents);
    }),
  );
});
