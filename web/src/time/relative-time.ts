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
