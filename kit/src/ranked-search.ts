import type { Ctx } from './context.ts';
import { Default, type Static, Type } from './schema.ts';
import { join, type Sql, sql } from './sql.ts';
import { Line } from './text.ts';

export const SearchQuery = Type.Object({
  q: Line(200, { minLength: 2, examples: ['green tea'] }),
  limit: Default(Type.Integer({ minimum: 1, maximum: 50 }), 20),
});
export type SearchQuery = Static<typeof SearchQuery>;

interface Ranking {
  /** `products p`, which has an `id` and a folded `search_text`. */
  readonly from: Sql;
  readonly alias: Sql;
  readonly columns: Sql;
  /** Breaks ties. */
  readonly order: Sql;
}

/** Limits the work for terms that many rows contain. */
const maxCandidates = sql`500`;

/** Ranks candidates, each a SELECT of `id` and `rank`: the lowest rank first, then the most similar. */
export function rankedRows<Row extends object>(
  ctx: Ctx,
  { from, alias, columns, order }: Ranking,
  { q, limit }: SearchQuery,
  candidates: readonly Sql[],
): Promise<Row[]> {
  const bounded = candidates.map((candidate) => sql`(${candidate} LIMIT ${maxCandidates})`);
  return ctx.db.rows<Row>(sql`
    SELECT ${columns}
    FROM (SELECT id, min(rank) AS rank FROM (${join(bounded, ' UNION ALL ')}) candidate GROUP BY id) best
    JOIN ${from} USING (id)
    ORDER BY best.rank, word_similarity(fold(${q}), ${alias}.search_text) DESC, ${order}, ${alias}.id
    LIMIT ${limit}`);
}
