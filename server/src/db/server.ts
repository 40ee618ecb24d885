import { sql } from '@chowk/kit/kernel';
import type { Config } from '../config/config.ts';
import { type ConnectionLimits, withConnection } from './connection.ts';
import { openEmbedded } from './embedded/embedded-server.ts';
import { parseDatabaseUrl, type ServerAddress } from './server-address.ts';

/** The PostgreSQL server of the platform. The central database exists and the server meets the requirements. */
export interface DatabaseServer {
  readonly address: ServerAddress;
  readonly centralDatabase: string;
  readonly embedded: boolean;
  close(): Promise<void>;
}

const minVersion = 15;
/** With a larger difference, the expiry of tokens, one-time passwords and limits would be wrong. */
const maxSkewSeconds = 30;
const requiredExtensions = ['pg_trgm', 'unaccent'];
const embeddedDatabase = 'chowk';

export interface OpenOptions {
  /** Whether a central database that does not exist is created. Default true. */
  readonly creates?: boolean;
}

export async function openServer(
  config: Config,
  onProgress: (line: string) => void,
  { creates = true }: OpenOptions = {},
): Promise<DatabaseServer> {
  if (config.databaseUrl === undefined) return openEmbeddedServer(config, onProgress);
  const { address, database } = parseDatabaseUrl(config.databaseUrl);
  const limits = connectionLimits(config);
  try {
    if (creates) await ensureDatabase(address, database, limits);
    const problem = await serverProblem(address, database, limits);
    if (problem) throw new Error(problem);
  } catch (error) {
    // The error of a host with several addresses has a code and no message.
    const { message, code } = error as NodeJS.ErrnoException;
    if (code === '3D000') {
      throw new Error(`the database ${database} does not exist; run 'chowkd install' or 'chowkd migrate' first`);
    }
    throw new Error(`DATABASE_URL ${address.host}:${address.port}/${database}: ${message || code}`);
  }
  return { address, centralDatabase: database, embedded: false, close: async () => {} };
}

export function connectionLimits(config: Config): ConnectionLimits {
  return { connectTimeoutMs: config.databaseConnectTimeoutMs, queryTimeoutMs: config.databaseQueryTimeoutMs };
}

async function openEmbeddedServer(config: Config, onProgress: (line: string) => void): Promise<DatabaseServer> {
  const { address, close } = await openEmbedded({ storagePath: config.storagePath, onProgress });
  try {
    await ensureDatabase(address, embeddedDatabase, connectionLimits(config));
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
        // Another process has created it.
        if (failure.code !== '42P04' && failure.code !== '23505') throw failure;
      });
    });
  }
}

interface ServerFacts {
  readonly version: number;
  /** The server's clock compared with that of this machine. */
  readonly seconds_ahead: number;
  readonly available: string[];
  readonly can_create: boolean;
}

/** What is wrong with the version, the clock, the extensions or the rights of the user. Throws if the server cannot be reached. */
export async function serverProblem(
  address: ServerAddress,
  database: string,
  limits: ConnectionLimits,
): Promise<string | undefined> {
  const facts = await withConnection(address, database, limits, async (connection) => {
    const { rows } = await connection.query<ServerFacts>(sql`
      SELECT current_setting('server_version_num')::int / 10000 AS version,
        extract(epoch FROM clock_timestamp() - ${new Date()}::timestamptz)::int AS seconds_ahead,
        ARRAY(SELECT name::text FROM pg_available_extensions) AS available,
        (SELECT rolcreatedb OR rolsuper FROM pg_roles WHERE rolname = current_user) AS can_create`);
    return rows[0];
  });
  if (!facts) return 'the server returned no result';
  if (facts.version < minVersion) {
    return `PostgreSQL ${facts.version} is not supported; use version ${minVersion} or newer`;
  }
  const missing = requiredExtensions.filter((name) => !facts.available.includes(name));
  if (missing.length > 0) {
    return `the server lacks the extensions ${missing.join(', ')}; install PostgreSQL's contrib package`;
  }
  // A slow connection delays the server's answer: it seems ahead by less than the timeout.
  if (Math.abs(facts.seconds_ahead) > maxSkewSeconds) {
    const seconds = `${Math.abs(facts.seconds_ahead)} seconds ${facts.seconds_ahead > 0 ? 'behind' : 'ahead of'}`;
    return `the clock of this machine is ${seconds} that of the database server; synchronize both with NTP`;
  }
  return facts.can_create ? undefined : `the user ${address.user} may not create databases; grant it CREATEDB`;
}
