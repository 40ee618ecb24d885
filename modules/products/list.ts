import {
  and,
  between,
  byNumber,
  byText,
  byTime,
  type Ctx,
  containsWords,
  counter,
  equals,
  filter,
  hasTags,
  list,
  moneyBetween,
  rankedRows,
  type SearchQuery,
  search,
  splitWords,
  sql,
  Type,
} from '@chowk/kit';
import { columns } from './columns.ts';
import { csvCells } from './csv-columns.ts';
import { Product, Status } from './schemas.ts';

const Flag = (description: string) => Type.Boolean({ description });

export const productList = list({
  name: 'products',
  row: Product,
  from: sql`products p`,
  alias: sql`p`,
  where: sql`p.deleted_at IS NULL`,
  columns,
  filters: {
    search: search('Words in title, SKU, tags or categories.', sql`p.search_text`),
    status: equals(Status, sql`p.status`),
    tags: hasTags(sql`p.tags`),
    category: filter(Type.String({ maxLength: 100 }), (category) => sql`p.categories @> ARRAY[${category}]`),
    ...moneyBetween('price', sql`p.price`),
    in_stock: filter(Flag('Whether units are available.'), (value) => sql`(p.stock > p.reserved) = ${value}`),
    low_stock: filter(
      Flag('Whether `products.low_stock_threshold` units or fewer are available.'),
      async (value, ctx) => {
        const { 'products.low_stock_threshold': threshold } = await ctx.settings();
        return sql`(p.stock - p.reserved <= ${threshold}) = ${value}`;
      },
    ),
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
});

const ranking = { from: sql`products p`, alias: sql`p`, columns, order: sql`p.title_key` };

/** Ranks the equal SKU first, then prefixes, then words anywhere. Without a match, similar words. */
export async function searchProducts(ctx: Ctx, query: SearchQuery): Promise<{ products: Product[] }> {
  const { q } = query;
  const matches = await rankedRows<Product>(ctx, ranking, query, [
    sql`SELECT id, 0 AS rank FROM products p WHERE deleted_at IS NULL AND sku_key = lower(${q})`,
    sql`SELECT id, 1 FROM products p WHERE deleted_at IS NULL AND sku_key ^@ lower(${q})`,
    sql`SELECT id, 2 FROM products p WHERE deleted_at IS NULL AND title_key ^@ fold(${q})`,
    sql`SELECT id, 3 FROM products p WHERE deleted_at IS NULL ${and(containsWords(sql`p.search_text`, splitWords(q)))}`,
  ]);
  if (matches.length > 0) return { products: matches };
  const similar = sql`SELECT id, 4 AS rank FROM products p WHERE deleted_at IS NULL AND search_text %> fold(${q})`;
  return { products: await rankedRows<Product>(ctx, ranking, query, [similar]) };
}
