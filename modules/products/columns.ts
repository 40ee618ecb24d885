import { sql } from '@chowk/kit';

/** A product as every answer shows it, from a row of `products p`. */
export const columns = sql`p.id, p.sku, p.title, p.description, p.price::text AS price,
  p.compare_at_price::text AS compare_at_price, p.status, p.images, p.tags, p.categories, p.mandatory, p.stock,
  p.reserved, p.stock - p.reserved AS available, iso(p.created_at) AS created_at, iso(p.updated_at) AS updated_at`;
