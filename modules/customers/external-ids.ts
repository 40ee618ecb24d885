import { type Ctx, invalid, sql } from '@chowk/kit';
import { currentId, holdCurrent, missing } from './find.ts';
import { saveCustomer } from './save.ts';

interface Key {
  readonly customer_id: string;
  readonly platform: string;
}

export async function setExternalId(ctx: Ctx, input: Key & { readonly external_id: string }): Promise<void> {
  const [platform, external_id] = [input.platform.trim(), input.external_id.trim()];
  if (!platform) throw invalid({ platform: 'The platform must not be empty.' });
  if (!external_id) throw invalid({ external_id: 'The external id must not be empty.' });
  await ctx.tx(async (tx) => {
    const customer = await holdCurrent(tx, input.customer_id);
    await saveCustomer(tx, customer, { external_ids: { ...customer.external_ids, [platform]: external_id } });
  });
}

export async function getExternalId(ctx: Ctx, { customer_id, platform }: Key): Promise<string | undefined> {
  const row = await ctx.db.row<{ external_id: string | null }>(sql`
    SELECT external_ids ->> ${platform.trim()}::text AS external_id FROM customers
    WHERE id = ${currentId(customer_id)} AND deleted_at IS NULL`);
  if (!row) throw await missing(ctx, customer_id);
  return row.external_id ?? undefined;
}
