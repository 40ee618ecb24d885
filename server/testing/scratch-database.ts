import { randomBytes } from 'node:crypto';
import { sql } from '@chowk/kit/kernel';
import { inject } from 'vitest';
import { type Connection, withConnection } from '../src/db/connection.ts';

export const limits = { connectTimeoutMs: 5_000, queryTimeoutMs: 30_000 };

/** Runs `work` on a separate connection. */
export function onSeparateConnection<Result>(
  database: string,
  work: (connection: Connection) => Promise<Result>,
): Promise<Result> {
  return withConnection(inject('server'), database, limits, work);
}

/** Creates empty databases for this test file. */
export async function scratchDatabases(count: number): Promise<string[]> {
  const prefix = `scratch_${randomBytes(6).toString('hex')}`;
  const names = Array.from({ length: count }, (_, index) => `${prefix}_${index}`);
  await onSeparateConnection('postgres', async (connection) => {
    for (const name of names) await connection.script(`CREATE DATABASE ${name}`);
  });
  return names;
}

export async function scratchDatabase(): Promise<string> {
  return (await scratchDatabases(1))[0] as string;
}

/** Terminates a PostgreSQL backend, as an administrator or a failover would. */
export async function terminate(pid: number): Promise<void> {
  await onSeparateConnection('postgres', (connection) => connection.query(sql`SELECT pg_terminate_backend(${pid})`));
}
