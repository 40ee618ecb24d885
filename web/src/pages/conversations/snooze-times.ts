import { localTime, parseLocalTime } from '../../time/times.ts';

const hour = 3_600_000;

/** When a conversation can come back. Null: when the customer writes. */
export function snoozeTimes(now = new Date()): readonly (readonly [label: string, until: string | null])[] {
  const today = localTime(now.toISOString()).slice(0, 10);
  const weekday = new Date(today).getUTCDay();
  return [
    ['Later today', new Date(now.getTime() + 3 * hour).toISOString()],
    ['Tomorrow', morning(today, 1)],
    ['Next week', morning(today, (8 - weekday) % 7 || 7)],
    ['Until the customer writes', null],
  ];
}

/** At nine, some days after a date. */
function morning(date: string, days: number): string {
  const day = new Date(Date.parse(date) + days * 24 * hour).toISOString().slice(0, 10);
  return parseLocalTime(`${day}T09:00`);
}
