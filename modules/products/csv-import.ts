import { type Ctx, Issues, sql } from '@chowk/kit';
import { columns } from './columns.ts';
import { type CsvRow, readCsv } from './csv-rows.ts';
import { priceProblem, skuTaken } from './products.ts';
import { type Edit, type Fields, fieldsOf, insertProducts, saveProducts } from './save.ts';
import { type ImportReport, NewProduct, type Product, ProductChanges } from './schemas.ts';

/** What became of some rows. */
type Outcome = Omit<ImportReport, 'failed'>;

interface Row {
  readonly line: number;
  readonly input: Readonly<Record<string, unknown>> & { readonly sku: string };
}

const batchSize = 500;
/** More than anyone reads; `failed` counts them all. */
const mostErrors = 1_000;

/** Creates or updates a product for each row, by its SKU: the whole row or nothing of it. */
export async function importProducts(ctx: Ctx, { csv }: { csv: string }): Promise<ImportReport> {
  const { rows, errors } = sort(await readCsv(csv));
  const report = { created: 0, updated: 0 };
  for (let start = 0; start < rows.length; start += batchSize) {
    const batch = rows.slice(start, start + batchSize);
    const done = await ctx.tx((tx) => importBatch(tx, batch));
    report.created += done.created;
    report.updated += done.updated;
    errors.push(...done.errors);
  }
  const listed = errors.sort((a, b) => a.line - b.line).slice(0, mostErrors);
  return { ...report, failed: errors.length, errors: listed };
}

/** Sets apart the rows that name no product, or one that a row above has named. */
function sort(all: readonly CsvRow[]): { rows: Row[]; errors: Outcome['errors'] } {
  const rows: Row[] = [];
  const errors: Outcome['errors'] = [];
  const lines = new Map<string, number>();
  for (const { line, input } of all) {
    if (typeof input === 'string') {
      errors.push({ line, errors: { row: [input] } });
    } else if (typeof input.sku !== 'string') {
      errors.push({ line, errors: { sku: ['The sku is required.'] } });
    } else {
      const key = input.sku.toLowerCase();
      const above = lines.get(key);
      lines.set(key, above ?? line);
      if (above === undefined) rows.push({ line, input: { ...input, sku: input.sku } });
      else errors.push({ line, errors: { sku: [`The SKU ${input.sku} is on line ${above} already.`] } });
    }
  }
  return { rows, errors };
}

async function importBatch(ctx: Ctx, rows: readonly Row[]): Promise<Outcome> {
  const existing = await lockBySku(
    ctx,
    rows.map(({ input }) => input.sku),
  );
  const errors: Outcome['errors'] = [];
  const edits: Edit[] = [];
  const fresh: { line: number; fields: Fields }[] = [];
  for (const [index, { line, input }] of rows.entries()) {
    const current = existing.get(index);
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

/** The products that exist already, by the place of their SKU in the list. */
async function lockBySku(ctx: Ctx, skus: readonly string[]): Promise<Map<number, Product>> {
  const rows = await ctx.db.rows<Product & { place: number }>(sql`
    SELECT given.place, ${columns}
    FROM unnest(${skus}::text[]) WITH ORDINALITY AS given (sku, place)
    JOIN products p ON p.sku_key = lower(given.sku) AND p.deleted_at IS NULL
    ORDER BY p.id FOR UPDATE OF p`);
  return new Map(rows.map(({ place, ...product }) => [place - 1, product]));
}

/** The product that a row asks for, and all that is wrong with it. */
function read(ctx: Ctx, current: Product | undefined, input: Row['input']) {
  const issues = new Issues();
  const values: ProductChanges = { ...input };
  issues.addAll(ctx.check(current ? ProductChanges : NewProduct, values));
  const valid = Object.fromEntries(Object.entries(values).filter(([name]) => !issues.has(name)));
  const fields = { ...(current && fieldsOf(current)), ...valid } as Fields;
  const problem = priceProblem(fields);
  if (problem) issues.add('compare_at_price', problem);
  if (current && fields.stock < current.reserved) {
    issues.add('stock', `${current.reserved} units are reserved; the stock must be at least that.`, 'too_small');
  }
  const errors = Object.entries(issues.errors).map(([name, list]) => [name, list.map(({ message }) => message)]);
  return { fields, wrong: issues.any ? (Object.fromEntries(errors) as Record<string, string[]>) : undefined };
}
