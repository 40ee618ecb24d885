import { type Ctx, invalid, sql } from '@chowk/kit';
import { recordColumns } from './columns.ts';
import { tellUpdated } from './events.ts';
import { lockCustomer, missing } from './identity.ts';
import type { CustomerRecord } from './schemas.ts';

interface Key {
  readonly customer_id: string;
  readonly platform: string;
}

/** What another platform calls the customer. Told as a change of the customer, unless it is known already. */
export function setExternalId(
  ctx: Ctx,
  { customer_id, platform, external_id }: Key & { readonly external_id: string },
) {
  if (!platform.trim()) throw invalid({ platform: ['The platform must not be empty.'] });
  if (!external_id.trim()) throw invalid({ external_id: ['The external id must not be empty.'] });
  return ctx.tx(async (tx) => {
    const held = await lockCustomer(tx, customer_id);
    if (!held || held.deleted) throw await missing(tx, customer_id);
    const { id, external_ids } = held.customer;
    const next = { ...external_ids, [platform.trim()]: external_id.trim() };
    if (external_ids[platform.trim()] === external_id.trim()) return;
    await tellUpdated(tx, await saveExternalIds(tx, id, next), ['external_ids']);
  });
}

export async function getExternalId(ctx: Ctx, { customer_id, platform }: Key): Promise<string | undefined> {
  const row = await ctx.db.row<{ external_id: string | null }>(sql`
    SELECT external_ids ->> ${platform.trim()}::text AS external_id FROM customers
    WHERE id = coalesce((SELECT merged_into FROM customer_merges WHERE id = ${customer_id}), ${customer_id})
      AND deleted_at IS NULL`);
  if (!row) throw await missing(ctx, customer_id);
  return row.external_id ?? undefined;
}

async function saveExternalIds(ctx: Ctx, id: string, ids: Record<string, string>): Promise<CustomerRecord> {
  return (await ctx.db.row<CustomerRecord>(sql`
    UPDATE customers c SET external_ids = ${JSON.stringify(ids)}, updated_at = ${ctx.now()}
    WHERE id = ${id} RETURNING ${recordColumns}`)) as CustomerRecord;
}
