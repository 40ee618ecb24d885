import { setTimeout as pause } from 'node:timers/promises';
import { type Db, sql } from '@chowk/kit/kernel';
import { identifier, type TenantServer } from './central-database.ts';

const pollMs = 20;
/** A session that has begun before the fence may appear a moment after it. */
const quietPolls = 5;

/** A request uses the database again within this time, until it is finished. */
const quietMs = 150;

/** Waits until the transactions and requests that use the database are finished, at most for the grace period. */
export async function waitForTransactions({ db }: TenantServer, database: string, graceMs: number): Promise<void> {
  for (const deadline = performance.now() + graceMs; performance.now() < deadline; await pause(pollMs)) {
    const running = await db.row(sql`
      SELECT FROM pg_stat_activity
      WHERE datname = ${database} AND backend_type = 'client backend' AND pid <> pg_backend_pid()
        AND (xact_start IS NOT NULL OR state_change > clock_timestamp() - ${quietMs} * interval '1 ms') LIMIT 1`);
    if (!running) return;
  }
}

/**
 * From now on nobody can write to the database: new sessions are read-only, older ones have ended. This also stops processes
 * that do not know of the move.
 */
export async function fence({ db }: TenantServer, database: string): Promise<void> {
  await db.run(sql`ALTER DATABASE ${identifier(database)} SET default_transaction_read_only = on`);
  await endSessions(db, database);
}

/** Reverses `fence`. Sessions that began meanwhile are read-only and are ended. */
export async function removeFence({ db }: TenantServer, database: string): Promise<void> {
  const fenced = await db.row(sql`
    SELECT FROM pg_db_role_setting s JOIN pg_database d ON d.oid = s.setdatabase
    WHERE d.datname = ${database} AND 'default_transaction_read_only=on' = ANY (s.setconfig)`);
  if (!fenced) return;
  await db.run(sql`ALTER DATABASE ${identifier(database)} RESET default_transaction_read_only`);
  await endSessions(db, database);
}

/** A name that no tenant gets, within the 63 bytes of a name. */
export function keptName(database: string, suffix: string): string {
  return `kept_${database.slice(0, 49)}_${suffix}`;
}

/** Renames a database that is not in use any more. It stays read-only. */
export async function retire(server: TenantServer, database: string, name: string): Promise<void> {
  await fence(server, database);
  await server.db.run(sql`ALTER DATABASE ${identifier(database)} RENAME TO ${identifier(name)}`);
}

/** Ends the sessions that began before the call. */
async function endSessions(db: Db, database: string): Promise<void> {
  const { now } = (await db.row<{ now: string }>(sql`SELECT clock_timestamp()::text AS now`)) as { now: string };
  for (let quiet = 0; quiet < quietPolls; await pause(pollMs)) {
    const ended = await db.run(sql`
      SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = ${database} AND backend_type = 'client backend' AND pid <> pg_backend_pid()
        AND backend_start <= ${now}::timestamptz`);
    quiet = ended === 0 ? quiet + 1 : 0;
  }
}
