import { type Db, raw, type Sql, sql } from '@chowk/kit/kernel';
import type { ConnectionLimits } from '../db/connection.ts';
import { withConnection } from '../db/connection.ts';
import type { ServerAddress } from '../db/server-address.ts';

/** A PostgreSQL server, with a database in which statements about its other databases are run. */
export interface DatabaseHost {
  readonly db: Db;
  readonly address: ServerAddress;
  readonly database: string;
  /** The strategy of `CREATE DATABASE … TEMPLATE`. */
  readonly copyStrategy: 'wal_log' | 'file_copy';
}

/** A server of tenant databases. */
export interface TenantServer extends DatabaseHost {
  readonly name: string;
  /** Its share of new tenants. */
  readonly weight: number;
}

/** The central database, its server, and the servers of the tenants. */
export interface Central extends DatabaseHost {
  /** The first one is `main`, the server of the central database. */
  readonly servers: readonly [TenantServer, ...TenantServer[]];
}

/** Copying a template may take minutes on a slow disk. */
const limits: ConnectionLimits = { connectTimeoutMs: 5_000, queryTimeoutMs: 10 * 60_000 };

/** Quotes a name for SQL, where no value can be bound. */
export function identifier(name: string): Sql {
  return raw(`"${name.replaceAll('"', '""')}"`);
}

/** Runs a statement outside a transaction, on a connection of its own. */
export async function runOutsideTransaction(host: DatabaseHost, statement: Sql): Promise<void> {
  await withConnection(host.address, host.database, limits, (connection) => connection.query(statement));
}

/** Runs `work` unless another process holds the lock. Returns whether it ran. */
export async function runIfUnlocked(central: Central, lock: string, work: () => Promise<void>): Promise<boolean> {
  return withConnection(central.address, central.database, limits, async (connection) => {
    const { rows } = await connection.query<{ locked: boolean }>(
      sql`SELECT pg_try_advisory_lock(hashtext(${lock})) AS locked`,
    );
    if (!rows[0]?.locked) return false;
    await work();
    return true;
  });
}

/** Waits for the lock, then runs `work`. One process at a time holds it. */
export async function runExclusively<Result>(
  central: Central,
  lock: string,
  work: () => Promise<Result>,
): Promise<Result> {
  return withConnection(central.address, central.database, limits, async (connection) => {
    await connection.query(sql`SELECT pg_advisory_lock(hashtext(${lock}))`);
    return work();
  });
}

/** Copies a template. `owner` is stored as the comment of the copy, which can be read without connecting to it. */
export async function copyDatabase(host: DatabaseHost, template: string, name: string, owner: string): Promise<void> {
  const [from, to] = [identifier(template), identifier(name)];
  await withConnection(host.address, host.database, limits, async (connection) => {
    await connection.query(sql`CREATE DATABASE ${to} TEMPLATE ${from} STRATEGY ${raw(host.copyStrategy)}`);
    await connection.script(`COMMENT ON DATABASE ${to.text} IS '${owner}'`);
  });
}

export async function databaseExists(host: DatabaseHost, name: string): Promise<boolean> {
  return (await host.db.row(sql`SELECT 1 FROM pg_database WHERE datname = ${name}`)) !== undefined;
}

export async function dropDatabase(host: DatabaseHost, name: string): Promise<void> {
  await runOutsideTransaction(host, sql`DROP DATABASE IF EXISTS ${identifier(name)} WITH (FORCE)`);
}
