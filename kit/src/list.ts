import { Answer } from './answer.ts';
import type { Ctx } from './context.ts';
import { type Columns, DownloadFormat } from './download.ts';
import type { Failure } from './errors.ts';
import type { Filter } from './filter.ts';
import type { Json } from './json.ts';
import {
  type AnyDefinition,
  completeDefinition,
  type Definition,
  type Filters,
  type ListQuery,
} from './list-definition.ts';
import { count, page } from './list-page.ts';
import { pages } from './list-pages.ts';
import { everyRow } from './list-rows.ts';
import * as paging from './paging.ts';
import { Default, named, type Static, type TObject, type TOptional, Type } from './schema.ts';

type FilterFields<Table extends Filters> = { [Name in keyof Table]: TOptional<Table[Name]['schema']> };
type ScopeFields<Table extends Filters> = { [Name in keyof Table]: Table[Name]['schema'] };

const sortFields = { sort_by: Default(Type.String(), ''), sort_order: Default(Type.Enum(['asc', 'desc']), 'desc') };
const format = { format: DownloadFormat };

type Query<Table extends Filters, Scope extends Filters> = TObject<
  ScopeFields<Scope> & FilterFields<Table> & typeof sortFields & typeof paging.paging
>;
type ExportQuery<Table extends Filters, Scope extends Filters> = TObject<
  ScopeFields<Scope> & FilterFields<Table> & typeof sortFields & typeof format
>;
type Page<Name extends string, Row extends TObject> = TObject<
  { [Key in Name]: ReturnType<typeof Type.Array<Row>> } & { pagination: typeof paging.Pagination }
>;

/** A list: the schemas of its queries and responses, and the functions that run them. */
export interface List<Context, Name extends string, Row extends TObject, Table extends Filters, Scope extends Filters> {
  readonly Query: Query<Table, Scope>;
  readonly Filters: TObject<ScopeFields<Scope> & FilterFields<Table>>;
  readonly ExportQuery: ExportQuery<Table, Scope>;
  readonly Page: Page<Name, Row>;
  page(
    ctx: Context,
    query: Static<Query<Table, Scope>>,
  ): Promise<Static<Page<Name, Row>> | Json<Static<Page<Name, Row>>>>;
  /** Several pages at once, for data loaders: `runBatch` of the action that lists. */
  pages(ctx: Context, queries: readonly Static<Query<Table, Scope>>[]): Promise<(Static<Page<Name, Row>> | Failure)[]>;
  /** All rows of the filters as a CSV or JSON file. */
  file(ctx: Context, query: Static<ExportQuery<Table, Scope>>): Promise<Answer>;
  /** Spread into the action that lists. */
  readonly paged: {
    input: Query<Table, Scope>;
    output: Page<Name, Row>;
    run: List<Context, Name, Row, Table, Scope>['page'];
    runFields(ctx: Context, query: Static<Query<Table, Scope>>, fields: ReadonlySet<string>): Promise<unknown>;
  };
  /** Spread into the action that exports. */
  readonly exported: {
    input: ExportQuery<Table, Scope>;
    file: readonly string[];
    audited: true;
    run: List<Context, Name, Row, Table, Scope>['file'];
  };
  count(ctx: Context, filters: Static<TObject<ScopeFields<Scope> & FilterFields<Table>>>): Promise<number>;
}

/** Declares a list as data over visible SQL; pages, cursors, totals and files follow. */
export function list<
  const Name extends string,
  Row extends TObject,
  const Table extends Filters = Record<never, Filter>,
  const Scope extends Filters = Record<never, Filter>,
  Context extends Ctx = Ctx,
>(definition: Definition<Context, Name, Row, Table, Scope>): List<Context, Name, Row, Table, Scope> {
  const spec = completeDefinition(definition as unknown as AnyDefinition);
  const { filters, sorts, name, row, csv, csvRows, csvFields = Object.keys(row.properties), scope = {} } = spec;
  const filterFields = Object.fromEntries(
    Object.entries(filters).map(([key, { schema }]) => [key, key in scope ? schema : Type.Optional(schema)]),
  );
  const order = {
    sort_by: Default(Type.Enum(Object.keys(sorts)), Object.keys(sorts)[0]),
    sort_order: Default(Type.Enum(['asc', 'desc']), definition.sortOrder ?? 'desc'),
  };
  const parts = {
    Query: Type.Object({ ...filterFields, ...order, ...paging.paging }),
    Filters: Type.Object(filterFields),
    ExportQuery: Type.Object({ ...filterFields, ...order, ...format }),
    Page: named(
      `${(row as { title?: string }).title ?? name}Page`,
      Type.Object({ [name]: Type.Array(row), pagination: paging.Pagination }),
    ),
    page: (ctx: Ctx, query: ListQuery) => page(spec, ctx, query),
    pages: (ctx: Ctx, queries: readonly ListQuery[]) => pages(spec, ctx, queries),
    async file(ctx: Ctx, { format, ...query }: ListQuery & { format: 'csv' | 'json' }) {
      const records = await everyRow(spec, ctx, query);
      const rows =
        format === 'csv' && csvRows ? expand(records, csvRows as (row: object) => readonly object[]) : records;
      return Answer.download(ctx, { name, format, rows, fields: csvFields, columns: (csv ?? {}) as Columns<object> });
    },
    count: (ctx: Ctx, filters: ListQuery) => count(spec, ctx, filters),
  };
  const runFields = (ctx: Ctx, query: ListQuery, fields: ReadonlySet<string>) => page(spec, ctx, query, fields);
  const paged = { input: parts.Query, output: parts.Page, run: parts.page, runFields };
  const exported = { input: parts.ExportQuery, file: Answer.fileTypes, audited: true, run: parts.file };
  return { ...parts, paged, exported } as unknown as List<Context, Name, Row, Table, Scope>;
}

async function* expand(rows: AsyncIterable<object>, split: (row: object) => readonly object[]): AsyncGenerator<object> {
  for await (const row of rows) yield* split(row);
}
