/** A span of every day in minutes since midnight, local time. It goes across midnight if `to` is less than `from`. */
export interface DaySpan {
  readonly from: number;
  /** Not part of the span. */
  readonly to: number;
}

const minuteMs = 60_000;
const minutesPerDay = 1_440;
const formats = new Map<string, Intl.DateTimeFormat>();

/** The first moment from `at` on that is outside the span. */
export function endOfSpan(span: DaySpan, at: Date, timeZone: string): Date {
  for (let time = at.getTime(); ; ) {
    const { minute, offset } = localTime(time, timeZone);
    if (!includes(span, minute)) return new Date(time);
    const left = (span.to - minute + minutesPerDay) % minutesPerDay;
    const end = (Math.floor(time / minuteMs) + left) * minuteMs;
    if (localTime(end, timeZone).offset === offset) return new Date(end);
    // The clocks change before the end: continue from the change.
    time = changeOfOffset(time, end, timeZone);
  }
}

/** The next moment after `at` at which the hour begins, or at which the clocks skip it. */
export function nextHour(hour: number, at: Date, timeZone: string): Date {
  const start = hour * 60;
  const opposite = (start + minutesPerDay / 2) % minutesPerDay;
  const later = endOfSpan({ from: start, to: opposite }, at, timeZone);
  return endOfSpan({ from: opposite, to: start }, later, timeZone);
}

function includes({ from, to }: DaySpan, minute: number): boolean {
  return from < to ? minute >= from && minute < to : minute >= from || minute < to;
}

/** The first minute whose offset is not the one at `from`. */
function changeOfOffset(from: number, until: number, timeZone: string): number {
  let [before, after] = [Math.floor(from / minuteMs), Math.floor(until / minuteMs)];
  const { offset } = localTime(from, timeZone);
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (localTime(middle * minuteMs, timeZone).offset === offset) before = middle;
    else after = middle;
  }
  return after * minuteMs;
}

function localTime(time: number, timeZone: string): { minute: number; offset: string } {
  const parts = findFormat(timeZone).formatToParts(time);
  const read = (type: string) => parts.find((part) => part.type === type)?.value ?? '';
  return { minute: Number(read('hour')) * 60 + Number(read('minute')), offset: read('timeZoneName') };
}

function findFormat(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone);
  if (known) return known;
  const fields = { hour: 'numeric', minute: 'numeric', timeZoneName: 'longOffset' } as const;
  const format = new Intl.DateTimeFormat('en', { timeZone, hourCycle: 'h23', ...fields });
  formats.set(timeZone, format);
  return format;
}
