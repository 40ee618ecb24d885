import { createHash } from 'node:crypto';
import { sql } from '@chowk/kit';
import { withConnection } from '../db/connection.ts';
import { type MigrationSource, migrate } from '../db/migrations.ts';
import { type Central, dropDatabase, identifier } from './central-database.ts';
import { findProblems } from './doctor.ts';
import { installationId, type TenantDatabases } from './tenant-databases.ts';

const limits = { connectTimeoutMs: 5_000, queryTimeoutMs: 10 * 60_000 };

/**
 * Drops all databases of this installation, the central one last. The new central database is prepared first and then
 * renamed, so that other processes never see an incomplete one. It keeps the installation's id, which identifies keys in
 * Redis and databases on the server.
 */
export async function resetDatabases(
  central: Central,
  databases: TenantDatabases,
  sources: readonly MigrationSource[],
): Promise<void> {
  const { db, address, database } = central;
  const next = nextName(database);
  await createCentral(central, next, sources);
  const registered = await db.rows<{ name: string }>(sql`
    SELECT datname AS name FROM pg_database
    WHERE datname IN (SELECT database_name FROM tenants UNION SELECT name FROM prepared_databases)`);
  const orphans = (await findProblems(central, databases)).filter(({ destroysData }) => destroysData);
  for (const name of [...registered.map((row) => row.name), ...orphans.map(({ subject }) => subject)]) {
    await dropDatabase(central, name);
  }
  await withConnection(address, 'postgres', limits, async (connection) => {
    await connection.query(sql`DROP DATABASE IF EXISTS ${identifier(database)} WITH (FORCE)`);
    await connection.query(sql`ALTER DATABASE ${identifier(next)} RENAME TO ${identifier(database)}`);
  });
}

async function createCentral(central: Central, name: string, sources: readonly MigrationSource[]): Promise<void> {
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

/** The same name for every attempt, short enough not to be truncated by PostgreSQL. */
function nextName(database: string): string {
  return `chowk_next_${createHash('sha256').update(database).digest('hex').slice(0, 12)}`;
}
