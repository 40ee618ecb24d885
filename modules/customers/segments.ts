import { type Ctx, sql } from '@chowk/kit';
import type { Customer, SegmentKey } from './schemas.ts';
import { isKept, keepRule, type VipRule, vipCount, vipRule } from './vip-rule.ts';

type Counts = Readonly<Record<SegmentKey, number>>;

const labels: Readonly<Record<SegmentKey, string>> = {
  new: 'New',
  returning: 'Returning',
  loyal: 'Loyal',
  vip: 'VIP',
  at_risk: 'At risk',
  marketing: 'Accepts marketing',
};
const keys = Object.keys(labels) as SegmentKey[];

/** Nobody is at risk who has ordered since then. */
function riskBegins(ctx: Ctx): Date {
  return new Date(ctx.now().getTime() - 90 * 24 * 3_600_000);
}

/** How many customers are in each segment now; nobody is counted, unless the rule for VIPs has changed. */
export async function listSegments(ctx: Ctx): Promise<{ key: SegmentKey; label: string; count: number }[]> {
  const rule = await vipRule(ctx);
  const { kept, ...counts } = await readCounts(ctx, rule, riskBegins(ctx));
  if (!kept) await keepRule(ctx, rule);
  return keys.map((key) => ({ key, label: labels[key], count: counts[key] }));
}

/**
 * Who is at risk depends on the moment: of those who have ordered, all but those whose last order was on a later day,
 * which are kept by day, and those of the same day, who are looked up.
 */
async function readCounts(ctx: Ctx, rule: VipRule, cutoff: Date): Promise<Counts & { kept: boolean }> {
  const cutoffRank = sql`customer_last_order_rank(${cutoff}, NULL)`;
  const row = await ctx.db.row<Counts & { kept: boolean }>(sql`
    SELECT newcomers AS new, returners AS returning, loyal, ${vipCount(rule)} AS vip, marketing, ${isKept(rule)} AS kept,
      ordered - later.customers - same_day.customers AS at_risk
    FROM (
      SELECT coalesce(sum(newcomers), 0)::bigint AS newcomers, coalesce(sum(returners), 0)::bigint AS returners,
        coalesce(sum(loyal), 0)::bigint AS loyal, coalesce(sum(marketing), 0)::bigint AS marketing,
        coalesce(sum(ordered), 0)::bigint AS ordered
      FROM customer_counts) counts,
    (SELECT coalesce(sum(customers), 0)::bigint AS customers FROM (
      SELECT customers FROM customer_ranks WHERE sort = 'last_order_at' AND rank > ${cutoffRank}
      UNION ALL
      SELECT change FROM customer_rank_changes WHERE sort = 'last_order_at' AND rank > ${cutoffRank}) known) later,
    (SELECT count(*) AS customers FROM customers
      WHERE deleted_at IS NULL AND last_order_rank = ${cutoffRank} AND last_order_at >= ${cutoff}) same_day`);
  return row as Counts & { kept: boolean };
}

/** The segments that a customer is in now. */
export async function segmentsOf(ctx: Ctx, customer: Customer): Promise<SegmentKey[]> {
  const { orders, spend } = await vipRule(ctx);
  const { total_orders, total_spent, last_order_at, accepts_marketing } = customer;
  const isIn: Readonly<Record<SegmentKey, boolean>> = {
    new: total_orders === 0,
    returning: total_orders > 0 && total_orders < 5,
    loyal: total_orders >= 5,
    vip: total_orders >= orders || Number(total_spent) >= spend,
    at_risk: last_order_at !== null && Date.parse(last_order_at) < riskBegins(ctx).getTime(),
    marketing: accepts_marketing,
  };
  return keys.filter((key) => isIn[key]);
}
