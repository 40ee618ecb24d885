import pg from 'pg';
import { serialize } from 'pg-protocol';
import { type RowReader, rowReader } from './row-reader.ts';

type Done = (error: Error | undefined, result: pg.QueryResult) => void;

/** What of `pg` has no types: a query as its client sees it. */
interface Query {
  readonly text: string;
  readonly values: unknown[] | undefined;
  name: string | undefined;
  readonly _result: { fields: pg.FieldDef[]; rows: object[] };
  _canceledDueToError: unknown;
  submit(connection: pg.Connection): Error | null;
  handleCommandComplete(message: object, connection: pg.Connection): void;
  handleRowDescription(message: { fields: pg.FieldDef[] }): void;
  handleDataRow(message: { fields: (string | null)[] }): void;
}

const PgQuery = pg.Query as unknown as new (text: string, values: unknown[] | undefined, done: Done) => Query;
const { prepareValue } = (pg as unknown as { utils: { prepareValue(value: unknown): unknown } }).utils;

const executeAndSync = Buffer.concat([serialize.execute(), serialize.sync()]);
/** Statements whose columns are settled when they are prepared. Those of a FETCH depend on its cursor. */
const isPlanned = /^\s*(select|insert|update|delete|merge|with|values)\b/i;

const noRows: RowReader = () => ({});

/** The columns that each statement prepared on a connection answers with. */
const known = new WeakMap<pg.Connection, Map<string, RowReader>>();

/**
 * A query that asks PostgreSQL only once on each connection which columns its statement has: they cannot change without
 * an error, and to describe them costs both sides more than a row does. Rows are read by a function made for them.
 */
export class Statement extends PgQuery {
  /** Where its columns will be known once they are told. */
  #connection: pg.Connection | undefined;
  #readRow: RowReader | undefined;

  constructor(text: string, values: unknown[] | undefined, name: string | undefined, done: Done) {
    super(text, values, done);
    this.name = name;
  }

  override submit(connection: pg.Connection): Error | null {
    const { name = '', values = [] } = this;
    this.#readRow = known.get(connection)?.get(name);
    if (!this.#readRow) {
      this.#connection = connection;
      return super.submit(connection);
    }
    try {
      const bind = serialize.bind({ statement: name, values, valueMapper: prepareValue });
      connection.stream.write(Buffer.concat([bind, executeAndSync]));
      return null;
    } catch (error) {
      return error as Error;
    }
  }

  override handleRowDescription(message: { fields: pg.FieldDef[] }): void {
    super.handleRowDescription(message);
    this.#know(rowReader(message.fields));
  }

  override handleCommandComplete(message: object, connection: pg.Connection): void {
    super.handleCommandComplete(message, connection);
    if (!this.#readRow) this.#know(noRows);
  }

  #know(readRow: RowReader): void {
    this.#readRow = readRow;
    if (this.name === undefined || !this.#connection || !isPlanned.test(this.text)) return;
    const readers = known.get(this.#connection) ?? new Map<string, RowReader>();
    known.set(this.#connection, readers.set(this.name, readRow));
  }

  override handleDataRow({ fields }: { fields: (string | null)[] }): void {
    if (this._canceledDueToError || !this.#readRow) return;
    try {
      this._result.rows.push(this.#readRow(fields));
    } catch (error) {
      this._canceledDueToError = error;
    }
  }
}
