import { sql } from '@chowk/kit/kernel';
import { type Connection, type ConnectionLimits, withConnection } from '../db/connection.ts';
import type { TenantServer } from './central-database.ts';

/** Copying a table may take hours. */
const limits: ConnectionLimits = { connectTimeoutMs: 5_000, queryTimeoutMs: 24 * 3_600_000 };

/** Runs `work` in a tenant database, also in one that is read-only for others. */
export function inDatabase<Result>(
  { address }: TenantServer,
  database: string,
  work: (connection: Connection) => Promise<Result>,
): Promise<Result> {
  return withConnection(address, database, limits, async (connection) => {
    await connection.script('SET default_transaction_read_only = off');
    return work(connection);
  });
}

/** The tables of the tenant, quoted. */
export async function listTables(connection: Connection): Promise<string[]> {
  const { rows } = await connection.query<{ name: string }>(sql`
    SELECT format('%I', relname) AS name FROM pg_class
    WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace ORDER BY relname`);
  return rows.map(({ name }) => name);
}

/** The first difference between two databases; `undefined` if they have the same tables, columns, indexes and migrations. */
export async function schemaDifference(source: Connection, target: Connection): Promise<string | undefined> {
  const [before, after] = [await describeSchema(source), await describeSchema(target)];
  const unknown = await tableOutsidePublic(source);
  if (unknown) return `table ${unknown} outside the schema public`;
  return findDifference(before, after);
}

/** The first line that only one of two descriptions has. */
export function findDifference(before: readonly string[], after: readonly string[]): string | undefined {
  const [own, other] = [new Set(before), new Set(after)];
  return before.find((line) => !other.has(line)) ?? after.find((line) => !own.has(line));
}

/** Such a table would not be copied. */
async function tableOutsidePublic(connection: Connection): Promise<string | undefined> {
  const { rows } = await connection.query<{ name: string }>(sql`
    SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables
    WHERE schemaname NOT IN ('public', 'pg_catalog', 'information_schema') LIMIT 1`);
  return rows[0]?.name;
}

/** Its columns, indexes, sequences and migrations. */
export async function describeSchema(connection: Connection): Promise<string[]> {
  const { rows } = await connection.query<{ line: string }>(sql`
    SELECT format('column %s.%s %s', c.relname, a.attname, format_type(a.atttypid, a.atttypmod)) AS line
    FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
    WHERE c.relkind IN ('r', 'p') AND c.relnamespace = 'public'::regnamespace
    UNION ALL SELECT format('index %s', indexdef) FROM pg_indexes WHERE schemaname = 'public'
    UNION ALL SELECT format('sequence %s', sequencename) FROM pg_sequences WHERE schemaname = 'public'
    UNION ALL SELECT format('migration %s/%s %s', owner, name, checksum) FROM schema_migrations
    ORDER BY 1`);
  return rows.map(({ line }) => line);
}

/** Continues the sequences of the source on the target. Replication does not carry them. */
export async function copySequences(source: Connection, target: Connection): Promise<void> {
  const { rows } = await source.query<{ name: string; value: string; isCalled: boolean }>(sql`
    SELECT format('%I', sequencename) AS name, coalesce(last_value, start_value)::text AS value,
      last_value IS NOT NULL AS "isCalled"
    FROM pg_sequences WHERE schemaname = 'public'`);
  for (const { name, value, isCalled } of rows) {
    await target.query(sql`SELECT setval(${name}::regclass, ${value}::bigint, ${isCalled})`);
  }
}

/** The template has rows of its own, such as its migrations. */
export async function truncateAll(target: Connection): Promise<void> {
  await target.script(`TRUNCATE ${(await listTables(target)).join(', ')}`);
}
