import { type Ctx, sql } from '@chowk/kit';
import { missing } from './identity.ts';

/** What another platform calls the customer. */
export async function setExternalId(
  ctx: Ctx,
  { customer_id, platform, external_id }: { customer_id: string; platform: string; external_id: string },
): Promise<void> {
  const found = await ctx.db.run(sql`
    UPDATE customers SET external_ids = external_ids || jsonb_build_object(${platform}::text, ${external_id}::text),
      updated_at = ${ctx.now()}
    WHERE id = ${customer_id} AND deleted_at IS NULL`);
  if (found === 0) throw await missing(ctx, customer_id);
}

export async function getExternalId(
  ctx: Ctx,
  { customer_id, platform }: { customer_id: string; platform: string },
): Promise<string | undefined> {
  const row = await ctx.db.row<{ external_id: string | null }>(sql`
    SELECT external_ids ->> ${platform}::text AS external_id FROM customers
    WHERE id = ${customer_id} AND deleted_at IS NULL`);
  if (!row) throw await missing(ctx, customer_id);
  return row.external_id ?? undefined;
}
