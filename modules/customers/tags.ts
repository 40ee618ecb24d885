import { type Changes, type Ctx, invalid, type Sql, sql } from '@chowk/kit';
import { recordColumns } from './columns.ts';
import type { BulkTags, BulkTagsResult, CustomerRecord } from './schemas.ts';

/** As many as a customer can be given by itself. */
const mostTags = 50;

export function addTags(ctx: Ctx, input: BulkTags): Promise<BulkTagsResult> {
  const { tags } = input;
  const merged = sql`tags || ARRAY(
    SELECT tag FROM unnest(${tags}::text[]) WITH ORDINALITY AS more (tag, place) WHERE tag <> ALL (tags) ORDER BY place)`;
  return changeTags(ctx, input, merged, { tags: [[], tags] });
}

export function removeTags(ctx: Ctx, input: BulkTags): Promise<BulkTagsResult> {
  const { tags } = input;
  const rest = sql`ARRAY(
    SELECT tag FROM unnest(tags) WITH ORDINALITY AS had (tag, place) WHERE tag <> ALL (${tags}::text[]) ORDER BY place)`;
  return changeTags(ctx, input, rest, { tags: [tags, []] });
}

/** All customers get other tags or, if one would have too many, none. */
async function changeTags(ctx: Ctx, { customer_ids }: BulkTags, tags: Sql, changes: Changes): Promise<BulkTagsResult> {
  const ids = [...new Set(customer_ids.map((id) => id.toLowerCase()))];
  const found = await ctx.tx(async (tx) => {
    const rows = await writeTags(tx, ids, tags);
    const changed = rows.flatMap(({ found_id: _, ...customer }) => (customer.id === null ? [] : customer));
    mustFit(changed);
    tx.audit({ ...changes, customers: [0, changed.length] });
    for (const customer of changed) {
      await tx.emit('customer.updated', { customer, changed: ['tags'] }, { about: customer.id });
    }
    return new Set(rows.map(({ found_id }) => found_id));
  });
  return { updated: found.size, not_found: ids.filter((id) => !found.has(id)) };
}

function mustFit(changed: readonly CustomerRecord[]): void {
  const full = changed.filter(({ tags }) => tags.length > mostTags);
  if (full.length === 0) return;
  const message = `A customer can have at most ${mostTags} tags; ${full.length} would have more, the first is ${full[0]?.id}.`;
  throw invalid({ tags: { code: 'too_many', message } });
}

/**
 * One statement for all. It locks in the order of ids, so that two at once do not wait for each other in a circle, and
 * reads the tags from the rows it has locked. Customers that stay as they were have only `found_id`.
 */
function writeTags(ctx: Ctx, ids: readonly string[], tags: Sql): Promise<(CustomerRecord & { found_id: string })[]> {
  return ctx.db.rows(sql`
    WITH held AS (
      SELECT id, tags FROM customers WHERE id = ANY(${ids}::uuid[]) AND deleted_at IS NULL ORDER BY id FOR NO KEY UPDATE),
    wanted AS (SELECT id, ${tags} AS tags FROM held),
    changed AS (
      UPDATE customers c SET tags = wanted.tags, updated_at = ${ctx.now()} FROM wanted
      WHERE c.id = wanted.id AND c.tags <> wanted.tags RETURNING ${recordColumns})
    SELECT held.id AS found_id, changed.* FROM held LEFT JOIN changed ON changed.id = held.id ORDER BY held.id`);
}
