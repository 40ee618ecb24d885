import { expect, test } from 'vitest';
import { formatCell } from './cells.ts';

test.each([
  ['199.65', 'INR', '199.65 INR'],
  ['500.00', 'JPY', '500 JPY'],
  ['1.205', 'KWD', '1.205 KWD'],
  ['1.20', 'KWD', '1.200 KWD'],
  ['-3.50', 'USD', '-3.50 USD'],
  ['3.50', '?', '3.50 ?'],
])('the amount %s of a record in %s is shown as %s, and exactly in files', (amount, currency, shown) => {
  expect(formatCell(amount, { currency }, new Date())).toBe(shown);
  expect(formatCell(amount, { currency })).toBe(amount);
});
