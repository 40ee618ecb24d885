import { sql } from '@chowk/kit';
import type { Config } from '../config.ts';
import { type ConnectionLimits, withConnection } from './connection.ts';
import { openEmbedded } from './embedded/embedded-server.ts';
import { parseDatabaseUrl, type ServerAddress } from './server-address.ts';

/** The PostgreSQL server the platform stands on, with the central database there and fit for use. */
export interface DatabaseServer {
  readonly address: ServerAddress;
  readonly centralDatabase: string;
  /** Whether this platform runs the server itself. */
  readonly embedded: boolean;
  close(): Promise<void>;
}

const oldest = 15;
const neededExtensions = ['pg_trgm', 'unaccent'];
const embeddedDatabase = 'chowk';

export async function openServer(config: Config, say: (line: string) => void): Promise<DatabaseServer> {
  if (config.databaseUrl === undefined) return openOwn(config, say);
  const { address, database } = parseDatabaseUrl(config.databaseUrl);
  const limits = limitsOf(config);
  try {
    await ensureDatabase(address, database, limits);
    await checkServer(address, database, limits);
  } catch (error) {
    // A host with several addresses fails with a code and no message.
    const { message, code } = error as NodeJS.ErrnoException;
    throw new Error(`DATABASE_URL ${address.host}:${address.port}/${database}: ${message || code}`);
  }
  return { address, centralDatabase: database, embedded: false, close: async () => {} };
}

export function limitsOf(config: Config): ConnectionLimits {
  return { connectTimeoutMs: config.databaseConnectTimeoutMs, queryTimeoutMs: config.databaseQueryTimeoutMs };
}

async function openOwn(config: Config, say: (line: string) => void): Promise<DatabaseServer> {
  const { address, close } = await openEmbedded({ storagePath: config.storagePath, say });
  try {
    await ensureDatabase(address, embeddedDatabase, limitsOf(config));
  } catch (error) {
    await close();
    throw error;
  }
  return { address, centralDatabase: embeddedDatabase, embedded: true, close };
}

async function ensureDatabase(address: ServerAddress, database: string, limits: ConnectionLimits): Promise<void> {
  try {
    await withConnection(address, database, limits, async () => {});
  } catch (error) {
    if ((error as { code?: string }).code !== '3D000') throw error;
    const name = `"${database.replaceAll('"', '""')}"`;
    await withConnection(address, 'postgres', limits, async (connection) => {
      await connection.script(`CREATE DATABASE ${name}`).catch((failure: { code?: string }) => {
        // Another process was quicker.
        if (failure.code !== '42P04' && failure.code !== '23505') throw failure;
      });
    });
  }
}

/** Says what is missing before something far from here fails because of it. */
async function checkServer(address: ServerAddress, database: string, limits: ConnectionLimits): Promise<void> {
  const facts = await withConnection(address, database, limits, async (connection) => {
    const { rows } = await connection.query<{ version: number; available: string[]; may_create: boolean }>(sql`
      SELECT current_setting('server_version_num')::int / 10000 AS version,
        ARRAY(SELECT name::text FROM pg_available_extensions) AS available,
        (SELECT rolcreatedb OR rolsuper FROM pg_roles WHERE rolname = current_user) AS may_create`);
    return rows[0];
  });
  if (!facts) throw new Error('the server answered nothing');
  if (facts.version < oldest) throw new Error(`PostgreSQL ${facts.version} is too old; ${oldest} or newer is needed`);
  const missing = neededExtensions.filter((name) => !facts.available.includes(name));
  if (missing.length > 0) {
    throw new Error(`the server lacks the extensions ${missing.join(', ')}; install PostgreSQL's contrib package`);
  }
  if (!facts.may_create) throw new Error(`the user ${address.user} may not create databases; give it CREATEDB`);
}
