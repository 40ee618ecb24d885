import type { Sql } from '@chowk/kit/kernel';
import pg from 'pg';
import { beginSpan } from '../tracing/span.ts';
import { CopyIn } from './copy-in.ts';
import { CopyOut } from './copy-out.ts';
import { PreparedStatement } from './prepared-statement.ts';
import type { ServerAddress } from './server-address.ts';
import type { SlowQueryLog } from './slow-query-log.ts';
import { renameStatement, statementName } from './statement-names.ts';
import { valueTypes } from './value-types.ts';
import { Watchdog } from './watchdog.ts';

export interface ConnectionLimits {
  readonly connectTimeoutMs: number;
  readonly queryTimeoutMs: number;
  readonly slowQueries?: SlowQueryLog;
}

/** How long a response may be overdue after the server's statement timeout before the connection is closed. */
const responseGraceMs = 2_000;
/** Over a dead network, closing properly would take as long as TCP retries. */
const endTimeoutMs = 500;

/** How much is shown of a statement that PostgreSQL refuses. */
const maxShownText = 500;

const connectErrors = new WeakSet<Error>();

/** Whether no connection could be opened, so that nothing has been done. */
export function isConnectError(error: unknown): boolean {
  return error instanceof Error && connectErrors.has(error);
}

/** These override the configuration of the server and the database. */
const sessionSettings = [
  // `valueTypes` relies on these.
  'TimeZone=UTC',
  'DateStyle=ISO',
  'idle_in_transaction_session_timeout=60000',
  // New tables have no statistics: PostgreSQL overestimates their queries and spends a second compiling each.
  'jit=off',
  // PostgreSQL notices within seconds that this process is gone, even during a statement, and releases its locks.
  'client_connection_check_interval=1000',
  'tcp_keepalives_idle=5',
  'tcp_keepalives_interval=2',
  'tcp_keepalives_count=3',
];

/** Creates a client that is not yet connected. Every client of the platform is created here. */
export function createClient(
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
    // Sends BEGIN together with the first statement of a transaction.
    pipeline: true,
    options: sessionSettings.map((setting) => `-c ${setting}`).join(' '),
    types: valueTypes,
    ...options,
  });
}

/** Closes the connection properly, or destroys its socket after a timeout. */
export async function endClient(client: pg.Client): Promise<void> {
  const timer = setTimeout(() => client.connection.stream.destroy(), endTimeoutMs);
  await client.end().catch(() => {});
  clearTimeout(timer);
}

/** One open connection to one database, with prepared statements. */
export class Connection {
  readonly #client: pg.Client;
  readonly #watchdog: Watchdog;
  readonly #slowQueries: SlowQueryLog | undefined;
  #isBroken = false;
  readonly #database: string;
  #isCorked = false;

  private constructor(client: pg.Client, database: string, limits: ConnectionLimits) {
    this.#client = client;
    this.#database = database;
    this.#slowQueries = limits.slowQueries;
    this.#watchdog = new Watchdog(limits.queryTimeoutMs + responseGraceMs, () => {
      client.connection.stream.destroy(new Error('Connection terminated: PostgreSQL did not respond in time'));
    });
  }

  static async open(
    address: ServerAddress,
    database: string,
    limits: ConnectionLimits,
    onLost: (connection: Connection) => void = () => {},
  ): Promise<Connection> {
    const client = createClient(address, database, limits);
    const connection = new Connection(client, database, limits);
    const handleLoss = () => {
      connection.#watchdog.stop();
      if (connection.#isBroken) return;
      connection.#isBroken = true;
      onLost(connection);
    };
    // Without these listeners, a server that closes an idle connection would crash the process.
    client.on('error', handleLoss);
    client.on('end', handleLoss);
    try {
      await client.connect();
    } catch (error) {
      connectErrors.add(nameServer(error as Error, address, database));
      connection.#watchdog.stop();
      await endClient(client);
      throw error;
    }
    return connection;
  }

  /** Whether the connection is alive and not inside a transaction. */
  get isUsable(): boolean {
    const status = this.#client.getTransactionStatus();
    return !this.#isBroken && (status === 'I' || status === null);
  }

  query<Row extends object>(query: Sql): Promise<pg.QueryResult<Row>> {
    const { text } = query;
    return this.#send<Row>(text, query.values as unknown[], statementName(text), { retriesStalePlan: true });
  }

  /** Runs a query with `pg`'s defaults, unnamed and with its own types: for SQL of a library. */
  async queryWithDefaults(text: string, values: unknown[] | undefined): Promise<pg.QueryResult> {
    this.#watchdog.requestSent();
    try {
      return await this.#client.query(values ? { text, values, types: pg.types } : { text, types: pg.types });
    } catch (error) {
      if (isFatal(error)) this.#isBroken = true;
      throw error;
    } finally {
      this.#watchdog.responseReceived();
    }
  }

  /** Runs a COPY … FROM STDIN and returns the number of rows. Nothing else may be sent until it is done. */
  copy(text: string, chunks: AsyncIterable<string | Uint8Array>): Promise<number> {
    return new Promise((resolve, reject) => {
      const copyIn = new CopyIn(text, chunks, this.#watchdog, (error, result) => {
        if (!error) return resolve(result.rowCount ?? 0);
        if (isFatal(error)) this.#isBroken = true;
        // The source of the rows failed; PostgreSQL only reports that the copy was cancelled.
        else if (copyIn.failure) return reject(copyIn.failure.reason);
        return reject(error);
      });
      this.#client.query(copyIn as unknown as pg.Submittable);
    });
  }

  /** Runs a COPY … TO STDOUT. Nothing else may be sent until all blocks are read; a reader that stops must close the connection. */
  async *copyOut(text: string): AsyncGenerator<Buffer> {
    const copyOut = new CopyOut(text, this.#watchdog, (error) => {
      if (isFatal(error)) this.#isBroken = true;
    });
    this.#client.query(copyOut as unknown as pg.Submittable);
    yield* copyOut.blocks();
  }

  /** Runs one or more statements without values and returns the command tag of the last one. */
  async script(text: string): Promise<string> {
    const results = [await this.#send(text)].flat();
    return results.at(-1)?.command ?? '';
  }

  async close(): Promise<void> {
    this.#isBroken = true;
    this.#watchdog.stop();
    await endClient(this.#client);
  }

  #send<Row extends object>(
    text: string,
    values?: unknown[],
    name?: string,
    { retriesStalePlan = false } = {},
  ): Promise<pg.QueryResult<Row>> {
    const startedAt = performance.now();
    const span = beginSpan(firstWord(text), 'client', () => describeQuery(text, this.#database));
    return new Promise((resolve, reject) => {
      const done = (error: Error | undefined, result: pg.QueryResult<Row>) => {
        this.#watchdog.responseReceived();
        span?.end(error);
        this.#slowQueries?.record({ name, text, database: this.#database }, startedAt);
        if (!error) return resolve(result);
        // Before the socket closes, so that the connection is not leased again meanwhile.
        if (isFatal(error)) this.#isBroken = true;
        if (!isStalePlan(error)) return reject(withStatement(error, text));
        renameStatement(text);
        // Inside a transaction the whole transaction must be retried.
        if (!retriesStalePlan || this.#client.getTransactionStatus() !== 'I') return reject(error);
        return resolve(this.#send<Row>(text, values, statementName(text)));
      };
      this.#watchdog.requestSent();
      this.#cork();
      this.#client.query(new PreparedStatement(text, values, name, done) as unknown as pg.Submittable);
    });
  }

  /** Statements of one tick share one system call: BEGIN and the first one, the audit entry and COMMIT. */
  #cork(): void {
    if (this.#isCorked) return;
    this.#isCorked = true;
    const { stream } = this.#client.connection;
    stream.cork();
    process.nextTick(() => {
      this.#isCorked = false;
      stream.uncork();
    });
  }
}

/** Opens a connection outside the budget: for migrations, CREATE DATABASE and operator commands. */
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
 * Whether the connection is unusable: it was ended, lost or too slow, it is read-only because the database is being moved,
 * or `pg` failed to serialize a value of a statement that was partly sent.
 */
function isFatal(error: unknown): boolean {
  return !(error instanceof pg.DatabaseError) || /^(08|57P0|25P03|25P04|25006)/.test(error.code ?? '');
}

/** Bound values are not part of the text. */
function withStatement(error: Error, text: string): Error {
  const isWrong = error instanceof pg.DatabaseError && /^42/.test(error.code ?? '');
  return isWrong ? Object.assign(error, { statement: text.replace(/\s+/g, ' ').trim().slice(0, maxShownText) }) : error;
}

/** The log shows the properties of an error. */
function nameServer(error: Error, { host, port }: ServerAddress, database: string): Error {
  return Object.assign(error, { server: `${host}:${port}`, database });
}

/** Whether a migration has invalidated the prepared statement, or the server no longer has it. */
export function isStalePlan(error: unknown): boolean {
  if (!(error instanceof pg.DatabaseError)) return false;
  return error.code === '26000' || (error.code === '0A000' && /cached plan/.test(error.message));
}

/** Statements have no values: they are bound. */
function describeQuery(text: string, database: string) {
  return {
    'db.system.name': 'postgresql',
    'db.namespace': database,
    'db.query.text': text.replace(/\s+/g, ' ').trim().slice(0, 2_000),
  };
}

function firstWord(text: string): string {
  return /\w+/.exec(text)?.[0].toUpperCase() ?? 'SQL';
}
