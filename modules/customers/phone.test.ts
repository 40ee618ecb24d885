import fc from 'fast-check';
import { expect, test } from 'vitest';
import { looseDigits, normalizePhone, phoneDigits } from './phone.ts';

const separators = fc.array(fc.constantFrom('', ' ', '-', '.', '(', ')', '/', '–', '\u00a0'), {
  minLength: 20,
  maxLength: 20,
});
const digits = fc.stringMatching(/^[1-9]\d{3,13}$/);

/** The same number, written in another way. */
function scatter(number: string, between: readonly string[]): string {
  return [...number].map((digit, index) => digit + (between[index] ?? '')).join('');
}

test('all spellings of a number are stored the same', () => {
  fc.assert(
    fc.property(digits, separators, fc.constantFrom('IN', 'US', 'DE'), (number, between, country) => {
      expect(normalizePhone(` ${scatter(number, between)}`, country)).toBe(normalizePhone(number, country));
    }),
  );
});

test('normalizing a stored number does not change it', () => {
  fc.assert(
    fc.property(fc.constantFrom('', '+'), digits, fc.constantFrom('IN', 'US', 'DE'), (plus, number, country) => {
      const kept = normalizePhone(plus + number, country) ?? '';
      expect(normalizePhone(kept, country)).toBe(kept);
    }),
    { numRuns: 500 },
  );
});

test.each([
  '',
  ' ',
  'call me',
  '+',
  '123',
  '1'.repeat(16),
  '98765x43210',
  '98765\u000043210',
  '********10',
  '++919876543210',
])('%j is not a phone', (text) => expect(normalizePhone(text, 'IN')).toBeUndefined());

test('an unknown country leaves the digits', () => {
  expect(normalizePhone('98765 43210', 'ZZ')).toBe('9876543210');
});

test('the phone of an address needs some digits only', () => {
  expect(looseDigits('Tel. 020-1234 x5')).toBe('02012345');
  expect(looseDigits('ask 12')).toBeUndefined();
});

test('a search ignores leading zeros of a phone', () => {
  expect(phoneDigits('098765-43210')).toBe('9876543210');
  expect(phoneDigits('asha')).toBeUndefined();
});
