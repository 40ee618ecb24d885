import { afterEach, expect, test } from 'vitest';
import { dayHeading, endOfDay, exactTime, localTime, parseLocalTime, showTimesIn } from './times.ts';

afterEach(() => showTimesIn(undefined));

test.each([
  ['Asia/Kolkata', '2026-11-16T18:40:00Z', 'Today'],
  ['Asia/Kolkata', '2026-11-16T18:20:00Z', 'Yesterday'],
  ['America/New_York', '2026-11-16T18:20:00Z', 'Today'],
  ['America/New_York', '2026-11-16T04:59:00Z', 'Yesterday'],
])('days are those of %s: %s is %s', (zone, time, day) => {
  showTimesIn(zone);
  expect(dayHeading(time, new Date('2026-11-16T19:00:00Z'))).toBe(day);
});

test('the day before a change of the clocks is yesterday', () => {
  showTimesIn('Europe/Berlin');
  expect(dayHeading('2026-10-24T22:30:00Z', new Date('2026-10-25T23:30:00Z'))).toBe('Yesterday');
});

test('a time is that of the tenant, wherever the browser is', () => {
  showTimesIn('Asia/Kolkata');
  const inKolkata = exactTime('2026-11-16T18:40:00Z');
  showTimesIn('America/New_York');
  expect([inKolkata, exactTime('2026-11-16T18:40:00Z')]).toEqual([
    expect.stringContaining('17'),
    expect.stringContaining('16'),
  ]);
});

test.each([
  ['Asia/Kolkata', '2026-03-05', '2026-03-05T18:29:59.000Z'],
  ['America/New_York', '2026-03-05', '2026-03-06T04:59:59.000Z'],
  // The clocks change in the night of the day.
  ['Europe/Berlin', '2026-03-29', '2026-03-29T21:59:59.000Z'],
  ['Europe/Berlin', '2026-10-25', '2026-10-25T22:59:59.000Z'],
  ['Pacific/Kiritimati', '2026-03-05', '2026-03-05T09:59:59.000Z'],
])('the end of a day in %s', (zone, date, time) => {
  showTimesIn(zone);
  expect(endOfDay(date)).toBe(time);
});

test.each([
  ['Asia/Kolkata', '2026-11-16T09:30', '2026-11-16T04:00:00.000Z'],
  ['Europe/Berlin', '2026-03-29T12:00', '2026-03-29T10:00:00.000Z'],
  ['America/New_York', '2026-11-01T00:30', '2026-11-01T04:30:00.000Z'],
])('a time in %s is read as it is shown', (zone, text, time) => {
  showTimesIn(zone);
  expect(parseLocalTime(text)).toBe(time);
  expect(localTime(time)).toBe(text);
});
