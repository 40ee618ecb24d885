import {
  and,
  type Db,
  join,
  maskDigits,
  type PersonalData,
  type PersonalRows,
  raw,
  type Sql,
  sql,
} from '@chowk/kit/kernel';
import type { LoadedModule } from '../loader/load-modules.ts';
import type { ColumnKind, Mask, TableData } from '../loader/manifest.ts';
import { eraseFromStoredEvents } from './stored-events.ts';

/** A table with rows about customers. */
interface CustomerTable extends TableData {
  readonly module: string;
  readonly table: string;
  /** The number of tables between this one and the one with the customer's id. */
  readonly depth: number;
  /** Whether anonymizing deletes its rows, or the rows they belong to. */
  readonly isDeletedOnAnonymize: boolean;
  /** The condition that finds the customer's rows. */
  whereCustomer(customerId: string): Sql;
}

/** Table and column names come from manifests, whose patterns allow identifiers only. */
export function createPersonalData(modules: readonly LoadedModule[]): (db: Db, removeFile: RemoveFile) => PersonalData {
  const tables = modules.flatMap(customerTables);
  // Child rows before their parents, and the customer's own row last.
  const childrenFirst = tables.toSorted((one, other) => deletionRank(one) - deletionRank(other));
  return (db, removeFile) => ({
    async rows(customerId, { masked }) {
      const columns = await exportedColumns(db, tables);
      const rowsByModule: Record<string, Record<string, Record<string, unknown>[]>> = {};
      for (const table of childrenFirst.toReversed()) {
        const names = columns.get(table.table) ?? [];
        const rows = await db.rows<Record<string, unknown>>(sql`
          SELECT ${join(names.map(identifier))} FROM ${identifier(table.table)} WHERE ${table.whereCustomer(customerId)}
          ORDER BY 1`);
        const rowsByTable = rowsByModule[table.module] ?? {};
        rowsByTable[table.table] = masked ? rows.map((row) => maskRow(table, row)) : rows;
        rowsByModule[table.module] = rowsByTable;
      }
      return rowsByModule as PersonalRows;
    },

    async count(customerId) {
      const counts = childrenFirst.map(
        ({ module, table, whereCustomer }) => sql`
          SELECT ${module}::text AS module, ${table}::text AS "table", count(*)::bigint AS rows
          FROM ${identifier(table)} WHERE ${whereCustomer(customerId)}`,
      );
      return counts.length === 0 ? [] : db.rows(join(counts, ' UNION ALL '));
    },

    async anonymize(customerId) {
      const touch = await touchTables(db);
      for (const table of childrenFirst) {
        await removeFiles(db, table, table.whereCustomer(customerId), removeFile);
        if (table.isDeletedOnAnonymize) await deleteRows(db, table, customerId);
        else await resetPersonalColumns(db, table, customerId, touch(table));
      }
    },

    async remove(customerId) {
      for (const table of childrenFirst) {
        await removeFiles(db, table, table.whereCustomer(customerId), removeFile);
        await deleteRows(db, table, customerId);
      }
    },

    eraseFromEvents: (customerIds) => eraseFromStoredEvents(db, customerIds),

    async move(from, to) {
      const touch = await touchTables(db);
      for (const table of childrenFirst) await moveRows(db, table, { from, to, touched: touch(table), removeFile });
    },
  });
}

function customerTables({ alias, manifest: { data = {} } }: LoadedModule): CustomerTable[] {
  return Object.entries(data).flatMap(([table, declared]) => {
    if (declared.merge && !declared.unique_by) {
      throw new Error(`the module ${alias} declares merge rules for ${table}, which needs unique_by as well`);
    }
    const tie = tieToCustomer(alias, data, declared, [table]);
    return tie ? [{ ...declared, ...tie, module: alias, table }] : [];
  });
}

function tieToCustomer(
  alias: string,
  data: Readonly<Record<string, TableData>>,
  { customer, parent, anonymize }: TableData,
  path: readonly string[],
): Pick<CustomerTable, 'whereCustomer' | 'depth' | 'isDeletedOnAnonymize'> | undefined {
  const isDeletedOnAnonymize = anonymize === 'delete';
  if (customer !== undefined) {
    return { depth: 0, isDeletedOnAnonymize, whereCustomer: (id) => sql`${identifier(customer)} = ${id}` };
  }
  if (!parent) return undefined;
  const declared = path.includes(parent.table) ? undefined : data[parent.table];
  const parentTie = declared && tieToCustomer(alias, data, declared, [...path, parent.table]);
  if (!parentTie) throw new Error(`the module ${alias} declares data of ${parent.table}, which is tied to no customer`);
  const parentIds = (id: string) =>
    sql`SELECT id FROM ${identifier(parent.table)} WHERE ${parentTie.whereCustomer(id)}`;
  return {
    depth: parentTie.depth + 1,
    isDeletedOnAnonymize: isDeletedOnAnonymize || parentTie.isDeletedOnAnonymize,
    whereCustomer: (id) => sql`${identifier(parent.column)} IN (${parentIds(id)})`,
  };
}

function deletionRank({ depth, customer }: CustomerTable): number {
  return customer === 'id' ? 1 : -depth;
}

/** Removes a file of a module, in the transaction of the rows. */
type RemoveFile = (module: string, id: string) => Promise<unknown>;

const uuid = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';

/** Removes the files that the rows of the table `own` name in their `file` columns. */
async function removeFiles(
  db: Db,
  { module, table, columns = {} }: CustomerTable,
  where: Sql,
  removeFile: RemoveFile,
): Promise<void> {
  const names = Object.keys(columns).filter((name) => columns[name] === 'file');
  if (names.length === 0) return;
  const texts = join(names.map((name) => sql`own.${identifier(name)}::text`));
  const files = await db.rows<{ id: string }>(sql`
    SELECT DISTINCT found[1] AS id FROM ${identifier(table)} own, regexp_matches(concat_ws(' ', ${texts}), ${uuid}, 'g') found
    WHERE ${where}`);
  for (const { id } of files) await removeFile(module, id);
}

async function deleteRows(db: Db, { table, whereCustomer }: CustomerTable, customerId: string): Promise<void> {
  await db.run(sql`DELETE FROM ${identifier(table)} WHERE ${whereCustomer(customerId)}`);
}

/** The assignment of `updated_at`, for tables that have it. */
async function touchTables(db: Db): Promise<(table: CustomerTable) => readonly Sql[]> {
  const rows = await db.rows<{ table: string }>(sql`
    SELECT table_name::text AS "table" FROM information_schema.columns
    WHERE table_schema = 'public' AND column_name = 'updated_at'`);
  const names = new Set(rows.map(({ table }) => table));
  return ({ table }) => (names.has(table) ? [sql`updated_at = now()`] : []);
}

async function resetPersonalColumns(
  db: Db,
  table: CustomerTable,
  customerId: string,
  touched: readonly Sql[],
): Promise<void> {
  const personal = Object.entries(table.columns ?? {}).filter(([, kind]) => isPersonal(kind));
  if (personal.length === 0) return;
  const resets = [...personal.map(([column]) => sql`${identifier(column)} = DEFAULT`), ...touched];
  await db.run(sql`UPDATE ${identifier(table.table)} SET ${join(resets)} WHERE ${table.whereCustomer(customerId)}`);
}

/** NULL counts as no value. */
const mergeRules = {
  sum: (kept: Sql, removed: Sql) => sql`coalesce(${kept} + ${removed}, ${kept}, ${removed})`,
  max: (kept: Sql, removed: Sql) => sql`greatest(${kept}, ${removed})`,
  min: (kept: Sql, removed: Sql) => sql`least(${kept}, ${removed})`,
};

interface Move {
  readonly from: string;
  readonly to: string;
  readonly touched: readonly Sql[];
  readonly removeFile: RemoveFile;
}

async function moveRows(db: Db, declared: CustomerTable, { from, to, touched, removeFile }: Move): Promise<void> {
  const { customer, unique_by, merge = {} } = declared;
  if (customer === undefined || customer === 'id') return;
  const [table, column] = [identifier(declared.table), identifier(customer)];
  if (unique_by) {
    const sameKey = unique_by.map((name) => sql`removed.${identifier(name)} = kept.${identifier(name)}`);
    const isPair = sql`removed.${column} = ${from} AND kept.${column} = ${to} ${and(sameKey)}`;
    const changes = Object.entries(merge).flatMap(([name, rule]) => {
      if (rule === 'keep') return [];
      return sql`${identifier(name)} = ${mergeRules[rule](sql`kept.${identifier(name)}`, sql`removed.${identifier(name)}`)}`;
    });
    if (changes.length > 0) {
      await db.run(
        sql`UPDATE ${table} kept SET ${join([...changes, ...touched])} FROM ${table} removed WHERE ${isPair}`,
      );
    }
    const isRemoved = sql`EXISTS (SELECT FROM ${table} removed, ${table} kept WHERE ${isPair} AND removed.ctid = own.ctid)`;
    await removeFiles(db, declared, isRemoved, removeFile);
    await db.run(sql`DELETE FROM ${table} removed USING ${table} kept WHERE ${isPair}`);
  }
  await db.run(sql`UPDATE ${table} SET ${join([sql`${column} = ${to}`, ...touched])} WHERE ${column} = ${from}`);
}

/** All columns but generated ones and those declared `internal`. */
async function exportedColumns(db: Db, tables: readonly CustomerTable[]): Promise<Map<string, string[]>> {
  const rows = await db.rows<{ table: string; column: string }>(sql`
    SELECT table_name::text AS "table", column_name::text AS "column" FROM information_schema.columns
    WHERE table_schema = 'public' AND is_generated = 'NEVER' AND table_name = ANY(${tables.map(({ table }) => table)})
    ORDER BY table_name, ordinal_position`);
  const kinds = new Map(tables.map(({ table, columns = {} }) => [table, columns]));
  const exported = rows.filter(({ table, column }) => kinds.get(table)?.[column] !== 'internal');
  const byTable = Map.groupBy(exported, ({ table }) => table);
  return new Map([...byTable].map(([table, columns]) => [table, columns.map(({ column }) => column)]));
}

/** Whether anonymizing resets the column. */
export function isPersonal(kind: ColumnKind): boolean {
  return typeof kind === 'object' ? kind.keep === undefined : kind !== 'keep' && kind !== 'internal';
}

function maskRow({ columns = {} }: TableData, row: Record<string, unknown>): Record<string, unknown> {
  const masked = Object.entries(row).map(([name, value]) => {
    const kind = columns[name];
    return [name, typeof kind === 'object' ? maskValue(kind.mask, value) : value];
  });
  return Object.fromEntries(masked);
}

function maskValue(mask: Mask | undefined, value: unknown): unknown {
  if (mask === undefined || value === null || value === undefined) return value;
  if (mask === 'hide') return null;
  if (mask === 'last_two_digits') return maskDigits(String(value));
  const fields = Object.entries(value).map(([name, field]) => [name, maskValue(mask[name], field)]);
  return Object.fromEntries(fields);
}

function identifier(name: string): Sql {
  return raw(`"${name}"`);
}
