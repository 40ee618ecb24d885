import { type Ctx, type ImportReport, Issues, pickFields, readCsv, type Sql, sql } from '@chowk/kit';
import { checkCopy, findCopies, lacksRights, manageCatalogue } from './catalogue-rules.ts';
import { columns } from './columns.ts';
import { csvFormat } from './csv-columns.ts';
import { mergeImages } from './image-list.ts';
import { priceProblem, skuTaken } from './products.ts';
import { changedFields, type Edit, type Fields, insertProducts, saveProducts } from './save.ts';
import { NewProduct, type Product, ProductChanges } from './schemas.ts';

type CsvRow = Awaited<ReturnType<typeof readCsv>>['rows'][number];
type RowErrors = ImportReport['errors'][number];

const batchSize = 500;
/** `failed` also counts errors that are not listed. */
const maxErrors = 1_000;

/** Creates or updates a product for each row by its SKU. An invalid row changes nothing. */
export function importProducts(ctx: Ctx, { csv }: { csv: string }): Promise<ImportReport> {
  return inBatches(csv, (rows) => ctx.tx((tx) => importBatch(tx, rows)));
}

/** The report that an import of this file would have now. */
export function previewImport(ctx: Ctx, { csv }: { csv: string }): Promise<ImportReport> {
  return inBatches(csv, async (rows) => {
    const { errors, edits, unchanged, additions } = await planBatch(ctx, rows, await findBySku(ctx, rows, sql``));
    return { created: additions.length, updated: edits.length, unchanged, errors };
  });
}

type BatchReport = Pick<ImportReport, 'created' | 'updated' | 'unchanged' | 'errors'>;

async function inBatches(csv: string, run: (rows: readonly CsvRow[]) => Promise<BatchReport>): Promise<ImportReport> {
  const { rows, errors } = await readCsv(csv, csvFormat);
  const report = { created: 0, updated: 0, unchanged: 0 };
  for (let start = 0; start < rows.length; start += batchSize) {
    const batch = await run(rows.slice(start, start + batchSize));
    report.created += batch.created;
    report.updated += batch.updated;
    report.unchanged += batch.unchanged;
    errors.push(...batch.errors);
  }
  const listed = errors.sort((a, b) => a.line - b.line).slice(0, maxErrors);
  return { ...report, failed: errors.length, errors: listed };
}

async function importBatch(ctx: Ctx, rows: readonly CsvRow[]): Promise<BatchReport> {
  const existing = await findBySku(ctx, rows, sql`ORDER BY p.id FOR UPDATE OF p`);
  const { errors, edits, unchanged, additions } = await planBatch(ctx, rows, existing);
  const inserted = await insertProducts(
    ctx,
    additions.map(({ fields }) => fields),
  );
  const skus = new Set(inserted.map(({ sku }) => sku));
  // Another transaction may have taken a SKU since `findBySku`.
  const conflicts = additions.filter(({ fields }) => !skus.has(fields.sku));
  errors.push(...conflicts.map(({ line, fields: { sku } }) => ({ line, errors: { sku: [skuTaken(sku).message] } })));
  await saveProducts(ctx, edits);
  return { created: inserted.length, updated: edits.length, unchanged, errors };
}

async function planBatch(ctx: Ctx, rows: readonly CsvRow[], existing: ReadonlyMap<string, Product>) {
  const copies = await findCopies(ctx, [...existing.values()]);
  const errors: RowErrors[] = [];
  const edits: Edit[] = [];
  const additions: { line: number; fields: Fields }[] = [];
  let unchanged = 0;
  for (const { line, input } of rows) {
    const current = existing.get(String(input.sku).toLowerCase());
    const { fields, problems } = readFields(ctx, current, input, copies);
    if (problems) errors.push({ line, errors: problems });
    else if (!current) additions.push({ line, fields });
    else if (changedFields({ current, fields }).length > 0) edits.push({ current, fields });
    else unchanged += 1;
  }
  return { errors, edits, unchanged, additions };
}

/** The existing products by the SKU of the file, in lower case. */
async function findBySku(ctx: Ctx, rows: readonly CsvRow[], lock: Sql): Promise<Map<string, Product>> {
  const skus = rows.map(({ input }) => String(input.sku));
  const rowsBySku = await ctx.db.rows<Product & { position: number }>(sql`
    SELECT sent.position, ${columns}
    FROM unnest(${skus}::text[]) WITH ORDINALITY AS sent (sku, position)
    JOIN products p ON p.sku_key = lower(sent.sku) AND p.deleted_at IS NULL
    ${lock}`);
  return new Map(rowsBySku.map(({ position, ...product }) => [String(skus[position - 1]).toLowerCase(), product]));
}

/** The product of a row and all its problems. */
function readFields(ctx: Ctx, current: Product | undefined, input: CsvRow['input'], copies: ReadonlySet<string>) {
  const issues = new Issues();
  const values: ProductChanges = { ...input };
  issues.addAll(ctx.check(current ? ProductChanges : NewProduct, values));
  const valid = Object.fromEntries(Object.entries(values).filter(([name]) => !issues.has(name)));
  const { images } = valid as ProductChanges;
  const merged = images ? { images: mergeImages(ctx, current?.images ?? [], images) } : {};
  const fields = { ...(current && pickFields(NewProduct, current)), ...valid, ...merged } as Fields;
  if (current && copies.has(current.id)) checkCopy(current, fields, issues);
  else if (lacksRights(ctx, current?.mandatory ?? false, fields.mandatory)) {
    issues.add('mandatory', `This needs the permission ${manageCatalogue}.`, 'not_allowed');
  }
  const problem = priceProblem(fields);
  if (problem) issues.add('compare_at_price', problem);
  if (current && fields.stock < current.reserved) {
    issues.add('stock', `${current.reserved} units are reserved; the stock must be at least that.`, 'too_small');
  }
  const errors = Object.entries(issues.errors).map(([name, list]) => [name, list.map(({ message }) => message)]);
  return { fields, problems: issues.any ? (Object.fromEntries(errors) as Record<string, string[]>) : undefined };
}
