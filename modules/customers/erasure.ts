import { type Ctx, sql } from '@chowk/kit';
import { tellDeleted } from './events.ts';
import { missing } from './identity.ts';
import type { DeleteMode } from './schemas.ts';

const messages: Record<DeleteMode, string> = {
  soft: 'The customer was deleted.',
  anonymize: 'Everything that tells who the customer is was removed; orders and statistics stay.',
  hard: 'The customer and all that was held on it were removed for good.',
};

/** Hides a customer, empties what tells who it is, or removes all there is. The latter two also if it is hidden already. */
export async function deleteCustomer(
  ctx: Ctx,
  { id }: { id: string },
  { mode }: { mode: DeleteMode },
): Promise<{ message: string }> {
  await ctx.tx(async (tx) => {
    await erase[mode](tx, id);
    await tellDeleted(tx, id.toLowerCase(), mode);
  });
  return { message: messages[mode] };
}

const erase: Record<DeleteMode, (ctx: Ctx, id: string) => Promise<void>> = { soft: hide, anonymize, hard: remove };

async function hide(ctx: Ctx, id: string): Promise<void> {
  const now = ctx.now();
  const found = await ctx.db.run(sql`
    UPDATE customers SET deleted_at = ${now}, updated_at = ${now} WHERE id = ${id} AND deleted_at IS NULL`);
  if (found === 0) throw await missing(ctx, id);
}

async function anonymize(ctx: Ctx, id: string): Promise<void> {
  await holdAny(ctx, id);
  await ctx.personalData.anonymize(id);
  const now = ctx.now();
  await ctx.db.run(sql`
    UPDATE customers SET accepts_marketing = false, anonymized_at = ${now}, updated_at = ${now} WHERE id = ${id}`);
}

async function remove(ctx: Ctx, id: string): Promise<void> {
  await holdAny(ctx, id);
  await ctx.personalData.remove(id);
}

/** Locks a customer, also a deleted one: nobody writes anything about it until the transaction ends. */
async function holdAny(ctx: Ctx, id: string): Promise<void> {
  const found = await ctx.db.row(sql`SELECT id FROM customers WHERE id = ${id} FOR UPDATE`);
  if (!found) throw await missing(ctx, id);
}
