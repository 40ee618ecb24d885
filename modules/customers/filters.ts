import { type Ctx, containsWords, join, readAmounts, readTags, type Sql, since, sql, until, wordsOf } from '@chowk/kit';
import { seesAll } from './columns.ts';
import { phoneDigits } from './phone.ts';
import type { Filters, Order } from './schemas.ts';
import { firstId, isVip, vipRule } from './vip-rule.ts';

const createdAt = sql`c.created_at`;

/** For each order the index that has it: the rank, which grows with the key, and the key itself. */
const sortColumns: Readonly<Record<Order['sort_by'], { readonly rank: Sql; readonly key: Sql }>> = {
  created_at: { rank: sql`c.created_rank`, key: createdAt },
  first_name: { rank: sql`c.name_rank`, key: sql`c.first_name_key` },
  total_orders: { rank: sql`c.orders_rank`, key: sql`c.total_orders` },
  total_spent: { rank: sql`c.spent_rank`, key: sql`c.total_spent` },
  last_order_at: { rank: sql`c.last_order_rank`, key: sql`c.last_order_at` },
};

export function sortColumnsOf({ sort_by }: Order) {
  return sortColumns[sort_by];
}

/** The order of `customers c`; ids decide between equals, so that pages neither overlap nor leave anybody out. */
export function orderBy({ sort_by, sort_order }: Order): Sql {
  const { rank, key } = sortColumns[sort_by];
  return sort_order === 'asc' ? sql`${rank}, ${key}, c.id` : sql`${rank} DESC, ${key} DESC, c.id DESC`;
}

/** What the filters ask of `customers c`, one condition each. */
export async function conditions(ctx: Ctx, filters: Filters): Promise<Sql[]> {
  const settings = await ctx.settings();
  const { search = '', tags = [], accepts_marketing, vip, min_orders = 0, created_from, created_to } = filters;
  const { min_spent = '0.00' } = readAmounts(filters, ['min_spent']);
  const wantedTags = readTags(tags);
  return [
    ...(search.trim() === '' ? [] : [matches(search, { phones: seesAll(ctx) })]),
    ...(wantedTags.length === 0 ? [] : [sql`c.tags @> ${wantedTags}::text[]`]),
    ...(accepts_marketing === undefined ? [] : [sql`c.accepts_marketing = ${accepts_marketing}`]),
    ...(vip === undefined ? [] : [vip ? isVip(await vipRule(ctx)) : sql`NOT ${isVip(await vipRule(ctx))}`]),
    ...(min_orders === 0
      ? []
      : [atLeast(sql`c.total_orders`, sql`c.orders_rank`, sql`customer_orders_rank`, min_orders)]),
    ...(min_spent === '0.00'
      ? []
      : [atLeast(sql`c.total_spent`, sql`c.spent_rank`, sql`customer_spent_rank`, min_spent)]),
    ...(created_from === undefined ? [] : [since(createdAt, created_from, settings)]),
    ...(created_to === undefined ? [] : [until(createdAt, created_to, settings)]),
  ];
}

/** The rank says nothing new, but leads there through its index. */
function atLeast(column: Sql, rank: Sql, rankFunction: Sql, least: number | string): Sql {
  return sql`(${rank} >= ${rankFunction}(${least}, ${firstId}) AND ${column} >= ${least})`;
}

/** Every word is somewhere in name or email, whatever its case and accents; or the text is a part of the phone. */
function matches(text: string, { phones }: { phones: boolean }): Sql {
  const words = join(containsWords(sql`c.search_text`, wordsOf(text), { once: true }), ' AND ');
  const digits = phones ? phoneDigits(text) : undefined;
  return digits === undefined ? words : sql`((${words}) OR ${containsDigits(digits)})`;
}

export function containsDigits(digits: string): Sql {
  return sql`c.phone_digits LIKE ${`%${digits}%`}`;
}
