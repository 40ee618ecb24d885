import type { AlterTableCmd, AlterTableStmt, Constraint } from 'libpg-query';
import { newColumnProblems } from './column-problems.ts';
import type { FileObjects } from './file-objects.ts';

/** What ALTER TABLE may not do with a table that an older version uses. */
export function alterTableProblems({ relation, cmds = [] }: AlterTableStmt, objects: FileObjects): string[] {
  const table = relation?.relname ?? '';
  if (objects.has(table)) return [];
  const commands = cmds.flatMap((node) => ('AlterTableCmd' in node ? [node.AlterTableCmd] : []));
  // A constraint can be dropped and added again in one statement.
  const added = new Set(commands.filter(({ subtype }) => subtype === 'AT_AddConstraint').map(constraintName));
  return commands.flatMap((command) => {
    const problems = commandProblems(table, command, { objects, added });
    if (command.subtype === 'AT_AddColumn') objects.addColumn(table, columnName(command));
    if (command.subtype === 'AT_AddConstraint') objects.addConstraint(table, constraintName(command));
    return problems;
  });
}

interface Known {
  readonly objects: FileObjects;
  readonly added: ReadonlySet<string>;
}

function commandProblems(table: string, command: AlterTableCmd, { objects, added }: Known): string[] {
  const { subtype, name = '', def } = command;
  const column = `${table}.${name}`;
  if (objects.hasColumn(table, name)) return [];
  switch (subtype) {
    case 'AT_AddColumn':
      return def && 'ColumnDef' in def ? newColumnProblems(table, def.ColumnDef) : [];
    case 'AT_AddConstraint':
      return def && 'Constraint' in def ? constraintProblems(table, def.Constraint, objects) : [];
    case 'AT_DropColumn':
      return [`${column} is dropped, and older versions read it; leave it, and stop using it`];
    case 'AT_AlterColumnType':
      return [`the type of ${column} changes; add a new column, write both, and read the new one`];
    case 'AT_SetNotNull':
      return [
        `${column} becomes NOT NULL, so older versions cannot write NULL; leave it NULL and read a default, or add a CHECK with NOT VALID`,
      ];
    case 'AT_ColumnDefault':
      return def ? [] : [`the default of ${column} is dropped, and older versions rely on it; leave it`];
    case 'AT_DropConstraint':
      if (added.has(name) || objects.hasConstraint(table, name)) return [];
      return [
        `the constraint ${name} of ${table} is dropped, and older versions may rely on it; leave it, or replace it in the same statement`,
      ];
    case 'AT_ValidateConstraint':
      if (!objects.hasConstraint(table, name)) return [];
      return [
        `the constraint ${name} of ${table} is validated under the lock of its addition; do it in another migration`,
      ];
    case 'AT_DropExpression':
    case 'AT_DropIdentity':
      return [`${column} is no longer generated, and older versions rely on it; add a new column`];
    case 'AT_SetLogged':
    case 'AT_SetUnLogged':
    case 'AT_SetTableSpace':
    case 'AT_SetAccessMethod':
    case 'AT_SetExpression':
      return [`this rewrites ${table} under a lock; add a new table or column instead`];
    case 'AT_DisableTrig':
    case 'AT_DisableTrigAll':
    case 'AT_DisableTrigUser':
    case 'AT_EnableRowSecurity':
    case 'AT_ForceRowSecurity':
    case 'AT_DetachPartition':
      return [`this changes what older versions read or write in ${table}; leave it as it is`];
    default:
      return [];
  }
}

function constraintProblems(table: string, constraint: Constraint, objects: FileObjects): string[] {
  const { contype, skip_validation: isNotValid, indexname } = constraint;
  if (contype === 'CONSTR_CHECK' || contype === 'CONSTR_FOREIGN' || contype === 'CONSTR_NOTNULL') {
    const kind = contype === 'CONSTR_FOREIGN' ? 'a foreign key' : 'a CHECK';
    if (isNotValid) return [];
    return [`${kind} is added to ${table}, which scans it under a lock; add NOT VALID`];
  }
  if (contype === 'CONSTR_UNIQUE' || contype === 'CONSTR_PRIMARY' || contype === 'CONSTR_EXCLUSION') {
    if (indexname !== undefined && objects.has(indexname)) return [];
    return [
      `a unique constraint is added to ${table}, and older versions may write equal values; add a new column that has it`,
    ];
  }
  return [];
}

function columnName({ def }: AlterTableCmd): string {
  return (def && 'ColumnDef' in def && def.ColumnDef.colname) || '';
}

function constraintName({ def }: AlterTableCmd): string {
  return (def && 'Constraint' in def && def.Constraint.conname) || '';
}
