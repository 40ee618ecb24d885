import { expect, test } from 'vitest';
import { formatPhone } from './phone.ts';

test.each([
  ['+919876543210', '+91 98765 43210'],
  ['+12025550143', '+1 202 555 0143'],
  ['+4930123456', '+4930123456'],
  ['+**********10', '+**********10'],
])('the phone number %s reads %s', (phone, text) => {
  expect(formatPhone(phone)).toBe(text);
});
