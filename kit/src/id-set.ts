import { Type } from './schema.ts';
import { type Sql, sql } from './sql.ts';

/**
 * The ids of records of one module, as a condition in a query of another. Neither module reads the SQL of the other: the
 * first one makes the set, and only `isAmong` uses it.
 */
export class IdSet {
  static readonly schema = Type.Unsafe<IdSet>({
    type: 'object',
    description: 'A set of ids for a condition of a list.',
  });
  readonly #select: Sql;

  /** `select` returns the ids as its only column. */
  constructor(select: Sql) {
    this.#select = select;
  }

  static condition(column: Sql, ids: IdSet): Sql {
    return sql`${column} IN (${ids.#select})`;
  }
}

/** The condition that the column is in the set; none without a set. */
export function isAmong(column: Sql, ids: IdSet | null | undefined): Sql[] {
  return ids ? [IdSet.condition(column, ids)] : [];
}
