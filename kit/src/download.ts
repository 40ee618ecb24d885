import { Readable } from 'node:stream';
import type { Ctx } from './context.ts';
import { byteOrderMark, csvLine } from './csv.ts';
import { Answer } from './route.ts';
import { type Static, Type } from './schema.ts';

export const DownloadFormat = Type.Enum(['csv', 'json'], { default: 'csv' });
type Format = Static<typeof DownloadFormat>;

interface Download<Row> {
  /** What the rows are, as the name of the file and as the key in JSON. */
  readonly name: string;
  readonly format: Format;
  readonly rows: AsyncIterable<Row>;
  /** The columns of the CSV file, in order. What somebody has typed is written with `inert`. */
  readonly columns: Readonly<Record<string, (row: Row) => string>>;
}

/** Enough text that a piece is worth sending on its own. */
const pieceLength = 32_768;

const types = { csv: 'text/csv; charset=utf-8; header=present', json: 'application/json; charset=utf-8' };

/** Rows as a file, however many: in memory there are only a few at a time. */
export function download<Row>(ctx: Pick<Ctx, 'now'>, { name, format, rows, columns }: Download<Row>): Answer {
  const body = Readable.from(pieces(format === 'csv' ? csvText(rows, columns) : jsonText(rows, name)));
  const file = `${name}-${ctx.now().toISOString().slice(0, 10)}.${format}`;
  return new Answer(body, {
    headers: { 'content-type': types[format], 'content-disposition': `attachment; filename="${file}"` },
  });
}

async function* csvText<Row>(rows: AsyncIterable<Row>, columns: Download<Row>['columns']): AsyncGenerator<string> {
  yield byteOrderMark + csvLine(Object.keys(columns));
  const writers = Object.values(columns);
  for await (const row of rows) yield csvLine(writers.map((write) => write(row)));
}

async function* jsonText(rows: AsyncIterable<unknown>, name: string): AsyncGenerator<string> {
  yield `{${JSON.stringify(name)}:[`;
  let before = '';
  for await (const row of rows) {
    yield before + JSON.stringify(row);
    before = ',\n';
  }
  yield ']}';
}

async function* pieces(texts: AsyncIterable<string>): AsyncGenerator<string> {
  let piece = '';
  for await (const text of texts) {
    piece += text;
    if (piece.length < pieceLength) continue;
    yield piece;
    piece = '';
  }
  yield piece;
}
