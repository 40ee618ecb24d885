import { type Ctx, removedFields, sql } from '@chowk/kit';
import { findAny, missing } from './find.ts';
import type { DataCounts, Deletion } from './schemas.ts';

type Mode = Deletion['mode'];

export const deletionMessages: Record<Mode, string> = {
  soft: 'Customer deleted.',
  anonymize: 'Customer anonymized. Orders and statistics are kept.',
  hard: 'Customer deleted with all data about it.',
};

/** What `hard` deletes. */
export async function countData(ctx: Ctx, { id }: { readonly id: string }): Promise<DataCounts> {
  const { customer } = await findAny(ctx, id, sql``);
  const counts = await ctx.personalData.count(customer.id);
  return { data: counts.filter(({ rows }) => rows > 0) };
}

/** Holds the customer's lock, so that no module writes about it at the same time. */
export async function deleteCustomer(ctx: Ctx, { id, mode }: Deletion): Promise<void> {
  await ctx.tx(async (tx) => {
    const { customer, isDeleted } = await findAny(tx, id, sql`FOR UPDATE`);
    if (isDeleted && mode === 'soft') throw await missing(tx, id);
    tx.mustMatch(customer);
    if (mode !== 'soft') {
      await tx.emit('customer.erasing', { id: customer.id, mode });
      // Also from the events that listeners have just emitted.
      await eraseFromEvents(tx, id);
    }
    await erase[mode](tx, id);
    // Tags may identify the customer.
    const { tags: _, ...fields } = customer;
    tx.audit({ mode: [null, mode], ...removedFields(fields) });
    await tx.emit('customer.deleted', { id: customer.id, mode });
  });
}

/** Also events about customers that were merged into this one. */
async function eraseFromEvents(ctx: Ctx, id: string): Promise<void> {
  const merged = await ctx.db.rows<{ id: string }>(sql`SELECT id FROM customer_merges WHERE merged_into = ${id}`);
  await ctx.personalData.eraseFromEvents([id, ...merged.map((row) => row.id)]);
}

const erase: Record<Mode, (ctx: Ctx, id: string) => Promise<unknown>> = {
  soft: (ctx, id) =>
    ctx.db.run(sql`UPDATE customers SET deleted_at = ${ctx.now()}, updated_at = ${ctx.now()} WHERE id = ${id}`),
  async anonymize(ctx, id) {
    await ctx.personalData.anonymize(id);
    const now = ctx.now();
    await ctx.db.run(sql`
      UPDATE customers SET accepts_marketing = false, anonymized_at = ${now}, updated_at = ${now} WHERE id = ${id}`);
  },
  hard: (ctx, id) => ctx.personalData.remove(id),
};
