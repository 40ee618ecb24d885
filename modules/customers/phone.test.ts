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

test('however a number is written, it is kept in one way', () => {
  fc.assert(
    fc.property(digits, separators, fc.constantFrom('IN', 'US', 'DE'), (number, between, country) => {
      expect(normalizePhone(` ${scatter(number, between)}`, country)).toBe(normalizePhone(number, country));
    }),
  );
});

test('what is kept is kept as it is when it comes again', () => {
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
])('%j is no phone', (text) => expect(normalizePhone(text, 'IN')).toBeUndefined());

test('a country that is none leaves the digits', () => {
  expect(normalizePhone('98765 43210', 'ZZ')).toBe('9876543210');
});

test('beside an address the digits are enough, if there are some', () => {
  expect(looseDigits('Tel. 020-1234 x5')).toBe('02012345');
  expect(looseDigits('ask 12')).toBeUndefined();
});

test('a search for digits knows no zero in front', () => {
  expect(phoneDigits('098765-43210')).toBe('9876543210');
  expect(phoneDigits('asha')).toBeUndefined();
});
