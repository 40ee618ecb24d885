import { sql } from '@chowk/kit/kernel';
import type { Connection } from '../db/connection.ts';

/** What archives and copies of a tenant need to know about a table. Declared in `data` of `module.json`. */
export interface TableRules {
  readonly module?: string;
  readonly omit?: true | Readonly<Record<string, string>> | undefined;
  /** Columns with ids of users. */
  readonly users?: Readonly<Record<string, string>> | undefined;
  readonly sealed?: { readonly field: string; readonly columns: readonly string[] } | undefined;
  readonly active?: string | undefined;
  readonly file_urls?: readonly string[] | undefined;
  readonly sandbox?: true | Readonly<Record<string, number>> | undefined;
  /** Not copied, and not emptied either: the rows of the migrations stay. */
  readonly isNew?: boolean;
  /** The condition of the rows that are copied, in SQL. */
  readonly where?: string;
  /** What these columns have in the copy. */
  readonly values?: Readonly<Record<string, number>>;
}

export type Rules = ReadonlyMap<string, TableRules>;

export const kernelRules: Readonly<Record<string, TableRules>> = {
  added_jobs: { omit: true },
  event_deliveries: { omit: true },
  event_log: {},
  event_log_state: {},
  // Sealed for callers of this tenant, for a day.
  idempotency_keys: { omit: true },
  module_bus_audit_log: { users: { user_id: 'who called' } },
  // Of clients that only this installation has.
  request_log: { omit: true, users: { user_id: 'who sent the request' } },
  saved_views: { users: { user_id: 'who saved it' } },
  // Describes the database itself.
  schema_migrations: { omit: true },
  tenant_identity: { omit: true },
  chowk_installation: { omit: true },
};

const aboutDatabase = new Set(['schema_migrations', 'tenant_identity', 'chowk_installation']);
const kept = new Set(['schema_migrations', 'chowk_installation']);

export interface Table {
  readonly name: string;
  /** Without generated ones, and without ids of transactions, which mean nothing in another database. */
  readonly columns: readonly string[];
}

/** All tables, those that others refer to first. */
export async function readTables(connection: Connection): Promise<Table[]> {
  const { rows: tables } = await connection.query<Table>(sql`
    SELECT c.relname AS name, array_agg(a.attname::text ORDER BY a.attnum) AS columns
    FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
    WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
      AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
      AND a.atttypid NOT IN ('xid8'::regtype, 'pg_snapshot'::regtype)
    GROUP BY c.relname ORDER BY c.relname`);
  const { rows: references } = await connection.query<{ from: string; to: string }>(sql`
    SELECT f.relname AS from, t.relname AS to FROM pg_constraint k
    JOIN pg_class f ON f.oid = k.conrelid JOIN pg_class t ON t.oid = k.confrelid
    WHERE k.contype = 'f' AND k.conrelid <> k.confrelid`);
  return inOrder(tables, references);
}

/** The tables whose rows are archived. */
export function archivedTables(tables: readonly Table[], rules: Rules): Table[] {
  return tables.filter(({ name }) => rules.get(name)?.omit !== true && !rules.get(name)?.isNew);
}

/** The tables that are emptied before rows are loaded. Migrations have inserted rows into some. */
export function tablesToEmpty(tables: readonly Table[], rules: Rules): Table[] {
  return tables.filter(({ name }) => !kept.has(name) && !rules.get(name)?.isNew);
}

export interface Sequence {
  readonly name: string;
  /** The last value; `null` if none was taken. */
  readonly value: number | null;
}

export async function readSequences(connection: Connection): Promise<Sequence[]> {
  const { rows } = await connection.query<Sequence>(sql`
    SELECT sequencename::text AS name, last_value AS value FROM pg_sequences WHERE schemaname = 'public' ORDER BY 1`);
  return rows;
}

/** The COPY that reads the rows of a table. */
export function copyStatement({ name, columns }: Table, rules: Rules): string {
  const { where, values = {} } = rules.get(name) ?? {};
  const omitted = omittedRows(rules.get(name));
  const found = [where ?? 'true', omitted === undefined ? 'true' : `NOT (${omitted})`]
    .map((text) => `(${text})`)
    .join(' AND ');
  const selected = columns.map((column) => String(values[column] ?? quote(column)));
  return `COPY (SELECT ${selected.join(', ')} FROM ${quote(name)} WHERE ${found}) TO STDOUT`;
}

/** The condition of the rows that are left out, if only some are. */
export function omittedRows({ omit }: TableRules = {}): string | undefined {
  if (typeof omit !== 'object') return undefined;
  const conditions = Object.entries(omit).map(
    ([column, value]) => `${quote(column)} IS NOT DISTINCT FROM '${value.replaceAll("'", "''")}'`,
  );
  return conditions.length === 0 ? undefined : conditions.join(' AND ');
}

/**
 * The rules of backups, which have everything: pending work, too, and the tables of modules that this process does not know. Only
 * what describes the database itself is left out.
 */
export function backupRules(rules: Rules): Rules {
  const all = [...rules].map(([name, rule]) => [name, { ...rule, omit: undefined, isNew: false }] as const);
  const own = Object.entries(kernelRules).filter(([name]) => aboutDatabase.has(name));
  return new Map<string, TableRules>([...all, ...own]);
}

export function quote(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

function inOrder(tables: readonly Table[], references: readonly { from: string; to: string }[]): Table[] {
  const ordered = new Map<string, Table>();
  const isReady = ({ name }: Table) => references.every(({ from, to }) => from !== name || ordered.has(to));
  while (ordered.size < tables.length) {
    const ready = tables.filter((table) => !ordered.has(table.name) && isReady(table));
    if (ready.length === 0) throw new Error('the tables refer to each other in a circle');
    for (const table of ready) ordered.set(table.name, table);
  }
  return [...ordered.values()];
}
