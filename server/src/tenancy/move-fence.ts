import { setTimeout as pause } from 'node:timers/promises';
import { type Db, sql } from '@chowk/kit/kernel';
import { identifier, type TenantServer } from './central-database.ts';

const pollMs = 20;
/** A session that has begun before the fence may appear a moment after it. */
const quietPolls = 5;

/** Waits until no transaction runs in the database, at most for the grace period. */
export async function waitForTransactions({ db }: TenantServer, database: string, graceMs: number): Promise<void> {
  for (const deadline = performance.now() + graceMs; performance.now() < deadline; await pause(pollMs)) {
    const running = await db.row(sql`
      SELECT FROM pg_stat_activity
      WHERE datname = ${database} AND backend_type = 'client backend' AND xact_start IS NOT NULL LIMIT 1`);
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
