import { type Ctx, type Static, Type } from '@chowk/kit';

const weekdays = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;
const Time = Type.String({ pattern: '^([01]\\d|2[0-3]):[0-5]\\d$|^24:00$', examples: ['09:00'] });
export const OpeningHours = Type.Array(
  Type.Object(
    {
      days: Type.Array(Type.Enum(weekdays), { minItems: 1, maxItems: 7, uniqueItems: true }),
      from: Time,
      to: Time,
    },
    { additionalProperties: false },
  ),
  { maxItems: 50, examples: [[{ days: ['mon', 'tue', 'wed', 'thu', 'fri'], from: '09:00', to: '18:00' }]] },
);
type OpeningHours = Static<typeof OpeningHours>;
type Weekday = (typeof weekdays)[number];

/** A moment on the clock of the tenant. */
export interface LocalTime {
  /** `2026-12-24` */
  readonly date: string;
  readonly weekday: Weekday;
  /** `17:05` */
  readonly time: string;
}

export function toLocalTime(at: Date, timeZone: string): LocalTime {
  const format = new Intl.DateTimeFormat('en-CA', {
    timeZone,
    weekday: 'short',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  });
  const parts = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, value]));
  return {
    date: `${parts.year}-${parts.month}-${parts.day}`,
    weekday: String(parts.weekday).toLowerCase().slice(0, 3) as Weekday,
    time: `${parts.hour}:${parts.minute}`,
  };
}

/** Without hours it is always open. Hours that end before they begin go on after midnight. */
export function isOpenAt(
  { date, weekday, time }: LocalTime,
  hours: OpeningHours,
  holidays: readonly string[],
): boolean {
  if (hours.length === 0) return true;
  if (holidays.includes(date)) return false;
  const yesterday = weekdays[(weekdays.indexOf(weekday) + 6) % 7] as Weekday;
  return hours.some(({ days, from, to }) => {
    const isToday = days.includes(weekday);
    if (from < to) return isToday && from <= time && time < to;
    return (isToday && from <= time) || (days.includes(yesterday) && time < to);
  });
}

/** Whether the team is there now, and the day of the tenant. */
export async function readOpeningHours(ctx: Ctx): Promise<{ readonly isOpen: boolean; readonly date: string }> {
  const settings = await ctx.settings();
  const local = toLocalTime(ctx.now(), settings['general.timezone']);
  const isOpen = isOpenAt(local, settings['conversations.opening_hours'], settings['conversations.holidays']);
  return { isOpen, date: local.date };
}
