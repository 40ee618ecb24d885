import { type Ctx, type FieldErrors, invalid, join, type Settings, type Sql, sql, toMoney } from '@chowk/kit';
import type { Filters, Order } from './schemas.ts';

/** More words than anyone means; each of them costs a look into the index. */
const mostWords = 8;

const sortColumns: Readonly<Record<Order['sort_by'], Sql>> = {
  created_at: sql`p.created_at`,
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
  const { search, status, category, in_stock, low_stock, mandatory, created_from, created_to } = filters;
  const tags = filters.tags?.flatMap((text) => text.split(',')).map((tag) => tag.trim());
  const { min_price, max_price } = readPrices(filters);
  const threshold = settings['products.low_stock_threshold'];
  return [
    ...(search === undefined ? [] : containsWords(search)),
    ...(status === undefined ? [] : [sql`p.status = ${status}`]),
    ...(tags === undefined ? [] : [sql`p.tags @> ${tags.filter(Boolean)}::text[]`]),
    ...(category === undefined ? [] : [sql`p.categories @> ARRAY[${category}]`]),
    ...(min_price === undefined ? [] : [sql`p.price >= ${min_price}`]),
    ...(max_price === undefined ? [] : [sql`p.price <= ${max_price}`]),
    ...(in_stock === undefined ? [] : [sql`(p.stock > p.reserved) = ${in_stock}`]),
    ...(low_stock === undefined ? [] : [sql`(p.stock - p.reserved <= ${threshold}) = ${low_stock}`]),
    ...(mandatory === undefined ? [] : [sql`p.mandatory = ${mandatory}`]),
    ...(created_from === undefined ? [] : [sql`p.created_at >= ${moment(created_from, settings)}`]),
    ...(created_to === undefined ? [] : [until(created_to, settings)]),
  ];
}

/** Every word is somewhere in the product, whatever its case and accents. */
export function containsWords(text: string): Sql[] {
  const words = text.split(/\s+/).filter(Boolean).slice(0, mostWords);
  return words.map((word) => sql`p.search_text LIKE product_pattern(${word})`);
}

/** The conditions as one that follows another. */
export function and(all: readonly Sql[]): Sql {
  return all.length === 0 ? sql`` : sql`AND ${join(all, ' AND ')}`;
}

function readPrices(filters: Filters) {
  const errors: FieldErrors = {};
  const read = (name: 'min_price' | 'max_price') => {
    const given = filters[name];
    const amount = given === undefined ? undefined : toMoney(given);
    if (given !== undefined && amount === undefined)
      errors[name] = [`The ${name.replace('_', ' ')} must be an amount.`];
    return amount;
  };
  const prices = { min_price: read('min_price'), max_price: read('max_price') };
  if (Object.keys(errors).length > 0) throw invalid(errors);
  return prices;
}

const isDay = (text: string) => text.length === 10;

/** A day begins where the tenant is. */
function moment(text: string, { 'general.timezone': zone }: Settings): Sql {
  return isDay(text) ? sql`(${text}::date::timestamp AT TIME ZONE ${zone})` : sql`${text}::timestamptz`;
}

/** A day without a time is meant with all its hours. */
function until(text: string, settings: Settings): Sql {
  if (!isDay(text)) return sql`p.created_at <= ${moment(text, settings)}`;
  return sql`p.created_at < ((${text}::date + 1)::timestamp AT TIME ZONE ${settings['general.timezone']})`;
}
