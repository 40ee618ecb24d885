import { invalid } from './errors.ts';
import { Default, named, type Static, Type } from './schema.ts';
import { raw, type Sql, sql } from './sql.ts';

export const defaultSize = 20;

/** Selects a page by its number, or the records after a cursor. */
export const paging = {
  page: Default(Type.Integer({ minimum: 1, maximum: 100_000 }), 1),
  per_page: Default(Type.Integer({ minimum: 1, maximum: 100 }), defaultSize),
  cursor: Type.Optional(
    Type.String({
      maxLength: 2_000,
      description:
        'The `next_cursor` of the previous response; use it with `limit`. With `sort_by=updated_at` and `sort_order=asc` the last page has a `next_cursor` too: it returns what changes later, and no change is missed.',
    }),
  ),
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 100,
      description:
        'The maximum number of records, from `cursor` or from the beginning. Instead of `page` and `per_page`.',
    }),
  ),
};
const Paging = Type.Object(paging);
export type Paging = Static<typeof Paging>;

const PagePagination = named(
  'PagePagination',
  Type.Object({
    current_page: Type.Integer(),
    last_page: Type.Integer(),
    per_page: Type.Integer(),
    total: Type.Integer(),
  }),
);

const CursorPagination = named(
  'CursorPagination',
  Type.Object({
    next_cursor: Type.Union([Type.String(), Type.Null()]),
    has_more: Type.Boolean(),
  }),
);

/** Has a cursor if the query has `limit` or `cursor`. */
export const Pagination = Type.Union([PagePagination, CursorPagination]);
export type Pagination = Static<typeof Pagination>;

export function pagination({ page, per_page }: Pick<Paging, 'page' | 'per_page'>, total: number) {
  return { current_page: page, last_page: Math.max(1, Math.ceil(total / per_page)), per_page, total };
}

/** The position of a cursor: after the record with this sort key and id. */
export interface Position {
  readonly key: string;
  readonly id: string;
}

/** A cursor is valid for one order only. */
export interface Order {
  readonly sort_by: string;
  readonly sort_order: 'asc' | 'desc';
}

export function writeCursor({ sort_by, sort_order }: Order, { key, id }: Position): string {
  return Buffer.from(JSON.stringify([sort_by, sort_order, key, id])).toString('base64url');
}

const cursorsByPage = new WeakMap<object, (index: number) => string | undefined>();

/** Remembers the cursors of the records of a page, which are not part of the page itself. */
export function rememberCursors<Page extends object>(page: Page, order: Order, read: () => readonly Position[]): Page {
  let positions: readonly Position[] | undefined;
  return setCursors(page, (index) => {
    positions ??= read();
    const position = positions.at(index);
    return position && writeCursor(order, position);
  });
}

/** For pages that an action reads without `list()`. */
export function setCursors<Page extends object>(page: Page, cursorAt: (index: number) => string | undefined): Page {
  cursorsByPage.set(page, cursorAt);
  return page;
}

/** The cursor of a record, counted from the end if negative, of a page that was selected by `cursor` or `limit`. */
export function cursorAt(page: object, index: number): string | undefined {
  return cursorsByPage.get(page)?.(index);
}

/** Before a cursor, it selects the records before it, read backwards; alone, the last records of the list. */
export const backwardMark = '<';

/** The position of a cursor, whatever its direction; `undefined` at an end of the list. */
export function readPosition(order: Order, cursor: string | undefined): Position | undefined {
  if (cursor === undefined || cursor === backwardMark) return undefined;
  return readCursor(order, cursor.startsWith(backwardMark) ? cursor.slice(1) : cursor);
}

/** 422 for an invalid cursor or one of another order. */
function readCursor({ sort_by, sort_order }: Order, cursor: string): Position {
  const parts = parse(cursor);
  if (!Array.isArray(parts) || parts.length !== 4 || !parts.every((part) => typeof part === 'string')) {
    throw invalid({ cursor: 'The cursor is not valid. Use the next_cursor of a response.' });
  }
  const [by, order, key, id] = parts as [string, string, string, string];
  if (by !== sort_by || order !== sort_order) {
    throw invalid({ cursor: `The cursor belongs to the order ${by} ${order}. Use the same sort_by and sort_order.` });
  }
  return { key, id };
}

function parse(cursor: string): unknown {
  try {
    return JSON.parse(Buffer.from(cursor, 'base64url').toString());
  } catch {
    return undefined;
  }
}

const commonSizes = new Set([10, 20, 21, 25, 26, 50, 51, 100, 101]);

/** Common sizes are literals, so that PostgreSQL plans the statement once. */
export function limitTo(rows: number): Sql {
  return commonSizes.has(rows) ? raw(`LIMIT ${rows}`) : sql`LIMIT ${rows}::integer`;
}

export function skip(rows: number): Sql {
  return rows === 0 ? sql`` : sql`OFFSET ${rows}::bigint`;
}
