import { type Db, raw, type Sql, sql } from '@chowk/kit';
import type { ConnectionLimits } from '../db/connection.ts';
import { withConnection } from '../db/connection.ts';
import type { ServerAddress } from '../db/server-address.ts';

/** The central database and the server it lives on. */
export interface Central {
  readonly db: Db;
  readonly address: ServerAddress;
  readonly database: string;
  /** How this server copies a template. */
  readonly copyStrategy: 'wal_log' | 'file_copy';
}

/** Copying a template takes as long as the disk takes. */
const limits: ConnectionLimits = { connectTimeoutMs: 5_000, queryTimeoutMs: 10 * 60_000 };

/** A name inside SQL where no value can be bound. */
export function identifier(name: string): Sql {
  return raw(`"${name.replaceAll('"', '""')}"`);
}

/** Runs a statement that PostgreSQL allows only outside a transaction and that may take long. */
export async function runAlone(central: Central, statement: Sql): Promise<void> {
  await withConnection(central.address, central.database, limits, (connection) => connection.query(statement));
}

/** Runs `work` unless another process is at the same work already. */
export async function ifNobodyElse(central: Central, lock: string, work: () => Promise<void>): Promise<boolean> {
  return withConnection(central.address, central.database, limits, async (connection) => {
    const { rows } = await connection.query<{ locked: boolean }>(
      sql`SELECT pg_try_advisory_lock(hashtext(${lock})) AS locked`,
    );
    if (!rows[0]?.locked) return false;
    await work();
    return true;
  });
}

/** Runs `work` after every other process that is at the same work. */
export async function oneAtATime<Result>(central: Central, lock: string, work: () => Promise<Result>): Promise<Result> {
  return withConnection(central.address, central.database, limits, async (connection) => {
    await connection.query(sql`SELECT pg_advisory_lock(hashtext(${lock}))`);
    return work();
  });
}

/** Copies a template. `owner` is written on the copy, to be read without opening it. */
export async function copyDatabase(central: Central, template: string, name: string, owner: string): Promise<void> {
  const [from, to] = [identifier(template), identifier(name)];
  await withConnection(central.address, central.database, limits, async (connection) => {
    await connection.query(sql`CREATE DATABASE ${to} TEMPLATE ${from} STRATEGY ${raw(central.copyStrategy)}`);
    await connection.script(`COMMENT ON DATABASE ${to.text} IS '${owner}'`);
  });
}

export async function databaseExists(central: Central, name: string): Promise<boolean> {
  return (await central.db.row(sql`SELECT 1 FROM pg_database WHERE datname = ${name}`)) !== undefined;
}

export async function dropDatabase(central: Central, name: string): Promise<void> {
  await runAlone(central, sql`DROP DATABASE IF EXISTS ${identifier(name)} WITH (FORCE)`);
}
