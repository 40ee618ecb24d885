import { type Ctx, type Failure, Issues, invalid, sql, taken, violatedIndex } from '@chowk/kit';
import type { ProductChanges } from './schemas.ts';
import { findTakenSkus, type VariantPlan } from './variant-plan.ts';

/* SKUs, slugs and ids on other platforms, of which each belongs to one record. */

const externalIdTaken = taken('Another record has one of these ids on its platform.');

/** Runs a write and reports what a concurrent request has taken. */
export async function whileUnique<Result>(
  ctx: Ctx,
  input: ProductChanges,
  plan: VariantPlan | undefined,
  write: (tx: Ctx) => Promise<Result>,
): Promise<Result> {
  try {
    return await ctx.tx(write);
  } catch (error) {
    const index = violatedIndex(error) ?? '';
    if (index === 'product_external_ids_pkey') throw invalid({ external_ids: externalIdTaken });
    if (['products_sku', 'product_variants_sku', 'products_slug'].includes(index))
      throw await conflict(ctx, input, plan);
    throw error;
  }
}

export async function conflict(ctx: Ctx, input: ProductChanges, plan: VariantPlan | undefined): Promise<Failure> {
  const issues = new Issues();
  await addTaken(ctx, input, plan, issues);
  if (!issues.any) issues.add('sku', skuTaken(input.sku).message, 'taken');
  return issues.failure;
}

/** Adds a problem for each SKU, and for the slug, if another product has it. */
export async function addTaken(
  ctx: Ctx,
  { sku, slug }: ProductChanges,
  plan: VariantPlan | undefined,
  issues: Issues,
  productId: string | null = null,
): Promise<void> {
  const skus = plan ? plan.variants.map((variant) => variant.sku) : sku === undefined ? [] : [sku];
  const takenSkus = skus.length === 0 ? new Set<string>() : await findTakenSkus(ctx, skus, productId);
  for (const [index, one] of skus.entries()) {
    const field = plan ? `variants.${index}.sku` : 'sku';
    if (takenSkus.has(one.toLowerCase())) issues.add(field, skuTaken(one).message, 'taken');
  }
  if (slug === undefined) return;
  const other = await ctx.db.row(sql`
    SELECT FROM products WHERE slug = ${slug} AND deleted_at IS NULL AND id IS DISTINCT FROM ${productId}::uuid`);
  if (other) issues.add('slug', `The slug ${slug} is taken.`, 'taken');
}

export function skuTaken(sku: string | undefined) {
  return taken(`The SKU ${sku} is taken.`);
}
