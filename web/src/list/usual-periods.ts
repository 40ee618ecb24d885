import { addDays } from '../time/times.ts';

export type Days = readonly [from: string, to: string];

/** The periods that people ask for most, up to today. */
export const usualPeriods: readonly (readonly [label: string, days: (today: string) => Days])[] = [
  ['Today', (day) => [day, day]],
  ['Yesterday', (day) => [addDays(day, -1), addDays(day, -1)]],
  ['Last 7 days', (day) => [addDays(day, -6), day]],
  ['Last 30 days', (day) => [addDays(day, -29), day]],
  ['This month', (day) => [`${day.slice(0, 8)}01`, day]],
  ['This year', (day) => [`${day.slice(0, 5)}01-01`, day]],
];
