import { type Ctx, changesBetween, forbidden, type Issues, sql } from '@chowk/kit';
import { fail } from './errors.ts';
import type { Fields } from './save.ts';
import type { Product } from './schemas.ts';

/* Who may change the mandatory products of a reseller, and their copies in its tenants. */

export const manageCatalogue = 'reseller.catalogue.manage';

export const copyProblem = 'The product is mandatory: your reseller sets everything except its stock.';

/** Among the products, those that are copies of mandatory products of a reseller, by id. */
export async function findCopies(ctx: Ctx, products: readonly Product[]): Promise<ReadonlySet<string>> {
  const ids = products.filter(({ mandatory }) => mandatory).map(({ id }) => id);
  if (ids.length === 0) return new Set();
  const rows = await ctx.db.rows<{ id: string }>(sql`
    SELECT id FROM products WHERE id = ANY(${ids}::uuid[]) AND source_id IS NOT NULL`);
  return new Set(rows.map(({ id }) => id));
}

/** Throws if the product is a copy, which its tenant may neither change nor delete. */
export async function mustNotBeCopy(ctx: Ctx, product: Product): Promise<void> {
  if ((await findCopies(ctx, [product])).size > 0) throw fail('products.is_mandatory');
}

/** Adds a problem for each field of a copy that its tenant may not change. */
export function checkCopy(current: Product, fields: Fields, issues: Issues): void {
  for (const name of Object.keys(changesBetween<Fields>(current, fields))) {
    if (name !== 'stock') issues.add(name, copyProblem, 'not_allowed');
  }
}

/** Whether a product becomes mandatory or is no longer so, which the caller may not decide. */
export function lacksRights(ctx: Ctx, before: boolean, after: boolean | undefined): boolean {
  return after !== undefined && before !== after && !ctx.can(manageCatalogue);
}

/** Throws unless the caller may change whether a product is mandatory. */
export function requireRights(ctx: Ctx, before: boolean, after: boolean | undefined): void {
  if (lacksRights(ctx, before, after)) throw forbidden(manageCatalogue);
}
