import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type DaySpan, endOfSpan, nextHour } from './local-time.ts';

const minuteMs = 60_000;
const clocks: Record<string, Intl.DateTimeFormat> = {};

/** Minutes since midnight, from a clock that is independent of the code under test. */
function clock(time: number, timeZone: string): number {
  clocks[timeZone] ??= new Intl.DateTimeFormat('en-GB', { timeZone, timeStyle: 'short' });
  const [hours, minutes] = clocks[timeZone].format(time).split(':').map(Number);
  return (hours as number) * 60 + (minutes as number);
}

/** Looks at one minute after the other. */
function endByMinutes({ from, to }: DaySpan, at: Date, timeZone: string): Date {
  const isInside = (minute: number) => (from < to ? minute >= from && minute < to : minute >= from || minute < to);
  if (!isInside(clock(at.getTime(), timeZone))) return at;
  let time = Math.floor(at.getTime() / minuteMs) * minuteMs;
  while (isInside(clock(time, timeZone))) time += minuteMs;
  return new Date(time);
}

/** Zones whose clocks change at night, at midnight, by half an hour, or never, and days around a change. */
const zones: Readonly<Record<string, readonly string[]>> = {
  'America/New_York': ['2026-03-08', '2026-11-01'],
  'Europe/Berlin': ['2026-03-29', '2026-10-25'],
  'Africa/Cairo': ['2026-04-24', '2026-10-29'],
  'America/Santiago': ['2026-04-04', '2026-09-06'],
  'Australia/Lord_Howe': ['2026-04-05', '2026-10-04'],
  'Asia/Kathmandu': ['2026-06-01'],
  'Pacific/Kiritimati': ['2026-01-01'],
};

const moment = fc.constantFrom(...Object.keys(zones)).chain((zone) =>
  fc.record({
    zone: fc.constant(zone),
    day: fc.constantFrom(...(zones[zone] as readonly string[])),
    // From a day before to a day after, to the second.
    seconds: fc.integer({ min: -86_400, max: 2 * 86_400 }),
  }),
);
const minute = fc.integer({ min: 0, max: 1_439 });
const toTime = ({ day, seconds }: { day: string; seconds: number }) => new Date(Date.parse(day) + seconds * 1_000);

test('quiet hours end at the minute that a search minute by minute finds, also when the clocks change', () => {
  fc.assert(
    fc.property(moment, minute, minute, (given, from, to) => {
      fc.pre(from !== to);
      const at = toTime(given);
      expect(endOfSpan({ from, to }, at, given.zone)).toEqual(endByMinutes({ from, to }, at, given.zone));
    }),
    { numRuns: 300 },
  );
});

test('the hour of the digest comes once a day, also when the clocks skip or repeat it', () => {
  fc.assert(
    fc.property(moment, fc.integer({ min: 0, max: 23 }), (given, hour) => {
      const at = toTime(given);
      const first = nextHour(hour, at, given.zone);
      const second = nextHour(hour, first, given.zone);
      expect(first.getTime()).toBeGreaterThan(at.getTime());
      expect(first.getTime() - at.getTime()).toBeLessThanOrEqual(25 * 3_600_000);
      expect((second.getTime() - first.getTime()) / 3_600_000).toBeGreaterThanOrEqual(22);
      expect((second.getTime() - first.getTime()) / 3_600_000).toBeLessThanOrEqual(26);
      expect([hour * 60, hour * 60 + 30, ((hour + 1) % 24) * 60]).toContain(clock(first.getTime(), given.zone));
    }),
    { numRuns: 300 },
  );
});

test.each([
  ['in an ordinary night', '2026-07-01T03:15:20Z', '2026-07-01T11:00:00Z'],
  ['before a change to summer time', '2026-03-08T04:00:00Z', '2026-03-08T11:00:00Z'],
  ['before a change to winter time', '2026-11-01T03:00:00Z', '2026-11-01T12:00:00Z'],
])('quiet hours until seven in New York end at seven %s', (_, at, end) => {
  const night = { from: 22 * 60, to: 7 * 60 };
  expect(endOfSpan(night, new Date(at), 'America/New_York')).toEqual(new Date(end));
});
