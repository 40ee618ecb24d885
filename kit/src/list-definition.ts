import type { Ctx } from './context.ts';
import type { Db } from './database.ts';
import type { Columns } from './download.ts';
import { type Filter, since, type TunedFilter } from './filter.ts';
import type * as paging from './paging.ts';
import type { Static, TObject } from './schema.ts';
import { type Sql, sql } from './sql.ts';
import { timeFields } from './times-in-json.ts';

/** A sort order of a list, with the type of its cursor key. */
export interface Sort {
  /** Must not be NULL, which a cursor cannot express. */
  readonly by: Sql;
  readonly type: 'timestamptz' | 'text' | 'numeric' | 'bigint';
}
export const byTime = (by: Sql): Sort => ({ by, type: 'timestamptz' });
export const byText = (by: Sql): Sort => ({ by, type: 'text' });
export const byNumber = (by: Sql): Sort => ({ by, type: 'numeric' });
/** For integer columns: a numeric cursor could not use their index. */
export const byInteger = (by: Sql): Sort => ({ by, type: 'bigint' });

export type Filters = Readonly<Record<string, Filter>>;

export interface Definition<
  Context,
  Name extends string,
  Row extends TObject,
  Table extends Filters,
  Scope extends Filters,
> {
  /** The key of the records in the response. */
  readonly name: Name;
  readonly row: Row;
  /** The table and its alias: `products p`. */
  readonly from: Sql | ((ctx: Context) => Sql);
  readonly alias: Sql;
  /** A condition for all rows. */
  readonly where?: Sql;
  readonly columns: Sql | ((ctx: Context) => Sql);
  /** Required filters, such as the id of the parent record. */
  readonly scope?: Scope;
  readonly filters?: Table;
  /** The first is the default; `updated_at` is added to all lists. */
  readonly sorts: Readonly<Record<string, Sort>>;
  readonly sortOrder?: 'asc' | 'desc';
  /** Default: the alias's `updated_at`. The migration of its table calls `stamp_changes`. */
  readonly updatedAt?: Sql;
  /** The type of the alias's `id`, which breaks ties. Default `uuid`. */
  readonly idType?: 'uuid' | 'bigint' | 'text';
  /** A SELECT of a bigint `total`, if the rows of these filters need not be counted. */
  total?(
    ctx: Context,
    filters: { readonly [Key in keyof (Table & Scope)]?: Static<(Table & Scope)[Key]['schema']> },
  ): Sql | undefined | Promise<Sql | undefined>;
  /** Adds data of other modules to the rows. */
  complete?(ctx: Context, rows: readonly never[]): Promise<Static<Row>[]>;
  /** Writers of CSV cells that are not simply a field; `null` omits a field. */
  readonly csv?: Columns<Static<Row>>;
  /** The rows of the CSV file that a record becomes, if it is not one. */
  csvRows?(row: Static<Row>): readonly object[];
  /** The columns of the CSV file, in order. Default: the fields of the row, then the additional ones of `csv`. */
  readonly csvFields?: readonly string[];
  /** Default: the tenant's database. Other databases cannot use `columnsFor`. */
  database?(ctx: Context): Db;
}

export type ListQuery = paging.Order & paging.Paging & Readonly<Record<string, unknown>>;
export type AnyDefinition = Definition<Ctx, string, TObject, Filters, Filters>;
export type Spec = AnyDefinition & {
  readonly filters: Readonly<Record<string, TunedFilter>>;
  readonly id: Sql;
  readonly idType: 'uuid' | 'bigint' | 'text';
  readonly where: Sql;
  readonly updatedAt: Sql;
  readonly times: ReadonlySet<string>;
};

const following =
  'To follow changes, sort by `updated_at`, `asc`, and send the time of the last record you got, or `next_cursor` as `cursor`: a record is listed once no open transaction can change an earlier one, so none is missed.';

function changedSince(updatedAt: Sql): TunedFilter {
  const { schema, ...rest } = since(updatedAt);
  const { description } = schema as { description?: string };
  return { ...rest, schema: { ...schema, description: `${description} ${following}` } as typeof schema };
}

export function completeDefinition(definition: AnyDefinition): Spec {
  const { alias, where = sql`true`, idType = 'uuid', updatedAt = sql`${alias}.updated_at` } = definition;
  return {
    ...definition,
    where,
    idType,
    updatedAt,
    id: sql`${alias}.id`,
    times: timeFields(definition.row),
    filters: { ...definition.scope, ...definition.filters, updated_from: changedSince(updatedAt) },
    sorts: { ...definition.sorts, updated_at: byTime(updatedAt) },
  };
}
