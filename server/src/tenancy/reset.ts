import { createHash } from 'node:crypto';
import { sql } from '@chowk/kit';
import { withConnection } from '../db/connection.ts';
import { type MigrationSource, migrate } from '../db/migrations.ts';
import { type Central, dropDatabase, identifier } from './central.ts';
import { installationId, type TenantDatabases } from './databases.ts';
import { examine } from './doctor.ts';

const limits = { connectTimeoutMs: 5_000, queryTimeoutMs: 10 * 60_000 };

/**
 * Drops every database of this installation, the central one last. The new central database is made before and takes
 * its place at once, so that processes beside this one find the old one or the new one, never half of it. It keeps the
 * installation's id, by which they all know their keys in Redis and their databases on the server.
 */
export async function resetDatabases(
  central: Central,
  databases: TenantDatabases,
  sources: readonly MigrationSource[],
): Promise<void> {
  const { db, address, database } = central;
  const next = nextName(database);
  await makeCentral(central, next, sources);
  const known = await db.rows<{ name: string }>(sql`
    SELECT datname AS name FROM pg_database
    WHERE datname IN (SELECT database_name FROM tenants UNION SELECT name FROM prepared_databases)`);
  const forgotten = (await examine(central, databases)).filter(({ destroys }) => destroys);
  for (const name of [...known.map((row) => row.name), ...forgotten.map(({ subject }) => subject)]) {
    await dropDatabase(central, name);
  }
  await withConnection(address, 'postgres', limits, async (connection) => {
    await connection.query(sql`DROP DATABASE IF EXISTS ${identifier(database)} WITH (FORCE)`);
    await connection.query(sql`ALTER DATABASE ${identifier(next)} RENAME TO ${identifier(database)}`);
  });
}

async function makeCentral(central: Central, name: string, sources: readonly MigrationSource[]): Promise<void> {
  const id = await installationId(central.db);
  await dropDatabase(central, name);
  await withConnection(central.address, 'postgres', limits, (connection) =>
    connection.query(sql`CREATE DATABASE ${identifier(name)}`),
  );
  await migrate(central.address, name, sources);
  await withConnection(central.address, name, limits, (connection) =>
    connection.query(sql`UPDATE installation SET id = ${id}`),
  );
}

/** The same for each try, and never cut by PostgreSQL to the name it is to take. */
function nextName(database: string): string {
  return `chowk_next_${createHash('sha256').update(database).digest('hex').slice(0, 12)}`;
}
