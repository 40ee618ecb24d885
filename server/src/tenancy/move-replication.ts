import { setTimeout as pause } from 'node:timers/promises';
import { sql } from '@chowk/kit/kernel';
import type { Connection } from '../db/connection.ts';
import type { ServerAddress } from '../db/server-address.ts';
import type { TenantServer } from './central-database.ts';
import { inDatabase, listTables } from './move-schema.ts';

/** Two databases with the same name, and the name of the slot and the subscription between them. */
export interface Link {
  readonly source: TenantServer;
  readonly target: TenantServer;
  readonly database: string;
  readonly slot: string;
}

const publication = 'chowk_move';
const pollMs = 50;
const maxAttempts = 50;

/** Why the target cannot follow the source; `undefined` if it can. */
export async function replicationProblem({ source, target }: Link): Promise<string | undefined> {
  const from = await source.db.row<{ level: string; may: boolean }>(sql`
    SELECT current_setting('wal_level') AS level, rolsuper OR rolreplication AS may
    FROM pg_roles WHERE rolname = current_user`);
  if (from?.level !== 'logical') return `wal_level of ${source.name} is ${from?.level}, not logical`;
  if (!from.may) return `the user of ${source.name} lacks REPLICATION`;
  const to = await target.db.row<{ may: boolean }>(sql`
    SELECT rolsuper OR EXISTS (
        SELECT FROM pg_roles r WHERE r.rolname = 'pg_create_subscription' AND pg_has_role(current_user, r.oid, 'member'))
      AS may FROM pg_roles WHERE rolname = current_user`);
  return to?.may ? undefined : `the user of ${target.name} may not create subscriptions`;
}

/** Starts to copy all rows and to follow all changes. */
export async function startReplication({ source, target, database, slot }: Link): Promise<void> {
  await inDatabase(source, database, async (connection) => {
    for (const table of await tablesWithoutKey(connection)) {
      await setIdentity(connection, table, 'FULL');
    }
    await connection.script(`CREATE PUBLICATION ${publication} FOR TABLE ${(await listTables(connection)).join(', ')}`);
  });
  await inDatabase(target, database, (connection) => subscribe(connection, slot, source, database)).catch(
    (error: Error & { code?: string }) => {
      if (!error.code?.startsWith('08')) throw error;
      const advice = 'open that connection, or move with --offline, which pauses the tenant during the whole copy';
      throw new Error(`${target.name} cannot connect to ${source.name}; ${advice}`, { cause: error });
    },
  );
}

async function subscribe(connection: Connection, slot: string, source: TenantServer, database: string): Promise<void> {
  // The statement has a password. Only a superuser may change these settings; others keep the server's.
  for (const setting of [
    "log_statement = 'none'",
    'log_min_duration_statement = -1',
    'log_min_error_statement = panic',
  ]) {
    await connection.script(`SET ${setting}`).catch(() => {});
  }
  const address = quote(connectionString(source.address, database));
  await connection.script(`CREATE SUBSCRIPTION ${slot} CONNECTION ${address} PUBLICATION ${publication}`);
}

/** Waits until all tables are copied. */
export async function waitForCopy(link: Link, onProgress: (done: number, total: number) => void): Promise<void> {
  await inDatabase(link.target, link.database, async (connection) => {
    for (let isCopied = false; !isCopied; await pause(pollMs)) {
      const { rows } = await connection.query<{ done: number; total: number; failed: boolean }>(sql`
        SELECT count(*) FILTER (WHERE srsubstate = 'r') AS done, count(*) AS total,
          (SELECT bool_or(apply_error_count + sync_error_count > 0) FROM pg_stat_subscription_stats
            WHERE subname = ${link.slot}) AS failed
        FROM pg_subscription_rel`);
      const { done = 0, total = 0, failed } = rows[0] ?? {};
      if (failed) throw new Error(`the replication has failed; see the log of the server ${link.target.name}`);
      onProgress(done, total);
      isCopied = done === total;
    }
  });
}

/** Waits until the target has everything that was written on the source before the call. */
export async function waitForReplay({ source, slot }: Link, timeoutMs: number): Promise<void> {
  const { lsn } = (await source.db.row<{ lsn: string }>(sql`SELECT pg_current_wal_insert_lsn()::text AS lsn`)) as {
    lsn: string;
  };
  for (const deadline = performance.now() + timeoutMs; ; await pause(pollMs)) {
    const row = await source.db.row<{ replayed: boolean }>(sql`
      SELECT confirmed_flush_lsn >= ${lsn}::pg_lsn AS replayed FROM pg_replication_slots WHERE slot_name = ${slot}`);
    if (row?.replayed) return;
    if (performance.now() > deadline) throw new Error('the target did not receive the last changes in time');
  }
}

/** Removes the subscription. The slots on the source are removed by `dropSlots`, also if the target is gone. */
export async function dropSubscription({ target, database, slot }: Link): Promise<void> {
  await inDatabase(target, database, async (connection) => {
    const { rows } = await connection.query(sql`
      SELECT FROM pg_subscription s JOIN pg_database d ON d.oid = s.subdbid
      WHERE s.subname = ${slot} AND d.datname = current_database()`);
    if (rows.length === 0) return;
    await connection.script(`ALTER SUBSCRIPTION ${slot} DISABLE`);
    await connection.script(`ALTER SUBSCRIPTION ${slot} SET (slot_name = NONE)`);
    await connection.script(`DROP SUBSCRIPTION ${slot}`);
  });
}

/** Removes the slots of the subscription: its own and those of tables that were being copied. */
export async function dropSlots({ source: { db }, database, slot }: Link): Promise<void> {
  for (;;) {
    const slots = await db.rows<{ name: string; pid: number | null }>(sql`
      SELECT slot_name AS name, active_pid AS pid FROM pg_replication_slots
      WHERE database = ${database} AND (slot_name = ${slot} OR slot_name LIKE 'pg\\_%\\_sync\\_%')`);
    if (slots.length === 0) return;
    for (const { name, pid } of slots) {
      if (pid === null) await db.run(sql`SELECT pg_drop_replication_slot(${name})`).catch(ignoreBusy);
      else await db.run(sql`SELECT pg_terminate_backend(${pid})`);
    }
    await pause(pollMs);
  }
}

/** Removes what `startReplication` has changed in the source. */
export async function dropPublication({ source, database }: Link): Promise<void> {
  await inDatabase(source, database, async (connection) => {
    await connection.script(`DROP PUBLICATION IF EXISTS ${publication}`);
    for (const table of await tablesWithoutKey(connection)) {
      await setIdentity(connection, table, 'DEFAULT');
    }
  });
}

/** Without a key, PostgreSQL needs the whole row to find it on the target. */
async function tablesWithoutKey(connection: Connection): Promise<string[]> {
  const { rows } = await connection.query<{ name: string }>(sql`
    SELECT format('%I', c.relname) AS name FROM pg_class c
    WHERE c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace
      AND NOT EXISTS (SELECT FROM pg_index i WHERE i.indrelid = c.oid AND i.indisprimary)`);
  return rows.map(({ name }) => name);
}

/** In short attempts: while the statement waits for its lock, all others on the table wait behind it. */
async function setIdentity(connection: Connection, table: string, identity: 'FULL' | 'DEFAULT'): Promise<void> {
  await connection.script("SET lock_timeout = '200ms'");
  for (let attempt = 1; ; attempt += 1) {
    try {
      await connection.script(`ALTER TABLE ${table} REPLICA IDENTITY ${identity}`);
      return;
    } catch (error) {
      if ((error as { code?: string }).code !== '55P03' || attempt === maxAttempts) throw error;
      await pause(pollMs * attempt);
    }
  }
}

/** The slot was taken again or has gone since it was listed. */
function ignoreBusy(error: { code?: string }): void {
  if (error.code !== '55006' && error.code !== '42704') throw error;
}

function connectionString({ host, port, user, password, ssl }: ServerAddress, database: string): string {
  const fields = {
    // The account of another server on the same machine may have no access to the folder of the socket.
    ...(host.startsWith('/') ? { host: `${host},127.0.0.1`, port: `${port},${port}` } : { host, port: String(port) }),
    user,
    password,
    dbname: database,
    connect_timeout: '5',
    ...(ssl ? { sslmode: 'require' } : {}),
  };
  return Object.entries(fields)
    .map(([key, value]) => `${key}='${value.replace(/[\\']/g, '\\$&')}'`)
    .join(' ');
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
