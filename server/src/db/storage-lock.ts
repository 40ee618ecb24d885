import { sql } from '@chowk/kit/kernel';
import { Connection } from './connection.ts';
import type { ServerAddress } from './server-address.ts';

/** Arbitrary, but unique among the advisory locks of the central database. */
const lockKey = 6_318_602;
const limits = { connectTimeoutMs: 5_000, queryTimeoutMs: 5_000 };

/**
 * Allows one `serve` at a time per storage folder with an embedded server. The lock belongs to a session of that server,
 * so it is released however the process ends. Returns the function that releases it.
 */
export async function lockStorage(
  { address, database }: { address: ServerAddress; database: string },
  storagePath: string,
): Promise<() => Promise<void>> {
  const connection = await Connection.open(address, database, limits);
  const { rows } = await connection.query<{ locked: boolean }>(sql`SELECT pg_try_advisory_lock(${lockKey}) AS locked`);
  if (rows[0]?.locked) return () => connection.close();
  await connection.close();
  throw new Error(`another chowkd already serves the storage folder ${storagePath}; stop it first`);
}
