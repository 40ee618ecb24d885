import { sql } from '@chowk/kit';
import { Connection } from './connection.ts';
import type { ServerAddress } from './server-address.ts';

/** Any number will do as long as nothing else in the central database locks it. */
const lockKey = 6_318_602;
const limits = { connectTimeoutMs: 5_000, queryTimeoutMs: 5_000 };

/**
 * One `serve` at a time for a storage folder with its own PostgreSQL. The lock is a session of that server: it goes
 * with the process, however the process ends. With `DATABASE_URL` many processes share one server, as they should.
 */
export async function holdStorage(
  { address, database }: { address: ServerAddress; database: string },
  storagePath: string,
): Promise<() => Promise<void>> {
  const connection = await Connection.open(address, database, limits);
  const { rows } = await connection.query<{ held: boolean }>(sql`SELECT pg_try_advisory_lock(${lockKey}) AS held`);
  if (rows[0]?.held) return () => connection.close();
  await connection.close();
  throw new Error(`another chowkd serves the storage folder ${storagePath} already; stop it first`);
}
