import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import pg from 'pg';
import type { Connection } from './connection.ts';
import { withCallerStack } from './query-methods.ts';

export type Rows = Iterable<readonly unknown[]> | AsyncIterable<readonly unknown[]>;

/** In characters. */
const chunkLength = 65_536;

/**
 * The statement timeout would limit the whole copy. Instead `CopyIn` limits each chunk, and the lock timeout limits the
 * time that the server waits for a lock, during which it does not notice a lost client.
 */
const setCopyTimeouts = `SELECT set_config('lock_timeout', current_setting('statement_timeout'), true),
  set_config('statement_timeout', '0', true)`;
const restoreTimeouts = 'SET LOCAL statement_timeout = DEFAULT; SET LOCAL lock_timeout = DEFAULT';

/** Copies rows into a table, in the current transaction of the connection. */
export async function copyRows(
  connection: Connection,
  { table, columns, rows }: { table: string; columns: readonly string[]; rows: Rows },
): Promise<number> {
  const names = columns.map((column) => pg.escapeIdentifier(column));
  const text = `COPY ${pg.escapeIdentifier(table)} (${names.join(', ')}) FROM STDIN`;
  try {
    await connection.script(setCopyTimeouts);
    const count = await connection.copy(text, encodeChunks(rows));
    // After a failure the rollback restores the timeouts.
    await connection.script(restoreTimeouts);
    return count;
  } catch (error) {
    throw error instanceof pg.DatabaseError ? withCallerStack(error) : error;
  }
}

async function* encodeChunks(rows: Rows): AsyncGenerator<string> {
  let chunk = '';
  for await (const row of rows) {
    chunk += `${row.map(encodeCell).join('\t')}\n`;
    if (chunk.length < chunkLength) continue;
    yield chunk;
    chunk = '';
    // If the socket accepts everything at once, nothing else would yield to other requests.
    await yieldToEventLoop();
  }
  if (chunk !== '') yield chunk;
}

const escapes: Readonly<Record<string, string>> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' };

function encodeCell(value: unknown): string {
  if (value === null || value === undefined) return '\\N';
  if (value instanceof Date) return value.toISOString();
  // The encoding of arrays and records depends on the column type, which is not known here.
  if (typeof value === 'object') throw new TypeError('COPY needs arrays and records as text: encode them first.');
  return String(value).replace(/[\\\t\n\r]/g, (character) => escapes[character] ?? '');
}
