import { type Ctx, counter, sql } from '@chowk/kit';
import type { Customer, Segment, SegmentKey } from './schemas.ts';
import { vipCount, vipRule } from './vip-rule.ts';

const labels: Readonly<Record<SegmentKey, string>> = {
  new: 'New',
  returning: 'Returning',
  loyal: 'Loyal',
  vip: 'VIP',
  at_risk: 'At risk',
  marketing: 'Accepts marketing',
};
const keys = Object.keys(labels) as SegmentKey[];

/** A customer whose last order was before is at risk. */
function riskCutoff(ctx: Ctx): Date {
  return new Date(ctx.now().getTime() - 90 * 24 * 3_600_000);
}

export async function listSegments(ctx: Ctx): Promise<{ segments: Segment[] }> {
  const cutoff = riskCutoff(ctx);
  const day = `customers.last_order.${cutoff.toISOString().slice(0, 10)}`;
  // At risk is everybody who has ordered but those of later days, which are kept by day, and later on the same day.
  const counts = await ctx.db.row<Record<SegmentKey, number>>(sql`
    SELECT (${counter('customers.new')}) AS new, (${counter('customers.returning')}) AS returning,
      (${counter('customers.loyal')}) AS loyal, (${await vipCount(ctx)}) AS vip,
      (${counter('customers.marketing')}) AS marketing,
      (${counter('customers.ordered')})
        - (SELECT coalesce(sum(value), 0)::bigint FROM counters WHERE name > ${day} AND name < 'customers.last_order/')
        - (SELECT count(*) FROM customers WHERE deleted_at IS NULL AND ${lastOrder} >= ${cutoff}
            AND ${lastOrder} < date_trunc('day', ${cutoff}::timestamptz, 'UTC') + interval '1 day') AS at_risk`);
  return { segments: keys.map((key) => ({ key, label: labels[key], count: counts?.[key] ?? 0 })) };
}

/** As the index has it. */
const lastOrder = sql`coalesce(last_order_at, '-infinity'::timestamptz)`;

/** The segments that a customer is in now. */
export async function segmentsOf(ctx: Ctx, customer: Customer): Promise<SegmentKey[]> {
  const { orders, spend } = await vipRule(ctx);
  const { total_orders, total_spent, last_order_at, accepts_marketing } = customer;
  const isIn: Readonly<Record<SegmentKey, boolean>> = {
    new: total_orders === 0,
    returning: total_orders > 0 && total_orders < 5,
    loyal: total_orders >= 5,
    vip: total_orders >= orders || Number(total_spent) >= spend,
    at_risk: last_order_at !== null && Date.parse(last_order_at) < riskCutoff(ctx).getTime(),
    marketing: accepts_marketing,
  };
  return keys.filter((key) => isIn[key]);
}
