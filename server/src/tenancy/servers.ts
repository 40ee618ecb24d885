import { type Db, sql } from '@chowk/kit/kernel';
import type { Config } from '../config/config.ts';
import type { ConnectionBudget } from '../db/budget.ts';
import { openDatabase } from '../db/database.ts';
import { parseDatabaseUrl } from '../db/server-address.ts';
import type { Central, DatabaseHost, TenantServer } from './central-database.ts';

export const mainServer = 'main';

/** The server of the central database and those of `DATABASE_SERVERS`. */
export function openServers(config: Config, main: DatabaseHost, budget: ConnectionBudget): Central['servers'] {
  const others = config.databaseServers.map(({ name, url, weight }): TenantServer => {
    // Statements about other databases run in this one.
    const { address, database } = parseDatabaseUrl(url, 'postgres');
    const db = openDatabase(budget, { address, database, central: false });
    return { name, weight, db, address, database, copyStrategy: config.databaseCopyStrategy };
  });
  return [{ ...main, name: mainServer, weight: config.databaseMainWeight }, ...others];
}

export function findServer({ servers }: Pick<Central, 'servers'>, name: string): TenantServer | undefined {
  return servers.find((server) => server.name === name);
}

export function requireServer(central: Pick<Central, 'servers'>, name: string): TenantServer {
  const server = findServer(central, name);
  if (!server) throw unknownServer(name);
  return server;
}

export function unknownServer(name: string): Error {
  return new Error(`DATABASE_SERVERS does not name the database server ${name}`);
}

/** Why servers cannot be reached, by name. */
export async function findUnreachable(servers: readonly TenantServer[]): Promise<Map<string, Error>> {
  const reasons = await Promise.all(
    servers.map(({ name, db }) =>
      db.run(sql`SELECT 1`).then(
        () => [],
        // The error of a host with several addresses has a code and no message.
        ({ message, code }: NodeJS.ErrnoException) => [[name, new Error(`${name}: ${message || code}`)] as const],
      ),
    ),
  );
  return new Map(reasons.flat());
}

/** The server for a new tenant: of those that can be reached, the one with the fewest tenants relative to its weight. */
export async function placeTenant({ db, servers }: Pick<Central, 'db' | 'servers'>): Promise<TenantServer> {
  if (servers.length === 1) return servers[0];
  let reason: unknown;
  for (const name of await byLoad(db, servers)) {
    const server = requireServer({ servers }, name);
    try {
      await server.db.run(sql`SELECT 1`);
      return server;
    } catch (error) {
      reason = error;
    }
  }
  throw reason;
}

async function byLoad(db: Db, servers: readonly TenantServer[]): Promise<string[]> {
  const weighted = servers.filter(({ weight }) => weight > 0);
  const rows = await db.rows<{ name: string }>(sql`
    SELECT name FROM unnest(${weighted.map(({ name }) => name)}::text[], ${weighted.map(({ weight }) => weight)}::int[])
      AS server(name, weight)
    ORDER BY ((SELECT count(*) FROM tenants WHERE database_server = server.name) + 1)::numeric / weight, name`);
  return rows.map(({ name }) => name);
}
