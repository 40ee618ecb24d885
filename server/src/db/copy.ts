import { setImmediate as everyoneElse } from 'node:timers/promises';
import pg from 'pg';
import type { Connection } from './connection.ts';
import { withCallersStack } from './reader.ts';

export type Rows = Iterable<readonly unknown[]> | AsyncIterable<readonly unknown[]>;

/** Enough that a piece is worth sending on its own, little enough that memory does not notice. */
const pieceLength = 65_536;

/**
 * The limit of a statement would be one for all the rows together. Instead `CopyIn` has a limit for each piece, and a
 * lock is not waited for longer than a statement would: a backend that waits does not notice that nobody listens.
 */
const limitsOfACopy = `SELECT set_config('lock_timeout', current_setting('statement_timeout'), true),
  set_config('statement_timeout', '0', true)`;
const usualLimits = 'SET LOCAL statement_timeout = DEFAULT; SET LOCAL lock_timeout = DEFAULT';

/** Copies rows into a table, in the transaction that the connection is in. */
export async function copyRows(
  connection: Connection,
  { table, columns, rows }: { table: string; columns: readonly string[]; rows: Rows },
): Promise<number> {
  const names = columns.map((column) => pg.escapeIdentifier(column));
  const text = `COPY ${pg.escapeIdentifier(table)} (${names.join(', ')}) FROM STDIN`;
  try {
    await connection.script(limitsOfACopy);
    const count = await connection.copy(text, pieces(rows));
    // After a failure what undoes the rows undoes the limits, too.
    await connection.script(usualLimits);
    return count;
  } catch (error) {
    throw error instanceof pg.DatabaseError ? withCallersStack(error) : error;
  }
}

async function* pieces(rows: Rows): AsyncGenerator<string> {
  let piece = '';
  for await (const row of rows) {
    piece += `${row.map(cell).join('\t')}\n`;
    if (piece.length < pieceLength) continue;
    yield piece;
    piece = '';
    // A socket that takes everything at once would leave no moment for anyone else.
    await everyoneElse();
  }
  if (piece !== '') yield piece;
}

const escapes: Readonly<Record<string, string>> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' };

function cell(value: unknown): string {
  if (value === null || value === undefined) return '\\N';
  if (value instanceof Date) return value.toISOString();
  // How an array or a record is meant depends on its column, which only the caller knows.
  if (typeof value === 'object') throw new TypeError('COPY takes arrays and records as text.');
  return String(value).replace(/[\\\t\n\r]/g, (character) => escapes[character] ?? '');
}
