import { sql } from '@chowk/kit/kernel';
import type { Config } from '../config/config.ts';
import { connectionLimits, serverProblem } from '../db/server.ts';
import type { Kernel } from '../kernel.ts';
import type { DatabaseHost } from '../tenancy/central-database.ts';
import { mainServer } from '../tenancy/servers.ts';

/** Connections of a process besides its budget: one that listens for notifications, and one for operations such as migrations. */
const ownConnections = 2;

/** Refuses a configuration that cannot work, and warns of one that an operator hardly wants. For `serve` and `work`. */
export async function checkStart(kernel: Kernel): Promise<void> {
  const { config, log, central } = kernel;
  if (config.appEnv === 'production' && config.mailUrl === undefined) {
    log.warn({}, 'MAIL_URL is not set: no mail is sent, such as invitations and links to choose a password');
  }
  for (const { name, db, address, database } of central.servers) {
    if (name !== mainServer) await requireUsable(config, name, { address, database });
    const limit = await db
      .row<{ allowed: number; used: number }>(sql`
      SELECT current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
          - coalesce(current_setting('reserved_connections', true)::int, 0) AS allowed,
        (SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend')::int AS used`)
      // A server that is down is reported when it is used.
      .catch(() => undefined);
    if (limit) checkConnections(kernel, name, limit);
  }
}

/** The main server is checked before the platform boots. */
async function requireUsable(
  config: Config,
  name: string,
  { address, database }: Pick<DatabaseHost, 'address' | 'database'>,
): Promise<void> {
  // A server that is down is reported when it is used.
  const problem = await serverProblem(address, database, connectionLimits(config)).catch(() => undefined);
  if (problem) throw new Error(`DATABASE_SERVERS ${name}: ${problem}`);
}

function checkConnections(
  { config, log }: Kernel,
  server: string,
  { allowed, used }: { allowed: number; used: number },
) {
  const share = config.databaseServers.length > 0 ? 0.6 : 1;
  const needed = Math.ceil(config.databaseConnections * share) + ownConnections;
  const remedy = 'lower DATABASE_CONNECTIONS or raise max_connections of PostgreSQL';
  if (needed > allowed) {
    throw new Error(
      `this process may open ${needed} connections to the database server ${server}, which allows ${allowed}; ${remedy}`,
    );
  }
  if (needed + used > allowed) {
    log.warn(
      { server, needed, used, allowed },
      `the database server ${server} may run out of connections: ${used} of ${allowed} are used, and this process may open ${needed}; ${remedy}`,
    );
  }
}
