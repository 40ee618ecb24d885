import { type Ctx, removalOf, sql } from '@chowk/kit';
import { recordColumns } from './columns.ts';
import { missing } from './find.ts';
import type { CustomerRecord, Deletion } from './schemas.ts';

type Mode = Deletion['mode'];

const messages: Record<Mode, string> = {
  soft: 'Customer deleted.',
  anonymize: 'Customer anonymized; orders and statistics stay.',
  hard: 'Customer removed with all data about it.',
};

export function deletionMessage({ mode }: Deletion): string {
  return messages[mode];
}

/** Hides a customer, empties its personal fields or removes all data; the latter two also if it is hidden already. */
export async function deleteCustomer(ctx: Ctx, { id, mode }: Deletion): Promise<void> {
  await ctx.tx(async (tx) => {
    const { deleted, tags: _, ...customer } = await holdAny(tx, id);
    if (deleted && mode === 'soft') throw await missing(tx, id);
    tx.mustMatch(customer);
    await erase[mode](tx, id);
    tx.audit({ mode: [null, mode], ...removalOf(customer) });
    await tx.emit('customer.deleted', { id: customer.id, mode }, { about: customer.id });
  });
}

const erase: Record<Mode, (ctx: Ctx, id: string) => Promise<void>> = {
  async soft(ctx, id) {
    const now = ctx.now();
    await ctx.db.run(sql`UPDATE customers SET deleted_at = ${now}, updated_at = ${now} WHERE id = ${id}`);
  },
  async anonymize(ctx, id) {
    await ctx.personalData.anonymize(id);
    const now = ctx.now();
    await ctx.db.run(sql`
      UPDATE customers SET accepts_marketing = false, anonymized_at = ${now}, updated_at = ${now} WHERE id = ${id}`);
  },
  hard: (ctx, id) => ctx.personalData.remove(id),
};

/** Locks a customer, also a deleted one: nothing is written about it until the transaction ends. */
async function holdAny(ctx: Ctx, id: string): Promise<CustomerRecord & { deleted: boolean }> {
  const customer = await ctx.db.row<CustomerRecord & { deleted: boolean }>(sql`
    SELECT ${recordColumns}, c.deleted_at IS NOT NULL AS deleted FROM customers c WHERE id = ${id} FOR UPDATE`);
  if (!customer) throw await missing(ctx, id);
  return customer;
}
