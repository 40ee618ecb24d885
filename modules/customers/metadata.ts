import { type Ctx, columnsFor, sql } from '@chowk/kit';
import { currentId, holdCurrent, missing } from './find.ts';
import { Metadata } from './schemas.ts';

interface Key {
  readonly customer_id: string;
  readonly key: string;
  readonly module_source: string;
}

export function setMetadata(ctx: Ctx, input: Key & { readonly value: string }): Promise<void> {
  const { customer_id, key, module_source, value } = input;
  return ctx.tx(async (tx) => {
    const { id } = await holdCurrent(tx, customer_id);
    const now = tx.now();
    await tx.db.run(sql`
      INSERT INTO customer_metadata (id, customer_id, key, value, module_source, created_at, updated_at)
      VALUES (${tx.newId()}, ${id}, ${key}, ${value}, ${module_source}, ${now}, ${now})
      ON CONFLICT (customer_id, module_source, key) DO UPDATE SET value = excluded.value, updated_at = excluded.updated_at`);
  });
}

export async function getMetadata(ctx: Ctx, { customer_id, key, module_source }: Key): Promise<string | undefined> {
  const row = await ctx.db.row<{ value: string | null }>(sql`
    SELECT m.value FROM customers c
    LEFT JOIN customer_metadata m ON m.customer_id = c.id AND m.module_source = ${module_source} AND m.key = ${key}
    WHERE c.id = ${currentId(customer_id)} AND c.deleted_at IS NULL`);
  if (!row) throw await missing(ctx, customer_id);
  return row.value ?? undefined;
}

export function metadataOf(ctx: Ctx, customerIds: readonly string[]): Promise<Metadata[]> {
  return ctx.db.rows<Metadata>(sql`
    SELECT ${columnsFor(Metadata, sql`m`)} FROM customer_metadata m WHERE customer_id = ANY(${customerIds}::uuid[])
    ORDER BY module_source, key`);
}
