import type { DropStmt, IndexStmt, Node, RenameStmt } from 'libpg-query';
import { FileObjects, lastName } from './file-objects.ts';
import { alterTableProblems } from './table-problems.ts';

/** Why a statement is not additive, each with the additive way to do it. */
export function statementProblems(statement: Node, objects: FileObjects, later: readonly Node[]): string[] {
  if ('AlterTableStmt' in statement) return alterTableProblems(statement.AlterTableStmt, objects);
  if ('DropStmt' in statement) return dropProblems(statement.DropStmt, objects, later);
  if ('RenameStmt' in statement) return renameProblems(statement.RenameStmt, objects);
  if ('IndexStmt' in statement) return indexProblems(statement.IndexStmt, objects);
  if ('TruncateStmt' in statement) {
    const tables = (statement.TruncateStmt.relations ?? []).map(tableName).filter((table) => !objects.has(table));
    return tables.map((table) => `all rows of ${table} are deleted; leave them, or start a new table`);
  }
  if ('DeleteStmt' in statement) {
    const { relation, whereClause } = statement.DeleteStmt;
    const table = relation?.relname ?? '';
    return whereClause || objects.has(table)
      ? []
      : [`all rows of ${table} are deleted; leave them, or start a new table`];
  }
  if ('UpdateStmt' in statement) {
    const { relation, whereClause } = statement.UpdateStmt;
    const table = relation?.relname ?? '';
    if (whereClause || objects.has(table)) return [];
    return [
      `all rows of ${table} are updated, which locks them to the end of the migration; do that in batches, in a job or an upgrade hook`,
    ];
  }
  if ('LockStmt' in statement) {
    const tables = (statement.LockStmt.relations ?? []).map(tableName).filter((table) => !objects.has(table));
    return tables.map((table) => `${table} is locked to the end of the migration; leave that out`);
  }
  if ('AlterObjectSchemaStmt' in statement) {
    const { relation, object, newschema } = statement.AlterObjectSchemaStmt;
    const name = relation?.relname ?? (object && objectName(object)) ?? '';
    return objects.has(name) ? [] : [`${name} moves to the schema ${newschema}; leave it, and create a new one there`];
  }
  if ('AlterEnumStmt' in statement) {
    const { typeName, oldVal } = statement.AlterEnumStmt;
    const name = lastName(typeName) ?? '';
    if (oldVal === undefined || objects.has(name)) return [];
    return [`the value ${oldVal} of ${name} is renamed, and older versions use it; add a new value`];
  }
  if ('AlterDomainStmt' in statement) return domainProblems(statement.AlterDomainStmt, objects);
  if ('DoStmt' in statement) {
    return ['the statements of a DO block cannot be checked; write them as they are'];
  }
  if ('DropOwnedStmt' in statement) return ['this drops everything that a role owns; leave it'];
  if ('ClusterStmt' in statement || 'VacuumStmt' in statement || 'ReindexStmt' in statement) {
    return ['this rewrites or scans tables, and a migration holds its locks to its end; leave it to the operator'];
  }
  return [];
}

/** `OBJECT_FOREIGN_TABLE` as `foreign table`. */
function kindName(type: string | undefined): string {
  return (type ?? '').replace('OBJECT_', '').replaceAll('_', ' ').toLowerCase();
}

function dropProblems(
  { removeType, objects: dropped = [] }: DropStmt,
  known: FileObjects,
  later: readonly Node[],
): string[] {
  const names = dropped.map((node) => objectName(node) ?? '').filter((name) => !known.has(name));
  const isReplaced = (name: string) =>
    removeType === 'OBJECT_TRIGGER' &&
    later.some((statement) => 'CreateTrigStmt' in statement && statement.CreateTrigStmt.trigname === name);
  return names
    .filter((name) => !isReplaced(name))
    .map(
      (name) => `the ${kindName(removeType)} ${name} is dropped, and older versions use it; ${dropRemedy(removeType)}`,
    );
}

function dropRemedy(type: DropStmt['removeType']): string {
  if (type === 'OBJECT_TRIGGER') return 'leave it, or create it again in the same file';
  if (type === 'OBJECT_FUNCTION') return 'leave it, or replace it with CREATE OR REPLACE FUNCTION';
  return 'leave it, and stop using it';
}

function renameProblems({ renameType, relation, object, subname, newname }: RenameStmt, known: FileObjects): string[] {
  const owner = relation?.relname ?? (object && objectName(object)) ?? '';
  if (known.has(owner) || (subname !== undefined && (known.has(subname) || known.hasColumn(owner, subname)))) return [];
  const name = subname === undefined ? owner : `${owner}.${subname}`;
  return [
    `the ${kindName(renameType)} ${name} is renamed to ${newname}, and older versions use the old name; add a new one, write both, and read the new one`,
  ];
}

function indexProblems({ relation, unique, concurrent, indexParams = [] }: IndexStmt, known: FileObjects): string[] {
  const table = relation?.relname ?? '';
  if (concurrent) {
    return [
      `a migration is a transaction, in which an index on ${table} cannot be built CONCURRENTLY; leave that out, or move the statement to its own file that begins with '-- Outside a transaction.'`,
    ];
  }
  const columns = indexParams.flatMap((node) => ('IndexElem' in node && node.IndexElem.name) || []);
  // Only rows with a value in the new column can be equal, and older versions write none.
  const isNew = known.has(table) || columns.some((column) => known.hasColumn(table, column));
  if (isNew) return [];
  if (!unique) {
    return [
      `building an index blocks the writers of ${table}; use CREATE INDEX CONCURRENTLY, in its own file that begins with '-- Outside a transaction.'`,
    ];
  }
  return [
    `a unique index is added to ${table}, and older versions may write equal values; add a new column in the same file and index that`,
  ];
}

/** A file that is run outside a transaction has one statement, which can be repeated after an interruption. */
export function concurrentProblems(statements: readonly Node[]): string[] {
  const [statement, ...others] = statements;
  const index = statement && 'IndexStmt' in statement ? statement.IndexStmt : undefined;
  const name = index?.idxname ?? '';
  if (!index?.concurrent || others.length > 0 || index.if_not_exists || !/^[a-z0-9_]+$/.test(name)) {
    return ['outside a transaction, a migration is one CREATE INDEX CONCURRENTLY with a plain name'];
  }
  if (!index.unique) return [];
  return indexProblems({ ...index, concurrent: false }, new FileObjects());
}

/** The subtypes of PostgreSQL: C adds a constraint, O sets NOT NULL, X drops a constraint. */
function domainProblems(
  { subtype, typeName, def }: { subtype?: string; typeName?: Node[]; def?: Node },
  known: FileObjects,
): string[] {
  const name = lastName(typeName) ?? '';
  const isNotValid = def && 'Constraint' in def && def.Constraint.skip_validation;
  if (known.has(name) || isNotValid || !['C', 'O'].includes(subtype ?? '')) return [];
  return [
    `the domain ${name} gets a rule that older versions do not know, and all its columns are scanned; add NOT VALID`,
  ];
}

function tableName(node: Node): string {
  return 'RangeVar' in node ? (node.RangeVar.relname ?? '') : '';
}

/** The name without its schema. */
function objectName(node: Node): string | undefined {
  if ('List' in node) return lastName(node.List.items);
  if ('ObjectWithArgs' in node) return lastName(node.ObjectWithArgs.objname);
  if ('TypeName' in node) return lastName(node.TypeName.names);
  return 'String' in node ? node.String.sval : undefined;
}
