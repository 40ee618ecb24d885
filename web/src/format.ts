const minute = 60_000;
const steps = [
  { limit: 60 * minute, unit: minute, suffix: 'm' },
  { limit: 24 * 60 * minute, unit: 60 * minute, suffix: 'h' },
  { limit: Number.POSITIVE_INFINITY, unit: 24 * 60 * minute, suffix: 'd' },
];

/** `just now`, `5m ago`, `2h ago`, `3d ago`. */
export function relativeTime(time: string, now = Date.now()): string {
  const age = now - Date.parse(time);
  if (age < minute) return 'just now';
  const { unit, suffix } = steps.find(({ limit }) => age < limit) as (typeof steps)[number];
  return `${Math.floor(age / unit)}${suffix} ago`;
}

// Making a formatter takes longer than rendering a row of a table.
const timeFormat = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });
const countFormat = new Intl.NumberFormat();
const moneyFormats = new Map<string, Intl.NumberFormat>();

export function exactTime(time: string): string {
  return timeFormat.format(new Date(time));
}

export function money(amount: string, currency: string): string {
  let format = moneyFormats.get(currency);
  if (!format) {
    format = new Intl.NumberFormat(undefined, { style: 'currency', currency });
    moneyFormats.set(currency, format);
  }
  return format.format(Number(amount));
}

export function count(value: number): string {
  return countFormat.format(value);
}

/** For a badge. */
export function badgeCount(value: number): string {
  return value > 99 ? '99+' : String(value);
}
