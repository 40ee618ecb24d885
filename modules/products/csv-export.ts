import { type Answer, and, type Ctx, download, sql } from '@chowk/kit';
import { columns } from './columns.ts';
import { csvColumns } from './csv-columns.ts';
import { conditions, orderBy } from './filters.ts';
import type { ExportQuery, Product } from './schemas.ts';

const csvWriters = Object.fromEntries(Object.entries(csvColumns).map(([name, { write }]) => [name, write]));

/** Every product that the filters find, as of one moment. */
export async function exportProducts(ctx: Ctx, { format, ...query }: ExportQuery): Promise<Answer> {
  const filters = await conditions(ctx, query);
  const rows = ctx.db.stream<Product>(sql`
    SELECT ${columns} FROM products p WHERE p.deleted_at IS NULL ${and(filters)} ORDER BY ${orderBy(query)}`);
  return download(ctx, { name: 'products', format, rows, columns: csvWriters });
}
