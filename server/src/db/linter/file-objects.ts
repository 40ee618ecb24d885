import type { Node } from 'libpg-query';

/**
 * What the statements of a migration have created so far. No version of the module has used it, so it can be changed at will.
 */
export class FileObjects {
  /** Tables, views, functions, types, indexes and triggers. */
  readonly #created = new Set<string>();
  /** `table.column` of columns that were added to existing tables. */
  readonly #columns = new Set<string>();
  /** `table.constraint` of constraints that are not validated. */
  readonly #constraints = new Set<string>();

  has(name: string): boolean {
    return this.#created.has(name);
  }

  hasColumn(table: string, column: string): boolean {
    return this.#columns.has(`${table}.${column}`);
  }

  hasConstraint(table: string, constraint: string): boolean {
    return this.#constraints.has(`${table}.${constraint}`);
  }

  addColumn(table: string, column: string): void {
    this.#columns.add(`${table}.${column}`);
  }

  addConstraint(table: string, constraint: string): void {
    this.#constraints.add(`${table}.${constraint}`);
  }

  /** Adds what the statement creates. */
  add(statement: Node): void {
    const name = createdName(statement);
    if (name !== undefined) this.#created.add(name);
  }
}

function createdName(statement: Node): string | undefined {
  if ('CreateStmt' in statement) {
    // With IF NOT EXISTS it may be an older table.
    return statement.CreateStmt.if_not_exists ? undefined : statement.CreateStmt.relation?.relname;
  }
  if ('CreateTableAsStmt' in statement) return statement.CreateTableAsStmt.into?.rel?.relname;
  if ('ViewStmt' in statement) return statement.ViewStmt.replace ? undefined : statement.ViewStmt.view?.relname;
  if ('IndexStmt' in statement) return statement.IndexStmt.idxname;
  if ('CreateSeqStmt' in statement) return statement.CreateSeqStmt.sequence?.relname;
  if ('CreateTrigStmt' in statement) return statement.CreateTrigStmt.trigname;
  if ('CreateEnumStmt' in statement) return lastName(statement.CreateEnumStmt.typeName);
  if ('CompositeTypeStmt' in statement) return statement.CompositeTypeStmt.typevar?.relname;
  if ('CreateDomainStmt' in statement) return lastName(statement.CreateDomainStmt.domainname);
  if ('CreateFunctionStmt' in statement) {
    return statement.CreateFunctionStmt.replace ? undefined : lastName(statement.CreateFunctionStmt.funcname);
  }
  return undefined;
}

/** The name without its schema. */
export function lastName(names: readonly Node[] | undefined): string | undefined {
  const last = names?.at(-1);
  return last && 'String' in last ? last.String.sval : undefined;
}
