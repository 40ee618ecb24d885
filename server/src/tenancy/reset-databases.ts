import { createHash } from 'node:crypto';
import { sql } from '@chowk/kit/kernel';
import { withConnection } from '../db/connection.ts';
import { type MigrationSource, migrate } from '../db/migrations.ts';
import { type Central, databaseExists, dropDatabase, identifier } from './central-database.ts';
import { findProblems } from './doctor.ts';
import { findServer, findUnreachable } from './servers.ts';
import { installationId, type TenantDatabases } from './tenant-databases.ts';

const limits = { connectTimeoutMs: 5_000, queryTimeoutMs: 10 * 60_000 };

/**
 * Drops all databases of this installation, the central one last. The new central database is complete before it is renamed,
 * and keeps the installation's id, which identifies keys in Redis and databases.
 */
export async function resetDatabases(
  central: Central,
  databases: TenantDatabases,
  sources: readonly MigrationSource[],
): Promise<void> {
  const { db, address, database, servers } = central;
  const [unreachable] = (await findUnreachable(servers)).values();
  if (unreachable) throw new Error(`cannot delete the databases of a server that is down: ${unreachable.message}`);
  const next = nextName(database);
  await createCentral(central, next, sources);
  const registered = await db.rows<{ server: string; name: string }>(sql`
    SELECT database_server AS server, database_name AS name FROM tenants
    UNION SELECT server, name FROM prepared_databases
    UNION SELECT t.database_server, unnest(ARRAY[r.previous, r.restored, r.kept])
    FROM tenant_restores r JOIN tenants t ON t.id = r.tenant_id`);
  const moves = (await findProblems(central, databases)).filter(({ problem }) => problem === 'interrupted move');
  for (const { repair } of moves) await repair?.();
  const orphans = (await findProblems(central, databases)).filter(({ destroysData }) => destroysData);
  for (const { repair } of orphans) await repair?.();
  for (const { server, name } of registered) {
    const host = findServer(central, server);
    if (host && (await databaseExists(host, name))) await dropDatabase(host, name);
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
