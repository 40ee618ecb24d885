import { type Ctx, containsWords, readAmounts, readTags, type Sql, since, sql, until, wordsOf } from '@chowk/kit';
import type { Filters, Order } from './schemas.ts';

const createdAt = sql`p.created_at`;

const sortColumns: Readonly<Record<Order['sort_by'], Sql>> = {
  created_at: createdAt,
  title: sql`p.title_key`,
  price: sql`p.price`,
  stock: sql`p.stock`,
  sku: sql`p.sku_key`,
};

/** The order of `products p`; ids decide between equals, so that pages neither overlap nor leave anything out. */
export function orderBy({ sort_by, sort_order }: Order): Sql {
  const column = sortColumns[sort_by];
  return sort_order === 'asc' ? sql`${column} ASC, p.id ASC` : sql`${column} DESC, p.id DESC`;
}

/** What the filters ask of `products p`, one condition each. */
export async function conditions(ctx: Ctx, filters: Filters): Promise<Sql[]> {
  const settings = await ctx.settings();
  const { search, status, tags, category, in_stock, low_stock, mandatory, created_from, created_to } = filters;
  const { min_price, max_price } = readAmounts(filters, ['min_price', 'max_price']);
  const threshold = settings['products.low_stock_threshold'];
  return [
    ...(search === undefined ? [] : containsWords(sql`p.search_text`, wordsOf(search), { once: true })),
    ...(status === undefined ? [] : [sql`p.status = ${status}`]),
    ...(tags === undefined ? [] : [sql`p.tags @> ${readTags(tags)}::text[]`]),
    ...(category === undefined ? [] : [sql`p.categories @> ARRAY[${category}]`]),
    ...(min_price === undefined ? [] : [sql`p.price >= ${min_price}`]),
    ...(max_price === undefined ? [] : [sql`p.price <= ${max_price}`]),
    ...(in_stock === undefined ? [] : [sql`(p.stock > p.reserved) = ${in_stock}`]),
    ...(low_stock === undefined ? [] : [sql`(p.stock - p.reserved <= ${threshold}) = ${low_stock}`]),
    ...(mandatory === undefined ? [] : [sql`p.mandatory = ${mandatory}`]),
    ...(created_from === undefined ? [] : [since(createdAt, created_from, settings)]),
    ...(created_to === undefined ? [] : [until(createdAt, created_to, settings)]),
  ];
}
