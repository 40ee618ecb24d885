import { expect, test } from 'vitest';
import { methodName, methodNamed } from './payment-method.ts';

test('known methods have a name, and are found by it; others stay as they are', () => {
  expect(methodName('bank_transfer')).toBe('Bank transfer');
  expect(methodName('PhonePe')).toBe('PhonePe');
  expect(methodNamed(' bank Transfer ')).toBe('bank_transfer');
  expect(methodNamed('upi')).toBe('upi');
  expect(methodNamed('PhonePe ')).toBe('PhonePe');
});
