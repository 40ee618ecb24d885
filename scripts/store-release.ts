import { writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { raw, sql } from '@chowk/kit/kernel';
import { type Connection, withConnection } from '../server/src/db/connection.ts';
import { parseDatabaseUrl } from '../server/src/db/server-address.ts';

/*
 * Stores the rows of an installation for the test that upgrades it:
 * `node_modules/.bin/node scripts/store-release.ts <URL of the central database> server/testing/releases/<version>.json.gz`.
 * The tables themselves are made by the migrations of that version, which no longer change. Jobs are not stored.
 */

/** The rows of each table as JSON, and the last value of each sequence. */
export interface StoredDatabase {
  readonly migrations: readonly string[];
  readonly tables: Readonly<Record<string, string>>;
  readonly sequences: Readonly<Record<string, number>>;
}

export interface StoredRelease {
  readonly central: StoredDatabase;
  /** By the name of the database. */
  readonly tenants: Readonly<Record<string, StoredDatabase>>;
}

const limits = { connectTimeoutMs: 5_000, queryTimeoutMs: 60_000 };

if (import.meta.main) {
  const [url, file] = process.argv.slice(2);
  if (url === undefined || file === undefined) {
    console.error('usage: store-release.ts <URL of the central database> <file>');
    process.exit(2);
  }
  const { address, database } = parseDatabaseUrl(url);
  const central = await withConnection(address, database, limits, storeDatabase);
  const names = (JSON.parse(central.tables.tenants ?? '[]') as { database_name: string }[]).map(
    (row) => row.database_name,
  );
  const tenants: Record<string, StoredDatabase> = {};
  for (const name of names) tenants[name] = await withConnection(address, name, limits, storeDatabase);
  const release: StoredRelease = { central, tenants };
  await writeFile(file, await promisify(gzip)(JSON.stringify(release), { level: 9 }));
}

async function storeDatabase(connection: Connection): Promise<StoredDatabase> {
  const { rows: names } = await connection.query<{ name: string }>(sql`
    SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' AND tablename <> 'schema_migrations' ORDER BY 1`);
  const tables: Record<string, string> = {};
  for (const { name } of names) {
    const { rows } = await connection.query<{ rows: string }>(sql`
      SELECT coalesce(json_agg(t)::text, '[]') AS rows FROM ${raw(name)} t`);
    if (rows[0] && rows[0].rows !== '[]') tables[name] = rows[0].rows;
  }
  const { rows: sequences } = await connection.query<{ name: string; value: number }>(sql`
    SELECT sequencename AS name, last_value AS value FROM pg_sequences
    WHERE schemaname = 'public' AND last_value IS NOT NULL ORDER BY 1`);
  const { rows: migrations } = await connection.query<{ id: string }>(sql`
    SELECT owner || '/' || name AS id FROM schema_migrations ORDER BY 1`);
  return {
    migrations: migrations.map(({ id }) => id),
    tables,
    sequences: Object.fromEntries(sequences.map(({ name, value }) => [name, Number(value)])),
  };
}
