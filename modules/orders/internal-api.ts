import { type HelpersOf, helper, type Pagination, paging, sql, Type, Uuid } from '@chowk/kit';
import { customerOrderList } from './list.ts';
import type { Order } from './schemas.ts';

interface Statistics {
  readonly total_orders: number;
  readonly total_spent: string;
  readonly avg_order_value: string;
  readonly first_order_at: string | null;
  readonly last_order_at: string | null;
}

export const helpers = {
  getStatistics: helper({
    summary: 'Get the order statistics of customers, together',
    description: 'Cancelled and failed orders do not count.',
    input: Type.Object({ customer_ids: Type.Array(Uuid) }),
    run: (ctx, { customer_ids }) =>
      ctx.db.row(sql`
        SELECT count(*)::integer AS total_orders, coalesce(sum(total), 0)::numeric(18, 2) AS total_spent,
          coalesce(avg(total), 0)::numeric(18, 2) AS avg_order_value,
          min(placed_at) AS first_order_at, max(placed_at) AS last_order_at
        FROM orders WHERE customer_id = ANY(${customer_ids}::uuid[]) AND deleted_at IS NULL
          AND status NOT IN ('cancelled', 'failed')`) as Promise<Statistics>,
  }),
  listByCustomer: helper({
    summary: 'List the orders of a customer, the most recent first',
    description: 'Addresses are masked as for the user.',
    input: Type.Object({ customer_id: Uuid, ...paging }),
    async run(ctx, query) {
      const page = await customerOrderList.page(ctx, { ...query, sort_by: 'placed_at', sort_order: 'desc' });
      return page as { orders: Order[]; pagination: Pagination };
    },
  }),
};

declare module '@chowk/kit/catalogue' {
  interface Helpers {
    orders: HelpersOf<typeof helpers>;
  }
}
