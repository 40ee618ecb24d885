import sql, { join, type Sql } from 'sql-template-tag';

export { empty, raw, Sql } from 'sql-template-tag';
export { join, sql };

/** Appends conditions to a preceding one; empty for none. */
export function and(conditions: readonly Sql[]): Sql {
  return conditions.length === 0 ? sql`` : sql`AND ${join(conditions, ' AND ')}`;
}
