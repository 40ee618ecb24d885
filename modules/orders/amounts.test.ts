import { expect, test } from 'vitest';
import { formatMoney } from './amounts.ts';

test.each([
  ['199.65', 'INR', 'INR 199.65'],
  ['9999999999.99', 'INR', 'INR 9999999999.99'],
  ['500.00', 'JPY', 'JPY 500'],
  ['1.25', 'KWD', 'KWD 1.250'],
  ['9999999999.999', 'KWD', 'KWD 9999999999.999'],
])('the team reads %s in %s as %s', (amount, currency, text) => {
  expect(formatMoney(amount, currency)).toBe(text);
});
