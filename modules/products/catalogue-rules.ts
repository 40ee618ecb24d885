import { isDeepStrictEqual } from 'node:util';
import { type Ctx, forbidden, type Issues, sql } from '@chowk/kit';
import { fail } from './errors.ts';
import { changedFields, type Edit } from './save.ts';
import type { ProductRecord } from './schemas.ts';
import { pickState, type VariantState } from './variant-plan.ts';

/* Who may change the mandatory products of a reseller, and their copies in its tenants. */

export const manageCatalogue = 'reseller.catalogue.manage';

export const copyProblem = 'The product is mandatory: your reseller sets everything except its stock.';

/** Among the products, those that are copies of mandatory products of a reseller, by id. */
export async function findCopies(ctx: Ctx, products: readonly ProductRecord[]): Promise<ReadonlySet<string>> {
  const ids = products.filter(({ mandatory }) => mandatory).map(({ id }) => id);
  if (ids.length === 0) return new Set();
  const rows = await ctx.db.rows<{ id: string }>(sql`
    SELECT id FROM products WHERE id = ANY(${ids}::uuid[]) AND source_id IS NOT NULL`);
  return new Set(rows.map(({ id }) => id));
}

/** Throws if the product is a copy, which its tenant may neither change nor delete. */
export async function mustNotBeCopy(ctx: Ctx, product: ProductRecord): Promise<void> {
  if ((await findCopies(ctx, [product])).size > 0) throw fail('products.is_mandatory');
}

/** Adds a problem for each field of a copy that its tenant may not change. */
export function checkCopy(edit: Edit, issues: Issues): void {
  for (const name of changedFields(edit)) {
    const isAllowed = name === 'stock' || (name === 'variants' && changesOnlyStock(edit.variants));
    if (!isAllowed) issues.add(name, copyProblem, 'not_allowed');
  }
}

function changesOnlyStock(variants: Edit['variants']): boolean {
  const { current, next } = variants as NonNullable<Edit['variants']>;
  const withoutStock = ({ stock: _, id, ...state }: VariantState) => ({ id, ...pickState({ ...state, stock: 0 }) });
  return isDeepStrictEqual(current.map(withoutStock), next.map(withoutStock));
}

/** Whether a product becomes mandatory or is no longer so, which the caller may not decide. */
export function lacksRights(ctx: Ctx, before: boolean, after: boolean | undefined): boolean {
  return after !== undefined && before !== after && !ctx.can(manageCatalogue);
}

/** Throws unless the caller may change whether a product is mandatory. */
export function requireRights(ctx: Ctx, before: boolean, after: boolean | undefined): void {
  if (lacksRights(ctx, before, after)) throw forbidden(manageCatalogue);
}
