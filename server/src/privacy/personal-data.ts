import { type Db, join, maskPhone, type PersonalData, type PersonalRows, raw, type Sql, sql } from '@chowk/kit';
import type { LoadedModule } from '../loader/load-modules.ts';
import type { TableData } from '../loader/manifest.ts';

/** A table with rows about customers. */
interface CustomerTable extends TableData {
  readonly module: string;
  readonly table: string;
  /** How many tables stand between it and the customer's id. */
  readonly depth: number;
  /** Whether its rows go when the customer is anonymized: for their own sake, or with those they belong to. */
  readonly goes: boolean;
  /** Which of its rows are about the customer. */
  about(customerId: string): Sql;
}

/** Where the modules keep what about customers, and what becomes of it. Names come from manifests, checked on loading. */
export function personalDataOf(modules: readonly LoadedModule[]): (db: Db) => PersonalData {
  const tables = modules.flatMap((module) => tablesOf(module));
  // Who belongs to another row goes before it, and the customer's own row after all that may refer to it.
  const inOrder = tables.toSorted((one, other) => rankOf(one) - rankOf(other));
  return (db) => ({
    async rows(customerId, { masked }) {
      const columns = await exportedColumns(db, tables);
      const found: Record<string, Record<string, Record<string, unknown>[]>> = {};
      for (const table of inOrder.toReversed()) {
        const names = columns.get(table.table) ?? [];
        const rows = await db.rows<Record<string, unknown>>(sql`
          SELECT ${join(names.map(identifier))} FROM ${identifier(table.table)} WHERE ${table.about(customerId)}
          ORDER BY id`);
        found[table.module] ??= {};
        const own = found[table.module] as Record<string, Record<string, unknown>[]>;
        own[table.table] = masked ? rows.map((row) => maskRow(table, row)) : rows;
      }
      return found as PersonalRows;
    },

    async count(customerId) {
      const each = inOrder.map(
        ({ module, table, about }) => sql`
          SELECT ${module}::text AS module, ${table}::text AS "table", count(*)::bigint AS rows
          FROM ${identifier(table)} WHERE ${about(customerId)}`,
      );
      return each.length === 0 ? [] : db.rows(join(each, ' UNION ALL '));
    },

    async anonymize(customerId) {
      for (const table of inOrder) {
        const personal = Object.entries(table.columns ?? {}).filter(([, kind]) => isPersonal(kind));
        if (table.goes) await removeRows(db, table, customerId);
        else if (personal.length > 0) {
          const emptied = personal.map(([column]) => sql`${identifier(column)} = DEFAULT`);
          await db.run(sql`UPDATE ${identifier(table.table)} SET ${join(emptied)} WHERE ${table.about(customerId)}`);
        }
      }
    },

    async remove(customerId) {
      for (const table of inOrder) await removeRows(db, table, customerId);
    },

    async move(from, to) {
      for (const { table, customer, unique_by } of inOrder) {
        if (customer === undefined || customer === 'id') continue;
        const column = identifier(customer);
        if (unique_by) {
          const alike = unique_by.map((name) => sql`AND theirs.${identifier(name)} = own.${identifier(name)}`);
          await db.run(sql`
            DELETE FROM ${identifier(table)} theirs USING ${identifier(table)} own
            WHERE theirs.${column} = ${from} AND own.${column} = ${to} ${alike.length === 0 ? sql`` : join(alike, ' ')}`);
        }
        await db.run(sql`UPDATE ${identifier(table)} SET ${column} = ${to} WHERE ${column} = ${from}`);
      }
    },
  });
}

function tablesOf({ alias, manifest: { data = {} } }: LoadedModule): CustomerTable[] {
  return Object.entries(data).flatMap(([table, declared]) => {
    const about = conditionOf(alias, data, declared, [table]);
    return about ? [{ ...declared, ...about, module: alias, table }] : [];
  });
}

function conditionOf(
  alias: string,
  data: Readonly<Record<string, TableData>>,
  { customer, parent, anonymize }: TableData,
  trail: readonly string[],
): Pick<CustomerTable, 'about' | 'depth' | 'goes'> | undefined {
  const goes = anonymize === 'delete';
  if (customer !== undefined) return { depth: 0, goes, about: (id) => sql`${identifier(customer)} = ${id}` };
  if (!parent) return undefined;
  const declared = trail.includes(parent.table) ? undefined : data[parent.table];
  const above = declared && conditionOf(alias, data, declared, [...trail, parent.table]);
  if (!above) throw new Error(`the module ${alias} declares data of ${parent.table}, which is tied to no customer`);
  const { about, depth } = above;
  return {
    depth: depth + 1,
    goes: goes || above.goes,
    about: (id) => sql`${identifier(parent.column)} IN (SELECT id FROM ${identifier(parent.table)} WHERE ${about(id)})`,
  };
}

function rankOf({ depth, customer }: CustomerTable): number {
  return customer === 'id' ? 1 : -depth;
}

async function removeRows(db: Db, { table, about }: CustomerTable, customerId: string): Promise<void> {
  await db.run(sql`DELETE FROM ${identifier(table)} WHERE ${about(customerId)}`);
}

/** What was entered or happened; what the database makes of it is nobody's data. */
async function exportedColumns(db: Db, tables: readonly CustomerTable[]): Promise<Map<string, string[]>> {
  const rows = await db.rows<{ table: string; column: string }>(sql`
    SELECT table_name::text AS "table", column_name::text AS "column" FROM information_schema.columns
    WHERE table_schema = 'public' AND is_generated = 'NEVER' AND table_name = ANY(${tables.map(({ table }) => table)})
    ORDER BY table_name, ordinal_position`);
  const internal = new Set(
    tables.flatMap(({ table, columns = {} }) =>
      Object.keys(columns)
        .filter((column) => columns[column] === 'internal')
        .map((column) => `${table}.${column}`),
    ),
  );
  const exported = rows.filter(({ table, column }) => !internal.has(`${table}.${column}`));
  const byTable = Map.groupBy(exported, ({ table }) => table);
  return new Map([...byTable].map(([table, columns]) => [table, columns.map(({ column }) => column)]));
}

function isPersonal(kind: string): boolean {
  return kind !== 'keep' && kind !== 'internal';
}

function maskRow({ columns = {} }: TableData, row: Record<string, unknown>): Record<string, unknown> {
  // A phone beside a street is part of an address.
  const phone = Object.values(columns).includes('street') ? 'street' : 'phone';
  const kindOf = (name: string) => (columns[name] === 'phone' ? phone : columns[name]);
  return Object.fromEntries(Object.entries(row).map(([name, value]) => [name, maskValue(kindOf(name), value)]));
}

const hiddenInAddress = new Set(['address1', 'address2', 'phone']);

function maskValue(kind: string | undefined, value: unknown): unknown {
  if (value === null || value === undefined) return value;
  if (kind === 'phone') return maskPhone(String(value));
  if (kind === 'street') return null;
  if (kind !== 'address') return value;
  const fields = Object.entries(value as Record<string, unknown>);
  return Object.fromEntries(fields.map(([name, field]) => [name, hiddenInAddress.has(name) ? null : field]));
}

function identifier(name: string): Sql {
  return raw(`"${name}"`);
}
