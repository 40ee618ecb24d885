import { expect, test } from 'vitest';
import { relativeTime } from './relative-time.ts';

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
