import { type Ctx, counter, raw, type Sql, sql } from '@chowk/kit';

/** A customer who orders this often or spends this much is a VIP. */
interface VipRule {
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

/** Numbers are literals, so that PostgreSQL plans the statement once. */
const literal = (value: number) => raw(String(value));

/** Whether a row of `customers c` is a VIP. */
export function isVip({ orders, spend }: VipRule): Sql {
  return sql`(c.total_orders >= ${literal(orders)} OR c.total_spent >= ${literal(spend)})`;
}

/** A SELECT of how many VIPs there are: the kept number if it was counted by the tenant's rule, else all are counted. */
export async function vipCount(ctx: Ctx): Promise<Sql> {
  const rule = await vipRule(ctx);
  await keepRule(ctx, rule);
  return sql`
    SELECT CASE WHEN (order_threshold, spend_threshold) = (${literal(rule.orders)}, ${literal(rule.spend)})
      THEN (${counter('customers.vip')})
      ELSE (SELECT count(*) FROM customers c WHERE c.deleted_at IS NULL AND ${isVip(rule)}) END AS total
    FROM customer_vip_rule`;
}

/** Counts by this rule from now on, where it is a new one. While others write it is not done, but a minute later. */
async function keepRule(ctx: Ctx, { orders, spend }: VipRule): Promise<void> {
  await ctx.cache.remember(`vip-rule ${orders} ${spend}`, 60, async () => {
    await ctx.db.run(sql`SELECT keep_customer_vip_rule(${orders}, ${spend})`);
    return true;
  });
}
