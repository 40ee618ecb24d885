import { type Ctx, changesBetween, sql } from '@chowk/kit';
import { variantColumns } from './columns.ts';
import { fail } from './errors.ts';
import { emitStockChanged } from './events.ts';
import { logMovements } from './movements.ts';
import type { ProductRecord } from './schemas.ts';
import { pickState, type VariantState } from './variant-plan.ts';
import type { Variant } from './variant-schemas.ts';

export function readVariants(ctx: Ctx, productIds: readonly string[]): Promise<Variant[]> {
  return ctx.db.rows<Variant>(sql`
    SELECT ${variantColumns} FROM product_variants v
    WHERE v.product_id = ANY(${productIds}::uuid[]) AND v.deleted_at IS NULL ORDER BY v.product_id, v.position, v.id`);
}

interface ProductVariants {
  readonly productId: string;
  readonly variants: readonly VariantState[];
}

/** Adds the variants of new products in one statement. */
export async function insertVariants(ctx: Ctx, products: readonly ProductVariants[]): Promise<void> {
  const rows = products.flatMap((product) => toRows(ctx, product));
  if (rows.length === 0) return;
  await upsert(ctx, rows);
  const stocked = rows.filter(({ stock }) => stock > 0);
  await logMovements(
    ctx,
    stocked.map(({ id, product_id, stock: change }) => ({ product_id, variant_id: id, change, reason: 'initial' })),
  );
}

/**
 * Makes the variants of a locked product those of the list: adds, changes, orders and removes them. A variant with reserved
 * units cannot be removed.
 */
export async function replaceVariants(
  ctx: Ctx,
  { current, productId, variants }: ProductVariants & { readonly current: readonly Variant[] },
): Promise<void> {
  const kept = new Set(variants.map(({ id }) => id));
  const removed = current.filter(({ id }) => !kept.has(id));
  const held = removed.find(({ reserved }) => reserved > 0);
  if (held) throw fail('products.has_reservations', held);
  await removeVariants(ctx, removed);
  const byId = new Map(current.map((variant) => [variant.id, variant]));
  const rows = toRows(ctx, { productId, variants });
  const changed = rows.filter((row) => {
    const known = byId.get(row.id);
    return !known || known.position !== row.position || isChanged(known, row);
  });
  await upsert(ctx, changed);
  const moved = changed.flatMap(({ id, stock }) => {
    const change = stock - (byId.get(id)?.stock ?? 0);
    return change === 0 ? [] : [{ id, change, reason: byId.has(id) ? 'edited' : 'initial' }];
  });
  await logMovements(
    ctx,
    moved.map(({ id, change, reason }) => ({ product_id: productId, variant_id: id, change, reason })),
  );
}

export function isChanged(known: Variant, state: VariantState): boolean {
  return Object.keys(changesBetween(pickState(known), pickState(state))).length > 0;
}

function toRows(ctx: Ctx, { productId, variants }: ProductVariants) {
  const times = { created_at: ctx.now(), updated_at: ctx.now() };
  return variants.map((variant, index) => ({
    ...variant,
    id: variant.id ?? ctx.newId(),
    product_id: productId,
    position: index + 1,
    ...times,
  }));
}

/** The movement keeps the product's movements equal to its stock. */
async function removeVariants(ctx: Ctx, removed: readonly Variant[]): Promise<void> {
  if (removed.length === 0) return;
  const ids = removed.map(({ id }) => id);
  await ctx.db.run(sql`
    UPDATE product_variants SET deleted_at = ${ctx.now()}, updated_at = ${ctx.now()}, stock = 0
    WHERE id = ANY(${ids}::uuid[])`);
  await ctx.db.run(sql`DELETE FROM stock_levels WHERE variant_id = ANY(${ids}::uuid[])`);
  const stocked = removed.filter(({ stock }) => stock !== 0);
  await logMovements(
    ctx,
    stocked.map(({ id, product_id, stock }) => ({ product_id, variant_id: id, change: -stock, reason: 'removed' })),
  );
}

type Row = ReturnType<typeof toRows>[number];

const written = sql`position, title, options, sku, price, compare_at_price, barcode, weight_grams, image_id, stock,
  continue_selling, taxable, tax_class, tax_code, metadata, external_ids, updated_at`;
const excluded = sql`excluded.position, excluded.title, excluded.options, excluded.sku, excluded.price,
  excluded.compare_at_price, excluded.barcode, excluded.weight_grams, excluded.image_id, excluded.stock,
  excluded.continue_selling, excluded.taxable, excluded.tax_class, excluded.tax_code, excluded.metadata, excluded.external_ids,
  excluded.updated_at`;

async function upsert(ctx: Ctx, rows: readonly Row[]): Promise<void> {
  if (rows.length === 0) return;
  await ctx.db.run(sql`
    INSERT INTO product_variants (id, product_id, created_at, ${written})
    SELECT id, product_id, created_at, ${written}
    FROM jsonb_populate_recordset(NULL::product_variants, ${JSON.stringify(rows)}::jsonb)
    ON CONFLICT (id) DO UPDATE SET (${written}) = ROW (${excluded})`);
}

/** Emits `product.stock_changed` for each variant of the edited products whose stock was set. */
export async function emitEditedStock(
  ctx: Ctx,
  products: readonly ProductRecord[],
  before: ReadonlyMap<string, Variant>,
): Promise<void> {
  const byId = new Map(products.map((product) => [product.id, product]));
  const after = await readVariants(ctx, [...byId.keys()]);
  const moved = after.flatMap((variant) => {
    const change = variant.stock - (before.get(variant.id)?.stock ?? 0);
    const product = byId.get(variant.product_id) as ProductRecord;
    return change === 0 ? [] : [{ product, variant, change, reserved_change: 0, reason: 'edited', reference: null }];
  });
  await emitStockChanged(ctx, moved);
}
