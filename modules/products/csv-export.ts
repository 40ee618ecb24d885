import { Readable } from 'node:stream';
import { Answer, and, type Ctx, sql } from '@chowk/kit';
import { columns } from './columns.ts';
import { csvColumns } from './csv-columns.ts';
import { conditions, orderBy } from './filters.ts';
import type { ExportQuery, Product } from './schemas.ts';

/** Enough text that a piece is worth sending on its own. */
const pieceLength = 32_768;

const types = { csv: 'text/csv; charset=utf-8; header=present', json: 'application/json; charset=utf-8' };

/** Every product that the filters find, as of one moment, in memory only a few at a time. */
export async function exportProducts(ctx: Ctx, { format, ...query }: ExportQuery): Promise<Answer> {
  const filters = await conditions(ctx, query);
  const products = ctx.db.stream<Product>(sql`
    SELECT ${columns} FROM products p WHERE p.deleted_at IS NULL ${and(filters)} ORDER BY ${orderBy(query)}`);
  const body = Readable.from(pieces(format === 'csv' ? csvText(products) : jsonText(products)));
  const name = `products-${ctx.now().toISOString().slice(0, 10)}.${format}`;
  return new Answer(body, {
    headers: { 'content-type': types[format], 'content-disposition': `attachment; filename="${name}"` },
  });
}

async function* csvText(products: AsyncIterable<Product>): AsyncGenerator<string> {
  yield csvLine(Object.keys(csvColumns));
  const writers = Object.values(csvColumns);
  for await (const product of products) yield csvLine(writers.map(({ write }) => write(product)));
}

async function* jsonText(products: AsyncIterable<Product>): AsyncGenerator<string> {
  let before = '{"products":[';
  for await (const product of products) {
    yield before + JSON.stringify(product);
    before = ',\n';
  }
  yield before.startsWith('{') ? `${before}]}` : ']}';
}

function csvLine(cells: readonly string[]): string {
  return `${cells.map((cell) => (/[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)).join(',')}\r\n`;
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
