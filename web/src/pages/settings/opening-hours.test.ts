import { expect, test } from 'vitest';
import { fromWeek, incompleteDays, nextSpan, type OpeningHours, toWeek } from './opening-hours.ts';

const hours: OpeningHours = [
  { days: ['mon', 'tue', 'fri'], from: '09:00', to: '13:00' },
  { days: ['mon', 'tue'], from: '14:00', to: '18:00' },
  { days: ['sat'], from: '20:00', to: '02:00' },
];

test('hours are shown by weekday and saved as they were', () => {
  const week = toWeek(hours);
  expect(week.mon).toEqual([
    { from: '09:00', to: '13:00' },
    { from: '14:00', to: '18:00' },
  ]);
  expect(week.sun).toEqual([]);
  expect(fromWeek(week)).toEqual(hours);
  expect(fromWeek(toWeek([]))).toEqual([]);
});

test('the end of a day is midnight', () => {
  expect(toWeek([{ days: ['sun'], from: '00:00', to: '24:00' }]).sun).toEqual([{ from: '00:00', to: '00:00' }]);
});

test('a day opens as the nearest one before it', () => {
  const week = toWeek(hours);
  expect(nextSpan(week, 'wed')).toEqual({ from: '09:00', to: '13:00' });
  expect(nextSpan(week, 'sun')).toEqual({ from: '20:00', to: '02:00' });
  expect(nextSpan(toWeek([]), 'mon')).toEqual({ from: '09:00', to: '18:00' });
  const more = { ...week, mon: [...week.mon, nextSpan(week, 'mon')] };
  expect(incompleteDays(more)).toEqual(['Monday']);
  expect(incompleteDays(week)).toEqual([]);
});
