import pg from 'pg';
import type { ServerAddress } from '../server-address.ts';

/** One reference to the shared server, held by an open connection. */
export interface ServerLease {
  /** Settles when the connection is lost. */
  readonly lost: Promise<void>;
  /** Returns `true` if this was the last lease; from then on no process can acquire one. */
  release(): Promise<boolean>;
  close(): Promise<void>;
}

/** "chowk" in ASCII. */
const lockKey = 0x63_68_6f_77_6b;

const connectTimeoutMs = 5_000;
/** The lock is only contended while the last process stops the server. */
const lockTimeoutMs = 5_000;

/**
 * Counts references with a shared advisory lock, which PostgreSQL releases when a process dies. A process that can take
 * the lock exclusively after releasing its own share was the last one.
 */
export async function acquireServerLease(address: ServerAddress): Promise<ServerLease> {
  const client = new pg.Client({
    ...address,
    database: 'postgres',
    application_name: 'chowk server lease',
    ssl: false,
    connectionTimeoutMillis: connectTimeoutMs,
    lock_timeout: lockTimeoutMs,
    query_timeout: 2 * lockTimeoutMs,
  });
  // An error event without a listener would end the process; the `end` event follows.
  client.on('error', () => {});
  const lost = new Promise<void>((resolve) => client.once('end', () => resolve()));
  const close = () => client.end().catch(() => {});
  try {
    await client.connect();
    await client.query('SELECT pg_advisory_lock_shared($1)', [lockKey]);
  } catch (error) {
    await close();
    throw error;
  }
  return {
    lost,
    close,
    release: async () => {
      try {
        await client.query('SELECT pg_advisory_unlock_shared($1)', [lockKey]);
        const { rows } = await client.query('SELECT pg_try_advisory_lock($1) AS is_last', [lockKey]);
        return rows[0].is_last;
      } catch {
        return false;
      }
    },
  };
}

/** Whether a retry can help: the server is starting, stopping, full or gone. */
export function isTransient(error: unknown): boolean {
  return !(error instanceof pg.DatabaseError) || /^(57P0.|53300|55P03)$/.test(error.code ?? '');
}
