import pg from 'pg';
import { serialize } from 'pg-protocol';
import { compileRowParser, type RowParser } from './row-parser.ts';

type Done = (error: Error | undefined, result: pg.QueryResult) => void;

/** The part of `pg.Query` that has no published types. */
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
/** Statements whose columns are fixed when they are prepared. Those of a FETCH depend on its cursor. */
const hasFixedColumns = /^\s*(select|insert|update|delete|merge|with|values)\b/i;

const parseNoColumns: RowParser = () => ({});

/** The parsers of the statements that are prepared on a connection, by name. */
const parsersOf = new WeakMap<pg.Connection, Map<string, RowParser>>();

/**
 * A query that requests the row description of a named statement once per connection instead of with every execution.
 * The columns of a prepared statement cannot change without an error.
 */
export class PreparedStatement extends PgQuery {
  /** Set on the first execution: where to store the parser. */
  #connection: pg.Connection | undefined;
  #parseRow: RowParser | undefined;

  constructor(text: string, values: unknown[] | undefined, name: string | undefined, done: Done) {
    super(text, values, done);
    this.name = name;
  }

  override submit(connection: pg.Connection): Error | null {
    const { name = '', values = [] } = this;
    this.#parseRow = parsersOf.get(connection)?.get(name);
    if (!this.#parseRow) {
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
    this.#setParser(compileRowParser(message.fields));
  }

  override handleCommandComplete(message: object, connection: pg.Connection): void {
    super.handleCommandComplete(message, connection);
    if (!this.#parseRow) this.#setParser(parseNoColumns);
  }

  #setParser(parseRow: RowParser): void {
    this.#parseRow = parseRow;
    if (this.name === undefined || !this.#connection || !hasFixedColumns.test(this.text)) return;
    const parsers = parsersOf.get(this.#connection) ?? new Map<string, RowParser>();
    parsersOf.set(this.#connection, parsers.set(this.name, parseRow));
  }

  override handleDataRow({ fields }: { fields: (string | null)[] }): void {
    if (this._canceledDueToError || !this.#parseRow) return;
    try {
      this._result.rows.push(this.#parseRow(fields));
    } catch (error) {
      this._canceledDueToError = error;
    }
  }
}
