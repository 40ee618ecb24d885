const units = [
  ['minute', 60],
  ['hour', 3_600],
  ['day', 86_400],
] as const;
const maxDays = 30;

/** `3 hours ago`, `in 2 days`; the date if it is more than a month away. */
export function relativeTime(timestamp: string, now: Date): string {
  const seconds = (now.getTime() - Date.parse(timestamp)) / 1000;
  if (Number.isNaN(seconds)) return timestamp;
  const distance = Math.abs(seconds);
  if (distance < 60) return 'just now';
  if (distance > maxDays * 86_400) return timestamp.slice(0, 10);
  const [name, size] = units.findLast(([, size]) => distance >= size) ?? units[0];
  const count = Math.floor(distance / size);
  const words = `${count} ${name}${count === 1 ? '' : 's'}`;
  return seconds >= 0 ? `${words} ago` : `in ${words}`;
}
