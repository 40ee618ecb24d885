import { type Static, Type } from './schema.ts';
import { type Sql, sql } from './sql.ts';

/** Which page of a list is wanted, to spread into the query of a list. */
export const paging = {
  page: Type.Integer({ minimum: 1, maximum: 100_000, default: 1 }),
  per_page: Type.Integer({ minimum: 1, maximum: 100, default: 20 }),
};
export const Paging = Type.Object(paging);
export type Paging = Static<typeof Paging>;

export const Pagination = Type.Object({
  current_page: Type.Integer(),
  last_page: Type.Integer(),
  per_page: Type.Integer(),
  total: Type.Integer(),
});

export function paginationOf({ page, per_page }: Paging, total: number) {
  return { current_page: page, last_page: Math.max(1, Math.ceil(total / per_page)), per_page, total };
}

export function offsetOf({ page, per_page }: Paging): number {
  return (page - 1) * per_page;
}

interface Page {
  /** What the rows are called in the answer. */
  readonly key: string;
  /** A SELECT of the rows of this page, in order. */
  readonly rows: Sql;
  /** A SELECT of one row with one bigint, `total`. */
  readonly total: Sql;
  readonly paging: Paging;
}

/**
 * The statement that answers a page and its pagination as JSON text, in a column `body`: nothing is parsed and written
 * again on the way to the caller.
 */
export function pageJson({ key, rows, total, paging: { page, per_page } }: Page): Sql {
  return sql`
    WITH page AS (${rows})
    SELECT json_build_object(
      ${key}::text, coalesce((SELECT json_agg(page) FROM page), '[]'),
      'pagination', json_build_object('current_page', ${page}::integer,
        'last_page', greatest(1, (total + ${per_page}::integer - 1) / ${per_page}::integer),
        'per_page', ${per_page}::integer, 'total', total))::text AS body
    FROM (${total}) counted`;
}
