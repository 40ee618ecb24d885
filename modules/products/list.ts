import {
  and,
  between,
  byNumber,
  byText,
  byTime,
  type Ctx,
  containsWords,
  counter,
  eitherByUnion,
  equals,
  filter,
  hasTags,
  list,
  moneyBetween,
  rankedRows,
  type SearchQuery,
  type Sql,
  search,
  splitWords,
  sql,
  Type,
  Uuid,
} from '@chowk/kit';
import { inCollection } from './collection-rules.ts';
import { productColumns } from './columns.ts';
import { csvCells, csvFields, csvRows } from './csv-columns.ts';
import { externalIdFilter } from './external-ids.ts';
import { hasSku, metadataFilter, Skus } from './key-filters.ts';
import { Product, Status } from './schemas.ts';

const Flag = (description: string) => Type.Boolean({ description });

export const productList = list({
  name: 'products',
  row: Product,
  from: sql`products p`,
  alias: sql`p`,
  where: sql`p.deleted_at IS NULL`,
  columns: productColumns,
  filters: {
    search: search(
      'Words in title, SKU, tags or categories, or the SKU or barcode of a variant.',
      sql`p.search_text`,
      async (text) => [sql`p.id = ANY(ARRAY(SELECT v.product_id FROM product_variants v WHERE ${hasKey(text)}))`],
      eitherByUnion(sql`p.id`, sql`products p WHERE p.deleted_at IS NULL`),
    ),
    ids: filter(Type.Array(Uuid, { maxItems: 100 }), (ids) => sql`p.id = ANY(${ids}::uuid[])`),
    skus: filter(
      Skus,
      (texts) => sql`p.id = ANY(ARRAY(SELECT v.product_id FROM product_variants v WHERE ${hasSku(texts)}))`,
    ),
    metadata: metadataFilter(sql`p.metadata`),
    status: equals(Status, sql`p.status`),
    tags: hasTags(sql`p.tags`),
    category: filter(Type.String({ maxLength: 100 }), (category) => sql`p.categories @> ARRAY[${category}]`),
    ...moneyBetween('price', sql`p.price`),
    in_stock: filter(Flag('Whether units are available.'), (value) => sql`(p.stock > p.reserved) = ${value}`),
    low_stock: filter(
      Flag('Whether `products.low_stock_threshold` units or fewer of a variant are available.'),
      async (value, ctx) => {
        const { 'products.low_stock_threshold': threshold } = await ctx.settings();
        return sql`EXISTS (
          SELECT FROM product_variants v
          WHERE v.product_id = p.id AND v.deleted_at IS NULL AND v.stock - v.reserved <= ${threshold}) = ${value}`;
      },
    ),
    collection: inCollection,
    slug: filter(Type.String({ maxLength: 100 }), (slug) => sql`p.slug = ${slug}`),
    external_id: externalIdFilter('product', sql`p.id`),
    mandatory: equals(Type.Boolean(), sql`p.mandatory`),
    ...between('created', sql`p.created_at`),
  },
  sorts: {
    created_at: byTime(sql`p.created_at`),
    title: byText(sql`p.title_key`),
    price: byNumber(sql`p.price`),
    stock: byNumber(sql`p.stock`),
    sku: byText(sql`p.sku_key`),
  },
  total: (_ctx, filters) => (Object.keys(filters).length === 0 ? counter('products') : undefined),
  csv: csvCells,
  csvFields,
  csvRows,
});

/** Whether a text is the beginning of a variant's SKU, or its barcode. */
function hasKey(text: string): Sql {
  return sql`v.deleted_at IS NULL AND (v.sku_key ^@ lower(${text}) OR v.barcode = ${text})`;
}

const ranking = { from: sql`products p`, alias: sql`p`, columns: productColumns, order: sql`p.title_key` };

/** Ranks the equal SKU first, then prefixes, then words anywhere. Without a match, similar words. */
export async function searchProducts(ctx: Ctx, query: SearchQuery): Promise<{ products: Product[] }> {
  const { q } = query;
  const matches = await rankedRows<Product>(ctx, ranking, query, [
    sql`SELECT product_id AS id, 0 AS rank FROM product_variants WHERE deleted_at IS NULL AND sku_key = lower(${q})`,
    sql`SELECT product_id, 0 FROM product_variants WHERE deleted_at IS NULL AND barcode = ${q}`,
    sql`SELECT product_id, 1 FROM product_variants WHERE deleted_at IS NULL AND sku_key ^@ lower(${q})`,
    sql`SELECT id, 2 FROM products p WHERE deleted_at IS NULL AND title_key ^@ fold(${q})`,
    sql`SELECT id, 3 FROM products p WHERE deleted_at IS NULL ${and(containsWords(sql`p.search_text`, splitWords(q)))}`,
  ]);
  if (matches.length > 0) return { products: matches };
  const similar = sql`SELECT id, 4 AS rank FROM products p WHERE deleted_at IS NULL AND search_text %> fold(${q})`;
  return { products: await rankedRows<Product>(ctx, ranking, query, [similar]) };
}
