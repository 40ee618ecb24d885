import { type Ctx, sql } from '@chowk/kit';
import { lockCustomer, missing } from './identity.ts';
import type { Metadata } from './schemas.ts';

interface Key {
  readonly customer_id: string;
  readonly key: string;
  readonly module_source: string;
}

export function setMetadata(
  ctx: Ctx,
  { customer_id, key, module_source, value }: Key & { readonly value: string },
): Promise<void> {
  return ctx.tx(async (tx) => {
    const held = await lockCustomer(tx, customer_id);
    if (!held || held.deleted) throw await missing(tx, customer_id);
    const now = tx.now();
    await tx.db.run(sql`
      INSERT INTO customer_metadata (id, customer_id, key, value, module_source, created_at, updated_at)
      VALUES (${tx.newId()}, ${held.customer.id}, ${key}, ${value}, ${module_source}, ${now}, ${now})
      ON CONFLICT (customer_id, module_source, key) DO UPDATE SET value = excluded.value, updated_at = excluded.updated_at`);
  });
}

export async function getMetadata(ctx: Ctx, { customer_id, key, module_source }: Key): Promise<string | undefined> {
  const row = await ctx.db.row<{ value: string | null }>(sql`
    SELECT m.value FROM customers c
    LEFT JOIN customer_metadata m ON m.customer_id = c.id AND m.module_source = ${module_source} AND m.key = ${key}
    WHERE c.id = coalesce((SELECT merged_into FROM customer_merges WHERE id = ${customer_id}), ${customer_id})
      AND c.deleted_at IS NULL`);
  if (!row) throw await missing(ctx, customer_id);
  return row.value ?? undefined;
}

export function listMetadata(ctx: Ctx, customerId: string): Promise<Metadata[]> {
  return ctx.db.rows<Metadata>(sql`
    SELECT id, customer_id, key, value, module_source FROM customer_metadata WHERE customer_id = ${customerId}
    ORDER BY module_source, key`);
}
