import { type Ctx, type ImportReport, Issues, pickFields, readCsv, type Sql, sql } from '@chowk/kit';
import { checkCopy, findCopies, lacksRights, manageCatalogue } from './catalogue-rules.ts';
import { columns } from './columns.ts';
import { describeEdit, type ImportPreview, maxListedChanges } from './csv-changes.ts';
import { csvFormat } from './csv-columns.ts';
import {
  type CsvRow,
  type Existing,
  type Group,
  groupKey,
  groupRows,
  lowerSku,
  mergeShared,
  readRow,
} from './csv-groups.ts';
import { mergeImages } from './image-list.ts';
import { notifyImported } from './notify-team.ts';
import { checkPrices, priceProblem } from './price.ts';
import { changedFields, type Edit, type Fields, insertProducts, type NewEntry, saveProducts } from './save.ts';
import { NewProduct, type ProductChanges, type ProductRecord } from './schemas.ts';
import { skuTaken } from './unique-keys.ts';
import { planVariants } from './variant-plan.ts';
import { readVariants } from './variant-save.ts';

type CsvFile = Parameters<typeof readCsv>[0];
type RowErrors = ImportReport['errors'][number];

const batchSize = 500;
/** `failed` also counts errors that are not listed. */
const maxErrors = 1_000;

/** Creates or updates a product for each row, or group of rows, by its SKU or slug. Invalid rows change nothing. */
export async function importProducts(ctx: Ctx, file: CsvFile): Promise<ImportReport> {
  const report = await inBatches(file, (rows) => ctx.tx((tx) => importBatch(tx, rows)));
  await notifyImported(ctx, report);
  return report;
}

/** The report that an import of this file would have now, and what it would change. */
export async function previewImport(ctx: Ctx, file: CsvFile): Promise<ImportPreview> {
  const changes: ImportPreview['changes'][number][] = [];
  const report = await inBatches(file, async (rows) => {
    const { errors, edits, unchanged, additions } = await planBatch(ctx, rows, sql``);
    changes.push(...edits.slice(0, maxListedChanges - changes.length).map(describeEdit));
    return { created: additions.length, updated: edits.length, unchanged, errors };
  });
  return { ...report, changes };
}

type BatchReport = Pick<ImportReport, 'created' | 'updated' | 'unchanged' | 'errors'>;

async function inBatches(file: CsvFile, run: (rows: readonly CsvRow[]) => Promise<BatchReport>): Promise<ImportReport> {
  const { rows, errors } = await readCsv(file, csvFormat);
  const report = { created: 0, updated: 0, unchanged: 0 };
  for (const batch of batchesOfGroups(rows)) {
    const { created, updated, unchanged, errors: failed } = await run(batch);
    report.created += created;
    report.updated += updated;
    report.unchanged += unchanged;
    errors.push(...failed);
  }
  const listed = errors.sort((a, b) => a.line - b.line).slice(0, maxErrors);
  return { ...report, failed: errors.length, errors: listed };
}

/** The rows of a product are in one batch. */
function* batchesOfGroups(rows: readonly CsvRow[]): Generator<CsvRow[]> {
  let batch: CsvRow[] = [];
  for (const group of Map.groupBy(rows, groupKey).values()) {
    batch.push(...group);
    if (batch.length < batchSize) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

async function importBatch(ctx: Ctx, rows: readonly CsvRow[]): Promise<BatchReport> {
  const { errors, edits, unchanged, additions } = await planBatch(ctx, rows, sql`ORDER BY p.id FOR UPDATE OF p`);
  const inserted = await insertProducts(
    ctx,
    additions.map(({ entry }) => entry),
  );
  const skus = new Set(inserted.map(({ sku }) => sku));
  // Another transaction may have taken a SKU since the products were read.
  const conflicts = additions.filter(({ entry }) => !skus.has(entry.fields.sku));
  for (const { lines, entry } of conflicts) {
    const sku = [skuTaken(entry.fields.sku).message];
    errors.push(...lines.map((line) => ({ line, errors: { sku } })));
  }
  await saveProducts(ctx, edits);
  return { created: inserted.length, updated: edits.length, unchanged, errors };
}

interface Addition {
  readonly lines: readonly number[];
  readonly entry: NewEntry;
}

async function planBatch(ctx: Ctx, rows: readonly CsvRow[], lock: Sql) {
  const find = await findExisting(ctx, rows, lock);
  const groups = groupRows(rows, find);
  const copies = await findCopies(
    ctx,
    groups.flatMap(({ existing }) => (existing ? [existing.product] : [])),
  );
  const errors: RowErrors[] = [];
  const edits: Edit[] = [];
  const additions: Addition[] = [];
  let unchanged = 0;
  const slugs = await findSlugs(ctx, rows);
  const { 'general.currency': currency } = await ctx.settings();
  for (const group of groups) {
    const plan = planGroup(ctx, group, { copies, slugs, currency });
    if ('errors' in plan) errors.push(...plan.errors);
    else if ('entry' in plan) additions.push({ lines: group.rows.map(({ line }) => line), entry: plan.entry });
    else if (changedFields(plan.edit).length > 0) edits.push(plan.edit);
    else unchanged += 1;
  }
  return { errors, edits, unchanged, additions };
}

type GroupPlan = { readonly errors: RowErrors[] } | { readonly entry: NewEntry } | { readonly edit: Edit };

interface Catalog {
  readonly copies: ReadonlySet<string>;
  readonly slugs: Map<string, string>;
  readonly currency: string;
}

function planGroup(ctx: Ctx, group: Group, { copies, slugs, currency }: Catalog): GroupPlan {
  const { existing, hasVariants } = group;
  const rows = group.rows.map((row) => readRow(ctx, row, group));
  for (const { product, variant, issues } of rows) checkPrices({ ...product, ...variant }, currency, issues);
  const sent = hasVariants ? mergeShared(rows) : (rows[0]?.product as ProductChanges);
  const problems = new Issues();
  if (hasVariants && !existing) checkRequired(sent, rows[0]?.variant, problems);
  const current = existing?.product;
  const images = sent.images && { images: mergeImages(ctx, current?.images ?? [], sent.images) };
  const base = current ? pickFields(NewProduct, current) : newProduct(ctx);
  const own = { ...base, ...sent, ...images } as Fields;
  const variants = hasVariants ? planRows(group, rows, own, problems) : undefined;
  const fields = variants ? { ...own, ...variants.fields } : own;
  if (!variants) checkOwn(current, fields, problems);
  if (current && copies.has(current.id)) checkCopy({ current, fields, variants }, problems);
  else if (lacksRights(ctx, current?.mandatory ?? false, fields.mandatory)) {
    problems.add('mandatory', `This needs the permission ${manageCatalogue}.`, 'not_allowed');
  }
  checkSlug(sent.slug, current, slugs, problems);
  const errors = reportErrors(rows, problems);
  if (errors.length > 0) return { errors };
  if (current) return { edit: { current, fields, variants } };
  const slug = sent.slug;
  return { entry: { fields: { ...fields, slug: slug as string }, variants: variants?.next } };
}

/** The defaults of a product. */
function newProduct(ctx: Ctx): object {
  const fields = { sku: '-', title: '-', price: '0' };
  ctx.check(NewProduct, fields);
  return fields;
}

/** Rules beyond the schema for a product with one variant. */
function checkOwn(current: ProductRecord | undefined, fields: Fields, problems: Issues): void {
  const problem = priceProblem(fields);
  if (problem) problems.add('compare_at_price', problem);
  if (current && fields.stock < current.reserved && fields.stock < current.stock) {
    const message = `${current.reserved} units are reserved; the stock must be at least that.`;
    problems.add('stock', message, 'too_small');
  }
}

function checkRequired(
  { title }: ProductChanges,
  first: { readonly price?: string } | undefined,
  problems: Issues,
): void {
  if (title === undefined) problems.add('title', 'The title is required.', 'required');
  if (first?.price === undefined) problems.add('price', 'The price is required.', 'required');
}

type ReadRows = readonly ReturnType<typeof readRow>[];

/** The variants of the product with those of the rows changed or added. Problems have the names of the columns, by row. */
function planRows({ existing }: Group, rows: ReadRows, fields: Fields, problems: Issues) {
  const known = existing?.variants ?? [];
  const rowFor = new Map(rows.map((row) => [row.variant.sku?.toLowerCase(), row]));
  const kept = known.map((variant) => ({ row: rowFor.get(variant.sku.toLowerCase()), variant: { id: variant.id } }));
  const skus = new Set(known.map(({ sku }) => sku.toLowerCase()));
  const added = rows.filter(({ variant }) => !skus.has(variant.sku?.toLowerCase() ?? ''));
  const all = [...kept, ...added.map((row) => ({ row, variant: {} }))];
  const names = (rows.find(({ optionNames }) => optionNames[0])?.optionNames ?? []).filter(
    (name) => name !== undefined,
  );
  const current = existing?.product.options ?? [];
  const options =
    names.length > 0
      ? names.map(
          (name, index) => current.find((one) => one.name === name) ?? { name, values: current[index]?.values ?? [] },
        )
      : current;
  const issues = new Issues();
  const sent = all.map(({ row, variant }) => ({ ...row?.variant, ...variant }));
  const { sku } = rows[0]?.variant ?? {};
  const imageIds = new Set(fields.images.map(({ id }) => id));
  const plan = planVariants(
    { options, variants: sent, sku: sku ?? '', price: rows[0]?.variant.price ?? '0.00', imageIds },
    { options: current, variants: known },
    issues,
  );
  for (const [path, list] of Object.entries(issues.errors)) {
    const [, index, ...rest] = path.split('.');
    const row = index === undefined ? undefined : all[Number(index)]?.row;
    const target = path.startsWith('variants.') && row ? row.issues : problems;
    target.addAll({ [columnFor(rest, names) ?? path]: list });
  }
  const first = plan.variants[0];
  const summary = existing ? pickSummary(existing.product) : { ...pickSummary(first ?? fields), stock: 0 };
  return {
    current: [...known],
    next: plan.variants,
    fields: { options: plan.options, ...summary },
  };
}

function pickSummary({
  sku,
  price,
  compare_at_price,
  stock,
}: Pick<Fields, 'sku' | 'price' | 'compare_at_price' | 'stock'>) {
  return { sku, price, compare_at_price, stock };
}

/** `option1_value` for `options.Size`. */
function columnFor([field, name]: readonly string[], names: readonly string[]): string | undefined {
  if (field !== 'options') return field;
  const index = name === undefined ? 0 : names.indexOf(name);
  return `option${Math.max(index, 0) + 1}_value`;
}

/** The products that have the slugs of the file. */
async function findSlugs(ctx: Ctx, rows: readonly CsvRow[]): Promise<Map<string, string>> {
  const slugs = rows.flatMap(({ input }) => (typeof input.slug === 'string' ? [input.slug] : []));
  if (slugs.length === 0) return new Map();
  const found = await ctx.db.rows<{ slug: string; id: string }>(sql`
    SELECT slug, id FROM products WHERE slug = ANY(${slugs}::text[]) AND deleted_at IS NULL`);
  return new Map(found.map(({ slug, id }) => [slug, id]));
}

/** Each slug is for one product, also within the file. */
function checkSlug(
  slug: string | undefined,
  current: ProductRecord | undefined,
  slugs: Map<string, string>,
  problems: Issues,
): void {
  if (slug === undefined) return;
  const holder = slugs.get(slug);
  const own = current?.id ?? 'new';
  if (holder !== undefined && holder !== own) problems.add('slug', `The slug ${slug} is taken.`, 'taken');
  else slugs.set(slug, current?.id ?? `new ${slug}`);
}

/** One bad row keeps the whole product from being imported. */
function reportErrors(rows: ReadRows, problems: Issues): RowErrors[] {
  rows[0]?.issues.addAll(problems.errors);
  const bad = rows.find(({ issues }) => issues.any);
  if (!bad) return [];
  return rows.map(({ line, issues }) => {
    if (!issues.any) return { line, errors: { row: [`Line ${bad.line} of the same product has errors.`] } };
    const errors = Object.entries(issues.errors).map(([name, list]) => [name, list.map(({ message }) => message)]);
    return { line, errors: Object.fromEntries(errors) as Record<string, string[]> };
  });
}

/** Finds the product of a row by the SKU, or by the slug of a variant. */
async function findExisting(
  ctx: Ctx,
  rows: readonly CsvRow[],
  lock: Sql,
): Promise<(row: CsvRow) => Existing | undefined> {
  const skus = rows.map(lowerSku);
  const slugs = rows.flatMap(({ input }) => (typeof input.slug === 'string' ? [input.slug] : []));
  const products = await ctx.db.rows<ProductRecord>(sql`
    SELECT ${columns} FROM products p
    WHERE p.deleted_at IS NULL AND (p.slug = ANY(${slugs}::text[]) OR p.id IN (
      SELECT v.product_id FROM product_variants v
      WHERE v.sku_key IN (SELECT lower(sku) FROM unnest(${skus}::text[]) AS sku) AND v.deleted_at IS NULL))
    ${lock}`);
  const variants = await readVariants(
    ctx,
    products.map(({ id }) => id),
  );
  const byProduct = Map.groupBy(variants, ({ product_id }) => product_id);
  const existing = new Map(
    products.map((product) => [product.id, { product, variants: byProduct.get(product.id) ?? [] }]),
  );
  const bySku = new Map(variants.map(({ sku, product_id }) => [sku.toLowerCase(), product_id]));
  const bySlug = new Map(products.map(({ slug, id }) => [slug, id]));
  return (row) => {
    const isVariant = groupKey(row).startsWith('slug ');
    const id = bySku.get(lowerSku(row)) ?? (isVariant ? bySlug.get(String(row.input.slug)) : undefined);
    return id === undefined ? undefined : existing.get(id);
  };
}
