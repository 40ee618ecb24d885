import { expect, test } from 'vitest';
import { badgeCount, formatPhone, relativeTime } from './format.ts';

const now = Date.parse('2026-03-01T12:00:00Z');

test.each([
  ['2026-03-01T11:59:30Z', 'just now'],
  ['2026-03-01T12:00:05Z', 'just now'],
  ['2026-03-01T11:55:00Z', '5m ago'],
  ['2026-03-01T10:00:00Z', '2h ago'],
  ['2026-02-26T12:00:00Z', '3d ago'],
  ['2026-01-01T12:00:00Z', '59d ago'],
  ['2025-12-25T12:00:00Z', '2mo ago'],
  ['2024-03-10T12:00:00Z', '23mo ago'],
  ['2023-02-01T12:00:00Z', '3y ago'],
])('the time %s reads %s', (time, text) => {
  expect(relativeTime(time, now)).toBe(text);
});

test('a badge counts to 99', () => {
  expect([1, 99, 100].map(badgeCount)).toEqual(['1', '99', '99+']);
});

test.each([
  ['+919876543210', '+91 98765 43210'],
  ['+12025550143', '+1 202 555 0143'],
  ['+4930123456', '+4930123456'],
  ['+**********10', '+**********10'],
])('the phone number %s reads %s', (phone, text) => {
  expect(formatPhone(phone)).toBe(text);
});
