import { type Ctx, counter, IdSet, join, raw, type Sql, sql } from '@chowk/kit';
import type { Customer, Segment, SegmentKey } from './schemas.ts';

const labels: Readonly<Record<SegmentKey, string>> = {
  new: 'New',
  returning: 'Returning',
  loyal: 'Loyal',
  vip: 'VIP',
  at_risk: 'At risk',
  marketing: 'Accepts marketing',
};
const keys = Object.keys(labels) as SegmentKey[];

/** Customers whose last order was before this time are at risk. */
function riskCutoff(ctx: Ctx): Date {
  return new Date(ctx.now().getTime() - 90 * 24 * 3_600_000);
}

/** The expression of the index `customers_by_last_order`. */
export const lastOrder = sql`coalesce(c.last_order_at, '-infinity'::timestamptz)`;

export async function listSegments(ctx: Ctx): Promise<{ segments: Segment[] }> {
  const columns = await Promise.all(keys.map(async (key) => sql`(${await segmentCount(ctx, key)}) AS ${raw(key)}`));
  const counts = await ctx.db.row<Record<SegmentKey, number>>(sql`SELECT ${join(columns)}`);
  return { segments: keys.map((key) => ({ key, label: labels[key], count: counts?.[key] ?? 0 })) };
}

/** A SELECT of the number of customers in a segment, from counters. */
export async function segmentCount(ctx: Ctx, key: SegmentKey): Promise<Sql> {
  if (key === 'vip') return vipCount(ctx);
  return key === 'at_risk' ? riskCount(ctx) : counter(`customers.${key}`);
}

/** Customers with orders, minus those whose last order was on a later day (counters) or later on that day. */
function riskCount(ctx: Ctx): Sql {
  const cutoff = riskCutoff(ctx);
  const day = cutoff.toISOString().slice(0, 10);
  return sql`
    SELECT (${counter('customers.ordered')})
      - (SELECT coalesce(sum(value), 0)::bigint FROM counters
        WHERE name > ${`customers.last_order.${day}`} AND name < 'customers.last_order/')
      - (SELECT count(*) FROM customers c WHERE deleted_at IS NULL AND ${lastOrder} >= ${cutoff}
        AND ${lastOrder} < ${`${day}T24:00:00Z`}) AS total`;
}

/** The condition on `customers c`, for the indexes by orders and by last order. */
export async function isInSegment(ctx: Ctx, key: SegmentKey): Promise<Sql> {
  const conditions: Readonly<Record<SegmentKey, Sql>> = {
    new: sql`c.total_orders = 0`,
    returning: sql`c.total_orders > 0 AND c.total_orders < 5`,
    loyal: sql`c.total_orders >= 5`,
    vip: await isVip(ctx),
    at_risk: sql`${lastOrder} > '-infinity' AND ${lastOrder} < ${riskCutoff(ctx)}`,
    marketing: sql`c.accepts_marketing`,
  };
  return conditions[key];
}

/** The customers of each segment, in the order of the segments. */
export function findSegments(ctx: Ctx): Promise<{ key: SegmentKey; label: string; customers: IdSet }[]> {
  return Promise.all(
    keys.map(async (key) => {
      const isMember = sql`c.deleted_at IS NULL AND ${await isInSegment(ctx, key)}`;
      return { key, label: labels[key], customers: new IdSet(sql`SELECT c.id FROM customers c WHERE ${isMember}`) };
    }),
  );
}

export async function matchSegments(ctx: Ctx, customer: Customer): Promise<SegmentKey[]> {
  const { orders, spend } = await vipRule(ctx);
  const { total_orders, total_spent, last_order_at, accepts_marketing } = customer;
  const matches: Readonly<Record<SegmentKey, boolean>> = {
    new: total_orders === 0,
    returning: total_orders > 0 && total_orders < 5,
    loyal: total_orders >= 5,
    vip: total_orders >= orders || Number(total_spent) >= spend,
    at_risk: last_order_at !== null && Date.parse(last_order_at) < riskCutoff(ctx).getTime(),
    marketing: accepts_marketing,
  };
  return keys.filter((key) => matches[key]);
}

async function vipRule(ctx: Ctx) {
  const { 'customers.vip_order_threshold': orders, 'customers.vip_spend_threshold': spend } = await ctx.settings();
  return { orders, spend };
}

/** Literals let PostgreSQL plan the statement once. */
const literal = (value: number) => raw(String(value));

/** The condition on `customers c`. */
export async function isVip(ctx: Ctx): Promise<Sql> {
  const { orders, spend } = await vipRule(ctx);
  return sql`(c.total_orders >= ${literal(orders)} OR c.total_spent >= ${literal(spend)})`;
}

/** A SELECT of the number of VIPs: the counter if it uses the tenant's current thresholds, else counted. */
export async function vipCount(ctx: Ctx): Promise<Sql> {
  const { orders, spend } = await vipRule(ctx);
  // Once a minute: the rule cannot be stored while other transactions write, and settings rarely change.
  await ctx.cache.remember(`vip-rule ${orders} ${spend}`, 60, async () => {
    await ctx.db.run(sql`SELECT update_customer_vip_rule(${orders}, ${spend})`);
    return true;
  });
  return sql`
    SELECT CASE WHEN (order_threshold, spend_threshold) = (${literal(orders)}, ${literal(spend)})
      THEN (${counter('customers.vip')})
      ELSE (SELECT count(*) FROM customers c WHERE c.deleted_at IS NULL AND ${await isVip(ctx)}) END AS total
    FROM customer_vip_rule`;
}
