import { type Ctx, changesBetween, columnNames, slugify, sql } from '@chowk/kit';
import { columns } from './columns.ts';
import { fail } from './errors.ts';
import { emitMandatoryChanged } from './events.ts';
import { removeFiles } from './image-list.ts';
import { logMovements } from './movements.ts';
import { NewProduct, type ProductRecord } from './schemas.ts';
import type { VariantState } from './variant-plan.ts';
import { emitEditedStock, insertVariants, isChanged, readVariants, replaceVariants } from './variant-save.ts';
import type { Variant } from './variant-schemas.ts';

/** The fields of a product that a merchant sets. */
export type Fields = Pick<ProductRecord, keyof NewProduct>;

/** A product to create. Without a slug it gets one from its title; without variants one with its SKU, prices and stock. */
export interface NewEntry {
  readonly fields: Omit<Fields, 'slug'> & { readonly slug?: string | undefined };
  readonly variants?: readonly VariantState[] | undefined;
}

/** A locked product and its new fields and, if they are replaced, its variants before and after. */
export interface Edit {
  readonly current: ProductRecord;
  readonly fields: Fields;
  readonly variants?: { readonly current: readonly Variant[]; readonly next: readonly VariantState[] } | undefined;
}

const names = columnNames(NewProduct);

type NewRow = Omit<Fields, 'slug'> & { readonly id: string; readonly slug: string | null };

/** Creates products in one statement. Products whose SKU is taken are skipped, as are those whose own slug is. */
export async function insertProducts(ctx: Ctx, list: readonly NewEntry[]): Promise<ProductRecord[]> {
  if (list.length === 0) return [];
  const rows = list.map(({ fields, variants }) => ({
    ...fields,
    slug: fields.slug ?? (slugify(fields.title, 100) || null),
    ...(variants ? { stock: 0, variant_count: 0 } : { variant_count: 1 }),
    id: ctx.newId(),
    created_at: ctx.now(),
  }));
  const inserted = await insertRows(ctx, rows);
  const done = new Set(inserted.map(({ id }) => id));
  const again = rows.filter(({ id }, index) => !done.has(id) && list[index]?.fields.slug === undefined);
  const later = await insertRows(ctx, again.map(withOwnSlug));
  const variantsById = new Map(rows.map(({ id }, index) => [id, list[index]?.variants]));
  const products = [...inserted, ...later];
  await insertVariants(
    ctx,
    products.flatMap(({ id: productId }) => {
      const variants = variantsById.get(productId);
      return variants ? [{ productId, variants }] : [];
    }),
  );
  const hasVariants = products.some(({ id }) => variantsById.get(id));
  return announce(ctx, hasVariants ? await readRecords(ctx, products) : products, variantsById);
}

/** Another product may have the slug of this one's title. */
function withOwnSlug<Row extends NewRow>(row: Row): Row {
  return { ...row, slug: row.slug && `${row.slug.slice(0, 90)}-${row.id.slice(-8)}` };
}

async function announce(
  ctx: Ctx,
  products: readonly ProductRecord[],
  variantsById: ReadonlyMap<string, unknown>,
): Promise<ProductRecord[]> {
  const stocked = products.filter(({ id, stock }) => stock > 0 && !variantsById.get(id));
  await logMovements(
    ctx,
    stocked.map(({ id, stock: change }) => ({ product_id: id, variant_id: id, change, reason: 'initial' })),
  );
  await ctx.emitAll(
    'product.created',
    products.map((product) => ({ product })),
  );
  await emitMandatoryChanged(ctx, products);
  return [...products];
}

async function insertRows(ctx: Ctx, rows: readonly NewRow[]): Promise<ProductRecord[]> {
  if (rows.length === 0) return [];
  return ctx.db.rows<ProductRecord>(sql`
    INSERT INTO products AS p (id, ${names}, variant_count, created_at, updated_at)
    SELECT id, ${names}, variant_count, created_at, created_at
    FROM jsonb_populate_recordset(NULL::products, ${JSON.stringify(rows)}::jsonb) n
    WHERE NOT EXISTS (SELECT FROM product_variants v WHERE v.sku_key = lower(n.sku) AND v.deleted_at IS NULL)
    ON CONFLICT DO NOTHING
    RETURNING ${columns}`);
}

/** Updates changed products in one statement, with their variants, events and stock movements. */
export async function saveProducts(ctx: Ctx, edits: readonly Edit[]): Promise<ProductRecord[]> {
  const changes = edits.filter((edit) => changedFields(edit).length > 0);
  const before = await variantsBefore(ctx, changes);
  await writeRows(ctx, changes);
  for (const { current, variants } of changes) {
    if (variants) {
      await replaceVariants(ctx, { productId: current.id, current: variants.current, variants: variants.next });
    }
  }
  await clearImages(ctx, changes);
  await checkLevels(ctx, changes);
  const records = await readRecords(
    ctx,
    changes.map(({ current }) => current),
  );
  const saved = new Map(records.map((product) => [product.id, product]));
  const changed = changes.map((edit) => ({ ...edit, product: saved.get(edit.current.id) as ProductRecord }));
  await ctx.emitAll(
    'product.updated',
    changed.map(({ product, ...edit }) => ({ product, changed: changedFields(edit) })),
  );
  const shown = changed.filter((edit) => changedFields(edit).some((field) => field !== 'stock'));
  await emitMandatoryChanged(
    ctx,
    shown.flatMap(({ current, product }) => [current, product]),
  );
  for (const { current, fields } of changed) await removeFiles(ctx, current.images, fields.images);
  await logProductStock(ctx, changed);
  const moved = changed.filter(movesStock).map(({ product }) => product);
  if (moved.length > 0) await emitEditedStock(ctx, moved, before);
  return edits.map(({ current }) => saved.get(current.id) ?? current);
}

function movesStock({ current, fields, variants }: Edit): boolean {
  return variants !== undefined || fields.stock !== current.stock;
}

async function variantsBefore(ctx: Ctx, edits: readonly Edit[]): Promise<Map<string, Variant>> {
  const ids = edits.filter(movesStock).map(({ current }) => current.id);
  const variants = ids.length === 0 ? [] : await readVariants(ctx, ids);
  return new Map(variants.map((variant) => [variant.id, variant]));
}

/** Logs the movements of products whose only variant is changed through the product. */
async function logProductStock(ctx: Ctx, edits: readonly Edit[]): Promise<void> {
  const moved = edits.filter(({ current, fields, variants }) => !variants && fields.stock !== current.stock);
  await logMovements(
    ctx,
    moved.map(({ current, fields }) => ({
      product_id: current.id,
      change: fields.stock - current.stock,
      reason: 'edited',
    })),
  );
}

/** Clears the image of variants whose image is no longer one of the product. */
async function clearImages(ctx: Ctx, edits: readonly Edit[]): Promise<void> {
  for (const { current, fields } of edits) {
    const kept = new Set(fields.images.map(({ id }) => id));
    const dropped = current.images.flatMap(({ id }) => (kept.has(id) ? [] : [id]));
    if (dropped.length === 0) continue;
    await ctx.db.run(sql`
      UPDATE product_variants SET image_id = NULL, updated_at = ${ctx.now()}
      WHERE product_id = ${current.id} AND image_id = ANY(${dropped}::uuid[])`);
  }
}

/** The default location cannot have fewer than no units. */
async function checkLevels(ctx: Ctx, edits: readonly Edit[]): Promise<void> {
  const ids = edits.filter(movesStock).map(({ current }) => current.id);
  if (ids.length === 0) return;
  const short = await ctx.db.row<{ sku: string; requested: number }>(sql`
    SELECT v.sku, sum(l.stock) - v.stock AS requested
    FROM product_variants v JOIN stock_levels l ON l.variant_id = v.id
    WHERE v.product_id = ANY(${ids}::uuid[]) GROUP BY v.id HAVING sum(l.stock) > greatest(v.stock, 0) LIMIT 1`);
  if (short) throw fail('products.insufficient_at_location', short);
}

function readRecords(ctx: Ctx, products: readonly { readonly id: string }[]): Promise<ProductRecord[]> {
  const ids = products.map(({ id }) => id);
  return ids.length === 0
    ? Promise.resolve([])
    : ctx.db.rows<ProductRecord>(sql`
        SELECT ${columns} FROM unnest(${ids}::uuid[]) WITH ORDINALITY AS k (id, position) JOIN products p USING (id)
        ORDER BY k.position`);
}

async function writeRows(ctx: Ctx, edits: readonly Edit[]): Promise<void> {
  if (edits.length === 0) return;
  const rows = edits.map(({ current: { id }, fields }) => ({ ...fields, id, updated_at: ctx.now() }));
  await ctx.db.run(sql`
    UPDATE products p SET (${names}, updated_at) = (SELECT ${columnNames(NewProduct, sql`n`)}, n.updated_at)
    FROM jsonb_populate_recordset(NULL::products, ${JSON.stringify(rows)}::jsonb) n WHERE p.id = n.id`);
}

export function changedFields({ current, fields, variants }: Edit): string[] {
  const changed = Object.keys(changesBetween<Fields>(current, fields));
  if (!variants) return changed;
  const { current: before, next } = variants;
  const isSame =
    before.length === next.length &&
    before.every((variant, index) => {
      const state = next[index] as VariantState;
      return state.id === variant.id && !isChanged(variant, state);
    });
  return isSame ? changed : [...changed, 'variants'];
}
