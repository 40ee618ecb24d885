import { type Changes, type Ctx, invalid, type Sql, sql } from '@chowk/kit';
import { recordColumns } from './columns.ts';
import { type BulkTags, type BulkTagsResult, type CustomerRecord, maxTags, type TagCount } from './schemas.ts';

/** Counting the tags of all customers would take long; those in use are among the customers that were changed last. */
const maxScanned = sql`10000`;
const maxListed = sql`200`;

export async function listTags(ctx: Ctx): Promise<{ tags: TagCount[] }> {
  const tags = await ctx.db.rows<TagCount>(sql`
    SELECT name, count(*) AS count FROM (
      SELECT tags FROM customers WHERE deleted_at IS NULL ORDER BY updated_at DESC, id DESC LIMIT ${maxScanned}) AS latest,
      unnest(tags) AS name
    GROUP BY name ORDER BY count DESC, name LIMIT ${maxListed}`);
  return { tags };
}

export function addTags(ctx: Ctx, input: BulkTags): Promise<BulkTagsResult> {
  const { tags } = input;
  const merged = sql`tags || ARRAY(
    SELECT tag FROM unnest(${tags}::text[]) WITH ORDINALITY AS added (tag, position) WHERE tag <> ALL (tags) ORDER BY position)`;
  return changeTags(ctx, input, merged, { tags: [[], tags] });
}

export function removeTags(ctx: Ctx, input: BulkTags): Promise<BulkTagsResult> {
  const { tags } = input;
  const rest = sql`ARRAY(
    SELECT tag FROM unnest(tags) WITH ORDINALITY AS current (tag, position) WHERE tag <> ALL (${tags}::text[]) ORDER BY position)`;
  return changeTags(ctx, input, rest, { tags: [tags, []] });
}

/** Changes all customers, or none if one would have too many tags. */
async function changeTags(ctx: Ctx, { customer_ids }: BulkTags, tags: Sql, changes: Changes): Promise<BulkTagsResult> {
  const ids = [...new Set(customer_ids.map((id) => id.toLowerCase()))];
  const { foundIds, changed } = await ctx.tx(async (tx) => {
    const rows = await writeTags(tx, ids, tags);
    const changed = rows.flatMap(({ found_id: _, ...customer }) => (customer.id === null ? [] : customer));
    checkLimit(changed);
    tx.audit({ ...changes, customers: [0, changed.length] });
    await tx.emitAll(
      'customer.updated',
      changed.map((customer) => ({ customer, changed: ['tags'] })),
    );
    return { foundIds: new Set(rows.map(({ found_id }) => found_id)), changed: changed.map(({ id }) => id) };
  });
  return { updated: foundIds.size, changed, not_found: ids.filter((id) => !foundIds.has(id)) };
}

function checkLimit(changed: readonly CustomerRecord[]): void {
  const tooMany = changed.filter(({ tags }) => tags.length > maxTags);
  if (tooMany.length === 0) return;
  const message = `A customer can have at most ${maxTags} tags; ${tooMany.length} would have more, the first is ${tooMany[0]?.id}.`;
  throw invalid({ tags: { code: 'too_many', message } });
}

/** Locks in the order of ids, which prevents deadlocks. Unchanged customers have only `found_id`. */
function writeTags(ctx: Ctx, ids: readonly string[], tags: Sql): Promise<(CustomerRecord & { found_id: string })[]> {
  return ctx.db.rows(sql`
    WITH locked AS (
      SELECT id, tags FROM customers WHERE id = ANY(${ids}::uuid[]) AND deleted_at IS NULL ORDER BY id FOR NO KEY UPDATE),
    next AS (SELECT id, ${tags} AS tags FROM locked),
    changed AS (
      UPDATE customers c SET tags = next.tags, updated_at = ${ctx.now()} FROM next
      WHERE c.id = next.id AND c.tags <> next.tags RETURNING ${recordColumns})
    SELECT locked.id AS found_id, changed.* FROM locked LEFT JOIN changed ON changed.id = locked.id ORDER BY locked.id`);
}
