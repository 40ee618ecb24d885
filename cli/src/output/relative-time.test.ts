import { expect, test } from 'vitest';
import { relativeTime } from './relative-time.ts';

const now = new Date('2026-03-10T12:00:00Z');

test.each([
  ['2026-03-10T11:59:30Z', 'just now'],
  ['2026-03-10T11:59:00Z', '1 minute ago'],
  ['2026-03-10T10:30:00Z', '1 hour ago'],
  ['2026-03-09T11:00:00Z', '1 day ago'],
  ['2026-02-28T12:00:00Z', '10 days ago'],
  ['2025-03-10T12:00:00Z', '2025-03-10'],
  ['2026-03-12T13:00:00Z', 'in 2 days'],
  ['soon', 'soon'],
])('%s is %s', (timestamp, expected) => {
  expect(relativeTime(timestamp, now)).toBe(expected);
});
