import { afterEach, expect, test } from 'vitest';
import { showTimesIn } from '../../time/times.ts';
import { snoozeTimes } from './snooze-times.ts';

afterEach(() => showTimesIn(undefined));

test.each([
  // A Wednesday, on which it is Thursday already in Kolkata.
  ['Asia/Kolkata', '2026-11-18T19:00:00Z', '2026-11-18T22:00', '2026-11-20T03:30', '2026-11-23T03:30'],
  ['America/New_York', '2026-11-18T19:00:00Z', '2026-11-18T22:00', '2026-11-19T14:00', '2026-11-23T14:00'],
  // A Sunday and a Monday; the clocks change on the Sunday.
  ['Europe/Berlin', '2026-10-25T00:30:00Z', '2026-10-25T03:30', '2026-10-26T08:00', '2026-10-26T08:00'],
  ['Europe/Berlin', '2026-10-26T10:00:00Z', '2026-10-26T13:00', '2026-10-27T08:00', '2026-11-02T08:00'],
])('a conversation comes back in the morning of %s, from %s', (zone, now, later, tomorrow, nextWeek) => {
  showTimesIn(zone);
  expect(snoozeTimes(new Date(now))).toEqual([
    ['Later today', `${later}:00.000Z`],
    ['Tomorrow', `${tomorrow}:00.000Z`],
    ['Next week', `${nextWeek}:00.000Z`],
    ['Until the customer writes', null],
  ]);
});
