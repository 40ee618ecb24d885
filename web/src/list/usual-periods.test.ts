import { expect, test } from 'vitest';
import { usualPeriods } from './usual-periods.ts';

test.each([
  ['Today', '2026-03-01', '2026-03-01'],
  ['Yesterday', '2026-02-28', '2026-02-28'],
  ['Last 7 days', '2026-02-23', '2026-03-01'],
  ['Last 30 days', '2026-01-31', '2026-03-01'],
  ['This month', '2026-03-01', '2026-03-01'],
  ['This year', '2026-01-01', '2026-03-01'],
])('%s is from %s to %s', (label, from, to) => {
  const days = usualPeriods.find(([name]) => name === label)?.[1];
  expect(days?.('2026-03-01')).toEqual([from, to]);
});
