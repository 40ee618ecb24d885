import { raw, sql } from '@chowk/kit/kernel';
import pg from 'pg';
import type { Connection } from '../db/connection.ts';
import { type Manifest, Measure } from './archive-manifest.ts';
import { ArchiveError } from './archive-reader.ts';
import type { TableSource } from './archive-source.ts';
import {
  archivedTables,
  omittedRows,
  quote,
  type Rules,
  readTables,
  type Table,
  tablesToEmpty,
} from './archive-tables.ts';

/**
 * Loads the rows of a tenant into a database with the migrations of the source, in the current transaction. The user's
 * triggers are off meanwhile: what they count is among the rows.
 */
export async function loadTables(
  connection: Connection,
  source: TableSource,
  rules: Rules,
  onProgress: (line: string) => void,
): Promise<void> {
  const tables = await readTables(connection);
  checkTables(tables, source, rules);
  const isArchived = ({ name }: Table) => source.facts.tables.some((table) => table.name === name);
  const archived = archivedTables(tables, rules).filter(isArchived);
  const all = tablesToEmpty(tables, rules).map(({ name }) => quote(name));
  // Tables that keep the rows of their migrations do not refer to others, or are empty.
  await connection.script(`TRUNCATE ${all.join(', ')} CASCADE`);
  for (const name of all) await connection.script(`ALTER TABLE ${name} DISABLE TRIGGER USER`);
  for (const [index, table] of archived.entries()) {
    const title = `${index + 1}/${archived.length} ${table.name}`;
    const onRows = (rows: number) => onProgress(`${title}: ${rows.toLocaleString('en')} rows`);
    await loadTable(connection, source, table, onRows);
  }
  // Backups have rows that archives leave out.
  for (const table of archived) await deleteOmitted(connection, table, rules);
  await setSequences(connection, source.facts.sequences);
  for (const name of all) await connection.script(`ALTER TABLE ${name} ENABLE TRIGGER USER`);
}

/**
 * Names and columns come from the database; those of the archive must be the same. A version with other rules may have
 * archived tables that are left out now, or the other way round.
 */
function checkTables(tables: readonly Table[], { facts }: TableSource, rules: Rules): void {
  const tableShape = ({ name, columns }: Table) => `${name} (${columns.join(', ')})`;
  const shapes = new Set(tables.map(tableShape));
  const unknown = facts.tables.find((table) => !shapes.has(tableShape(table)));
  if (unknown) throw new ArchiveError(`its table ${tableShape(unknown).slice(0, 200)} is not in its migrations`);
  const names = new Set([...facts.tables.map(({ name }) => name), ...facts.omitted]);
  const missing = archivedTables(tables, rules).find(({ name }) => !names.has(name));
  if (missing) throw new ArchiveError(`it lacks the table ${missing.name}`);
}

async function loadTable(
  connection: Connection,
  source: TableSource,
  table: Table,
  onRows: (rows: number) => void,
): Promise<void> {
  const { name, columns } = table;
  const measure = new Measure(onRows);
  const rows = await connection
    .copy(`COPY ${quote(name)} (${columns.map(quote).join(', ')}) FROM STDIN`, measure.through(source.rows(table)))
    .catch((error: unknown) => {
      if (!(error instanceof pg.DatabaseError)) throw error;
      throw new ArchiveError(`PostgreSQL refuses the rows of ${name}: ${error.message}`);
    });
  const expected = source.facts.tables.find((candidate) => candidate.name === name) as Partial<
    Manifest['tables'][number]
  >;
  const { sha256, rows: lines } = measure.digest();
  // The database of a tenant that is copied has no checksums.
  const isIntact = expected.sha256 === undefined || (sha256 === expected.sha256 && rows === expected.rows);
  if (!isIntact || rows !== lines) throw new ArchiveError(`tables/${name}.copy is not what its manifest describes`);
}

async function deleteOmitted(connection: Connection, { name }: Table, rules: Rules): Promise<void> {
  const condition = omittedRows(rules.get(name));
  if (condition !== undefined) await connection.script(`DELETE FROM ${quote(name)} WHERE ${condition}`);
}

async function setSequences(connection: Connection, sequences: Manifest['sequences']): Promise<void> {
  for (const { name, value } of sequences) {
    if (value === null) continue;
    await connection.query(sql`
      SELECT setval(format('%I.%I', schemaname, sequencename)::regclass, ${value})
      FROM pg_sequences WHERE schemaname = 'public' AND sequencename = ${name}`);
  }
}

/**
 * Replaces the ids of users of another installation. A row whose user does not exist here is removed or, if the user is
 * optional, is left without one and turned off.
 */
export async function replaceUsers(
  connection: Connection,
  rules: Rules,
  users: ReadonlyMap<number, number>,
): Promise<void> {
  const tables = new Set((await readTables(connection)).map(({ name }) => name));
  await connection.query(sql`
    CREATE TEMP TABLE known_users ON COMMIT DROP AS
    SELECT * FROM unnest(${[...users.keys()]}::bigint[], ${[...users.values()]}::bigint[]) AS u (old, new)`);
  for (const [table, { users: columns = {}, active }] of rules) {
    if (!tables.has(table)) continue;
    for (const column of Object.keys(columns)) await replaceUsersIn(connection, { table, column, active });
  }
}

async function replaceUsersIn(
  connection: Connection,
  { table, column, active }: { table: string; column: string; active: string | undefined },
): Promise<void> {
  const [t, c] = [raw(quote(table)), raw(quote(column))];
  const { rows } = await connection.query<{ required: boolean }>(sql`
    SELECT attnotnull AS required FROM pg_attribute
    WHERE attrelid = ${`public.${quote(table)}`}::regclass AND attname = ${column}`);
  const isUnknown = sql`${c} IS NOT NULL AND NOT EXISTS (SELECT FROM known_users WHERE old = ${c})`;
  const off = active ? sql`, ${raw(quote(active))} = false` : sql``;
  if (rows[0]?.required) await connection.query(sql`DELETE FROM ${t} WHERE ${isUnknown}`);
  else await connection.query(sql`UPDATE ${t} SET ${c} = NULL${off} WHERE ${isUnknown}`);
  // Negative first: the new id of one user may be the old one of another.
  await connection.query(sql`UPDATE ${t} SET ${c} = -new FROM known_users WHERE ${c} = old`);
  await connection.query(sql`UPDATE ${t} SET ${c} = -${c} WHERE ${c} < 0`);
}

/** Public URLs of files contain the id of the tenant. */
export async function replaceFileUrls(
  connection: Connection,
  rules: Rules,
  { from, to }: { from: string; to: string },
): Promise<void> {
  if (from === to) return;
  const [old, renamed] = [`"/media/${from}/`, `"/media/${to}/`];
  for (const [table, { file_urls = [] }] of rules) {
    for (const column of file_urls) {
      const c = raw(quote(column));
      await connection.query(sql`
        UPDATE ${raw(quote(table))} SET ${c} = replace(${c}::text, ${old}, ${renamed})::jsonb
        WHERE strpos(${c}::text, ${old}) > 0`);
    }
  }
}
