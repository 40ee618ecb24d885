import { Type } from './schema.ts';
import type { Settings } from './settings.ts';
import { type Sql, sql } from './sql.ts';

/** A moment in the query of a list. */
export const Moment = Type.Union([Type.String({ format: 'date' }), Type.String({ format: 'date-time' })], {
  description: "A moment, such as 2026-01-31T09:30:00Z, or a whole day in the tenant's time zone, such as 2026-01-31.",
});

const isDay = (text: string) => text.length === 10;

/** The column is at the moment or after it. A day begins where the tenant is. */
export function since(column: Sql, text: string, { 'general.timezone': zone }: Settings): Sql {
  if (!isDay(text)) return sql`${column} >= ${text}::timestamptz`;
  return sql`${column} >= (${text}::date::timestamp AT TIME ZONE ${zone})`;
}

/** The column is at the moment or before it. A day without a time is meant with all its hours. */
export function until(column: Sql, text: string, { 'general.timezone': zone }: Settings): Sql {
  if (!isDay(text)) return sql`${column} <= ${text}::timestamptz`;
  return sql`${column} < ((${text}::date + 1)::timestamp AT TIME ZONE ${zone})`;
}
