import type { ClientConfig } from 'pg';
import { parse, toClientConfig } from 'pg-connection-string';

/** Address and credentials of a PostgreSQL server. */
export interface ServerAddress {
  /** A host name, or the folder of a Unix socket. */
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  readonly ssl?: NonNullable<ClientConfig['ssl']>;
}

/** Splits a `postgres://` URL into the server and the database it names. */
export function parseDatabaseUrl(url: string, defaultDatabase = 'chowk'): { address: ServerAddress; database: string } {
  const parts = toClientConfig(parse(url));
  return {
    address: {
      host: parts.host ?? 'localhost',
      port: Number(parts.port ?? 5432),
      user: parts.user ?? 'postgres',
      password: typeof parts.password === 'string' ? parts.password : '',
      ...(parts.ssl ? { ssl: parts.ssl } : {}),
    },
    database: parts.database || defaultDatabase,
  };
}
