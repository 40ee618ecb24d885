import { type Ctx, type Issues, join, type Sql, sql } from '@chowk/kit';
import type { CustomerRecord, ExternalIdKey } from './schemas.ts';

type ExternalIds = CustomerRecord['external_ids'];

/** The customer with this id on another platform, also if it had the id before a merge. */
export async function findByExternalId(
  ctx: Ctx,
  { platform, external_id }: ExternalIdKey,
): Promise<string | undefined> {
  const customer = await ctx.db.row<{ id: string }>(selectByExternalId({ platform, external_id }));
  return customer?.id;
}

export function selectByExternalId({ platform, external_id }: ExternalIdKey): Sql {
  const ids = JSON.stringify({ [platform.trim()]: external_id });
  return sql`
    WITH found AS MATERIALIZED (${selectHolders(sql`external_ids @> ${ids}::jsonb`)}),
    former AS MATERIALIZED (SELECT merged_into FROM customer_merges WHERE external_ids @> ${ids}::jsonb)
    SELECT id FROM (
      SELECT id, created_at, deleted_at, false AS is_former FROM found
      UNION ALL SELECT id, created_at, deleted_at, true FROM customers WHERE id IN (SELECT merged_into FROM former)) all_found
    WHERE deleted_at IS NULL ORDER BY is_former, created_at, id LIMIT 1`;
}

/** Also deleted customers: the index has them, see its migration. */
function selectHolders(condition: Sql): Sql {
  return sql`SELECT id, created_at, deleted_at, external_ids FROM customers WHERE external_ids <> '{}' AND (${condition})`;
}

/**
 * Adds the new ids that another customer has to the issues. Concurrent writers of the same id wait for each other until the
 * transaction ends. Duplicates from before this rule stay.
 */
export async function addTakenIds(
  ctx: Ctx,
  current: CustomerRecord | undefined,
  next: ExternalIds,
  issues: Issues,
): Promise<void> {
  const added = Object.entries(next).filter(([platform, id]) => current?.external_ids[platform] !== id);
  if (added.length === 0) return;
  const keys = added.map(([platform, id]) => JSON.stringify({ [platform]: id }));
  const hasOne = join(
    keys.map((key) => sql`external_ids @> ${key}::jsonb`),
    ' OR ',
  );
  // Sent at once: the second statement sees what those have written that the first one waited for.
  const [, others] = await Promise.all([
    ctx.db.run(sql`
      SELECT pg_advisory_xact_lock(lock) FROM (
        SELECT DISTINCT hashtextextended('customers external_ids ' || key, 0) AS lock FROM unnest(${keys}::text[]) AS key
        ORDER BY lock) locks`),
    ctx.db.rows<{ external_ids: ExternalIds }>(sql`
      WITH found AS MATERIALIZED (${selectHolders(hasOne)})
      SELECT external_ids FROM found WHERE deleted_at IS NULL AND id IS DISTINCT FROM ${current?.id ?? null}::uuid`),
  ]);
  for (const [platform, id] of added) {
    if (!others.some(({ external_ids }) => external_ids[platform] === id)) continue;
    issues.add(`external_ids.${platform}`, `Another customer has this id on ${platform}.`, 'taken');
  }
}
