import { type Ctx, type Sql, sql } from '@chowk/kit';

/** Who orders this often or spends this much is a VIP. */
export interface VipRule {
  readonly orders: number;
  readonly spend: number;
}

export async function vipRule(ctx: Ctx): Promise<VipRule> {
  const settings = await ctx.settings();
  return {
    orders: Number(settings['customers.vip_order_threshold']),
    spend: Number(settings['customers.vip_spend_threshold']),
  };
}

/** Whether a row of `customers c` is a VIP. The ranks say nothing new, but lead to the few through their indexes. */
export function isVip({ orders, spend }: VipRule): Sql {
  return sql`((c.orders_rank >= customer_orders_rank(${orders}, ${firstId}) AND c.total_orders >= ${orders})
    OR (c.spent_rank >= customer_spent_rank(${spend}, ${firstId}) AND c.total_spent >= ${spend}))`;
}

/** The least of all ids: with it a rank is where those of its kind begin. */
export const firstId = '00000000-0000-0000-0000-000000000000';

/** How many VIPs there are, as a bigint: the kept number, if it was counted by this rule. */
export function vipCount(rule: VipRule): Sql {
  return sql`CASE WHEN ${isKept(rule)} THEN (SELECT coalesce(sum(vip), 0)::bigint FROM customer_counts)
    ELSE (SELECT count(*) FROM customers c WHERE c.deleted_at IS NULL AND ${isVip(rule)}) END`;
}

/** Whether the kept number was counted by this rule. */
export function isKept({ orders, spend }: VipRule): Sql {
  return sql`(SELECT (order_threshold, spend_threshold) = (${orders}, ${spend}) FROM customer_vip_rule)`;
}

/** Counts anew by this rule, so that from now on nobody has to. If others are in the way, somebody does it later. */
export async function keepRule(ctx: Ctx, { orders, spend }: VipRule): Promise<void> {
  await ctx.db.run(sql`SELECT keep_customer_vip_rule(${orders}, ${spend})`);
}
