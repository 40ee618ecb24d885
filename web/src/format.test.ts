import { expect, test } from 'vitest';
import { badgeCount, relativeTime } from './format.ts';

const now = Date.parse('2026-03-01T12:00:00Z');

test.each([
  ['2026-03-01T11:59:30Z', 'just now'],
  ['2026-03-01T12:00:05Z', 'just now'],
  ['2026-03-01T11:55:00Z', '5m ago'],
  ['2026-03-01T10:00:00Z', '2h ago'],
  ['2026-02-26T12:00:00Z', '3d ago'],
])('the time %s reads %s', (time, text) => {
  expect(relativeTime(time, now)).toBe(text);
});

test('a badge counts to 99', () => {
  expect([1, 99, 100].map(badgeCount)).toEqual(['1', '99', '99+']);
});
