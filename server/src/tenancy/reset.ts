import { sql } from '@chowk/kit';
import { withConnection } from '../db/connection.ts';
import { type MigrationSource, migrate } from '../db/migrations.ts';
import { type Central, dropDatabase, identifier } from './central.ts';
import type { TenantDatabases } from './databases.ts';
import { examine } from './doctor.ts';

const limits = { connectTimeoutMs: 5_000, queryTimeoutMs: 10 * 60_000 };

/** Drops every database of this installation, the central one last, and makes that one anew. */
export async function resetDatabases(
  central: Central,
  databases: TenantDatabases,
  sources: readonly MigrationSource[],
): Promise<void> {
  const { db, address, database } = central;
  const known = await db.rows<{ name: string }>(sql`
    SELECT datname AS name FROM pg_database
    WHERE datname IN (SELECT database_name FROM tenants UNION SELECT name FROM prepared_databases)`);
  const forgotten = (await examine(central, databases)).filter(({ destroys }) => destroys);
  for (const name of [...known.map((row) => row.name), ...forgotten.map(({ subject }) => subject)]) {
    await dropDatabase(central, name);
  }
  await withConnection(address, 'postgres', limits, async (connection) => {
    const name = identifier(database);
    await connection.query(sql`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
    await connection.query(sql`CREATE DATABASE ${name}`);
  });
  await migrate(address, database, sources);
}
