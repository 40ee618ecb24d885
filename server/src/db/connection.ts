import type { Sql } from '@chowk/kit';
import pg from 'pg';
import type { ServerAddress } from './server-address.ts';
import { statementName } from './statement-names.ts';
import { valueTypes } from './value-types.ts';

export interface ConnectionLimits {
  readonly connectTimeoutMs: number;
  readonly queryTimeoutMs: number;
}

/** How much longer than the server's own statement timeout we wait before we give up on the whole connection. */
const answerGraceMs = 2_000;

/** Makes a client that is not yet connected. Every client of the process is made here. */
export function makeClient(address: ServerAddress, database: string, limits: ConnectionLimits): pg.Client {
  return new pg.Client({
    ...address,
    database,
    application_name: 'chowk',
    connectionTimeoutMillis: limits.connectTimeoutMs,
    statement_timeout: limits.queryTimeoutMs,
    query_timeout: limits.queryTimeoutMs + answerGraceMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    // BEGIN travels with the first statement of a transaction, and a timed-out query takes its connection with it.
    pipeline: true,
    options: '-c TimeZone=UTC -c idle_in_transaction_session_timeout=60000',
    types: valueTypes,
  });
}

/** One open connection to one database, with prepared statements. */
export class Connection {
  readonly #client: pg.Client;
  #broken = false;

  private constructor(client: pg.Client) {
    this.#client = client;
  }

  static async open(
    address: ServerAddress,
    database: string,
    limits: ConnectionLimits,
    onLost: (connection: Connection) => void = () => {},
  ): Promise<Connection> {
    const client = makeClient(address, database, limits);
    const connection = new Connection(client);
    const lost = () => {
      if (connection.#broken) return;
      connection.#broken = true;
      onLost(connection);
    };
    // Without these two an idle connection that the server closes would end the process.
    client.on('error', lost);
    client.on('end', lost);
    await client.connect();
    return connection;
  }

  /** Whether another query may be sent: alive, and not left inside a transaction. */
  get usable(): boolean {
    const status = this.#client.getTransactionStatus();
    return !this.#broken && (status === 'I' || status === null);
  }

  async query<Row extends object>(query: Sql): Promise<pg.QueryResult<Row>> {
    const text = query.text;
    try {
      return await this.#client.query<Row>({ name: statementName(text), text, values: query.values as unknown[] });
    } catch (error) {
      // A named statement planned before a migration cannot be used after it; a new connection plans anew.
      if (isStalePlan(error)) this.#broken = true;
      throw error;
    }
  }

  /** Runs text that takes no values and may hold several statements. */
  async script(text: string): Promise<void> {
    await this.#client.query(text);
  }

  async close(): Promise<void> {
    this.#broken = true;
    await this.#client.end().catch(() => {});
  }
}

/** One connection of its own for work outside the budget: migrations, CREATE DATABASE, operator commands. */
export async function withConnection<Result>(
  address: ServerAddress,
  database: string,
  limits: ConnectionLimits,
  work: (connection: Connection) => Promise<Result>,
): Promise<Result> {
  const connection = await Connection.open(address, database, limits);
  try {
    return await work(connection);
  } finally {
    await connection.close();
  }
}

function isStalePlan(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === '0A000' && /cached plan/.test(error.message);
}
