import { expect, test } from 'vitest';
import { nextInvoiceNumber } from './invoice-number.ts';

test('the next number follows the last one, unless the setting is higher', () => {
  expect(nextInvoiceNumber(undefined, 1)).toBe('1');
  expect(nextInvoiceNumber('26-27/41', 1)).toBe('42');
  expect(nextInvoiceNumber('INV-41', 500)).toBe('500');
  expect(nextInvoiceNumber('INV-41', 'not a number')).toBe('42');
});
