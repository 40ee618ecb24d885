import {
  and,
  type Ctx,
  containsWords,
  IdSet,
  isShortWord,
  rankedRows,
  type SearchQuery,
  type Sql,
  splitWords,
  sql,
} from '@chowk/kit';
import { canViewSensitive, columns } from './columns.ts';
import { containsDigits, textFilter } from './list.ts';
import { phoneDigits, readPhone } from './phone.ts';
import type { Customer } from './schemas.ts';

/** The index does not help to find two characters inside a word; only the newest customers are scanned. */
const maxScanned = sql`10000`;

/** Ranks equal emails and phones first, then prefixes, then words anywhere. Without a match, similar words. */
export async function searchCustomers(ctx: Ctx, query: SearchQuery): Promise<{ customers: Customer[] }> {
  const ranking = { from: sql`customers c`, alias: sql`c`, columns: columns(ctx), order: sql`c.first_name_key` };
  const rank = (candidates: readonly Sql[]) => rankedRows<Customer>(ctx, ranking, query, candidates);
  const customers = await rank([...(await byPhone(ctx, query.q)), ...byText(query.q)]);
  if (customers.length > 0) return { customers };
  return { customers: await rank([sql`SELECT id, 3 AS rank FROM ${active} AND search_text %> fold(${query.q})`]) };
}

const active = sql`customers c WHERE deleted_at IS NULL`;

function byText(term: string): Sql[] {
  const folded = sql`fold(${term})`;
  const words = splitWords(term);
  const from = words.every(isShortWord) ? newest : sql`customers`;
  return [
    sql`SELECT id, 0 AS rank FROM ${active} AND email = lower(${term})`,
    sql`SELECT id, 1 AS rank FROM ${active} AND email ^@ lower(${term})`,
    sql`SELECT id, 1 AS rank FROM ${active} AND first_name_key ^@ ${folded}`,
    sql`SELECT id, CASE WHEN search_text ^@ ${folded} THEN 1 ELSE 2 END AS rank
      FROM ${from} c WHERE deleted_at IS NULL ${and(containsWords(sql`c.search_text`, words))}`,
  ];
}

const newest = sql`(
  SELECT id, search_text, deleted_at FROM customers WHERE deleted_at IS NULL
  ORDER BY created_at DESC, id DESC LIMIT ${maxScanned})`;

/** None for users who may not see phones, because matches would reveal them. */
async function byPhone(ctx: Ctx, term: string): Promise<Sql[]> {
  const digits = canViewSensitive(ctx) ? phoneDigits(term) : undefined;
  if (digits === undefined) return [];
  const variants = [(await readPhone(ctx, term)) ?? digits, digits, `+${digits}`];
  return [
    sql`SELECT id, 0 AS rank FROM ${active} AND phone = ANY(${variants}::text[])`,
    sql`SELECT id, 2 AS rank FROM ${active} AND ${containsDigits(digits)}`,
  ];
}

/** `null` for text without words. */
export async function findMatching(ctx: Ctx, { text }: { readonly text: string }): Promise<IdSet | null> {
  const matches = await textFilter.where(text, ctx);
  return matches ? new IdSet(sql`SELECT id FROM ${active} AND ${matches}`) : null;
}
