const minute = 60_000;
const day = 24 * 60 * minute;
const steps = [
  { limit: 60 * minute, unit: minute, suffix: 'm' },
  { limit: day, unit: 60 * minute, suffix: 'h' },
  { limit: 60 * day, unit: day, suffix: 'd' },
  { limit: 730 * day, unit: (365.25 / 12) * day, suffix: 'mo' },
  { limit: Number.POSITIVE_INFINITY, unit: 365.25 * day, suffix: 'y' },
];

/** `just now`, `5m ago`, `2h ago`, `3d ago`, `5mo ago`, `3y ago`. */
export function relativeTime(time: string, now = Date.now()): string {
  const age = now - Date.parse(time);
  if (age < minute) return 'just now';
  const { unit, suffix } = steps.find(({ limit }) => age < limit) as (typeof steps)[number];
  return `${Math.floor(age / unit)}${suffix} ago`;
}

// Making a formatter takes longer than rendering a row of a table.
const countFormat = new Intl.NumberFormat();
const moneyFormats = new Map<string, Intl.NumberFormat>();

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

/** In groups, as people read it aloud. Numbers of other countries stay as they are. */
export function formatPhone(phone: string): string {
  return phone.replace(/^(\+91)(\d{5})(\d{5})$/, '$1 $2 $3').replace(/^(\+1)(\d{3})(\d{3})(\d{4})$/, '$1 $2 $3 $4');
}

/** For a badge. */
export function badgeCount(value: number): string {
  return value > 99 ? '99+' : String(value);
}
