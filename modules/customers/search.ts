import { and, type Ctx, containsWords, invalid, isShortWord, join, type Sql, sql, wordsOf } from '@chowk/kit';
import { columns, seesAll } from './columns.ts';
import { conditions, containsDigits } from './filters.ts';
import { normalizePhone, phoneDigits } from './phone.ts';
import type { Customer, SearchQuery } from './schemas.ts';

/** A term that half of all customers contain is ranked among this many of them, not among all. */
const mostCandidates = sql`500`;
/** Two characters inside a word are found without an index, so only among so many of the newest. */
const mostLooked = sql`10000`;

/**
 * The best match first: email or phone itself, a beginning of name or email, all words anywhere. Where there is nothing
 * of it, what is spelt alike.
 */
export async function searchCustomers(ctx: Ctx, { q, limit }: SearchQuery): Promise<Customer[]> {
  const term = q.trim();
  if (term.length < 2) throw invalid({ q: ['The q must have at least 2 characters.'] });
  const near = await rank(ctx, term, limit, [...(await byPhone(ctx, term)), ...byText(term)]);
  if (near.length > 0) return near;
  return rank(ctx, term, limit, [sql`SELECT id, 3 AS rank FROM ${living} AND search_text %> fold(${term})`]);
}

const living = sql`customers c WHERE deleted_at IS NULL`;

/** Past every text that begins with the other. */
const last = '\u{10ffff}';

function byText(term: string): Sql[] {
  const folded = sql`fold(${term})`;
  const words = wordsOf(term);
  const from = words.every(isShortWord) ? newest : sql`customers`;
  return [
    sql`SELECT id, 0 AS rank FROM ${living} AND email = lower(${term})`,
    sql`SELECT id, 1 AS rank FROM ${living} AND email >= lower(${term}) AND email < lower(${term + last})`,
    sql`SELECT id, 1 AS rank FROM ${living} AND name_rank BETWEEN customer_name_rank(${folded})
      AND customer_name_rank(${folded} || ${last}) AND first_name_key >= ${folded} AND first_name_key < ${folded} || ${last}`,
    sql`SELECT id, CASE WHEN search_text ^@ ${folded} THEN 1 ELSE 2 END AS rank
      FROM ${from} c WHERE deleted_at IS NULL ${and(containsWords(sql`c.search_text`, words))}`,
  ];
}

const newest = sql`(
  SELECT id, search_text, deleted_at FROM customers WHERE deleted_at IS NULL
  ORDER BY created_rank DESC, created_at DESC, id DESC LIMIT ${mostLooked})`;

/** Nothing for who may not see phones: what is found would tell them. */
async function byPhone(ctx: Ctx, term: string): Promise<Sql[]> {
  const digits = seesAll(ctx) ? phoneDigits(term) : undefined;
  if (digits === undefined) return [];
  const { 'general.country': country } = await ctx.settings();
  const itself = [normalizePhone(term, country) ?? digits, digits, `+${digits}`];
  return [
    sql`SELECT id, 0 AS rank FROM ${living} AND phone = ANY(${itself}::text[])`,
    sql`SELECT id, 2 AS rank FROM ${living} AND ${containsDigits(digits)}`,
  ];
}

function rank(ctx: Ctx, term: string, limit: number, candidates: readonly Sql[]): Promise<Customer[]> {
  const bounded = candidates.map((each) => sql`(${each} LIMIT ${mostCandidates})`);
  return ctx.db.rows<Customer>(sql`
    SELECT ${columns(seesAll(ctx))}
    FROM (SELECT id, min(rank) AS rank FROM (${join(bounded, ' UNION ALL ')}) found GROUP BY id) best
    JOIN customers c USING (id)
    ORDER BY best.rank, word_similarity(fold(${term}), c.search_text) DESC, c.first_name_key, c.id
    LIMIT ${limit}`);
}

/** Those whom a text finds, for lists of what belongs to them. */
export async function matchingIds(ctx: Ctx, text: string): Promise<string[]> {
  const found = await conditions(ctx, { search: text });
  const rows = await ctx.db.rows<{ id: string }>(sql`SELECT id FROM ${living} ${and(found)} LIMIT 200`);
  return found.length === 0 ? [] : rows.map(({ id }) => id);
}
