import { type Ctx, columnsFor, Money, NamedObject, raw, type Static, sql, Type, Uuid } from '@chowk/kit';

/** A variant with what its units are worth. */
const StockValue = NamedObject('StockValue', {
  variant_id: Uuid,
  product_id: Uuid,
  title: Type.String({ description: 'The title of the product.', examples: ['Green tea'] }),
  variant_title: Type.String({ examples: ['250 g'] }),
  sku: Type.String({ examples: ['TEA-250'] }),
  stock: Type.Integer({ description: 'Units on hand.' }),
  reserved: Type.Integer(),
  available: Type.Integer({ description: 'Units that can be sold.' }),
  price: Money,
  value: { ...Money, description: 'Units on hand times price.' },
  is_low: Type.Boolean({ description: 'Whether `products.low_stock_threshold` units or fewer are available.' }),
});
type StockValue = Static<typeof StockValue>;

const StockTotals = NamedObject('StockTotals', {
  variants: Type.Integer(),
  units: Type.Integer({ description: 'Units on hand.' }),
  value: { ...Money, description: 'Units on hand times price.' },
  low: Type.Integer({ description: 'Variants that are low, those that are out of stock included.' }),
  out_of_stock: Type.Integer(),
});
type StockTotals = Static<typeof StockTotals>;

const sorts = { value: 'value', available: 'available', stock: 'stock', sku: 'sku_key', title: 'title_key' } as const;

export const StockQuery = Type.Object({
  low_stock: Type.Optional(Type.Boolean()),
  sort_by: Type.Enum(Object.keys(sorts) as (keyof typeof sorts)[]),
  sort_order: Type.Enum(['asc', 'desc']),
  offset: Type.Integer({ minimum: 0 }),
  limit: Type.Integer({ minimum: 1, maximum: 1_000 }),
});

export const StockReport = Type.Object({
  total: Type.Integer({ description: 'The number of variants with the filter.' }),
  totals: { ...StockTotals, description: 'All variants, whatever the filter.' },
  variants: Type.Array(StockValue),
});

export async function reportStock(
  ctx: Ctx,
  { low_stock, sort_by, sort_order, offset, limit }: Static<typeof StockQuery>,
): Promise<Static<typeof StockReport>> {
  const { 'products.low_stock_threshold': threshold } = await ctx.settings();
  const all = sql`(
    SELECT v.id AS variant_id, v.product_id, p.title, v.title AS variant_title, v.sku, v.stock, v.reserved, v.stock - v.reserved AS available,
      v.price, greatest(v.stock, 0) * v.price AS value, v.stock - v.reserved <= ${threshold}::integer AS is_low, v.sku_key, p.title_key
    FROM product_variants v JOIN products p ON p.id = v.product_id
    WHERE v.deleted_at IS NULL AND p.deleted_at IS NULL) s`;
  const isWanted = low_stock === undefined ? sql`true` : sql`s.is_low = ${low_stock}`;
  const [summary, variants] = await Promise.all([
    ctx.db.row<StockTotals & { total: number }>(sql`
      SELECT ${columnsFor(StockTotals, sql`t`)}, t.total FROM (
        SELECT count(*)::integer AS variants, coalesce(sum(greatest(s.stock, 0)), 0)::bigint AS units, coalesce(sum(s.value), 0) AS value,
          count(*) FILTER (WHERE s.is_low)::integer AS low, count(*) FILTER (WHERE s.available <= 0)::integer AS out_of_stock,
          count(*) FILTER (WHERE ${isWanted})::integer AS total
        FROM ${all}) t`),
    ctx.db.rows<StockValue>(sql`
      SELECT ${columnsFor(StockValue, sql`s`)} FROM ${all} WHERE ${isWanted}
      ORDER BY s.${raw(sorts[sort_by])} ${raw(sort_order)}, s.variant_id LIMIT ${limit} OFFSET ${offset}`),
  ]);
  const { total, ...totals } = summary as StockTotals & { total: number };
  return { total, totals, variants };
}

export async function listTitles(
  ctx: Ctx,
  { ids }: { ids: readonly string[] },
): Promise<{ id: string; title: string }[]> {
  return ctx.db.rows<{ id: string; title: string }>(sql`SELECT id, title FROM products WHERE id = ANY(${ids}::uuid[])`);
}
