import { type Ctx, invalid, sql } from '@chowk/kit';
import { fail } from './errors.ts';

interface Redemption {
  readonly order_id: string;
  readonly customer_id: string | null;
  readonly codes: readonly string[];
}

interface LockedDiscount {
  readonly id: string;
  readonly code: string;
  readonly isWanted: boolean;
  readonly isRedeemed: boolean;
  readonly isUsedUp: boolean;
  readonly once_per_customer: boolean;
}

/**
 * Makes these the codes that the order has used: others are released. Repeating it changes nothing. The caller has locked the
 * customer.
 */
export async function redeem(ctx: Ctx, { order_id, customer_id, codes }: Redemption): Promise<void> {
  const discounts = await lockDiscounts(ctx, order_id, codes);
  const unknown = codes.find(
    (code) => !discounts.some((one) => one.isWanted && one.code.toLowerCase() === code.toLowerCase()),
  );
  if (unknown !== undefined) {
    throw invalid({ codes: { code: 'unknown', message: `There is no discount code ${unknown}.` } });
  }
  const added = discounts.filter(({ isWanted, isRedeemed }) => isWanted && !isRedeemed);
  for (const { code, isUsedUp } of added) if (isUsedUp) throw fail('pricing.discount_used_up', { code });
  await mustBeFirst(ctx, customer_id, added);
  await writeRedemptions(ctx, { order_id, customer_id }, added);
  await deleteRedemptions(
    ctx,
    order_id,
    discounts.filter(({ isWanted, isRedeemed }) => isRedeemed && !isWanted),
  );
}

/** The discounts of the codes, and those that the order has used. */
async function lockDiscounts(ctx: Ctx, orderId: string, codes: readonly string[]): Promise<LockedDiscount[]> {
  const isWanted = sql`code_key IN (SELECT lower(code) FROM unnest(${codes}::text[]) code)`;
  const redeemed = sql`SELECT discount_id FROM discount_redemptions WHERE order_id = ${orderId}`;
  const found = sql`discounts WHERE id IN (SELECT id FROM discounts WHERE ${isWanted} UNION ${redeemed})`;
  // Sent at once: the second statement sees what those have written that the first one waited for.
  const [, discounts] = await Promise.all([
    // In the order of ids, so that two orders do not deadlock.
    ctx.db.run(sql`SELECT FROM ${found} ORDER BY id FOR NO KEY UPDATE`),
    ctx.db.rows<LockedDiscount>(sql`
      SELECT id, code, once_per_customer, ${isWanted} AS "isWanted", id IN (${redeemed}) AS "isRedeemed",
        coalesce(uses >= usage_limit, false) AS "isUsedUp"
      FROM ${found}`),
  ]);
  return discounts;
}

async function mustBeFirst(ctx: Ctx, customerId: string | null, discounts: readonly LockedDiscount[]): Promise<void> {
  const once = discounts.filter(({ once_per_customer }) => once_per_customer);
  if (customerId === null || once.length === 0) return;
  const used = await ctx.db.row<{ discount_id: string }>(sql`
    SELECT discount_id FROM discount_redemptions
    WHERE customer_id = ${customerId} AND discount_id = ANY(${once.map(({ id }) => id)}::uuid[]) LIMIT 1`);
  if (!used) return;
  throw fail('pricing.discount_already_used', { code: once.find(({ id }) => id === used.discount_id)?.code });
}

type Owner = Pick<Redemption, 'order_id' | 'customer_id'>;

async function writeRedemptions(ctx: Ctx, owner: Owner, discounts: readonly LockedDiscount[]): Promise<void> {
  if (discounts.length === 0) return;
  await ctx.db.run(sql`
    WITH added AS (
      INSERT INTO discount_redemptions (discount_id, order_id, customer_id, created_at)
      SELECT id, ${owner.order_id}, ${owner.customer_id}::uuid, ${ctx.now()} FROM unnest(${discounts.map(({ id }) => id)}::uuid[]) id
      RETURNING discount_id)
    UPDATE discounts SET uses = uses + 1 FROM added WHERE id = added.discount_id`);
}

async function deleteRedemptions(ctx: Ctx, orderId: string, discounts: readonly LockedDiscount[]): Promise<void> {
  if (discounts.length === 0) return;
  await ctx.db.run(sql`
    WITH removed AS (
      DELETE FROM discount_redemptions WHERE order_id = ${orderId} AND discount_id = ANY(${discounts.map(({ id }) => id)}::uuid[])
      RETURNING discount_id)
    UPDATE discounts SET uses = uses - 1 FROM removed WHERE id = removed.discount_id`);
}
