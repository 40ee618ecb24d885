import { type Ctx, type HelpersOf, type Pagination, type Paging, sql } from '@chowk/kit';
import { customerOrderList } from './list.ts';
import type { Order } from './schemas.ts';

interface Statistics {
  readonly total_orders: number;
  readonly total_spent: string;
  readonly avg_order_value: string;
  readonly first_order_at: string | null;
  readonly last_order_at: string | null;
}

type OrderPage = { orders: Order[]; pagination: Pagination };

/** For the code of other modules, which decide who may see the answer. */
export const helpers = {
  /** What the orders of these customers add up to; cancelled and failed ones do not count. */
  statistics: (ctx: Ctx, { customer_ids }: { customer_ids: readonly string[] }) =>
    ctx.db.row(sql`
      SELECT count(*)::integer AS total_orders, coalesce(sum(total), 0)::numeric(18, 2) AS total_spent,
        coalesce(avg(total), 0)::numeric(18, 2) AS avg_order_value,
        min(placed_at) AS first_order_at, max(placed_at) AS last_order_at
      FROM orders WHERE customer_id = ANY(${customer_ids}::uuid[]) AND deleted_at IS NULL
        AND status NOT IN ('cancelled', 'failed')`) as Promise<Statistics>,
  /** A page of a customer's orders, the latest first; masked for callers who may not see street addresses. */
  ofCustomer: (ctx: Ctx, query: Paging & { readonly customer_id: string }) =>
    customerOrderList.page(ctx, { ...query, sort_by: 'placed_at', sort_order: 'desc' }) as Promise<OrderPage>,
};

declare module '@chowk/kit/catalogue' {
  interface Helpers {
    orders: HelpersOf<typeof helpers>;
  }
}
