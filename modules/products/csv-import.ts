import { type CsvRow, type Ctx, type ImportReport, Issues, pickFields, type RowErrors, readCsv, sql } from '@chowk/kit';
import { columns } from './columns.ts';
import { csvFormat } from './csv-columns.ts';
import { priceProblem, skuTaken } from './products.ts';
import { type Edit, type Fields, insertProducts, saveProducts } from './save.ts';
import { NewProduct, type Product, ProductChanges } from './schemas.ts';

const batchSize = 500;
/** More than anyone reads; `failed` counts them all. */
const mostErrors = 1_000;

/** Creates or updates a product for each row, by its SKU: the whole row or nothing of it. */
export async function importProducts(ctx: Ctx, { csv }: { csv: string }): Promise<ImportReport> {
  const { rows, errors } = await readCsv(csv, csvFormat);
  const report = { created: 0, updated: 0 };
  for (let start = 0; start < rows.length; start += batchSize) {
    const done = await ctx.tx((tx) => importBatch(tx, rows.slice(start, start + batchSize)));
    report.created += done.created;
    report.updated += done.updated;
    errors.push(...done.errors);
  }
  const listed = errors.sort((a, b) => a.line - b.line).slice(0, mostErrors);
  return { ...report, failed: errors.length, errors: listed };
}

async function importBatch(ctx: Ctx, rows: readonly CsvRow[]) {
  const existing = await lockBySku(ctx, rows);
  const errors: RowErrors[] = [];
  const edits: Edit[] = [];
  const fresh: { line: number; fields: Fields }[] = [];
  for (const { line, input } of rows) {
    const current = existing.get(String(input.sku).toLowerCase());
    const { fields, wrong } = read(ctx, current, input);
    if (wrong) errors.push({ line, errors: wrong });
    else if (current) edits.push({ current, fields });
    else fresh.push({ line, fields });
  }
  const made = await insertProducts(
    ctx,
    fresh.map(({ fields }) => fields),
  );
  const skus = new Set(made.map(({ sku }) => sku));
  // A SKU that was free when it was looked for may have been taken since.
  const late = fresh.filter(({ fields }) => !skus.has(fields.sku));
  errors.push(...late.map(({ line, fields: { sku } }) => ({ line, errors: { sku: [skuTaken(sku).message] } })));
  await saveProducts(ctx, edits);
  return { created: made.length, updated: edits.length, errors };
}

/** The products that exist already, by their SKU as the file has it, in lower case. */
async function lockBySku(ctx: Ctx, rows: readonly CsvRow[]): Promise<Map<string, Product>> {
  const skus = rows.map(({ input }) => String(input.sku));
  const found = await ctx.db.rows<Product & { place: number }>(sql`
    SELECT given.place, ${columns}
    FROM unnest(${skus}::text[]) WITH ORDINALITY AS given (sku, place)
    JOIN products p ON p.sku_key = lower(given.sku) AND p.deleted_at IS NULL
    ORDER BY p.id FOR UPDATE OF p`);
  return new Map(found.map(({ place, ...product }) => [String(skus[place - 1]).toLowerCase(), product]));
}

/** The product that a row asks for, and all that is wrong with it. */
function read(ctx: Ctx, current: Product | undefined, input: CsvRow['input']) {
  const issues = new Issues();
  const values: ProductChanges = { ...input };
  issues.addAll(ctx.check(current ? ProductChanges : NewProduct, values));
  const valid = Object.fromEntries(Object.entries(values).filter(([name]) => !issues.has(name)));
  const fields = { ...(current && pickFields(NewProduct, current)), ...valid } as Fields;
  const problem = priceProblem(fields);
  if (problem) issues.add('compare_at_price', problem);
  if (current && fields.stock < current.reserved) {
    issues.add('stock', `${current.reserved} units are reserved; the stock must be at least that.`, 'too_small');
  }
  const errors = Object.entries(issues.errors).map(([name, list]) => [name, list.map(({ message }) => message)]);
  return { fields, wrong: issues.any ? (Object.fromEntries(errors) as Record<string, string[]>) : undefined };
}
