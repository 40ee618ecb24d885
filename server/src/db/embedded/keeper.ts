import pg from 'pg';
import type { ServerAddress } from '../server-address.ts';

/** A place among the users of a server, held for as long as a connection lives. */
export interface Keeper {
  /** Settles when the connection is gone. */
  readonly lost: Promise<void>;
  /** Gives the place up; `true` when it was the last one. From then on nobody can take one. */
  leave(): Promise<boolean>;
  end(): Promise<void>;
}

/** "chowk" in ASCII. */
const lockKey = 0x63_68_6f_77_6b;

const connectMs = 5_000;
/** Longer than this only a user who is about to stop the server keeps us waiting. */
const lockMs = 5_000;

/**
 * Every user shares one advisory lock, which PostgreSQL releases for a user that dies. Whoever leaves and then gets it
 * alone was the last. It leaves first: two that leave at once would otherwise each find the other still there.
 */
export async function takePlace(address: ServerAddress): Promise<Keeper> {
  const client = new pg.Client({
    ...address,
    database: 'postgres',
    application_name: 'chowk keeper',
    ssl: false,
    connectionTimeoutMillis: connectMs,
    lock_timeout: lockMs,
    query_timeout: 2 * lockMs,
  });
  // Without a listener an error on an idle connection would end the process; that it is gone tells `end`.
  client.on('error', () => {});
  const lost = new Promise<void>((resolve) => client.once('end', () => resolve()));
  const end = () => client.end().catch(() => {});
  try {
    await client.connect();
    await client.query('SELECT pg_advisory_lock_shared($1)', [lockKey]);
  } catch (error) {
    await end();
    throw error;
  }
  return {
    lost,
    end,
    leave: async () => {
      try {
        await client.query('SELECT pg_advisory_unlock_shared($1)', [lockKey]);
        const { rows } = await client.query('SELECT pg_try_advisory_lock($1) AS last', [lockKey]);
        return rows[0].last;
      } catch {
        return false;
      }
    },
  };
}

/** Whether to try again: a server that is starting, stopping, full or gone. Any other refusal would be repeated. */
export function isPassing(error: unknown): boolean {
  return !(error instanceof pg.DatabaseError) || /^(57P0.|53300|55P03)$/.test(error.code ?? '');
}
