import { raw, type Sql, sql } from './sql.ts';

/**
 * A SELECT of the sum of kept counters, as `total`. Triggers of the tables they count keep them: see `counters` in the
 * tenant schema. The names stand in our code and are literals, so that PostgreSQL plans the statement once.
 */
export function counter(...names: readonly string[]): Sql {
  const list = raw(names.map((name) => `'${name}'`).join(', '));
  return sql`SELECT coalesce(sum(value), 0)::bigint AS total FROM counters WHERE name IN (${list})`;
}
