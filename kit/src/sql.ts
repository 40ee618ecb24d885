import sql, { join, type Sql } from 'sql-template-tag';

export { empty, raw, Sql } from 'sql-template-tag';
export { join, sql };

/** The conditions as one that follows another. */
export function and(conditions: readonly Sql[]): Sql {
  return conditions.length === 0 ? sql`` : sql`AND ${join(conditions, ' AND ')}`;
}
