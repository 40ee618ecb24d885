export const weekdays = [
  ['mon', 'Monday'],
  ['tue', 'Tuesday'],
  ['wed', 'Wednesday'],
  ['thu', 'Thursday'],
  ['fri', 'Friday'],
  ['sat', 'Saturday'],
  ['sun', 'Sunday'],
] as const;
export type Weekday = (typeof weekdays)[number][0];

/** `09:00` to `18:00`. One that ends before it begins goes on after midnight. */
export interface Span {
  readonly from: string;
  readonly to: string;
}

/** The setting `conversations.opening_hours`. */
export type OpeningHours = readonly (Span & { readonly days: readonly Weekday[] })[];

export type Week = Readonly<Record<Weekday, readonly Span[]>>;

export function toWeek(hours: OpeningHours): Week {
  const spans = (day: Weekday) =>
    hours
      .filter(({ days }) => days.includes(day))
      // A field for a time has no 24:00. Until 00:00 means the same.
      .map(({ from, to }) => ({ from, to: to === '24:00' ? '00:00' : to }))
      .sort((one, other) => one.from.localeCompare(other.from));
  return Object.fromEntries(weekdays.map(([day]) => [day, spans(day)])) as unknown as Week;
}

/** Days with the same hours are together. */
export function fromWeek(week: Week): OpeningHours {
  const all = weekdays.flatMap(([day]) => week[day].map((span) => ({ day, ...span })));
  const groups = Map.groupBy(all, ({ from, to }) => `${from} ${to}`);
  return [...groups.values()].flatMap((spans) =>
    spans.slice(0, 1).map(({ from, to }) => ({ days: [...new Set(spans.map(({ day }) => day))], from, to })),
  );
}

/** Another span of a day: after those of the day, else as on the nearest day before. */
export function nextSpan(week: Week, day: Weekday): Span {
  if (week[day].length > 0) return { from: '', to: '' };
  const index = weekdays.findIndex(([one]) => one === day);
  const before = weekdays.slice(0, index).findLast(([one]) => week[one].length > 0);
  return (before && week[before[0]][0]) ?? { from: '09:00', to: '18:00' };
}

/** The days with a span that has no beginning or no end. */
export function incompleteDays(week: Week): readonly string[] {
  const isIncomplete = ({ from, to }: Span) => from === '' || to === '';
  return weekdays.filter(([day]) => week[day].some(isIncomplete)).map(([, name]) => name);
}
