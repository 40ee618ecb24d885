import { PassThrough } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Ctx } from './context.ts';
import { byteOrderMark, csvLine, escapeFormula } from './csv.ts';
import { Default, Type } from './schema.ts';
import type { Sql } from './sql.ts';

export const DownloadFormat = Default(Type.Enum(['csv', 'json']), 'csv');

/**
 * Writers of cells that are not simply a field of the row. `null` omits a field; the columns after it in the record take its
 * place. Other additional columns come last.
 */
export type Columns<Row> = Readonly<Record<string, ((row: Row) => unknown) | null>>;

export interface Download<Row> {
  /** The name of the file and the key in JSON. */
  readonly name: string;
  readonly format: 'csv' | 'json';
  readonly rows: AsyncIterable<Row>;
  /** The columns of the CSV file, in order. */
  readonly fields?: readonly string[];
  readonly columns?: Columns<Row>;
}

/** In characters. */
const chunkLength = 32_768;

export const fileTypes = { csv: 'text/csv; charset=utf-8; header=present', json: 'application/json; charset=utf-8' };

/** The text of a file, in pieces. */
export function fileText<Row extends object>(file: Download<Row>): AsyncIterable<string> {
  return chunks(file.format === 'csv' ? csvText(file) : jsonText(file));
}

async function* csvText<Row extends object>({
  rows,
  fields = [],
  columns = {},
}: Download<Row>): AsyncGenerator<string> {
  const names = columnNames(fields, columns);
  yield byteOrderMark + csvLine(names);
  const readers = names.map((name) => columns[name] ?? ((row: Row) => row[name as keyof Row]));
  for await (const row of rows) yield csvLine(readers.map((read) => cell(read(row))));
}

function columnNames(fields: readonly string[], columns: Columns<never>): string[] {
  const names = [...fields];
  let end = names.length;
  for (const [name, read] of Object.entries(columns)) {
    const index = names.indexOf(name);
    if (index === -1) {
      names.splice(end, 0, name);
      end += 1;
    } else end = read === null ? index + 1 : names.length;
  }
  return names.filter((name) => columns[name] !== null);
}

/** The text of a CSV cell, with formulas escaped. */
export function cell(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'string') return escapeFormula(value);
  if (typeof value !== 'object') return String(value);
  const isPlain = Array.isArray(value) && value.every((entry) => typeof entry !== 'object');
  return escapeFormula(isPlain ? value.join(',') : JSON.stringify(value));
}

async function* jsonText<Row>({ rows, name }: Download<Row>): AsyncGenerator<string> {
  yield `{${JSON.stringify(name)}:[`;
  let separator = '';
  for await (const row of rows) {
    yield separator + JSON.stringify(row);
    separator = ',\n';
  }
  yield ']}';
}

async function* chunks(texts: AsyncIterable<string>): AsyncGenerator<string> {
  let chunk = '';
  for await (const text of texts) {
    chunk += text;
    if (chunk.length < chunkLength) continue;
    yield chunk;
    chunk = '';
  }
  yield chunk;
}

const batchSize = 200;

/**
 * Rows that are completed in batches, all over one connection: downloads that held one and waited for a second could
 * deadlock. The transaction ends with the reader.
 */
export async function* inBatches<Row extends object>(
  ctx: Ctx,
  query: Sql,
  complete: (ctx: Ctx, rows: readonly object[]) => Promise<Row[]>,
): AsyncGenerator<Row> {
  const rows = new PassThrough({ objectMode: true, highWaterMark: batchSize });
  ctx.tx((tx) => pipeline(completed(tx, query, complete), rows)).catch((error) => rows.destroy(error));
  yield* rows;
}

async function* completed<Row extends object>(
  ctx: Ctx,
  query: Sql,
  complete: (ctx: Ctx, rows: readonly object[]) => Promise<Row[]>,
): AsyncGenerator<Row> {
  let batch: object[] = [];
  for await (const row of ctx.db.stream<object>(query)) {
    batch.push(row);
    if (batch.length < batchSize) continue;
    yield* await complete(ctx, batch);
    batch = [];
  }
  yield* await complete(ctx, batch);
}
