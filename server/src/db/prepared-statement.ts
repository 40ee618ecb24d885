import pg from 'pg';
import { serialize } from 'pg-protocol';
import { hasName, maxStatements } from './statement-names.ts';
import { valueTypes } from './value-types.ts';

type Done = (error: Error | undefined, result: pg.QueryResult) => void;
type Fields = readonly (string | null)[];
type RowParser = (fields: Fields) => object;

/** The part of `pg.Query` that has no published types. */
interface Query {
  readonly text: string;
  readonly values: unknown[] | undefined;
  name: string | undefined;
  readonly _result: { rows: object[] };
  _canceledDueToError: unknown;
  submit(connection: pg.Connection): Error | null;
  handleCommandComplete(message: object, connection: pg.Connection): void;
  handleRowDescription(message: { fields: pg.FieldDef[] }): void;
  handleDataRow(message: { fields: Fields }): void;
}

const PgQuery = pg.Query as unknown as new (text: string, values: unknown[] | undefined, done: Done) => Query;
const { prepareValue } = (pg as unknown as { utils: { prepareValue(value: unknown): unknown } }).utils;

/** The statements that are prepared on a connection: texts by name. */
type PgConnection = pg.Connection & { readonly parsedStatements: Record<string, string> };

const executeAndSync = Buffer.concat([serialize.execute(), serialize.sync()]);
/** Statements whose columns are fixed when they are prepared. Those of a FETCH depend on its cursor. */
const hasFixedColumns = /^\s*(select|insert|update|delete|merge|with|values)\b/i;

/** The parsers of the statements that are prepared on a connection, by name. */
const parsersByConnection = new WeakMap<pg.Connection, Map<string, RowParser>>();

/**
 * A query that requests the row description of a named statement once per connection instead of with every execution,
 * because the columns of a prepared statement cannot change without an error. Measured: a fifth of a read by id.
 */
export class PreparedStatement extends PgQuery {
  /** Set on the first execution: the connection to store the parser for. */
  #connection: pg.Connection | undefined;
  #parseRow: RowParser | undefined;

  constructor(text: string, values: unknown[] | undefined, name: string | undefined, done: Done) {
    super(text, values, done);
    this.name = name;
  }

  override submit(connection: pg.Connection): Error | null {
    const { name = '', values = [] } = this;
    this.#parseRow = parsersByConnection.get(connection)?.get(name);
    if (!this.#parseRow) {
      this.#connection = connection;
      if (name !== '') makeRoom(connection as PgConnection, name);
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
    this.#setParser(createRowParser(message.fields));
  }

  override handleCommandComplete(message: object, connection: pg.Connection): void {
    super.handleCommandComplete(message, connection);
    // A statement without result rows has no row description.
    if (!this.#parseRow) this.#setParser(createRowParser([]));
  }

  override handleDataRow({ fields }: { fields: Fields }): void {
    if (this._canceledDueToError || !this.#parseRow) return;
    try {
      this._result.rows.push(this.#parseRow(fields));
    } catch (error) {
      this._canceledDueToError = error;
    }
  }

  #setParser(parseRow: RowParser): void {
    this.#parseRow = parseRow;
    if (this.name === undefined || !this.#connection || !hasFixedColumns.test(this.text)) return;
    const parsers = parsersByConnection.get(this.#connection) ?? new Map<string, RowParser>();
    parsersByConnection.set(this.#connection, parsers.set(this.name, parseRow));
  }
}

/**
 * Closes the statements whose names are not used any more before a new one exceeds the limit. The message follows the
 * executions that were sent before; one that is still to be sent prepares its statement again.
 */
function makeRoom(connection: PgConnection, newName: string): void {
  if (newName in connection.parsedStatements) return;
  const statements = Object.entries(connection.parsedStatements);
  if (statements.length < maxStatements) return;
  for (const [name, text] of statements) {
    if (hasName(text, name)) continue;
    connection.stream.write(serialize.close({ type: 'S', name }));
    delete connection.parsedStatements[name];
    parsersByConnection.get(connection)?.delete(name);
  }
}

function createRowParser(columns: readonly pg.FieldDef[]): RowParser {
  const template: Record<string, unknown> = Object.fromEntries(columns.map(({ name }) => [name, null]));
  const names = columns.map(({ name }) => name);
  const parsers = columns.map(({ dataTypeID }) => valueTypes.getTypeParser(dataTypeID));
  return (fields) => {
    const row = { ...template };
    for (let index = 0; index < names.length; index += 1) {
      const text = fields[index] ?? null;
      row[names[index] as string] = text === null ? null : parsers[index]?.(text);
    }
    return row;
  };
}
