import { and, type Ctx, containsWords, invalid, join, type Sql, sql, wordsOf } from '@chowk/kit';
import { columns } from './columns.ts';
import type { Product, SearchQuery } from './schemas.ts';

/** A term that half of all products contain is ranked among this many of them, not among all. */
const mostCandidates = sql`500`;

/** The best match first: the SKU itself, a beginning of SKU or title, all words anywhere. Nothing of it: what is spelt alike. */
export async function searchProducts(ctx: Ctx, { q, limit }: SearchQuery): Promise<Product[]> {
  const term = q.trim();
  if (term.length < 2) throw invalid({ q: ['The q must have at least 2 characters.'] });
  const near = await rank(ctx, term, limit, [
    sql`SELECT id, 0 AS rank FROM products p WHERE deleted_at IS NULL AND sku_key = lower(${term})`,
    sql`SELECT id, 1 FROM products p WHERE deleted_at IS NULL AND sku_key ^@ lower(${term})`,
    sql`SELECT id, 2 FROM products p WHERE deleted_at IS NULL AND title_key ^@ fold(${term})`,
    sql`SELECT id, 3 FROM products p WHERE deleted_at IS NULL ${and(containsWords(sql`p.search_text`, wordsOf(term)))}`,
  ]);
  if (near.length > 0) return near;
  return rank(ctx, term, limit, [
    sql`SELECT id, 4 AS rank FROM products p WHERE deleted_at IS NULL AND search_text %> fold(${term})`,
  ]);
}

function rank(ctx: Ctx, term: string, limit: number, candidates: readonly Sql[]): Promise<Product[]> {
  const bounded = candidates.map((each) => sql`(${each} LIMIT ${mostCandidates})`);
  return ctx.db.rows<Product>(sql`
    SELECT ${columns}
    FROM (SELECT id, min(rank) AS rank FROM (${join(bounded, ' UNION ALL ')}) found GROUP BY id) best
    JOIN products p USING (id)
    ORDER BY best.rank, word_similarity(fold(${term}), p.search_text) DESC, p.title_key, p.id
    LIMIT ${limit}`);
}
