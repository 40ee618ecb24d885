import { columnsFor, sql } from '@chowk/kit';
import { Product, ProductRecord } from './schemas.ts';
import { Variant } from './variant-schemas.ts';

const computed = {
  available: sql`p.stock - p.reserved`,
  slug: sql`coalesce(p.slug, p.id::text)`,
  price_max: sql`coalesce(p.price_max, p.price)::text`,
};

/** A product without its variants, from a row of `products p`. */
export const columns = columnsFor(ProductRecord, sql`p`, computed);

const available = sql`v.stock - v.reserved`;

/** A variant from a row of `product_variants v`. */
export const variantColumns = columnsFor(Variant, sql`v`, { available });

/** As `variantColumns`, for JSON. */
export const variantJsonColumns = columnsFor(Variant, sql`v`, {
  available,
  created_at: sql`iso(v.created_at)`,
  updated_at: sql`iso(v.updated_at)`,
});

/** A product with its variants, from a row of `products p`. */
export const productColumns = columnsFor(Product, sql`p`, {
  ...computed,
  variants: sql`(SELECT coalesce(json_agg(v), '[]') FROM (
    SELECT ${variantJsonColumns} FROM product_variants v WHERE v.product_id = p.id AND v.deleted_at IS NULL
    ORDER BY v.position, v.id) v)`,
});
