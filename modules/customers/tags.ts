import { type Ctx, distinct, invalid, type Sql, type Static, sql } from '@chowk/kit';
import { recordColumns } from './columns.ts';
import { tellUpdated } from './events.ts';
import type { BulkTags, BulkTagsAnswer, CustomerRecord } from './schemas.ts';

type Result = Static<typeof BulkTagsAnswer>;

/** As many as one customer can be given one by one. */
const mostTags = 50;

export async function addTags(ctx: Ctx, { customer_ids, tags }: BulkTags): Promise<Result> {
  const more = distinct(tags);
  const merged = sql`tags || ARRAY(
    SELECT tag FROM unnest(${more}::text[]) WITH ORDINALITY AS more (tag, place) WHERE tag <> ALL (tags) ORDER BY place)`;
  const result = await changeTags(ctx, customer_ids, merged, (changed) => {
    const full = changed.filter((customer) => customer.tags.length > mostTags);
    if (full.length === 0) return;
    const [{ id }] = full as [CustomerRecord];
    throw invalid({
      tags: [`No customer can have more than ${mostTags} tags; ${full.length} would have more, the first is ${id}.`],
    });
  });
  return { message: 'The tags were added.', ...result };
}

export async function removeTags(ctx: Ctx, { customer_ids, tags }: BulkTags): Promise<Result> {
  const less = distinct(tags);
  const rest = sql`ARRAY(
    SELECT tag FROM unnest(tags) WITH ORDINALITY AS had (tag, place) WHERE tag <> ALL (${less}::text[]) ORDER BY place)`;
  return { message: 'The tags were removed.', ...(await changeTags(ctx, customer_ids, rest)) };
}

/** Gives the customers other tags, all or, where `check` throws, none. Those whose tags stay the same are not touched. */
async function changeTags(
  ctx: Ctx,
  customerIds: readonly string[],
  tags: Sql,
  check?: (changed: readonly CustomerRecord[]) => void,
): Promise<Omit<Result, 'message'>> {
  const ids = distinct(customerIds.map((id) => id.toLowerCase()));
  const held = await ctx.tx(async (tx) => {
    const rows = await writeTags(tx, ids, tags);
    const changed = rows.flatMap(({ customer }) => customer ?? []);
    check?.(changed);
    for (const customer of changed) await tellUpdated(tx, customer, ['tags']);
    return new Set(rows.map(({ id }) => id));
  });
  return { updated: held.size, not_found: ids.filter((id) => !held.has(id)) };
}

/**
 * One statement for all. It locks in the order of ids, so that two at once do not wait for each other in a circle, and
 * reads the tags from the rows it has locked. Who was changed comes with the record, who was only found without.
 */
function writeTags(
  ctx: Ctx,
  ids: readonly string[],
  tags: Sql,
): Promise<{ id: string; customer: CustomerRecord | null }[]> {
  return ctx.db.rows(sql`
    WITH held AS (
      SELECT id, tags FROM customers WHERE id = ANY(${ids}::uuid[]) AND deleted_at IS NULL ORDER BY id FOR NO KEY UPDATE),
    wanted AS (SELECT id, ${tags} AS tags FROM held),
    changed AS (
      UPDATE customers c SET tags = wanted.tags, updated_at = ${ctx.now()} FROM wanted
      WHERE c.id = wanted.id AND c.tags <> wanted.tags RETURNING ${recordColumns})
    SELECT held.id, to_json(changed) AS customer FROM held LEFT JOIN changed USING (id) ORDER BY held.id`);
}
