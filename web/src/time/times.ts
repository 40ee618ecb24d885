/* Times in the time zone of the tenant, in which filters and statistics count days. */

// Making a formatter takes longer than rendering a row of a table.
let formats = formatsIn(undefined);

function formatsIn(timeZone: string | undefined) {
  return {
    timeZone,
    exact: new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short', timeZone }),
    clock: new Intl.DateTimeFormat(undefined, { timeStyle: 'short', timeZone }),
    day: new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeZone }),
    // As in ISO 8601.
    date: new Intl.DateTimeFormat('sv-SE', { dateStyle: 'short', timeZone }),
    local: new Intl.DateTimeFormat('sv-SE', { dateStyle: 'short', timeStyle: 'medium', timeZone }),
  };
}

/** Without a time zone, that of the browser. */
export function showTimesIn(timeZone: string | undefined): void {
  if (timeZone !== formats.timeZone) formats = formatsIn(timeZone);
}

export function exactTime(time: string): string {
  return formats.exact.format(new Date(time));
}

export function timeOfDay(time: string): string {
  return formats.clock.format(new Date(time));
}

/** The heading of a day. */
export function dayHeading(time: string, now = new Date()): string {
  const date = formats.date.format(new Date(time));
  const today = formats.date.format(now);
  if (date === today) return 'Today';
  return date === addDays(today, -1) ? 'Yesterday' : formats.day.format(new Date(time));
}

/** The last second of a date such as `2026-11-16`. */
export function endOfDay(date: string): string {
  return parseLocalTime(`${date}T23:59:59`);
}

/** For an input of the type `datetime-local`: `2026-11-16T09:30`. */
export function localTime(time: string): string {
  return formats.local.format(new Date(time)).replace(' ', 'T').slice(0, 16);
}

/** The time of a clock on the wall, such as `2026-11-16T09:30`. */
export function parseLocalTime(text: string): string {
  const wanted = Date.parse(`${text}Z`);
  const shift = (time: number) => Date.parse(`${formats.local.format(time).replace(' ', 'T')}Z`) - time;
  // Once more with the shift of that time, which may have changed during the day.
  const estimate = wanted - shift(wanted);
  return new Date(wanted - shift(estimate)).toISOString();
}

/** As `2026-11-16`. */
export function today(): string {
  return formats.date.format(new Date());
}

/** `2026-11-16` and one day is `2026-11-17`. */
export function addDays(date: string, days: number): string {
  return new Date(Date.parse(date) + days * 24 * 3_600_000).toISOString().slice(0, 10);
}
