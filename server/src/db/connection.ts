import type { Sql } from '@chowk/kit';
import pg from 'pg';
import { CopyIn } from './copy-in.ts';
import type { ServerAddress } from './server-address.ts';
import type { SlowQueryLog } from './slow-query-log.ts';
import { Statement } from './statement.ts';
import { renameStatement, statementName } from './statement-names.ts';
import { valueTypes } from './value-types.ts';
import { Watchdog } from './watchdog.ts';

export interface ConnectionLimits {
  readonly connectTimeoutMs: number;
  readonly queryTimeoutMs: number;
  readonly slowQueries?: SlowQueryLog;
}

/** How much longer than the server's own statement timeout we wait before we give up on the whole connection. */
const answerGraceMs = 2_000;
/** How long a goodbye may take. Over a wire that is dead it would take as long as TCP keeps trying. */
const goodbyeMs = 500;

/** Makes a client that is not yet connected. Every client of the process is made here. */
export function makeClient(
  address: ServerAddress,
  database: string,
  limits: ConnectionLimits,
  options: pg.ClientConfig = {},
): pg.Client {
  return new pg.Client({
    ...address,
    database,
    application_name: 'chowk',
    connectionTimeoutMillis: limits.connectTimeoutMs,
    statement_timeout: limits.queryTimeoutMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    // BEGIN travels with the first statement of a transaction.
    pipeline: true,
    // What `valueTypes` reads must not depend on how the server or the database is set up.
    options: '-c TimeZone=UTC -c DateStyle=ISO -c idle_in_transaction_session_timeout=60000',
    types: valueTypes,
    ...options,
  });
}

/** Says goodbye, and cuts the wire if that is not answered. */
export async function endClient(client: pg.Client): Promise<void> {
  const cut = setTimeout(() => client.connection.stream.destroy(), goodbyeMs);
  await client.end().catch(() => {});
  clearTimeout(cut);
}

/** One open connection to one database, with prepared statements. */
export class Connection {
  readonly #client: pg.Client;
  readonly #watchdog: Watchdog;
  readonly #slowQueries: SlowQueryLog | undefined;
  #broken = false;

  private constructor(client: pg.Client, limits: ConnectionLimits) {
    this.#client = client;
    this.#slowQueries = limits.slowQueries;
    this.#watchdog = new Watchdog(limits.queryTimeoutMs + answerGraceMs, () => {
      client.connection.stream.destroy(new Error('Connection terminated: PostgreSQL did not answer in time'));
    });
  }

  static async open(
    address: ServerAddress,
    database: string,
    limits: ConnectionLimits,
    onLost: (connection: Connection) => void = () => {},
  ): Promise<Connection> {
    const client = makeClient(address, database, limits);
    const connection = new Connection(client, limits);
    const lost = () => {
      connection.#watchdog.end();
      if (connection.#broken) return;
      connection.#broken = true;
      onLost(connection);
    };
    // Without these two an idle connection that the server closes would end the process.
    client.on('error', lost);
    client.on('end', lost);
    try {
      await client.connect();
    } catch (error) {
      connection.#watchdog.end();
      await endClient(client);
      throw error;
    }
    return connection;
  }

  /** Whether another query may be sent: alive, and not left inside a transaction. */
  get usable(): boolean {
    const status = this.#client.getTransactionStatus();
    return !this.#broken && (status === 'I' || status === null);
  }

  query<Row extends object>(query: Sql): Promise<pg.QueryResult<Row>> {
    const { text } = query;
    return this.#send<Row>(text, query.values as unknown[], statementName(text), 'again');
  }

  /** Runs somebody else's SQL the way `pg` does by default: unnamed, with its own types. */
  async foreign(text: string, values: unknown[] | undefined): Promise<pg.QueryResult> {
    this.#watchdog.asked();
    try {
      return await this.#client.query(values ? { text, values, types: pg.types } : { text, types: pg.types });
    } catch (error) {
      if (isFatal(error)) this.#broken = true;
      throw error;
    } finally {
      this.#watchdog.answered();
    }
  }

  /** Runs a COPY … FROM STDIN and says how many rows it took. Until it is done nothing else may be sent. */
  copy(text: string, pieces: AsyncIterable<string>): Promise<number> {
    return new Promise((resolve, reject) => {
      const copying = new CopyIn(text, pieces, this.#watchdog, (error, result) => {
        if (!error) return resolve(result.rowCount ?? 0);
        if (isFatal(error)) this.#broken = true;
        // PostgreSQL only repeats what it was told.
        else if (copying.failure) return reject(copying.failure.reason);
        return reject(error);
      });
      this.#client.query(copying as unknown as pg.Submittable);
    });
  }

  /** Runs text that takes no values and may hold several statements. Answers with what the last one says it did. */
  async script(text: string): Promise<string> {
    const results = [await this.#send(text)].flat();
    return results.at(-1)?.command ?? '';
  }

  async close(): Promise<void> {
    this.#broken = true;
    this.#watchdog.end();
    await endClient(this.#client);
  }

  #send<Row extends object>(
    text: string,
    values?: unknown[],
    name?: string,
    onStalePlan?: 'again',
  ): Promise<pg.QueryResult<Row>> {
    const startedAt = performance.now();
    return new Promise((resolve, reject) => {
      const done = (error: Error | undefined, result: pg.QueryResult<Row>) => {
        this.#watchdog.answered();
        this.#slowQueries?.record({ name, text }, startedAt);
        if (!error) return resolve(result);
        // Said before the socket closes, so that nobody is given this connection in between.
        if (isFatal(error)) this.#broken = true;
        if (!isStalePlan(error)) return reject(error);
        renameStatement(text);
        // A transaction has to begin again; on its own the statement has done nothing yet.
        if (!onStalePlan || this.#client.getTransactionStatus() !== 'I') return reject(error);
        return resolve(this.#send<Row>(text, values, statementName(text)));
      };
      this.#watchdog.asked();
      this.#client.query(new Statement(text, values, name, done) as unknown as pg.Submittable);
    });
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

/**
 * Whether the connection cannot be used any more: the server has ended it, it was lost, it took too long, or `pg` could
 * not send a value and has left the statement in doubt.
 */
function isFatal(error: unknown): boolean {
  return !(error instanceof pg.DatabaseError) || /^(08|57P0|25P03|25P04)/.test(error.code ?? '');
}

/** Whether the statement was prepared before a migration that it cannot be used after, or the server has forgotten it. */
export function isStalePlan(error: unknown): boolean {
  if (!(error instanceof pg.DatabaseError)) return false;
  return error.code === '26000' || (error.code === '0A000' && /cached plan/.test(error.message));
}
