import { type Ctx, type FieldErrors, sql } from '@chowk/kit';
import { columns } from './columns.ts';
import { type CsvRow, readCsv } from './csv-rows.ts';
import { applyChanges, type Fields } from './rules.ts';
import { type Edit, insertProducts, saveProducts } from './save.ts';
import { type ImportReport, NewProduct, type Product, ProductChanges } from './schemas.ts';

type Report = Omit<ImportReport, 'message'>;

interface Row {
  readonly line: number;
  readonly input: Readonly<Record<string, unknown>> & { readonly sku: string };
}

const batchSize = 500;
/** More than anyone reads; `failed` counts them all. */
const mostErrors = 1_000;

/** Makes or changes a product for each row, by its SKU: the whole row or nothing of it. */
export async function importProducts(ctx: Ctx, text: string): Promise<ImportReport> {
  const { rows, report } = sort(await readCsv(text));
  for (let start = 0; start < rows.length; start += batchSize) {
    const batch = rows.slice(start, start + batchSize);
    const { created, updated, errors } = await ctx.tx((tx) => importBatch(tx, batch));
    report.created += created;
    report.updated += updated;
    report.errors.push(...errors);
  }
  const { created, updated, errors } = report;
  const failed = errors.length;
  const listed = errors.sort((a, b) => a.line - b.line).slice(0, mostErrors);
  return {
    message: `${created} created, ${updated} updated, ${failed} failed.`,
    created,
    updated,
    failed,
    errors: listed,
  };
}

/** Sets apart the rows that name no product, or one that a row above has named. */
function sort(all: readonly CsvRow[]): { rows: Row[]; report: Omit<Report, 'failed'> } {
  const rows: Row[] = [];
  const report: Omit<Report, 'failed'> = { created: 0, updated: 0, errors: [] };
  const lines = new Map<string, number>();
  for (const { line, input } of all) {
    const complain = (errors: FieldErrors) => report.errors.push({ line, errors });
    if (typeof input === 'string') {
      complain({ row: [input] });
    } else if (typeof input.sku !== 'string') {
      complain({ sku: ['The sku is required.'] });
    } else {
      const key = input.sku.toLowerCase();
      const above = lines.get(key);
      lines.set(key, above ?? line);
      if (above === undefined) rows.push({ line, input: { ...input, sku: input.sku } });
      else complain({ sku: [`The sku ${input.sku} is on line ${above} already.`] });
    }
  }
  return { rows, report };
}

async function importBatch(ctx: Ctx, rows: readonly Row[]): Promise<Omit<Report, 'failed'>> {
  const existing = await lockBySku(
    ctx,
    rows.map(({ input }) => input.sku),
  );
  const errors: Report['errors'] = [];
  const edits: Edit[] = [];
  const fresh: { line: number; fields: Fields }[] = [];
  for (const [index, { line, input }] of rows.entries()) {
    const current = existing.get(index);
    const { fields, errors: wrong } = judge(ctx, current, input);
    if (wrong) errors.push({ line, errors: wrong });
    else if (current) edits.push({ current, fields });
    else fresh.push({ line, fields });
  }
  const made = new Set(
    (
      await insertProducts(
        ctx,
        fresh.map(({ fields }) => fields),
      )
    ).map(({ sku }) => sku),
  );
  for (const { line, fields } of fresh) {
    // Somebody else has made it since it was looked for.
    if (!made.has(fields.sku)) errors.push({ line, errors: { sku: [`The sku ${fields.sku} is taken.`] } });
  }
  await saveProducts(ctx, edits);
  return { created: made.size, updated: edits.length, errors };
}

/** The products that are there already, by the place of their SKU in the list. */
async function lockBySku(ctx: Ctx, skus: readonly string[]): Promise<Map<number, Product>> {
  const rows = await ctx.db.rows<Product & { place: number }>(sql`
    SELECT given.place, ${columns}
    FROM unnest(${skus}::text[]) WITH ORDINALITY AS given (sku, place)
    JOIN products p ON p.sku_key = lower(given.sku) AND p.deleted_at IS NULL
    ORDER BY p.id FOR UPDATE OF p`);
  return new Map(rows.map(({ place, ...product }) => [place - 1, product]));
}

function judge(
  ctx: Ctx,
  current: Product | undefined,
  input: Row['input'],
): { fields: Fields; errors: FieldErrors | undefined } {
  const values = { ...input };
  const errors = ctx.check(current ? ProductChanges : NewProduct, values);
  const judged = applyChanges(current ?? {}, errors ? {} : (values as ProductChanges));
  if (errors ?? judged.errors) return { fields: judged.fields, errors: errors ?? judged.errors };
  const short = current && judged.fields.stock < current.reserved;
  return short
    ? { fields: judged.fields, errors: { stock: [`${current.reserved} are reserved; the stock cannot be less.`] } }
    : judged;
}
