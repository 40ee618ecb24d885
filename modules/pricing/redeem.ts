import { type Ctx, invalid, type Sql, sql } from '@chowk/kit';
import { fail } from './errors.ts';

interface Redemption {
  readonly order_id: string;
  readonly customer_id: string | null;
  readonly codes: readonly string[];
}

interface FoundDiscount {
  readonly code: string;
  readonly isWanted: boolean;
  readonly isRedeemed: boolean;
  readonly isUsedUp: boolean;
  /** By the customer, who can use it once. */
  readonly isUsed: boolean;
}

/**
 * Makes these the codes that the order has used: others are released. Repeating it changes nothing. The caller has locked the
 * customer.
 */
export async function redeem(ctx: Ctx, redemption: Redemption): Promise<void> {
  // Sent at once: the second statement sees what those have written that the first one waited for.
  const [, discounts] = await Promise.all([lockDiscounts(ctx, redemption), writeRedemptions(ctx, redemption)]);
  const unknown = redemption.codes.find(
    (code) => !discounts.some((one) => one.isWanted && one.code.toLowerCase() === code.toLowerCase()),
  );
  if (unknown !== undefined) {
    throw invalid({ codes: { code: 'unknown', message: `There is no discount code ${unknown}.` } });
  }
  const added = discounts.filter(({ isWanted, isRedeemed }) => isWanted && !isRedeemed);
  for (const { code, isUsedUp } of added) if (isUsedUp) throw fail('pricing.discount_used_up', { code });
  for (const { code, isUsed } of added) if (isUsed) throw fail('pricing.discount_already_used', { code });
}

const keys = (codes: readonly string[]) => sql`(SELECT lower(code) FROM unnest(${codes}::text[]) code)`;
const redeemedBy = (orderId: string) => sql`(SELECT discount_id FROM discount_redemptions WHERE order_id = ${orderId})`;

/** The discounts of the codes, and those that the order has used. */
function isConcerned({ order_id, codes }: Redemption): Sql {
  return sql`d.id IN (SELECT id FROM discounts WHERE code_key IN ${keys(codes)} UNION ${redeemedBy(order_id)})`;
}

/** In the order of ids, so that two orders do not deadlock. */
function lockDiscounts(ctx: Ctx, redemption: Redemption): Promise<number> {
  return ctx.db.run(sql`
    SELECT FROM discounts d WHERE ${isConcerned(redemption)} ORDER BY d.id FOR NO KEY UPDATE`);
}

/** Writes nothing if one of the codes cannot be used. */
function writeRedemptions(ctx: Ctx, redemption: Redemption): Promise<FoundDiscount[]> {
  const { order_id, customer_id, codes } = redemption;
  return ctx.db.rows<FoundDiscount>(sql`
    WITH found AS (
      SELECT d.id, d.code, d.code_key IN ${keys(codes)} AS "isWanted", d.id IN ${redeemedBy(order_id)} AS "isRedeemed",
        coalesce(d.uses >= d.usage_limit, false) AS "isUsedUp",
        d.once_per_customer AND EXISTS (SELECT FROM discount_redemptions u
          WHERE u.discount_id = d.id AND u.customer_id = ${customer_id}::uuid) AS "isUsed"
      FROM discounts d WHERE ${isConcerned(redemption)}),
    changed AS (
      SELECT id, "isWanted" FROM found
      WHERE "isWanted" <> "isRedeemed"
        AND NOT EXISTS (SELECT FROM found WHERE "isWanted" AND NOT "isRedeemed" AND ("isUsedUp" OR "isUsed"))
        AND (SELECT count(*) FROM found WHERE "isWanted") = (SELECT count(DISTINCT key) FROM ${keys(codes)} wanted (key))),
    added AS (
      INSERT INTO discount_redemptions (discount_id, order_id, customer_id, created_at)
      SELECT id, ${order_id}::uuid, ${customer_id}::uuid, ${ctx.now()}::timestamptz FROM changed WHERE "isWanted"),
    removed AS (
      DELETE FROM discount_redemptions
      WHERE order_id = ${order_id} AND discount_id IN (SELECT id FROM changed WHERE NOT "isWanted")),
    counted AS (
      UPDATE discounts d SET uses = d.uses + CASE WHEN c."isWanted" THEN 1 ELSE -1 END FROM changed c WHERE d.id = c.id)
    SELECT code, "isWanted", "isRedeemed", "isUsedUp", "isUsed" FROM found`);
}
