import type { ColumnDef, Constraint, Node } from 'libpg-query';
import { lastName } from './file-objects.ts';

/** Functions whose value is computed once for all rows of the table. */
const stableFunctions = new Set([
  'now',
  'transaction_timestamp',
  'statement_timestamp',
  'jsonb_build_object',
  'jsonb_build_array',
  'to_jsonb',
  'make_interval',
]);

/** Why a column cannot be added to a table that has rows and that an older version writes. */
export function newColumnProblems(table: string, column: ColumnDef): string[] {
  const name = `${table}.${column.colname}`;
  const constraints = (column.constraints ?? []).flatMap((node) => ('Constraint' in node ? [node.Constraint] : []));
  const find = (type: Constraint['contype']) => constraints.find(({ contype }) => contype === type);
  const initial = find('CONSTR_DEFAULT');
  const isSerial = /^(small|big)?serial\d?$/.test(lastName(column.typeName?.names) ?? '');
  const problems: (string | false)[] = [
    isSerial || find('CONSTR_IDENTITY') !== undefined
      ? `the new column ${name} numbers all rows, which rewrites the table; add it without a default, set the default in another statement, and fill old rows in batches`
      : false,
    find('CONSTR_GENERATED')?.generated_kind !== 'v' && find('CONSTR_GENERATED') !== undefined
      ? `the new generated column ${name} rewrites the table; add a plain column and keep it with a trigger`
      : false,
    initial !== undefined && mayBeVolatile(initial.raw_expr)
      ? `the default of the new column ${name} may be volatile, which rewrites the table; add the column without a default, set the default in another statement, and fill old rows in batches`
      : false,
    find('CONSTR_NOTNULL') && !initial && !find('CONSTR_GENERATED') && !find('CONSTR_IDENTITY') && !isSerial
      ? `the new column ${name} is NOT NULL without a default, so older versions cannot insert rows; give it a default or let it be NULL`
      : false,
    find('CONSTR_CHECK')
      ? `the CHECK of the new column ${name} scans the table under a lock; add it in another statement, as a constraint with NOT VALID`
      : false,
    find('CONSTR_FOREIGN') && initial
      ? `the new column ${name} has a default and a foreign key, which is checked for all rows under a lock; leave out the default, or add the key with NOT VALID`
      : false,
    find('CONSTR_UNIQUE') || find('CONSTR_PRIMARY')
      ? `the new column ${name} is unique; add it without that, and a unique index in another statement of the same file`
      : false,
  ];
  return problems.filter((problem) => problem !== false);
}

/** Whether a function other than the known ones is called. */
function mayBeVolatile(expression: Node | undefined): boolean {
  if (typeof expression !== 'object' || expression === null) return false;
  if ('FuncCall' in expression && !stableFunctions.has(lastName(expression.FuncCall.funcname) ?? '')) return true;
  return Object.values(expression).some((part) => [part].flat().some((node) => mayBeVolatile(node as Node)));
}
