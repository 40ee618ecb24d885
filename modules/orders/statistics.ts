import { type Ctx, sql } from '@chowk/kit';

/** What customers' orders add up to, by one aggregate; cancelled and failed ones do not count. */
export interface Statistics {
  readonly total_orders: number;
  readonly total_spent: string;
  readonly avg_order_value: string;
  readonly first_order_at: string | null;
  readonly last_order_at: string | null;
}

export async function statistics(ctx: Ctx, { customer_ids }: { customer_ids: readonly string[] }): Promise<Statistics> {
  return (await ctx.db.row<Statistics>(sql`
    SELECT count(*)::integer AS total_orders, coalesce(sum(total), 0)::numeric(18, 2) AS total_spent,
      coalesce(avg(total), 0)::numeric(18, 2) AS avg_order_value,
      min(placed_at) AS first_order_at, max(placed_at) AS last_order_at
    FROM orders
    WHERE customer_id = ANY(${customer_ids}::uuid[]) AND deleted_at IS NULL AND status NOT IN ('cancelled', 'failed')`)) as Statistics;
}
